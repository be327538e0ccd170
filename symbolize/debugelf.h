/*
 * A file's debug sections as libdw is to see them: only those that symbolizing needs,
 * and where the caller allows it mapped, so that of a file of gigabytes is read what
 * is looked at.
 */
#ifndef SYMBOLIZE_DEBUGELF_H
#define SYMBOLIZE_DEBUGELF_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

struct debugelf {
	Elf *elf;
	void *map; /* the whole file, or NULL */
	size_t size;
};

/* Opens the file behind `fd`, which stays the caller's and must stay open. If it is
 * mapped (`may_map`) and shrinks, reading it raises SIGBUS. `d->elf` is NULL when it
 * is no ELF file or cannot be read. */
void debugelf_open(struct debugelf *d, int fd, bool may_map);

/* Harmless on {0}. */
void debugelf_close(struct debugelf *d);

/* These bytes of a section are not needed for now: gives their memory back if they are
 * part of the mapping, where they are read again when somebody looks. */
void debugelf_drop(const struct debugelf *d, const void *bytes, size_t len);

#endif
