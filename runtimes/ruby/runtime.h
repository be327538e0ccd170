/*
 * A Ruby runtime (CRuby) in a process: what this room's files share.
 *
 * A code object is an iseq (struct rb_iseq_struct), or, for a function written in C, its method
 * entry (struct rb_callable_method_entry_struct). Both are objects of the garbage collector, whose
 * flags tell which they are.
 */
#ifndef RUNTIMES_RUBY_RUNTIME_H
#define RUNTIMES_RUBY_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process/memory.h"
#include "runtimes/common/runtime.h"
#include "runtimes/ruby/layout.h"
#include "runtimes/ruby/loop.h"

struct interp_copy;

/* Found out by captures and when names are read, on any thread. */
struct ruby_shared {
	_Atomic uint64_t guard;		       /* with which libc's setjmp(3) hides addresses */
	_Atomic uint64_t path_id, attached_id; /* classes.c; 0: not known yet */
};

struct ruby_runtime {
	char version[32]; /* first: see struct interp_ops */
	const struct ruby_layout *layout;
	uint64_t vm;		 /* struct rb_vm_struct */
	uint16_t ractor_threads; /* head of a ractor's list of threads */
	uint16_t ractor_node;	 /* a ractor's node in the list of ractors */
	uint64_t symbols;	 /* ruby_global_symbols; 0: not found */
	uint64_t object;	 /* the variable rb_cObject; 0: not found */
	struct ruby_loop loop;
	struct ruby_shared *shared; /* owned */
};

/* threads.c */
int ruby_threads(const void *rt, const struct memory *memory, struct buffer *states);
/* Sets the places of lists that depend on how libc was built, from the live lists. False: they do
 * not fit. */
bool ruby_find_lists(struct ruby_runtime *rt, const struct memory *memory);

/* methods.c. What the environment that a frame's ep points to tells of the frame's method entry:
 * sets f->method and its flag RUBY_AROUND. Then, for all frames of a walk: follows those with that
 * flag, and keeps method entries only. */
struct ruby_env {
	uint64_t method, prev, flags;
};
void ruby_note_method(const struct ruby_env *env, struct interp_frame *f);
void ruby_find_methods(struct interp_copy *copy, struct interp_walk *out);

/* interp_frame.flags, from its capture to ruby_find_methods: .method is an environment around the
 * frame's, which leads to the method entry. */
enum { RUBY_AROUND = 8 };

/* capture.c */
void ruby_capture(const void *rt, struct interp_copy *copy, const struct interp_thread *thread,
		  struct interp_walk *out);

/* The anchor of C functions that no run has called, until the C stack is known. No tag has it. */
static const uint64_t RUBY_OUTSIDE = 1;

/* tags.c: sets the anchors of the frames, whose .own are the numbers of their runs, 0 for the
 * innermost. `runs` is how many runs vm_exec executes; `tag` is the thread's innermost one. */
void ruby_set_anchors(const struct ruby_runtime *rt, struct interp_copy *copy, uint64_t pthread,
		      uint64_t tag, size_t runs, struct interp_walk *out);

/* anchor.c */
void ruby_anchor(const void *rt, const struct modmap *maps, const struct stack *stack,
		 const struct memory *memory, struct interp_frame *frames, size_t count);

/* identity.c. ruby_copy_identity: copies what ruby_identify reads, in the hold. */
void ruby_identify(const void *rt, const struct memory *memory, struct interp_identity *ids,
		   size_t count);
void ruby_copy_identity(const struct ruby_runtime *rt, struct interp_copy *copy,
			struct interp_identity *ids, size_t count);

/* names.c */
int ruby_resolve(const void *rt, const struct memory *memory, const struct interp_identity *id,
		 struct arena *arena, struct interp_code *code);

/* classes.c. "Owner#name", "Owner.name", or `name` itself if the class is not known or has no
 * permanent path; in `arena`. NULL: *nomem, out of memory. */
const char *ruby_qualify(const struct ruby_runtime *rt, const struct memory *memory, uint64_t owner,
			 const char *name, struct arena *arena, bool *nomem);
/* Can it be known at all? */
bool ruby_knows_classes(const struct ruby_runtime *rt);

/* lines.c */
struct ruby_lines;
int ruby_read_lines(const struct ruby_runtime *rt, const struct memory *memory, const void *body,
		    struct arena *arena, struct ruby_lines **lines);
void ruby_line(const void *rt, const struct interp_code *code, uint64_t at, uint32_t *line,
	       uint32_t *column);

#endif
