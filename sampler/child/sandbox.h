/*
 * Work in a child process that can read files, write to one, and do nothing else.
 *
 * For parsers of bytes that another party controls: what an exploited parser does stays in the
 * child. The child has no privilege but to read, a system call filter (seccomp), and bounds for
 * memory and CPU time. It dies with us.
 *
 * It inherits a copy of our memory. Its results come back through memory that was shared before
 * (sandbox_share), and the parent must not trust them.
 */
#ifndef SAMPLER_CHILD_SANDBOX_H
#define SAMPLER_CHILD_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

struct sandbox {
	int writable_fd;       /* the one descriptor that may be written to; -1 for none */
	uint64_t memory_bytes; /* address space beyond what we have already */
	uint64_t file_bytes;   /* largest file that it may write; 0: no bound */
	unsigned cpu_s;	       /* CPU time */
	bool urgent;	       /* the user waits for it: take_own_session (priority.h) */
	/* Called once a second, in the parent: true if the child hangs and is to be killed. NULL:
	 * there is no bound. */
	bool (*hung)(void *ctx);
	void *ctx;
};

struct sandbox_end {
	int status;	 /* of the child, as wait4(2) gives it */
	bool hung;	 /* it was killed because it hung */
	uint64_t cpu_ns; /* CPU time that it used */
};

/* Zeroed memory that parent and child share; sandbox_unshare() releases it. NULL: out of memory. */
void *sandbox_share(size_t bytes);
void sandbox_unshare(void *shared, size_t bytes);

/* For a process that sandbox_start has not made: sets only the filter, for good, in the calling
 * process. The process may do what a child may and, unless `readable` is 0, also wait and read the
 * memory of process `readable`, as far as its privileges allow. */
void sandbox_filter(int writable_fd, pid_t readable);

/* A child at work. */
struct sandbox_child {
	pid_t pid; /* 0: none */
	int pid_fd;
	bool hung;	 /* it was killed because it hung */
	uint64_t due_ns; /* CLOCK_MONOTONIC: when to call `hung` next */
};

/* Starts `work` in a child; its result, 0 to 255, is the exit status. Only with one thread running.
 * Without seccomp in the kernel, bounds and privileges still hold. ERR_IO when no child can be
 * made. */
int sandbox_start(const struct sandbox *box, int (*work)(void *ctx), struct sandbox_child *child,
		  struct error *err);

/* Waits for the child's end, `timeout_ms` at most (0: only looks; before Linux 5.3, until the end).
 * True when it has ended: `end` is filled, and there is no child any more. */
bool sandbox_wait(const struct sandbox *box, struct sandbox_child *child, int timeout_ms,
		  struct sandbox_end *end);

/* Starts a child and waits for its end. */
int sandbox_run(const struct sandbox *box, int (*work)(void *ctx), struct sandbox_end *end,
		struct error *err);

/* Kills the child and waits for its end. Harmless without a child. */
void sandbox_kill(struct sandbox_child *child);

/* How a killed child ended, in words ("used up its CPU time"), written to `text`; NULL when it
 * ended by itself. */
const char *sandbox_death(const struct sandbox_end *end, char *text, size_t room);

#endif
