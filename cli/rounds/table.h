/* The rows of a catalog as lines for people. */
#ifndef CLI_ROUNDS_TABLE_H
#define CLI_ROUNDS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct catalog;

struct table_view {
	const size_t *rows; /* of the catalog, in order */
	size_t count;
	size_t width; /* columns; 0: lines are as long as they are */
	bool ascii;   /* for a terminal that has no other characters */
};

/* Appends a line for each batch, one that sums them up, and the sparklines. ERR_NOMEM. */
int table_add(struct buffer *b, const struct catalog *c, const struct table_view *view);

#endif
