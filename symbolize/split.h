/*
 * Split DWARF: finds the other half of a skeleton unit (symbolize/skeleton.h), in the
 * package beside the program (NAME.dwp), else in the .dwo file that the skeleton names,
 * in the target's view of the file system first and in ours second. Which half belongs
 * to which is said by an id of 64 bits that both have.
 */
#ifndef SYMBOLIZE_SPLIT_H
#define SYMBOLIZE_SPLIT_H

#include <elfutils/libdw.h>
#include <stddef.h>

#include "symbolize/elfview.h"

struct image;
struct process;
struct split;

/* For the skeletons of `file`: the program itself or its separate debug file. All are
 * not owned and must outlive it; `process` may be NULL. The first unit that is not
 * found is named at the end of `note` (of `room` bytes). ERR_NOMEM. */
int split_new(struct split **s, const struct image *program, const struct image *file,
	      const struct process *process, char *note, size_t room);
void split_free(struct split *s);

/* A unit that was found, whole. */
struct split_unit {
	struct elfview view;
	Elf *elf;
	Dwarf *dwarf;
};

/* Finds the unit whose skeleton has this DIE: its own DIE is *code. When it is not
 * there, or `skeleton` is none, *code stays as it is and `u` is {0}. ERR_NOMEM. */
int split_find(struct split *s, Dwarf_Die *skeleton, struct split_unit *u, Dwarf_Die *code);

/* Harmless on {0}. */
void split_unit_release(struct split_unit *u);

#endif
