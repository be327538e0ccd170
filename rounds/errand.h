/*
 * A process of ours that runs an errand: it has no privileges, sees no descriptor of ours but
 * the pipe by which it tells what it has to tell, and dies with us. Internal to rounds/.
 */
#ifndef ROUNDS_ERRAND_H
#define ROUNDS_ERRAND_H

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

#endif
