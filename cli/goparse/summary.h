/* The summary of goroutine dumps, for a terminal (docs/goparse.md). */
#ifndef CLI_GOPARSE_SUMMARY_H
#define CLI_GOPARSE_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct census;
struct error;

/* A dump that was read. */
struct goparse_dump {
	char *name;
	uint64_t dumps;	     /* in the file */
	uint64_t goroutines; /* of the last of them */
	uint64_t errors;
	uint64_t as_before; /* also in all earlier dumps, in the same place; without --diff all */
	uint64_t waiting, longest_ns; /* of as_before: number with a wait >= 1 min; longest */
	bool broken;		      /* reading it ended in an error: it is incomplete */
};

struct goparse_summary {
	const struct census *census; /* of the last dump */
	const struct goparse_dump *dumps;
	size_t count;
	bool several;		/* dumps: the tables show the last, and the change */
	bool diff;		/* the census holds only goroutines that are in all dumps */
	bool stacks;		/* print whole stacks below the lines of the most common ones */
	unsigned width, height; /* of the terminal, in characters; 0: no limit */
	bool colour;
};

/* Appends the text. ERR_NOMEM, ERR_LIMIT. */
int goparse_summary(const struct goparse_summary *s, struct buffer *out, struct error *err);

enum { GOPARSE_WAIT_ROOM = 24 };

/* Writes a wait as "2h14m"; "<1m" below a minute, where Go prints none. Returns `text`. */
const char *goparse_wait(uint64_t ns, char text[GOPARSE_WAIT_ROOM]);

#endif
