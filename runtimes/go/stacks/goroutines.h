/*
 * Reads all goroutines of a process: their state, what they wait for, and their stacks.
 *
 * Nothing is stopped. The stack of a waiting goroutine does not change. Its g is read, then its
 * stack, then its g again. If status, bounds, sched and trackingSeq (incremented each time that it
 * stops running) are the same, the stack is consistent. Otherwise it is read again a few times. A
 * goroutine that was preempted by a GC may have run in between without a trace; its stack is
 * compared with a second copy. The stack of a running goroutine can only be read while its thread
 * is held.
 */
#ifndef RUNTIMES_GO_STACKS_GOROUTINES_H
#define RUNTIMES_GO_STACKS_GOROUTINES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct gocallers;
struct golive;

/* runtime/runtime2.go, _Gidle and so on, without _Gscan. */
enum go_status {
	GO_IDLE = 0,
	GO_RUNNABLE = 1,
	GO_RUNNING = 2,
	GO_SYSCALL = 3,
	GO_WAITING = 4,
	GO_DEAD = 6,
	GO_COPYSTACK = 8,
	GO_PREEMPTED = 9,
	GO_LEAKED = 10,
	GO_DEADEXTRA = 11,
};

struct go_goroutine {
	uint64_t goid, g;   /* g: its address in the process */
	uint64_t parent;    /* goid of its creator; 0: not known (before 1.21) */
	uint64_t go_pc;	    /* return address of the go statement; 0: none (goroutine 1) */
	uint64_t start_pc;  /* entry of its function */
	uint64_t labels;    /* address of its pprof labels (runtimes/go/labels.h); 0: none */
	uint64_t bubble;    /* address of its bubble (testing/synctest); 0: none */
	uint64_t ancestors; /* address of the ancestors that the runtime has recorded; 0: none */
	int64_t wait_since; /* runtime.nanotime (CLOCK_MONOTONIC), ns; 0: no GC has seen it wait */
	enum go_status status;
	const char *wait_reason; /* in Go's words ("chan receive"); "": none; valid until
				  * gogoroutines_read returns */
	bool scan;		 /* a GC is scanning its stack */
	uint8_t tracking_seq;
	bool locked;	/* locked to its thread */
	bool system;	/* one of the runtime's own (runtime/traceback.go, isSystemGoroutine) */
	bool has_stack; /* false: at each try it was running or its stack was moving */
	/* Only with a stack: the pc where it was left, and how many bytes of the stack are in use,
	 * a number that does not change when the stack is moved. In a system call also
	 * m.syscalltick, which differs from call to call (trackingSeq does not, since 1.26). */
	uint64_t pc, stack_used;
	bool exact; /* it was interrupted there: pcs[0] is pc + 1, not a return address */
	uint32_t syscall_tick;
	int end;	     /* enum gocallers_end of the walk, if it has a stack */
	const uint64_t *pcs; /* logical frames, innermost first; valid until the callback returns */
	size_t pc_count;
	/* The bytes of its stack from where it was left on, and for each of pcs the end of its
	 * physical frame in these bytes (gocallers_walk). Both are valid until the callback
	 * returns. */
	const uint8_t *stack;
	size_t stack_len;
	const size_t *frame_ends;
};

/* For --stop: where a held thread is, and with it the goroutine that it runs. */
struct go_held {
	uint64_t thread; /* m.procid */
	uint64_t pc, sp;
};

struct gogoroutines_options {
	bool system;	   /* also the runtime's own goroutines */
	bool stacks;	   /* read stacks; otherwise pc_count is 0 */
	size_t max_frames; /* logical frames; 0: the limit of the release's runtime/pprof */
	const struct go_held *held; /* all of Go's threads; NULL: none is held */
	size_t held_count;
	const atomic_bool *let_go; /* true: the threads were released, and a copied stack of a
				    * running goroutine is discarded. NULL: never */
};

struct gogoroutines_stats {
	uint64_t goroutines;	/* passed to the callback */
	uint64_t again;		/* reads repeated because something had moved */
	uint64_t without_stack; /* passed without a stack: running, or never at rest */
	uint64_t left_out;	/* not passed: what was read cannot be a g */
	uint64_t ends[8];	/* of walks, indexed by enum gocallers_end */
	uint64_t reads, bytes;	/* process_vm_readv calls, and the bytes that they read */
};

/* A return value other than 0 ends the reading, which then returns it. */
typedef int gogoroutines_callback(void *ctx, const struct go_goroutine *g, struct error *err);

/* Passes all goroutines to `each`, in the order of runtime.allgs; goroutines created meanwhile may
 * be missing. ERR_FORMAT: the tables are not valid, and the message says how; ERR_GONE, ERR_NOMEM.
 * Works in batches, so its memory is bounded. */
int gogoroutines_read(const struct golive *live, struct gocallers *callers,
		      const struct gogoroutines_options *options, gogoroutines_callback *each,
		      void *ctx, struct gogoroutines_stats *stats, struct error *err);

#endif
