/*
 * An image's symbols and debug information, opened when the first address in it is looked up.
 */
#ifndef SYMBOLIZE_MODULE_H
#define SYMBOLIZE_MODULE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/dwarf/dwarf.h"
#include "symbolize/files/debugelf.h"
#include "symbolize/files/elfsyms.h"
#include "symbolize/files/elfview.h"

struct gopclntab;
struct image;
struct process;
struct symbol;
struct symbol_frame;

/* Frames found in advance, by address (symbolizer_prepare). {0} is a set without any. */
struct answers {
	struct answer *all; /* sorted by address once settled */
	size_t count, room;
	struct symbol_frame *frames; /* of all answers */
	size_t frame_count, frame_room;
};

struct module_dwarf {
	struct debugelf file; /* {0} if the image's own handle is used */
	struct elfview view;  /* with the sections that were compressed */
	Elf *elf;	      /* on the view */
	Dwarf *dwarf;
};

struct module {
	bool opened, has_lines, has_inlines;
	bool left_out; /* by symbolizer_leave_out */
	int offered;   /* descriptor + 1 of a debug file to use if there is no other, or 0 */
	struct elfsyms symbols, variables; /* variables: see module_variables */
	struct image *debug, *alt;	   /* separate files */
	struct module_dwarf dwarf, alt_dwarf;
	struct split *split;
	struct dwarf_index *index; /* NULL without DWARF */
	struct answers answers;
	struct gopclntab *go; /* NULL: not Go */
	char note[640];	      /* for symbolizer_note */
};

/* Opens the image's symbols and debug information; `process` may be NULL. Broken or missing files
 * are noted. ERR_NOMEM. */
int module_open(struct module *m, const struct image *image, const struct process *process);

/* The variables of an opened module, read at the first call; NULL when out of memory. */
const struct elfsyms *module_variables(struct module *m, const struct image *image);

/* Harmless on {0}. */
void module_close(struct module *m);

/* Copies the frames, but not their strings. An address may be added only once. ERR_NOMEM. */
int answers_add(struct answers *a, uint64_t addr, const struct symbol *symbol);

/* Makes it ready for answers_find; nothing can be added afterwards. */
void answers_settle(struct answers *a);

/* True when there is an answer; its frames live as long as `a`. */
bool answers_find(const struct answers *a, uint64_t addr, struct symbol *symbol);

#endif
