/*
 * What walks have learned about a process's code: for each address how to step from there, for each
 * image its compiled table.
 */
#ifndef UNWIND_CODEMAP_H
#define UNWIND_CODEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/step.h"

struct cfi_extent;
struct codebytes;
struct image;
struct go_image;
struct modmap;
struct unwind_table_info;

enum { CODE_SLOTS = 4096 }; /* power of two */

/* The range in which codemap_learn last found an address: frames of one stack mostly lie in one
 * module. A copy, because the maps may be read again meanwhile. */
struct code_range {
	uint64_t start, end, bias;
	uint64_t generation;
	const struct image *image;
	const struct cfi_table *table;
	struct go_image *go; /* NULL: no Go image */
};

struct codemap {
	struct code_module *modules; /* indexed by image id */
	size_t module_count;
	uint64_t table_bytes; /* memory of all tables */
	uint64_t generation;  /* of the maps of the current walk */
	struct code_range range;
	struct code *cache;	     /* CODE_SLOTS entries, each a cache line on x86-64 */
	struct code_answer *answers; /* CODE_SLOTS entries: of codemap_calls, for files */
};

/* ERR_NOMEM: nothing needs to be released. */
int codemap_init(struct codemap *c);
void codemap_release(struct codemap *c);

static inline size_t code_slot(uint64_t addr)
{
	return (addr ^ addr >> 12) & (CODE_SLOTS - 1);
}

/* The slow path of codemap_find: looks up an address that the cache does not have. */
const struct code *codemap_learn(struct codemap *c, const struct modmap *maps, uint64_t addr);

/* What is known about a code address of a process with these maps; c->generation must be the maps'
 * generation. NULL: nothing is mapped there. Valid until the next call. */
static inline const struct code *codemap_find(struct codemap *c, const struct modmap *maps,
					      uint64_t addr)
{
	const struct code *code = &c->cache[code_slot(addr)];

	if (code->addr == addr && code->generation == c->generation)
		return code;
	return codemap_learn(c, maps, addr);
}

/* Does a call end right behind the address, so that a return address may follow? The code of a file
 * is read for it once, whatever processes have mapped it. */
bool codemap_calls(struct codemap *c, const struct code *at, struct codebytes *bytes);

/* The function that covers `addr`, or that part of a function, by its entry of CFI, with addresses
 * in the process. False: none covers it, or there is no memory. */
bool codemap_extent(struct codemap *c, const struct modmap *maps, uint64_t addr,
		    struct cfi_extent *extent);

/* See unwinder_table_info. */
void codemap_table_info(const struct codemap *c, const struct image *image,
			struct unwind_table_info *info);

#endif
