/*
 * All goroutines of a process: what each is, does, waits for, and its stack.
 *
 * Nothing is stopped. A goroutine that waits does not change: its g is read, its stack, and its
 * g again; where status, bounds, sched and trackingSeq (bumped each time that it stops to run)
 * are the same, so was the stack. Where they are not, it is read again a few times. Who was
 * preempted by a GC may have run all the same: such a stack is compared with a second look. One
 * that runs has no stack that could be read, unless somebody holds its thread.
 */
#ifndef GORUNTIME_GOGOROUTINES_H
#define GORUNTIME_GOGOROUTINES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct gocallers;
struct golive;

/* runtime/runtime2.go, _Gidle and so on, without _Gscan. */
enum go_status {
	GO_IDLE = 0, GO_RUNNABLE = 1, GO_RUNNING = 2, GO_SYSCALL = 3, GO_WAITING = 4, GO_DEAD = 6,
	GO_COPYSTACK = 8, GO_PREEMPTED = 9, GO_LEAKED = 10, GO_DEADEXTRA = 11,
};

struct go_goroutine {
	uint64_t goid, g; /* g: where it is in the process */
	uint64_t parent;  /* goid of who made it; 0: not known (before 1.21) */
	uint64_t go_pc;	  /* return address of the go statement; 0: none (goroutine 1) */
	uint64_t start_pc; /* entry of its function */
	uint64_t labels;   /* where its pprof labels are (goruntime/golabels.h); 0: none */
	uint64_t bubble;   /* of testing/synctest: an address; 0: none */
	uint64_t ancestors; /* where those are that the runtime has kept; 0: none */
	int64_t wait_since; /* runtime.nanotime, which is CLOCK_MONOTONIC; 0: no GC has seen it wait */
	enum go_status status;
	const char *wait_reason; /* in Go's words ("chan receive"); "" for none; good until
				  * gogoroutines_read returns */
	bool scan;	    /* a GC reads its stack */
	uint8_t tracking_seq;
	bool locked;	    /* to its thread */
	bool system;	    /* the runtime's own (runtime/traceback.go, isSystemGoroutine) */
	bool has_stack;	    /* false: it was running, or moving, at each try */
	/* Where it was left, with a stack: its pc, and how much of the stack it has in use, which
	 * stays when the stack is moved. In a system call besides m.syscalltick, which differs
	 * from call to call (trackingSeq does not, from 1.26 on). */
	uint64_t pc, stack_used;
	bool exact; /* it was interrupted there: pcs[0] is pc + 1, not a return address */
	uint32_t syscall_tick;
	int end;	    /* enum gocallers_end of the walk, where it has a stack */
	const uint64_t *pcs; /* logical frames, innermost first; good until the callback returns */
	size_t pc_count;
	/* With them: the bytes of its stack from where it was left on, and for each of pcs where
	 * in them its physical frame ends (gocallers_walk). */
	const uint8_t *stack;
	size_t stack_len;
	const size_t *frame_ends;
};

/* For -stop: where running goroutines are, as somebody knows who holds their threads. */
struct go_held {
	uint64_t thread; /* m.procid */
	uint64_t pc, sp;
};

struct gogoroutines_options {
	bool system;	   /* those of the runtime, too */
	bool stacks;	   /* else pc_count is 0 */
	size_t max_frames; /* logical ones; 0: as many as runtime/pprof of the release takes */
	const struct go_held *held; /* by thread; every thread of Go's is in it, or NULL */
	size_t held_count;
	const atomic_bool *let_go; /* true: they run on; looked at when the stack of one that was
				    * running has been copied, which is nothing then. NULL: never */
};

struct gogoroutines_stats {
	uint64_t goroutines;	/* told */
	uint64_t again;		/* reads repeated since something had moved */
	uint64_t without_stack; /* told without one: running, or never at rest */
	uint64_t left_out;	/* not told: what stood there cannot be a g */
	uint64_t ends[8];	/* of walks, by enum gocallers_end */
	uint64_t reads, bytes;	/* process_vm_readv calls, and what they read */
};

/* What it returns other than 0 ends the reading and is returned there. */
typedef int gogoroutines_callback(void *ctx, const struct go_goroutine *g, struct error *err);

/* Tells all, in the order of runtime.allgs; those that were made meanwhile may be missing.
 * ERR_FORMAT: the tables are not what they should be, the message says how; ERR_GONE,
 * ERR_NOMEM. Memory is bounded: it goes by batches. */
int gogoroutines_read(const struct golive *live, struct gocallers *callers,
		      const struct gogoroutines_options *options, gogoroutines_callback *each,
		      void *ctx, struct gogoroutines_stats *stats, struct error *err);

#endif
