/*
 * A process of ours that runs an errand: it has no privileges and sees no descriptor of ours
 * but what the errand needs, the pipe by which it tells what it has to tell, and dies with us.
 * Internal to rounds/.
 */
#ifndef ROUNDS_ERRAND_H
#define ROUNDS_ERRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

struct errand {
	pid_t pid; /* 0: none */
	int pipe;  /* to be read, does not wait; at its end the process has ended */
};

#define ERRAND_NONE { .pid = 0, .pipe = -1 }

/* Starts a process that does `work`, which may write to `out`. No other thread may run. It
 * uses `cpu_s` seconds of CPU at most. ERR_IO. */
int errand_start(struct errand *e, void (*work)(void *ctx, int out), void *ctx, unsigned cpu_s,
		 struct error *err);

/* Ends it if it still runs; its status as waitpid(2) gives it. Harmless without one. */
int errand_end(struct errand *e);

/*
 * The same in steps, for a process that is started and watched otherwise. A signal that came
 * before it has its own handlers would be handled as ours, so all are blocked in it until
 * errand_hear.
 */
enum { ERRAND_FDS = 5 };

struct errand_bounds {
	pid_t parent;	     /* who has forked it */
	int *fds[ERRAND_FDS]; /* what it keeps open, where it is; may get another number. The rest
			       * are NULL */
	bool tracing;	     /* it reads another process: privileges for that are kept */
	bool holding;	     /* and holds it */
	void (*term)(int sig); /* what SIGTERM does, also one that came since the fork; NULL: nothing */
	unsigned cpu_s;	     /* seconds of CPU at most */
	uint64_t file_bytes; /* a file that it writes has at most so many */
};

/* fork(2); -1 and errno. */
pid_t errand_fork(void);

/* In the child: it gives up privileges, keeps within bounds, and ignores signals that reach all of us,
 * from a terminal or a service manager: when to end is for our parent to say. Ends the process
 * when that cannot be. */
void errand_settle(const struct errand_bounds *bounds);
void errand_hear(void);

#endif
