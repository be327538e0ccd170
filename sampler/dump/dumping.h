/*
 * The stacks of all threads of one or more processes, taken once.
 *
 *   dump_new -> dump_take -> dump_write -> dump_free
 *
 * All calls come from one thread, except dump_stop. Nothing here prints: the caller's dump_format
 * turns the dump into text. dump_write runs it in the sandbox (sampler/child/decoding.h).
 */
#ifndef SAMPLER_DUMP_DUMPING_H
#define SAMPLER_DUMP_DUMPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtimes/common/managed.h"
#include "runtimes/interps.h"
#include "sampler/awaited/awaited.h"
#include "sampler/lock/lock.h"
#include "unwind/stack.h"

struct dump;
struct error;
struct image;
struct outfile;
struct process;
struct symbol_frame;
struct unwinder;

/* A frame as it stood on the stack. */
struct dump_frame {
	uint64_t pc;		   /* in the process; of a caller its return address */
	const struct image *image; /* NULL where nothing is mapped */
	uint64_t addr;		   /* the image address of pc */
	enum frame_kind kind;
	/* Set in dump_write: is it a function of an interpreter, without a pc? And the calls at
	 * that address, innermost inlined call first, the function itself last; none if unknown. */
	bool interpreted;
	const struct symbol_frame *calls;
	size_t call_count;
	uint64_t function; /* image address of its first instruction; 0: unknown */
	bool unnamed;	   /* no symbol names it (unwind/table/unnamed.h) */
};

/* A look at what a thread waits for. */
struct dump_wait {
	bool known;  /* it waited for the futex of `lock` */
	bool steady; /* a second look has shown the same */
	uint64_t slices;
	struct lock_wait lock;
	struct managed_wait managed; /* the same in the thread's language; kind 0: not known */
};

/* The lock that a thread waits for. */
struct dump_lock {
	enum lock_kind kind; /* LOCK_NONE: it waits for none, or that is not proven, or for this: */
	const struct managed_wait *managed; /* what it waits for in its language; NULL: not known */
	uint64_t address; /* of the lock; of a condition variable, of its pair of futexes; of what
			   * is waited for in a language, of the object, 0: not known */
	const char *variable; /* that it is in; NULL: not known */
	uint64_t offset;      /* in `variable` */
	pid_t owner; /* that it records, as the process's PID namespace numbers it; 0: none */
	const struct dump_thread *holder; /* the same, if it is a thread of the process; or NULL */
	bool readers;			  /* threads have it for reading */
	bool timed;			  /* the wait has a timeout */
	unsigned deadlock;		  /* number of the circle of waits, from 1; 0: none */
	unsigned walk;			  /* number of the search that has met the thread */
};

struct dump_thread {
	pid_t tid;
	char name[MANAGED_THREAD_NAME]; /* any bytes */
	char state;			/* proc_pid_stat(5), when the stack was taken */
	int64_t syscall;		/* the number of the call that it waits in; -1: none */
	bool walked;			/* false: it has no stack, or none that could be read */
	enum stack_end end;
	struct dump_frame *frames; /* innermost first */
	size_t count;
	uint32_t index;		/* member_thread */
	pid_t own_tid;		/* its number in its own PID namespace */
	struct dump_wait wait;	/* in futex(2) */
	struct dump_lock lock;	/* set in dump_write */
	struct awaited awaited; /* what it waits for, other than a lock */
	uint64_t off_cpu_ns;	/* how long it has not run; 0: not known */
};

struct dump_process {
	const struct process *process;
	uint64_t time_ns;	     /* ns since 1970, when its threads were listed */
	struct dump_thread *threads; /* sorted by tid */
	size_t count;		     /* 0: it ended before a thread was seen */
	unsigned deadlocks;	     /* circles of waits; set in dump_write */
};

struct dump_stats {
	uint64_t elapsed_ns;	   /* of dump_take */
	uint64_t stopped, glances; /* threads that were stopped; that were read without a stop */
	uint64_t held_max_ns, held_sum_ns; /* of stopped threads, since we learnt of the stop */
	uint64_t left_out;    /* children that may not be traced, and for want of descriptors */
	uint64_t interpreted; /* frames of interpreters' functions */
	uint64_t ends[STACK_ENDS];
};

struct dump_wish {
	const pid_t *pids; /* borrowed by dump_new */
	size_t count;
	bool children; /* those too that they have made, as far as these may be traced */
	bool no_peers; /* addresses, paths and other processes are not to be shown */
};

/* Finds the processes and checks that they may be traced. The caller frees *d with dump_free; NULL
 * is harmless there. ERR_GONE, ERR_PERM (diagnosed), ERR_NOMEM, ERR_IO. */
int dump_new(struct dump **d, const struct dump_wish *wish, struct error *err);
void dump_free(struct dump *d);

/* Looks at each thread. ERR_GONE if all processes ended before a thread was seen, ERR_LIMIT after
 * dump_stop, ERR_NOMEM, ERR_IO. */
int dump_take(struct dump *d, struct error *err);

/* Makes dump_take return soon, with all threads released. Async-signal-safe. */
void dump_stop(struct dump *d);

/* Borrowed until dump_free. */
const struct dump_process *dump_processes(const struct dump *d, size_t *count);
const struct dump_stats *dump_stats(const struct dump *d);

/* interps_remark of the i-th process. */
bool dump_remark(const struct dump *d, size_t i, char line[INTERP_REMARK]);

/* Why the last process was left out, if any was. */
const char *dump_left_out(const struct dump *d);

/* Writes the dump as text to the file. All other data that it reads may be a child's copy. */
typedef int dump_format(const struct dump *d, struct outfile *file, struct error *err);

/* Symbolizes the dump and has `format` write it; the caller commits the file. To be called once.
 * `flags` as in symbolize/symbolizer.h; `no_native`: threads with interpreted frames have only
 * these. ERR_NOMEM, ERR_IO. */
int dump_write(struct dump *d, unsigned flags, bool no_native, struct outfile *file,
	       dump_format *format, struct error *err);

/* dump_warning: the i-th sentence on what was left out and why, NULL after the last. The others are
 * for -v: of each image, its unwind table and where its names come from. Borrowed until
 * dump_free. */
const char *dump_warning(const struct dump *d, size_t i);
const struct unwinder *dump_unwinder(const struct dump *d);
struct image *const *dump_images(const struct dump *d, size_t *count);
const char *dump_symbol_note(const struct dump *d, const struct image *image);

#endif
