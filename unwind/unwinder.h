/*
 * Walks stacks: from registers and stack bytes to return addresses.
 *
 * An unwinder keeps one compiled CFI table per image, built when a walk first meets the image, and
 * a cache from pc to rule. It does not look up names.
 */
#ifndef UNWIND_UNWINDER_H
#define UNWIND_UNWINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/table/table.h"

struct go_stacks;
struct image;
struct managed_walker;
struct memory;
struct modmap;
struct regs;
struct stack;
struct unwinder;

/* The caller frees *u with unwinder_free. ERR_NOMEM. */
int unwinder_new(struct unwinder **u);
void unwinder_free(struct unwinder *u);

/* What a walk begins with. */
struct walk_from {
	const struct regs *regs;
	const struct memory *memory; /* must provide all stacks */
	/* The thread's Go stacks, between which the walk changes as the runtime does; NULL: not
	 * known. */
	const struct go_stacks *stacks;
	struct managed_walker *managed; /* the process's runtimes; NULL: none */
};

/* Walks from from->regs to the outermost frame into `out` (emptied first). `maps` tells which
 * image is mapped where, from->memory provides the stack. Unless it fails with ERR_NOMEM, the
 * result has at least one frame; out->end tells why the walk ended. The stack pointer and the pc
 * must be known. If a step needs another register that is not known, the walk ends with
 * STACK_NO_UNWIND_INFO and sets out->lacked. */
int unwinder_walk(struct unwinder *u, const struct modmap *maps, const struct walk_from *from,
		  struct stack *out);

/* Compiles the tables of all that is mapped, which otherwise happens when a walk first meets an
 * image. It takes milliseconds: for callers that later walk while a thread is held. */
void unwinder_prepare(struct unwinder *u, const struct modmap *maps);

/* Properties of an image's table, for -v; all zero for an image without one: neither a walk nor
 * unwinder_prepare has met it. */
struct unwind_table_info {
	struct cfi_table_info table;
	uint64_t build_ns; /* CPU time of compiling it */
	bool refused;	   /* not made, because there are too many already */
};
void unwinder_table_info(const struct unwinder *u, const struct image *image,
			 struct unwind_table_info *info);

#endif
