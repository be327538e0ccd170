/*
 * A BEAM in a process: what the room's files share.
 *
 * Modules are loaded at any time, and what was loaded is freed when no process uses it any more. A
 * frame's key tells a function by atoms, that is by numbers of names, which are never freed. So the
 * step that meets a frame finds out at once which function and line it is in, and the names are the
 * same forever.
 */
#ifndef RUNTIMES_BEAM_RUNTIME_H
#define RUNTIMES_BEAM_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process/memory.h"
#include "base/strset.h"
#include "runtimes/beam/atoms.h"
#include "runtimes/beam/ranges.h"
#include "runtimes/common/managed.h"

struct image;
struct memcache;

/* managed_frame.kind. */
enum beam_frame_kind {
	BEAM_UNKNOWN,  /* a function whose name cannot be read */
	BEAM_HIDDEN,   /* the runtime's own code, such as the way into the scheduler */
	BEAM_FUNCTION, /* beam_key has the rest of the frame */
};

enum { BEAM_ENDS = 3 };

/* Where things are: read from the emulator's code (find_x86_64.c), all as addresses in the
 * process. */
struct beam_layout {
	uint64_t ranges;     /* struct ranges r[], beam_ranges.c */
	uint64_t active;     /* the_active_code_index */
	uint64_t main;	     /* the C function process_main */
	uint64_t schedulers; /* erts_aligned_scheduler_data: a pointer */
	uint64_t jit_main; /* what it jumps to: the code that calls the scheduler, and processes, */
	uint64_t jit_main_end;
	uint64_t shared, shared_end;	   /* code that functions share */
	uint64_t normal_exit;		   /* what the outermost function of a process returns to */
	struct beam_range ends[BEAM_ENDS]; /* code that ends a process */
	uint32_t registers;		   /* rbx - address of the scheduler's registers */
	uint32_t frame; /* bytes by which process_main's code lowers rsp before it aligns it */
	uint32_t stop;	/* in struct process: the stack pointer while C runs */
	uint16_t functions, lines, mfa; /* in a module's header and a function's */
	bool frame_pointers;		/* +JPfp true */
};

enum { BEAM_KEPT = 256, BEAM_LABELS_MAX = 1024 };

/* Code that functions share, from this address to the next label. */
struct beam_label {
	uint64_t start;
	bool returns; /* to what called it */
};

struct beam_kept {
	uint64_t pc;
	struct managed_frame frame; /* code 0: empty */
};

struct beam_runtime {
	char version[32]; /* first: see struct interp_ops */
	struct beam_layout at;
	struct beam_atoms atoms;
	const struct memory *live;   /* the process's, borrowed */
	const struct memory *memory; /* the same through the cache */
	struct memcache *cache;	     /* owned; NULL in tests */
	/* Where a scheduler's data has its process; 0: not known. Owned. */
	_Atomic uint32_t *current;
	struct beam_label labels[BEAM_LABELS_MAX]; /* ascending */
	size_t label_count;
	struct beam_ranges ranges;
	struct strset files;		  /* whose numbers are in keys */
	struct beam_kept kept[BEAM_KEPT]; /* of this walk, */
	bool crossed;			  /* which has changed from one stack to the other */
};

/* beam.c: struct managed_ops.find and .free, and those of struct interp_ops (stacks.c). */
int beam_find(void **rt, const struct image *image, uint64_t bias, const struct memory *memory,
	      struct error *why);
void beam_release(void *rt);

/* Finds the emulator's variables and code. ERR_NOTFOUND: there is no BEAM in this file, or none for
 * this machine; ERR_BUSY: it is not ready; ERR_FORMAT. */
int beam_find_layout(struct beam_runtime *rt, const struct image *image, uint64_t bias,
		     struct error *why);

/* stacks.c: a process's heap, of which its stack is the upper end. */

/* Words of struct process, from htop, the word before the stack pointer, on. */
enum { BEAM_HEAD_WORDS = 32 };

/* Which of these words is the heap's start; the next one is its end, which is the stack's, too. 0:
 * none of them: it is no process, or garbage is being collected. */
uint32_t beam_find_heap(const uint64_t *head);

/* False while its heap is being replaced: its stack pointer may lead to where its stack is not yet.
 * grow_new_heap() sets hend and stop, copies the stack, and then sets heap and heap_sz; elsewhere
 * the stack is copied first (erts/emulator/beam/erl_gc.c). */
bool beam_heap_fits(const uint64_t *head);

/* names.c, see struct managed_ops. */
int beam_names(void *rt, const struct managed_frame *frame, struct arena *arena,
	       struct managed_names *names);

/* step_NAME.c */
int beam_step(void *rt, struct walk *w, enum frame_kind *kind, struct managed_frame *frame);

#endif
