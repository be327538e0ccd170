/*
 * Threads that read a target's memory for others, so that a read which does not come back costs
 * that read and not its caller.
 *
 * A read of a page that a handler of the target's owner serves (userfaultfd(2), FUSE) sleeps in the
 * kernel until it is served, and only a fatal signal ends that sleep (TASK_KILLABLE;
 * fs/userfaultfd.c, handle_userfault(); fs/fuse/dev.c, request_wait_answer()). A ptrace relation
 * belongs to the thread that made it, so a tracer in such a sleep could not release the thread that
 * it holds, and that may be the handler itself.
 *
 * So a tracer does not read. It hands each copy over to a copier, once per sample, and waits a few
 * milliseconds at most. A copier that is not back by then is given up: its caller goes on, and
 * takes another copier for the next copy. What the copy writes to belongs to the copier until it is
 * back. When its read returns at last, it touches nothing of the job any more: memory.c calls its
 * reader, which jumps out of the job (longjmp(3)). Then the copier can be used again.
 *
 * A copier has the priority and the CPUs of the thread that made it. So the two are on one CPU in a
 * ticker, and the hand-over costs two switches of that CPU.
 *
 * At exit_group(2) the sleep of userfaultfd ends, as it is killable. A READ that a FUSE daemon has
 * taken and does not answer is waited for in any case ("Wait it out"): then our output is there,
 * and our process ends when that daemon answers or ends.
 *
 * Rejected: reading what pagemap(5) shows to be present (it may be dropped again at any moment);
 * /proc/PID/mem (its faults may not be retried, so userfaultfd fails at once, but a page of FUSE is
 * waited for in an uninterruptible sleep, with the target's mmap_lock); a copier in a process of
 * its own, which could be killed (Yama permits reads to a process above the target only); killing a
 * tracer in a process of its own (the same).
 */
#ifndef SAMPLER_STOP_COPIER_H
#define SAMPLER_STOP_COPIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct copiers;
struct error;

enum {
	COPIERS_MAX = 32,   /* of one caller, the stuck ones included */
	COPIER_ROOM = 1024, /* largest size of a job's arguments */
	COPIERS_OF_ONE = 4, /* stuck in reads of one process, which is left alone then */
};

enum copy {
	COPY_DONE,
	COPY_STUCK, /* it has not come back in time */
	COPY_NONE,  /* no copier is free; the job was not begun */
};

struct copier_job {
	void (*run)(void *args); /* gets a copy of `args` */
	void *args;
	size_t size;
	const void *of;	  /* stands for the process that is read, */
	pid_t tid;	  /* and its thread */
	uint64_t ns;	  /* for so long its caller waits without a read that comes back, */
	uint64_t most_ns; /* and in all; 0: the same */
};

/* What becomes of a job that is given up, with the job's arguments. `left` is called by copiers_run
 * when it gives the job up; `back` by the copier when it has left the job, even after copiers_free:
 * then what the job wrote to is not used any more. The two may come in either order. */
struct copier_loss {
	void (*left)(const void *args);
	void (*back)(const void *args);
};

/* One thread uses the copiers at a time; copiers_cpu_ns and copiers_stuck may be called by any.
 * `loss` is static. ERR_NOMEM. */
int copiers_new(struct copiers **c, const struct copier_loss *loss, struct error *err);

/* Ends the copiers. One that is stuck is left to itself, and ends when it is back. */
void copiers_free(struct copiers *c);

/* Makes a copier if none is free. To be called while no thread is held. False: there are
 * COPIERS_MAX, or no thread can be made. */
bool copiers_ready(struct copiers *c);

/* Has a copier run the job, and waits for it. COPY_DONE: `args` is what the job has made of it.
 * COPY_NONE also where the thread is to be avoided. */
enum copy copiers_run(struct copiers *c, const struct copier_job *job);

/* Is a copier stuck in a read of that thread, or COPIERS_OF_ONE in reads of its process? */
bool copiers_avoid(const struct copiers *c, const void *of, pid_t tid);

unsigned copiers_stuck(const struct copiers *c);

/* Waits until none is stuck, `ns` at most. */
void copiers_await(const struct copiers *c, uint64_t ns);

/* Binds the copiers to one CPU. */
void copiers_bind(struct copiers *c, unsigned cpu);

/* CPU time of the copiers, in ns. */
uint64_t copiers_cpu_ns(const struct copiers *c);

#endif
