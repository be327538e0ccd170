/*
 * An index of a file's DWARF: image address -> function, line, inlined calls.
 *
 * Opening reads where each unit's code is. A unit is decoded when an address in it is looked up
 * (unit.h), and only a few decoded units are kept. So a caller with many addresses looks them up in
 * the order of dwarf_index_order, and each unit is decoded once.
 *
 * The DIEs are walked here, not by dwarf_addrdie (which needs .debug_aranges, which clang does not
 * write) or dwarf_getscopes (which reads the unit anew for each address and loses inlined calls
 * under LTO).
 *
 * One index serves one thread, and no other code may use its Dwarf.
 */
#ifndef SYMBOLIZE_DWARF_DWARF_H
#define SYMBOLIZE_DWARF_DWARF_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debugelf;
struct dwarf_index;
struct split;

enum { DWARF_DEPTH_MAX = 128 }; /* frames of an address; deeper ones are left out */

/* One frame as DWARF describes it. The strings are valid until the next dwarf_index_find. */
struct dwarf_frame {
	const char *name;	  /* DW_AT_name; NULL when nameless */
	const char *linkage_name; /* NULL when there is none */
	const char *scope; /* if there is none: "ns::Class" in C++; NULL: outermost, or unknown */
	bool is_cplusplus;
	const char *file;   /* NULL when unknown */
	const char *folder; /* the folder to which `file` is relative, or NULL */
	const char *dir;    /* the folder to which `folder` is relative, or NULL */
	uint32_t line, column, start_line;
};

/* Borrows `dwarf`, `split` and `elf`, the file that `dwarf` reads; they must outlive the index.
 * `split` finds split DWARF; it may be NULL. ERR_NOMEM. */
int dwarf_index_new(struct dwarf_index **index, Dwarf *dwarf, struct split *split,
		    const struct debugelf *elf);
void dwarf_index_free(struct dwarf_index *index);

/* Sorts addresses by unit, and within a unit by address. */
void dwarf_index_order(const struct dwarf_index *index, uint64_t *addrs, size_t count);

/* Fills frames innermost first, the function itself last. Returns their number, or 0 when no
 * function covers the address; then frames[0] still has file and line if the line table has the
 * address. ERR_NOMEM. */
int dwarf_index_find(struct dwarf_index *index, uint64_t addr,
		     struct dwarf_frame frames[DWARF_DEPTH_MAX]);

#endif
