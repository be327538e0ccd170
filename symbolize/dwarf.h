/*
 * An index of a file's DWARF: image address -> function, line, inlined calls.
 *
 * Opening reads where each unit's code is. A unit is decoded when an address falls
 * into it (dwarf_unit), and only a few are kept: whoever has many addresses asks for
 * them in the order of dwarf_index_order, so that each unit is decoded once.
 *
 * Own walks over the DIEs instead of dwarf_addrdie (needs .debug_aranges, which clang
 * does not write) and dwarf_getscopes (reads the unit anew for each address and loses
 * inlined calls under LTO).
 *
 * One index serves one thread, and its Dwarf nobody else.
 */
#ifndef SYMBOLIZE_DWARF_H
#define SYMBOLIZE_DWARF_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct debugelf;
struct dwarf_index;
struct split;

enum { DWARF_DEPTH_MAX = 128 }; /* frames of an address; what is deeper is left out */

/* One frame as DWARF has it. The strings are good until the next dwarf_index_find. */
struct dwarf_frame {
	const char *name;	  /* DW_AT_name; NULL when nameless */
	const char *linkage_name; /* NULL when there is none */
	const char *file;	  /* NULL when unknown */
	const char *folder;	  /* what a relative file is relative to, or NULL */
	const char *dir;	  /* the same of `folder`; NULL when unknown */
	uint32_t line, column, start_line;
};

/* Does not take over `dwarf`, `split` and `elf`, the file that `dwarf` reads, which must
 * outlive the index. `split` finds split DWARF; it may be NULL. ERR_NOMEM. */
int dwarf_index_new(struct dwarf_index **index, Dwarf *dwarf, struct split *split,
		    const struct debugelf *elf);
void dwarf_index_free(struct dwarf_index *index);

/* Sorts addresses so that those of a unit stand together, by address. */
void dwarf_index_order(const struct dwarf_index *index, uint64_t *addrs, size_t count);

/* Fills frames innermost first, the function itself last; how many, or 0 when no
 * function covers the address: then *frames still has file and line if the line
 * table knows the address. ERR_NOMEM. */
int dwarf_index_find(struct dwarf_index *index, uint64_t addr,
		     struct dwarf_frame frames[DWARF_DEPTH_MAX]);

#endif
