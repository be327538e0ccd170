/*
 * Every thread's stack of a process, once.
 *
 *   dump_new -> dump_take -> dump_write -> dump_free
 *
 * All calls from one thread, except dump_stop. Nothing here prints: dump_write has its
 * caller's function turn what was taken into text, in the process that can do no harm in
 * which files of the target are decoded (sampler/decoding.h).
 */
#ifndef SAMPLER_DUMPING_H
#define SAMPLER_DUMPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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
	uint64_t addr;		   /* pc as the image counts */
	enum frame_kind kind;
	/* In dump_write: what stands there, innermost inlined call first, the function
	 * itself last; none when nobody knows. */
	const struct symbol_frame *calls;
	size_t call_count;
	uint64_t function;	   /* image address of its first instruction; 0: unknown */
};

struct dump_thread {
	pid_t tid;
	char name[32];	 /* any bytes */
	char state;	 /* proc_pid_stat(5), when the stack was taken */
	int64_t syscall; /* the number of the call that it waits in; -1: none */
	bool walked;	 /* false: it has no stack, or none that we may see */
	enum stack_end end;
	struct dump_frame *frames; /* innermost first */
	size_t count;
};

struct dump_process {
	const struct process *process;
	uint64_t time_ns; /* since 1970, when its threads were listed */
	struct dump_thread *threads; /* by tid */
	size_t count;	  /* 0: it has ended before one was seen */
};

struct dump_stats {
	uint64_t elapsed_ns; /* of dump_take */
	uint64_t stopped, glances; /* threads that were stopped; that were read without it */
	uint64_t held_max_ns, held_sum_ns; /* how long they were held */
	uint64_t ends[STACK_ENDS];
};

/* Finds the processes and checks that they may be traced. With `cache`, unwind tables
 * are kept from run to run. ERR_GONE, ERR_PERM (diagnosed), ERR_NOMEM, ERR_IO. */
int dump_new(struct dump **d, const pid_t *pids, size_t count, bool cache, struct error *err);
void dump_free(struct dump *d);

/* Looks at each thread. ERR_GONE when all processes have ended before, ERR_LIMIT after
 * dump_stop, ERR_NOMEM, ERR_IO. */
int dump_take(struct dump *d, struct error *err);

/* Ends dump_take soon, with everybody let go. Async-signal-safe. */
void dump_stop(struct dump *d);

const struct dump_process *dump_processes(const struct dump *d, size_t *count);
const struct dump_stats *dump_stats(const struct dump *d);

/* Writes text to the file; may look at all the rest but the dump itself as a copy. */
typedef int dump_format(const struct dump *d, struct outfile *file, struct error *err);

/* Symbolizes and has `format` write; the caller commits the file. `flags` as in
 * symbolize/symbolizer.h. ERR_NOMEM, ERR_IO. */
int dump_write(struct dump *d, unsigned flags, struct outfile *file, dump_format *format,
	       struct error *err);

/* What was left out and why, a sentence each, NULL after the last; and for -v, of each
 * image its table and where its names come from. */
const char *dump_warning(const struct dump *d, size_t i);
const struct unwinder *dump_unwinder(const struct dump *d);
struct image *const *dump_images(const struct dump *d, size_t *count);
const char *dump_symbol_note(const struct dump *d, const struct image *image);

#endif
