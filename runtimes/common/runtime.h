/*
 * What every interpreter has in common: the interface of CPython's, Ruby's and PHP's rooms.
 *
 * An interpreter's functions have no code of their own. Its evaluation loop, a C function, walks a
 * chain of the interpreter's frames. So a thread has two stacks, the C one and that chain. Both are
 * copied in one stop, and are merged afterwards (runtimes/merge.h): each run of interpreted
 * frames stands in the place of the C frame of the loop that executes it.
 *
 * The order of the calls, for each thread that is looked at:
 *
 *   find      once for each ELF file that a process has mapped: is there such a runtime in it?
 *   threads   from time to time: which of its threads have a state, and where
 *   capture   while the thread is held: what is needed is copied, the chain is followed
 *   identify  after the thread was released: what proves that a code object is the same as before
 *   resolve   names and lines of a code object that was not met before
 *   anchor    where the chain does not say itself which C frames it belongs to
 *
 * All bytes come from the target and may lie. Only struct interp_copy, struct memory and
 * base/cursor.h read them, and each loop has a bound.
 */
#ifndef RUNTIMES_COMMON_RUNTIME_H
#define RUNTIMES_COMMON_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"

struct buffer;
struct error;
struct image;
struct interp_copy;
struct memory;
struct modmap;
struct regs;
struct stack;

/* A thread with a state of the interpreter's. */
struct interp_state {
	pid_t own_tid; /* the thread's number in its own PID namespace; 0: not recorded */
	uint64_t tp; /* its thread pointer (fs_base on x86-64), pthread_self(3); 0: not recorded */
	uint64_t at; /* address of the state; unique in the process */
	/* libc's number of that thread, which is right in a child of fork(2), too; but where a
	 * thread ended without its state, that of its successor; 0: not known. */
	pid_t libc_tid;
	bool main; /* it is the main thread's, whose number is not recorded */
	bool any;  /* each thread may have it: capture finds out by the thread pointer */
};

/* The thread that is looked at. */
struct interp_thread {
	pid_t own_tid;		 /* in its own PID namespace */
	uint64_t state;		 /* as `threads` reported it, or as the last capture left it */
	uint64_t tp;		 /* 0: not known, because the thread is not stopped */
	const struct regs *regs; /* where it is; regs->unknown tells which are not known */
};

enum interp_frame_flag {
	INTERP_C_FUNCTION = 1, /* a function of the runtime's own, without lines: stands outside its
				* C frames, not in the place of a loop (PHP's and Ruby's) */
	INTERP_INEXACT = 2,    /* which instruction is executed is not certain (Ruby's and PHP's
				* JIT, some of PHP's innermost frames): no line is shown */
	INTERP_WRAPPED = 4,    /* the loop is two C frames: the anchor's and the one that called it
			     * (Ruby's vm_exec_core and vm_exec) */
};

/* A frame of the interpreter's chain. */
struct interp_frame {
	uint64_t code;	 /* address of the code object (CPython), iseq (Ruby), function (PHP) */
	uint64_t method; /* what its name depends on, too: the method entry (Ruby); 0: nothing */
	uint64_t at;	 /* where in it; its unit is the runtime's own; as `line` takes it */
	uint64_t self;	 /* address of the frame itself */
	uint64_t anchor; /* an address in the C frame of the loop that executes it: consecutive
			  * frames with the same anchor are one run; 0: not known (see `anchor`) */
	uint64_t own;	 /* of the runtime, from its capture to its anchor */
	uint16_t flags;	 /* those from 4 on are the runtime's own, from its capture to its anchor */
	uint8_t runtime; /* set by the caller of capture: its index in the process */
};

/* What capture tells besides the frames. The caller empties it. */
struct interp_walk {
	struct interp_frame *frames; /* innermost first */
	size_t count, room;
	bool cut;    /* the chain goes on, but it could not be copied this time */
	bool broken; /* the chain leads nowhere, or contradicts itself: what lies behind is lost */
	unsigned dropped; /* frames under construction that were left out */
	bool gil_held;	  /* the thread holds the interpreter's lock (CPython: GIL, Ruby: GVL) */
	bool gil_waits;	  /* it waits for that lock */
	uint64_t gil;	  /* the address of that lock, or of what has it; 0: not known */
	uint64_t task;	  /* address of the asyncio task that it runs; 0: none, or not known */
	uint64_t state;	  /* another state than that of `thread` was used: its address; else 0 */
	bool lost;	  /* the state is not the thread's any more: it is to be looked up again */
};

