/*
 * Work in a child of ours that can read files and write to one, and nothing else.
 *
 * For parsers of bytes that somebody else controls: what they do when they are
 * turned against us stays in the child. It has no privilege but to read, a system
 * call filter (seccomp), and bounds for memory and CPU time; it dies with us.
 *
 * It inherits our memory as a copy, and what it finds out goes back through memory
 * that was shared before (sandbox_share). Whoever reads that must not trust it.
 */
#ifndef SAMPLER_SANDBOX_H
#define SAMPLER_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

struct sandbox {
	int writable_fd;	/* the one descriptor that may be written to; -1 for none */
	uint64_t memory_bytes;	/* address space beyond what we have already */
	uint64_t file_bytes;	/* largest file that it may write; 0: no bound */
	unsigned cpu_s;		/* CPU time */
	/* Asked once a second, in the parent: true says that the child has hung and is
	 * to be killed. NULL: it may take as long as it likes. */
	bool (*hung)(void *ctx);
	void *ctx;
};

struct sandbox_end {
	int status;	     /* of the child, as wait4(2) gives it */
	bool hung;	     /* killed because of it */
	uint64_t cpu_ns;     /* what it used */
	uint64_t peak_bytes; /* its largest resident set */
};

/* Memory that parent and child share; zeroed, released with sandbox_unshare(). NULL
 * when there is none. */
void *sandbox_share(size_t bytes);
void sandbox_unshare(void *shared, size_t bytes);

/* The filter alone, for good, for a process of ours that was made otherwise: it may do what a
 * child may, wait, and read the memory of one process, as far as it has the privileges. */
void sandbox_filter(int writable_fd, pid_t readable);

/* A child at work. */
struct sandbox_child {
	pid_t pid;	 /* 0: none */
	int pid_fd;
	bool hung;	 /* it was killed because of it */
	uint64_t due_ns; /* CLOCK_MONOTONIC: when to ask `hung` again */
};

/* Starts `work` in a child; its result, 0 to 255, is the exit status. Only with one
 * thread running. Without seccomp in the kernel the rest still holds. ERR_IO when
 * there can be no child. */
int sandbox_start(const struct sandbox *box, int (*work)(void *ctx), struct sandbox_child *child,
		  struct error *err);

/* Waits for its end, `timeout_ms` at most (0: only looks). True when it has ended: `end`
 * is filled, and there is no child any more. */
bool sandbox_wait(const struct sandbox *box, struct sandbox_child *child, int timeout_ms,
		  struct sandbox_end *end);

/* Both: from start to end. */
int sandbox_run(const struct sandbox *box, int (*work)(void *ctx), struct sandbox_end *end,
		struct error *err);

/* Kills it and collects it. Harmless without a child. */
void sandbox_kill(struct sandbox_child *child);

/* How it ended, in words: "was killed by SIGSEGV", "used up its CPU time"…;
 * NULL when it ended by itself. */
const char *sandbox_death(const struct sandbox_end *end, char *text, size_t room);

#endif
