/*
 * Split DWARF: finds the other half of a skeleton unit (symbolize/dwarf/skeleton.h). It is in the
 * package beside the program (NAME.dwp), else in the .dwo file that the skeleton names; the
 * target's view of the file system is tried first, ours second. Both halves have the same id of 64
 * bits.
 */
#ifndef SYMBOLIZE_DWARF_SPLIT_H
#define SYMBOLIZE_DWARF_SPLIT_H

#include <elfutils/libdw.h>
#include <stddef.h>

#include "symbolize/files/elfview.h"

struct image;
struct process;
struct split;

/* For the skeletons of `file`, which is the program itself or its separate debug file. All
 * arguments are borrowed and must outlive the result; `process` may be NULL. The first unit that is
 * not found is reported at the end of `note` (of `room` bytes). ERR_NOMEM. */
int split_new(struct split **s, const struct image *program, const struct image *file,
	      const struct process *process, char *note, size_t room);
void split_free(struct split *s);

/* A split unit that was found, as a whole unit. */
struct split_unit {
	struct elfview view;
	Elf *elf;
	Dwarf *dwarf;
};

/* Finds the split unit of the skeleton with this DIE; *code becomes the split unit's DIE. If it is
 * not found, or the DIE is not a skeleton's, *code stays as it is and `u` is {0}. ERR_NOMEM. */
int split_find(struct split *s, Dwarf_Die *skeleton, struct split_unit *u, Dwarf_Die *code);

/* Harmless on {0}. */
void split_unit_release(struct split_unit *u);

#endif
