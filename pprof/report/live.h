/*
 * Makes what `sampler top` shows while a recording goes on, from two of its profiles: functions and
 * threads, by what they cost recently and since the start.
 */
#ifndef PPROF_REPORT_LIVE_H
#define PPROF_REPORT_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strset.h"

struct error;
struct profile;

struct live_cost {
	int64_t flat; /* in the function itself */
	int64_t cum;  /* in it and what it called; a sample counts once */
};

struct live_row {
	const char *name;
	struct live_cost recent, whole;
	bool is_file; /* not a function: code in this file that has no line */
	size_t seen;  /* number of the last sample that was counted here */
};

struct live_thread {
	int64_t pid, tid; /* pid 0: the profile has one process */
	const char *name;
	int64_t recent, whole;
	const char *hottest; /* function: recently, or since the start if recently idle; or NULL */
	int64_t hottest_cost;
};

/* {0} is empty. */
struct live {
	struct live_row *rows; /* functions, told apart by name as in pprof; owned */
	size_t count, room;
	struct live_thread *threads; /* told apart by the labels pid and tid; owned */
	size_t thread_count, thread_room;
	struct live_cost total; /* flat: recently, cum: since the start */
	size_t pending;		/* locations of samples that have no line, since the start */
	struct strset names;	/* the names of rows and threads */
};

/* The sort key. Functions come before files. Ties of functions are decided by recent flat, whole
 * flat, name; ties of threads by whole cost, pid, tid. */
enum live_order { LIVE_RECENT, LIVE_RECENT_CUM, LIVE_FLAT, LIVE_CUM, LIVE_NAME, LIVE_ORDERS };

/* Fills *l, which must be empty or released; rows and threads are not sorted. `type` is the name
 * of a sample type ("cpu") that both profiles have. A recursive function counts once in cum; a
 * frame without a function counts for its file; negative values count as 0. Sums saturate at
 * INT64_MAX. ERR_USAGE: a profile does not have the type; ERR_NOMEM. After an error *l is
 * released.
 *
 * With `count`, the rows are the callers of a function, as a user goes from one to the next: `path`
 * has the names of its rows, first the function, then its caller, and so on. Rows are the callers
 * of the last, or "(outermost)" without one. A row's cost is that of the samples whose stack has
 * the path; flat: where the function is the leaf. The innermost place counts. The total is of all
 * samples; there are no threads. */
int live_fill(struct live *l, const struct profile *recent, const struct profile *whole,
	      const char *type, char *const *path, size_t count, struct error *err);

void live_release(struct live *l);

/* Sorts functions and threads; for threads, flat and cum are the same. */
void live_sort(struct live *l, enum live_order order);

#endif
