/*
 * What one image can be asked about: its symbols and its debug information,
 * opened when the first address is asked for.
 */
#ifndef SYMBOLIZE_MODULE_H
#define SYMBOLIZE_MODULE_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "symbolize/dwarf.h"
#include "symbolize/elfsyms.h"

struct gopclntab;
struct image;
struct process;

struct module {
	bool opened, has_lines, has_inlines;
	struct elfsyms symbols;
	Elf *own_elf;		   /* when the DWARF is in the image's own file */
	struct image *debug, *alt; /* separate files */
	Dwarf *dwarf, *alt_dwarf;
	struct dwarf_index *index; /* NULL without DWARF */
	struct gopclntab *go;	   /* NULL: not Go */
	char note[640];		   /* for symbolizer_note */
};

/* Opens what there is; `process` may be NULL. Broken or missing files are noted.
 * ERR_NOMEM. */
int module_open(struct module *m, const struct image *image, const struct process *process);

/* Harmless on {0}. */
void module_close(struct module *m);

#endif
