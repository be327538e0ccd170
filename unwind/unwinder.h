/*
 * Registers and bytes -> return addresses.
 *
 * An unwinder keeps one compiled CFI table per image, built when a walk first
 * meets it, and a cache from pc to rule. It never learns names.
 */
#ifndef UNWIND_UNWINDER_H
#define UNWIND_UNWINDER_H

#include <stdbool.h>
#include <stdint.h>

struct image;
struct memory;
struct modmap;
struct regs;
struct stack;
struct unwinder;

/* ERR_NOMEM. */
int unwinder_new(struct unwinder **u);
void unwinder_free(struct unwinder *u);

/* From now on tables are looked for in the user's cache (unwind/tablecache.h) before
 * they are built. To be called while we still have the privileges that we came with.
 * Whatever fails, the unwinder works without. */
void unwinder_open_cache(struct unwinder *u);

/* Keeps the tables that were built in the cache, if there is one. Takes milliseconds, so
 * not while a thread is held. */
void unwinder_save_tables(struct unwinder *u);

/* Why tables are not kept; "" when they are. */
const char *unwinder_cache_note(const struct unwinder *u);

/* Walks from `regs` to the outermost frame into `out` (emptied first). `maps`
 * tells images apart, `memory` gives the stack. Always succeeds in having at
 * least one frame, unless out of memory (ERR_NOMEM); how far it came is in
 * out->end. The stack pointer and the pc must be known; where another register is
 * needed that is not, the walk ends with STACK_NO_UNWIND_INFO and out->lacked. */
int unwinder_walk(struct unwinder *u, const struct modmap *maps, const struct regs *regs,
		  const struct memory *memory, struct stack *out);

/* Compiles the tables of all that is mapped, which a walk does otherwise when it first
 * meets an image: milliseconds, for those who walk while somebody waits. */
void unwinder_prepare(struct unwinder *u, const struct modmap *maps);

/* What an image's table is like, for -v; zero for an image never met. */
struct unwind_table_info {
	uint64_t rows, rules, bytes; /* bytes: memory of the table */
	uint64_t build_ns;	     /* CPU time that compiling or loading it took */
	uint64_t bad_entries;	     /* CFI entries that were left out as broken */
	bool loaded;		     /* from the cache */
	bool refused;		     /* not made, because there are too many already */
};
void unwinder_table_info(const struct unwinder *u, const struct image *image,
			 struct unwind_table_info *info);

#endif
