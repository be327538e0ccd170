/*
 * Goroutines counted: how many are in which state, stand at which place, and whose go
 * statement made them.
 *
 * Of a dump only what differs is kept, and of that so much at most: what comes later goes
 * into the totals alone. Of several dumps the last one's goroutines are counted, and how
 * many there were in the first.
 */
#ifndef GOPARSE_CENSUS_H
#define GOPARSE_CENSUS_H

#include <stddef.h>
#include <stdint.h>

#include "goparse/goparse.h"

enum {
	CENSUS_ROWS_MAX = 1 << 16, /* of each kind */
	CENSUS_BYTES_MAX = 64 << 20, /* of them all */
	CENSUS_FRAMES_MAX = 128, /* kept of a stack; all of them count for what differs */
};

/* Who has waited how long. Less than a minute also holds those that do not wait. */
enum census_span {
	CENSUS_LESS,
	CENSUS_MINUTES, /* 1 to 9 */
	CENSUS_TENS,	/* 10 to 59 */
	CENSUS_HOURS,
	CENSUS_SPANS
};

/* Goroutines that have something in common. Texts are the census's. */
struct census_row {
	struct goparse_text state;  /* with " (leaked)" behind it where Go says so */
	struct goparse_stack stack; /* its id is that of the one that has waited longest */
	uint64_t count, first;	    /* in the last dump, and in the first one */
	uint64_t spans[CENSUS_SPANS];
	uint64_t longest_ns, as_long; /* the longest wait, and how many have waited so long */
	size_t place;		    /* among those of its kind, as they came */
};

enum census_kind {
	CENSUS_STATES,	 /* rows have a state */
	CENSUS_STACKS,	 /* state, frames (compared by function, file, line) and creator */
	CENSUS_CREATORS, /* only stack.created_by */
	CENSUS_KINDS
};

/* By count: the most first; then by wait. By wait: the longest first; then by count. What is
 * equal comes as it came in the dump. */
enum census_order { CENSUS_BY_COUNT, CENSUS_BY_WAIT };

struct census_list {
	const struct census_row **rows; /* owned by whoever asked: free() */
	size_t count;
	uint64_t beyond; /* goroutines that are in none of them: there was no room */
};

struct census;

/* ERR_NOMEM. */
int census_new(struct census **c, struct error *err);
void census_free(struct census *c);

/* The next dump begins; before the first one it need not be said. */
void census_next_dump(struct census *c);

/* ERR_NOMEM. */
int census_add(struct census *c, const struct goparse_goroutine *g, struct error *err);

/* All goroutines of the last dump. No texts, no frames. */
const struct census_row *census_total(const struct census *c);

/* The rows of that kind that the last dump has any of. Good until the next is added. ERR_NOMEM. */
int census_rank(const struct census *c, enum census_kind kind, enum census_order order,
		struct census_list *list, struct error *err);

#endif
