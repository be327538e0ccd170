/*
 * An ELF file in memory with chosen sections, for libdw, which reads DWARF from ELF files only. It
 * serves for DWARF that is elsewhere or in another form: compressed sections (decompress.h), or one
 * unit of split DWARF (symbolize/dwarf/wholeunit.h).
 */
#ifndef SYMBOLIZE_FILES_ELFVIEW_H
#define SYMBOLIZE_FILES_ELFVIEW_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

struct elfview_section {
	const char *name;
	uint64_t len;
	uint8_t *bytes; /* set by elfview_make; the caller fills them */
};

struct elfview {
	char *bytes; /* NULL: no view */
	size_t len;
};

/* Lays the file out: x86-64, without code. The sections' bytes are not yet set. ERR_LIMIT for more
 * than 4 GiB or too many sections; ERR_NOMEM. */
int elfview_make(struct elfview *v, struct elfview_section *sections, size_t count);

/* A handle on the view, to be ended before the view is released; NULL when out of memory. */
Elf *elfview_open(const struct elfview *v);

/* Harmless on {0}. */
void elfview_release(struct elfview *v);

#endif