/* What proves that a code object is the one that was seen at this address before. */
struct interp_identity {
	uint64_t code, method; /* as in its frames */
	uint64_t words[8]; /* e.g. pointers to its names and tables, hashes of names, versions */
	bool valid;	   /* it could be read, and looks like a code object */
	bool unique;	   /* no other code object ever has these words; without it, one that was
			    * freed and is made again has the same */
};

/* One number for both, by which a code object is known (interp_copy_is_new). */
static inline uint64_t interp_code_key(uint64_t code, uint64_t method)
{
	return code + method * 0x9e3779b97f4a7c15;
}

/* A code object's names. */
struct interp_code {
	/* As the language's own tracebacks qualify it: "Shop.total", "Shop#total", "Shop::total",
	 * "<module>"; UTF-8. */
	const char *name;
	const char *file; /* as the interpreter records it; "" */
	uint32_t first_line;
	int64_t begin; /* a frame whose `at`, as a signed number, is below it is under construction:
			* the language's own tracebacks leave it out, and it is hidden */
	bool hidden;   /* one of the interpreter's own, which its tracebacks do not show either */
	const void *lines; /* for `line`; in the arena */
	/* What proves that all this is of the code object of that identity, from the very bytes
	 * that it was made of; not valid: only what is identified before and after it does. */
	struct interp_identity identity;
};

struct interp_ops {
	const char *mapping; /* "[python]": what the frames' mapping is called */

	/* Looks for the runtime in an ELF file that is mapped with this bias (address in the
	 * process - image address), by symbol or section and never by its name. *rt is immutable
	 * from then on (but for `note_image`), because it is used on two threads. It begins with
	 * the runtime's version, a text with a NUL: "CPython 3.11.2". The caller frees it with
	 * `free`.
	 * ERR_NOTFOUND: it is not in this file; ERR_BUSY: it is, but is not ready yet, and is to be
	 * tried again; ERR_FORMAT: it is, but cannot be read, and `why` says in one line why;
	 * ERR_NOMEM. */
	int (*find)(void **rt, const struct image *image, uint64_t bias,
		    const struct memory *memory, struct error *why);
	void (*free)(void *rt);

	/* NULL: never. Is its release newer than those that the room was written for? */
	bool (*is_new)(const void *rt);

	/* Appends a struct interp_state for each thread that has one; what cannot be read is left
	 * out. The thread runs meanwhile, so this is a hint that capture verifies. ERR_NOMEM. */
	int (*threads)(const void *rt, const struct memory *memory, struct buffer *states);

	/* Follows the chain of a thread that does not run, and appends its frames to *out,
	 * innermost first, at most out->room. Whatever it needs is read by interp_copy_need and its
	 * like, and is predicted the next time. Does not allocate, make a system call or change
	 * anything. */
	void (*capture)(const void *rt, struct interp_copy *copy,
			const struct interp_thread *thread, struct interp_walk *out);

	/* Fills ids[i].words and .valid of `count` code objects by ids[i].code and .method, with as
	 * few system calls as possible (memory_gather). `memory` is the process, or what capture
	 * copied. */
	void (*identify)(const void *rt, const struct memory *memory, struct interp_identity *ids,
			 size_t count);

	/* Reads names and the line table of the code object that id->code and id->method tell of
	 * into *code, all of whose memory is from the arena. ERR_FORMAT: it cannot be read;
	 * ERR_NOMEM. */
	int (*resolve)(const void *rt, const struct memory *memory,
		       const struct interp_identity *id, struct arena *arena,
		       struct interp_code *code);

	/* The line (0: it has none) and column (0: not recorded; 1: the first) of interp_frame.at,
	 * from code->lines only. */
	void (*line)(const void *rt, const struct interp_code *code, uint64_t at, uint32_t *line,
		     uint32_t *column);

	/* Sets the anchors that capture has left 0, with the C stack and its memory at hand
	 * (stack->sps), where it can. NULL: capture sets all. */
	void (*anchor)(const void *rt, const struct modmap *maps, const struct stack *stack,
		       const struct memory *memory, struct interp_frame *frames, size_t count);

	/* The name of the asyncio task at interp_walk.task into `name`, or "". `copy` is what
	 * capture copied, `live` the process. NULL: there are no tasks. */
	void (*task_name)(const void *rt, const struct memory *copy, const struct memory *live,
			  uint64_t task, char *name, size_t room);

	/* Notes a file that the process has mapped, once for each, the runtime's own included: it
	 * may tell where a module of the runtime keeps something. Only this function changes *rt,
	 * while captures read it. NULL: no file is needed. */
	void (*note_image)(void *rt, const struct image *image);
};

#endif
