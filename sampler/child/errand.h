/*
 * A process of ours that collects profiles or sends batches. It has a pipe for its results, and
 * only those of our privileges and descriptors that it needs. It dies with us.
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

/* The same in steps, for a process that is started (fork_bound, bound.h) and watched in another
 * way. */
enum { ERRAND_FDS = 5 };

struct errand_bounds {
	int *fds[ERRAND_FDS];  /* descriptors that it keeps, -1 for none; their numbers change. NULL
			       * ends the list */
	bool tracing;	       /* it reads another process, and keeps the privileges for that */
	bool holding;	       /* it also holds that process */
	void (*term)(int sig); /* SIGTERM's handler, also for a pending one; NULL: ignored */
	unsigned cpu_s;	       /* bound on its CPU time, in seconds */
	uint64_t file_bytes;   /* bound on the size of a file that it writes (RLIMIT_FSIZE) */
};

/* In the child: makes its priority ordinary, gives up privileges, sets the bounds, and ignores
 * signals that reach all our processes, from a terminal or a service manager: the parent decides
 * when the child ends. Exits with 1 if the descriptors cannot be kept. Signals stay blocked until
 * unblock_signals (bound.h). */
void errand_settle(const struct errand_bounds *bounds);

#endif
