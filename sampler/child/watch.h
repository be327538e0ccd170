/* How the watchdog judges what it sees of a tracing thread: by the word that the thread changes
 * whenever it makes progress, and by the states of our threads. Times are counted in polls. */
#ifndef SAMPLER_CHILD_WATCH_H
#define SAMPLER_CHILD_WATCH_H

#include <stdbool.h>
#include <stdint.h>

enum { WATCH_POSTS = 1024 }; /* of threads that trace (watchdog.h) */

/* What to do; bits. */
enum watch_verdict {
	WATCH_ON = 0,
	WATCH_CONTINUE = 1, /* SIGCONT */
	WATCH_REALTIME = 2, /* makes the tracing thread a real-time one, */
	WATCH_ORDINARY = 4, /* or an ordinary one of the lowest nice value */
	WATCH_KILL = 8,
};

enum {
	WATCH_POLL_MS = 3,	/* with 4, the 10 ms became 11 because of our wake-up time */
	WATCH_AGAIN_MS = 2,	/* from a change of class to the next poll */
	WATCH_QUIET_MAX = 100,	/* after so many ms without a hold it sleeps until the next */
	WATCH_TRACED_MAX = 100, /* ms for which a debugger may keep us stopped */
	WATCH_STOPPED_MAX = 1000,
	WATCH_HUNG_MAX = 10000,
};

struct watch {
	uint64_t word;		 /* the tracer's, at the last poll; odd while a thread is held */
	unsigned stands_ms;	 /* for how long the word has been unchanged and odd */
	unsigned stopped_ms;	 /* for how long looks have found us stopped in that time */
	unsigned quiet_ms;	 /* for how long the word has been unchanged and even */
	uint64_t cpu_ns, slices; /* of the tracing thread, at the last look */
	bool changed;		 /* the last look has led to a change of that thread's class */
};

struct sight {
	char tracer, sampler;	 /* states of the tracing thread and the main thread, as in
			       * /proc/PID/stat; '?': not known */
	bool realtime;		 /* the tracing thread's class */
	uint64_t cpu_ns, slices; /* its CPU time, and how often it was given a CPU */
};

/* Does the tracer's word say that a request is out? */
bool watch_is_held(uint64_t word);

/* Milliseconds to the next poll. */
unsigned watch_period_ms(const struct watch *w);

/* Notes the tracer's word at one poll. True when a thread is held: watch_judge is to follow. */
bool watch_poll(struct watch *w, uint64_t word);

/* What to do about what was seen while a thread is held. */
enum watch_verdict watch_judge(struct watch *w, const struct sight *s);

#endif
