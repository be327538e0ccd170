/*
 * Counts goroutines: by state, by stack, and by the go statement that created them.
 *
 * Of a dump, only distinct rows are kept, and only up to limits (CENSUS_ROWS_MAX,
 * CENSUS_BYTES_MAX): goroutines beyond them count only in the total. Of several dumps, a row
 * has two counts: its goroutines in the last dump and in the first.
 */
#ifndef GOPARSE_SUMMARY_CENSUS_H
#define GOPARSE_SUMMARY_CENSUS_H

#include <stddef.h>
#include <stdint.h>

#include "goparse/goparse.h"

enum {
	CENSUS_ROWS_MAX = 1 << 16,   /* rows of each kind */
	CENSUS_BYTES_MAX = 64 << 20, /* for all rows */
	CENSUS_FRAMES_MAX = 128,     /* frames kept of a stack; comparisons use all */
};

/* How long a goroutine has waited. CENSUS_LESS includes goroutines that do not wait. */
enum census_span {
	CENSUS_LESS,
	CENSUS_MINUTES, /* 1 to 9 minutes */
	CENSUS_TENS,	/* 10 to 59 minutes */
	CENSUS_HOURS,
	CENSUS_SPANS
};

/* Goroutines that have something in common. The texts belong to the census. */
struct census_row {
	struct goparse_text state;  /* ends with " (leaked)" if Go says so */
	struct goparse_stack stack; /* its id: the goroutine that has waited longest */
	uint64_t count, first;	    /* in the last dump; in the first one */
	uint64_t spans[CENSUS_SPANS];
	uint64_t longest_ns, as_long; /* the longest wait; how many waited that long */
	size_t place;		      /* number among rows of its kind, by first sight */
};

enum census_kind {
	CENSUS_STATES,	 /* rows have a state */
	CENSUS_STACKS,	 /* state, frames (compared by function, file, line) and creator */
	CENSUS_CREATORS, /* only stack.created_by */
	CENSUS_KINDS
};

/* By count or by wait, the largest first, then by the other one. Ties: in the order of the dump. */
enum census_order { CENSUS_BY_COUNT, CENSUS_BY_WAIT };

struct census_list {
	const struct census_row **rows; /* owned by the caller: free() */
	size_t count;
	uint64_t beyond; /* goroutines in none of the rows, because a limit was reached */
};

struct census;

/* Makes an empty census. The caller frees it with census_free. ERR_NOMEM. */
int census_new(struct census **c, struct error *err);
void census_free(struct census *c);

/* Begins the next dump. Not to be called before the first dump, whose counts become `first`. */
void census_next_dump(struct census *c);

/* Counts a goroutine of the current dump. ERR_NOMEM. */
int census_add(struct census *c, const struct goparse_goroutine *g, struct error *err);

/* A row for all goroutines of the last dump, without texts and frames. */
const struct census_row *census_total(const struct census *c);

/* Lists the rows of a kind that occur in the last dump; valid until the next census_add.
 * ERR_NOMEM. */
int census_rank(const struct census *c, enum census_kind kind, enum census_order order,
		struct census_list *list, struct error *err);

#endif
