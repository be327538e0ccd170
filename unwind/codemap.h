/*
 * A process's code, as far as walks have met it: for each address how to step
 * from there, for each image its compiled table.
 */
#ifndef UNWIND_CODEMAP_H
#define UNWIND_CODEMAP_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/step.h"

struct image;
struct modmap;
struct unwind_table_info;

enum { CODE_SLOTS = 4096 }; /* power of two */

struct codemap {
	struct code_module *modules; /* by image id */
	size_t module_count;
	uint64_t generation; /* of the maps of the present walk */
	struct code cache[CODE_SLOTS];
};

/* {0} is an empty one. */
void codemap_release(struct codemap *c);

/* What is known about a code address of a process with these maps, for which
 * c->generation holds; NULL: nothing is mapped there. Valid until the next call. */
const struct code *codemap_find(struct codemap *c, const struct modmap *maps, uint64_t addr);

/* See unwinder_table_info. */
void codemap_table_info(const struct codemap *c, const struct image *image,
			struct unwind_table_info *info);

#endif
