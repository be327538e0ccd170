/*
 * Two profiles of one recording -> what to show while it goes on: functions and threads,
 * by what they cost of late and since the start.
 */
#ifndef REPORT_LIVE_H
#define REPORT_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/strset.h"

struct error;
struct profile;

struct live_cost {
	int64_t flat; /* in the function itself */
	int64_t cum;  /* in it and what it called, each sample once */
};

struct live_row {
	const char *name;
	struct live_cost recent, whole;
	size_t seen; /* number of the last sample that counted it */
};

struct live_thread {
	int64_t pid, tid; /* pid 0: the profile has one process */
	const char *name;
	int64_t recent, whole;
	const char *hottest; /* function: of late, or of the whole time if it was idle; or NULL */
	int64_t hottest_cost;
};

struct live { /* {0} is empty */
	struct live_row *rows;	     /* functions, by name as pprof tells them apart; owned */
	size_t count, room;
	struct live_thread *threads; /* by the labels pid and tid; owned */
	size_t thread_count, thread_room;
	struct live_cost total;	     /* flat: of late, cum: since the start */
	struct strset names;	     /* the rows' and the threads' */
};

/* What the order goes by. Where it leaves two equal, recent flat, whole flat, name. */
enum live_order { LIVE_RECENT, LIVE_RECENT_CUM, LIVE_FLAT, LIVE_CUM, LIVE_NAME, LIVE_ORDERS };

/* Fills an empty or released one, in no order. `type` is a name of a sample type
 * ("cpu") that both have. Recursion counts once in cum; what has no function counts for
 * its file; negative values count as 0. Sums stay at the end of their range when they leave
 * it. ERR_USAGE for a type that is not there, ERR_NOMEM; then it is released. */
int live_fill(struct live *l, const struct profile *recent, const struct profile *whole,
	      const char *type, struct error *err);
void live_release(struct live *l);

/* Rows and threads; of threads, flat and cum are one. */
void live_sort(struct live *l, enum live_order order);

#endif
