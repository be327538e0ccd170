/*
 * A file's debug sections for libdw: only those that symbolizing needs. A regular file is mapped,
 * so that only the used parts of a file of gigabytes are read.
 */
#ifndef SYMBOLIZE_FILES_DEBUGELF_H
#define SYMBOLIZE_FILES_DEBUGELF_H

#include <libelf.h>
#include <stddef.h>

struct debugelf {
	Elf *elf;
	void *map; /* the whole file; NULL: it could not be mapped and is read */
	size_t size;
};

/* Opens the file behind `fd`, which stays the caller's and must stay open. If it shrinks, reading
 * it raises SIGBUS. `d->elf` is NULL when it is no ELF file or cannot be read. */
void debugelf_open(struct debugelf *d, int fd);

/* Harmless on {0}. */
void debugelf_close(struct debugelf *d);

/* Gives back the memory of `len` bytes that are not needed for now, if they are part of the
 * mapping. They are read again at the next access. */
void debugelf_drop(const struct debugelf *d, const void *bytes, size_t len);

#endif
