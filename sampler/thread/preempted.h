/*
 * Where a thread was preempted, by its kernel stack, before anything is asked of it.
 *
 * A thread that was preempted in user code bears a stop. One that was preempted amid a system call
 * goes on with the call when it is stopped, and some calls then look for signals and return a part
 * (sendfile, getrandom). /proc/PID/task/TID/stack names the kernel's functions that the thread is
 * in, and so the call; its arguments cannot be read. docs/calls.md, "Where a thread was preempted",
 * has the decisions and their sources.
 *
 * The text of a thread that is running is of no use: the kernel walks its stack while it changes.
 * The caller reads it on the CPU that the thread was taken from, before the thread gets the CPU
 * back.
 */
#ifndef SAMPLER_THREAD_PREEMPTED_H
#define SAMPLER_THREAD_PREEMPTED_H

#include <stddef.h>
#include <stdint.h>

enum preempted_place {
	PREEMPTED_UNKNOWN,   /* no text, or one that does not end where a stack begins */
	PREEMPTED_IN_USER,   /* in user code or in its interrupt or page fault */
	PREEMPTED_CALL_OVER, /* on the way out of some call, which has its result */
	/* In a call that a stop leaves as it would have been, or that is entered again. */
	PREEMPTED_BEARS,
	PREEMPTED_DELICATE, /* in any other call */
};

/* What would have to hold for a delicate call to bear a stop: all of the set bits. */
enum preempted_if {
	PREEMPTED_IF_MOUNTS = 1, /* no mount of the process is of FUSE, 9p or CIFS */
	PREEMPTED_IF_NONBLOCKING =
		2, /* its socket or pipe has O_NONBLOCK, or it has MSG_DONTWAIT */
};

struct preempted {
	enum preempted_place place;
	int number;	/* the call's; -1: none, or not known */
	unsigned bears; /* enum preempted_if; 0: nothing is known that would make it bear a stop */
};

/* Enough for the kernel's 64 frames, unless their names are unusually long. */
enum { PREEMPTED_ROOM = 4096 };

/* The place that a text like that of /proc/PID/task/TID/stack shows. Reading one takes some 2 us
 * for each frame, nearly all of it in the kernel, which searches for the function's name, and three
 * times as long when the CPU's caches hold the target's data. It requires CAP_SYS_ADMIN of the
 * process that opened the file (proc_pid_stack() in fs/proc/base.c). */
struct preempted preempted_parse(const char *text, size_t len);

#endif
