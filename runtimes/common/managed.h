/*
 * What runtimes that compile have in common: the interface of HotSpot's and V8's rooms.
 *
 * Their frames are on the thread's own stack, between those of C, but only the runtime's own tables
 * tell how to step over them and what they are. So the walk asks (unwind/managed.h), after the
 * thread was released, with the copy of its stack; and right after the walk, the names.
 *
 * The order of the calls, all on one thread:
 *
 *   find      once for each ELF file that a process has mapped: is there such a runtime in it?
 *   begin     a walk begins
 *   step      from a frame of the runtime's to its caller
 *   names     which functions the frame is in, once for each key
 *   thread    what the runtime calls the thread, and what it does
 *   wait      what a thread at rest waits for in the language
 *
 * The process runs meanwhile. What is read of its memory beyond the copied stack may have changed
 * since the copy, and may change at any moment: each answer is checked before and after, and any
 * doubt is no answer. All bytes may lie: each loop has a bound.
 */
#ifndef RUNTIMES_COMMON_MANAGED_H
#define RUNTIMES_COMMON_MANAGED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "unwind/managed.h"

struct arena;
struct error;
struct image;
struct memory;

enum { MANAGED_NAMES_MAX = 64 }; /* functions of a frame: inlined calls nest less deeply */

struct managed_name {
	const char *name;      /* as the language's own stack traces have it; UTF-8 */
	const char *file;      /* "": none */
	uint32_t first_line;   /* 0: not known */
	uint32_t line, column; /* 0: not known */
};

/* The functions of a frame, innermost first: inlined calls, and the one that has the frame last. */
struct managed_names {
	struct managed_name at[MANAGED_NAMES_MAX];
	unsigned count; /* 0: the frame is the runtime's own business, and is not shown */
	bool native;	/* it is shown as a native frame, by its address */
};

enum { MANAGED_THREAD_NAME = 64 }; /* bytes, with the NUL */

struct managed_thread {
	/* In the language, UTF-8, cut at a character; "": it has none. */
	char name[MANAGED_THREAD_NAME];
	const char *role; /* what it does for the runtime: "gc", "compiler", "vm"; NULL: it runs the
			     * program. A constant. */
	const char *state; /* what keeps the program from running: "gc", "safepoint"; NULL: nothing.
			     * A constant. */
};

enum managed_wait_kind {
	MANAGED_WAIT_NONE,    /* for nothing of the language's, or that is not known */
	MANAGED_WAIT_MONITOR, /* to enter a monitor */
	MANAGED_WAIT_NOTICE,  /* in a monitor that it has left, to be notified */
	MANAGED_WAIT_PARKED,  /* to be woken by what an object does, which may be a lock */
	MANAGED_WAIT_KINDS,
};

enum { MANAGED_CLASS_NAME = 200 }; /* bytes, with the NUL */

/* What a thread waits for in the language. */
struct managed_wait {
	enum managed_wait_kind kind;
	uint64_t address; /* of the object, which may move; 0: not known */
	/* Of the object; UTF-8, cut at a character; "": not known. */
	char class[MANAGED_CLASS_NAME];
	bool owned; /* a thread has locked it; not set for MANAGED_WAIT_NOTICE */
	/* That thread, in its own PID namespace; 0: not known, or it is on no thread of the
	 * kernel's now. */
	pid_t owner;
};

struct managed_ops {
	const char *mapping; /* "[java]": what the frames' mapping is called */

	/* As in struct interp_ops (runtimes/common/runtime.h). `memory` is the process's, and is
	 * borrowed for as long as *rt lives. */
	int (*find)(void **rt, const struct image *image, uint64_t bias,
		    const struct memory *memory, struct error *why);
	void (*free)(void *rt);

	/* A walk of a thread begins. */
	void (*begin)(void *rt);

	/* See struct managed_walker. */
	int (*step)(void *rt, struct walk *w, enum frame_kind *kind, struct managed_frame *frame);

	/* The functions of a frame, into *names (emptied before), all of whose memory is from the
	 * arena. ERR_FORMAT: they cannot be read, or it is not certain that they are this frame's;
	 * ERR_NOMEM. */
	int (*names)(void *rt, const struct managed_frame *frame, struct arena *arena,
		     struct managed_names *names);

	/* What the runtime tells of a thread. False: nothing. NULL: nothing of any. */
	bool (*thread)(void *rt, pid_t own_tid, struct managed_thread *thread);

	/* What a thread waits for that is at rest in futex(2), and that the caller finds there
	 * afterwards. wait->kind is MANAGED_WAIT_NONE if nothing is known. NULL: of none. */
	void (*wait)(void *rt, pid_t own_tid, struct managed_wait *wait);
};

#endif
