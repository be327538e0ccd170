/*
 * Threads that end before they are listed: a thread for each request may live for a millisecond.
 * The records of the perf events hold their samples all the same, and tell what they are called: as
 * the thread that has made them, until they get a name of their own.
 */
#ifndef SAMPLER_TICK_BRIEF_H
#define SAMPLER_TICK_BRIEF_H

#include <sys/types.h>

#include "sampler/capture/event.h"

struct member;
struct thread;

/* Of the last that were told of: a turn of the rings tells of no more. */
enum { BRIEF_NAMES = 2048 };

struct brief_names {
	struct brief_name {
		pid_t tid;
		char name[EVENT_NAME];
	} of[BRIEF_NAMES]; /* by tid: numbers are given one after the other */
};

/* Notes what a record tells of a member's threads. */
void brief_take(struct brief_names *b, struct member *m, const struct event *e);

/* The entry of a thread that has ended and is not listed, as of threads_brief. */
struct thread *brief_thread(struct brief_names *b, struct member *m, pid_t tid);

#endif
