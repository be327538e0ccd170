/* What dumps of goroutines tell, for a terminal (docs/goparse.md). */
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
	uint64_t goroutines, errors;
	uint64_t as_before; /* of them, those that all dumps before have, in the same place */
	uint64_t waiting, longest_ns; /* of these: how many for a minute or longer */
	bool broken; /* it ended in an error: there was more */
};

struct goparse_summary {
	const struct census *census; /* of the last dump */
	const struct goparse_dump *dumps;
	size_t count;
	bool diff;	/* the census is of those only that are in all dumps */
	bool stacks;	/* whole ones, below the lines of the most common */
	unsigned width, height; /* 0: as wide, or as long, as it gets */
	bool colour;
};

/* Appends the text. ERR_NOMEM, ERR_LIMIT. */
int goparse_summary(const struct goparse_summary *s, struct buffer *out, struct error *err);

enum { GOPARSE_WAIT_ROOM = 24 };

/* "2h14m"; "<1m" where Go prints none. */
const char *goparse_wait(uint64_t ns, char text[GOPARSE_WAIT_ROOM]);

#endif
