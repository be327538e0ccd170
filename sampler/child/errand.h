/*
 * A process of ours that runs an errand. It has no privileges and descriptors of ours but those
 * that the errand needs, and a pipe for its results. It dies with us.
 */
#ifndef SAMPLER_CHILD_ERRAND_H
#define SAMPLER_CHILD_ERRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

struct errand {
	pid_t pid; /* 0: none */
	int pipe;  /* to be read, nonblocking; end of file: the process has ended */
};

#define ERRAND_NONE { .pid = 0, .pipe = -1 }

/* Starts a process that calls `work`, which may write its results to `out`, and then exits. No
 * other thread may run. `cpu_s`: bound on its CPU time, in seconds. ERR_IO. */
int errand_start(struct errand *e, void (*work)(void *ctx, int out), void *ctx, unsigned cpu_s,
		 struct error *err);

/* Kills it if it still runs and closes the pipe. Returns its status as waitpid(2) gives it.
 * Harmless on ERRAND_NONE. */
int errand_end(struct errand *e);

/*
 * The same in steps, for a process that is started and watched in another way. All signals are
 * blocked in it until errand_hear, since one that came before it has its own handlers would run
 * ours.
 */
enum { ERRAND_FDS = 5 };

struct errand_bounds {
	pid_t parent;	       /* the process that forked it */
	int *fds[ERRAND_FDS];  /* descriptors that it keeps, -1 for none; their numbers change. NULL
			       * ends the list */
	bool tracing;	       /* it reads another process, and keeps the privileges for that */
	bool holding;	       /* it also holds that process */
	void (*term)(int sig); /* SIGTERM's handler, also for one since the fork; NULL: ignored */
	unsigned cpu_s;	       /* bound on its CPU time, in seconds */
	uint64_t file_bytes;   /* bound on the size of a file that it writes (RLIMIT_FSIZE) */
};

/* fork(2); -1 and errno. */
pid_t errand_fork(void);

/* In the child: gives up privileges, sets the bounds, and ignores signals that reach all our
 * processes, from a terminal or a service manager: the parent decides when the child ends. Exits
 * with 1 if that fails. errand_hear then unblocks all signals. */
void errand_settle(const struct errand_bounds *bounds);
void errand_hear(void);

#endif
