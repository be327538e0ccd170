/*
 * The threads of a round, and which of them was on a CPU when a tick came there.
 *
 * A tick is the wake-up of a real-time thread of ours on the CPU that it is bound to (ticker.h).
 * The kernel takes the CPU from whatever ran there and leaves it where it was. Which thread that
 * was, nothing tells directly. But both threads changed places in one switch, and the kernel writes
 * the run queue's clock of that switch into both: `se.exec_start` of the thread that was displaced
 * (put_prev_entity() and update_curr() in kernel/sched/fair.c) equals our own (set_next_task_rt()
 * in kernel/sched/rt.c), to the nanosecond. No other thread's does.
 *
 * The round's thread keeps the list. Tickers search it, several at a time, each on its own CPU, and
 * do not wait for the list: while it changes, their tick is left out.
 */
#ifndef SAMPLER_CAPTURE_ROSTER_H
#define SAMPLER_CAPTURE_ROSTER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "sampler/atrest/atrest.h"
#include "sampler/thread/backoff.h"

struct member;

enum seat_file { SEAT_SCHEDSTAT, SEAT_STAT, SEAT_SCHED, SEAT_STACK, SEAT_SYSCALL, SEAT_FILES };

/* A thread's place in the list. What is atomic is written by all tickers. */
struct seat {
	struct member *member;
	uint32_t thread; /* its index in the member */
	pid_t tid;
	_Atomic uint64_t ran_ns;     /* its CPU time at the last look */
	_Atomic uint64_t read_ns;    /* CLOCK_MONOTONIC: that look was over by then */
	_Atomic uint64_t due;	     /* roster.ticks before which it need not be looked at */
	_Atomic uint32_t left_out;   /* its next look also stands for so many ticks */
	_Atomic uint32_t unmoved;    /* looks in a row at which it had not run */
	_Atomic int fds[SEAT_FILES]; /* -1: not open */
};

/* A process's seats, which follow each other. */
struct bench {
	struct member *member;
	size_t first, count;
	clockid_t clock;	 /* of the process's CPU time; 0: it has one that cannot be read */
	_Atomic uint64_t ran_ns; /* as of a seat */
	_Atomic uint64_t read_ns;
};

struct roster {
	pthread_rwlock_t lock; /* the round's thread writes, tickers try to read */
	struct bench *benches;
	size_t bench_count, bench_room;
	struct seat *seats;
	size_t seat_count;
	_Atomic size_t files;	   /* descriptors that are open */
	size_t files_max;	   /* and how many may be */
	_Atomic uint64_t ticks;	   /* of all tickers */
	uint64_t apart_ns;	   /* from tick to tick, of all tickers together */
	_Atomic uint64_t back_off; /* most ticks from one look at an idle thread to the next */
	_Atomic uint32_t part;	   /* of the threads that a tick looks at, in 1/BUDGET_ONE */
};

/* ERR_NOMEM. */
int roster_init(struct roster *r);
void roster_release(struct roster *r);

/* While it is locked, members, their lists of threads and what is kept of a thread may be
 * changed. */
void roster_lock(struct roster *r);
void roster_unlock(struct roster *r);

/* Sets how far ticks are apart, of all tickers together, in ns. Looks at threads that stay asleep
 * are planned by that, so that all of them take a fiftieth of a CPU at most. */
void roster_pace(struct roster *r, uint64_t apart_ns);

/* Lists the living threads of the living members anew; what is known of those that were listed
 * before is kept. The roster is locked. ERR_NOMEM. */
int roster_list(struct roster *r, struct member *const *members, size_t count);

enum { ROSTER_HINTS = 4 };

/* One tick's search. */
struct sought {
	int cpu;
	uint64_t due_ns; /* when the tick was due: a look that was over before it is an older one */
	bool notes;	 /* nothing is sought: only CPU times are noted */
	bool noted;	 /* that was done a moment before the tick */
	bool bound; /* the calling thread took the CPU at the tick; else it looks from elsewhere */
	bool expects;	  /* a thread is likely to be found: one was at the last tick */
	int own_sched_fd; /* /proc/thread-self/sched of the calling thread */
	uint64_t random;  /* state of the caller's random numbers, not 0 */
	/* Threads that the last searches have found, the latest first. */
	struct {
		uint32_t bench, seat; /* which may be others by now */
	} hints[ROSTER_HINTS];
	/* Found: */
	struct seat *seat;	    /* NULL: none of the threads was on the CPU */
	bool proven;		    /* it left the CPU at the moment at which we came */
	uint64_t ran_ns, waited_ns; /* its CPU time, and how long it has waited for a CPU */
	uint64_t slices;	    /* times it was put on a CPU */
	char state; /* 0: not read yet (roster_state); else as in proc_pid_stat(5), R, S or D */
	uint64_t weight; /* ticks for which the look stands, itself included */
	uint32_t part;	 /* roster.part, as it was */
	unsigned moved;	 /* threads that had run since their last look */
	bool at_rest;	 /* it could be read as it was (resting.h): */
	struct atrest_thread rest;
};

/* The next of a sequence of random numbers; its state is not 0. */
uint64_t roster_random(uint64_t *state);

/* The roster is locked for reading by roster_try, which returns false while it changes, and
 * unlocked by roster_unlock when the caller is done with s->seat and its member. */
bool roster_try(struct roster *r);

/* Finds the thread that was on the CPU (search.c). */
void roster_search(struct roster *r, struct sought *s);

/* Reads the state of the thread that was found, unless it is known. One that is not R was going to
 * wait at the tick, or does by now. False: it is about to end, or dumps core. */
bool roster_state(struct roster *r, struct sought *s);

/* Notes how much CPU time each thread has had that is to be looked at, so that a search that
 * follows soon finds few that have run since. Returns how many had run since their last look. */
unsigned roster_note(struct roster *r);

/* Reads a file of the seat's thread; returns its length (SEAT_STACK's is 0 while the thread runs),
 * or -1. The text ends with a NUL. */
ssize_t seat_read(struct roster *r, struct seat *s, enum seat_file file, char *text, size_t room);

/* Reads SEAT_SCHEDSTAT. False: the thread is gone. */
bool seat_counters(struct roster *r, struct seat *s, struct schedstat *now);

#endif
