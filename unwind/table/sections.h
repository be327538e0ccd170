/* Finds an image's CFI sections and reads their bytes. */
#ifndef UNWIND_TABLE_SECTIONS_H
#define UNWIND_TABLE_SECTIONS_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/table/cfi.h"

struct image;

enum { SECTIONS_MAX = 4 };

/* All input of a table. */
struct cfi_source {
	struct cfi_section sections[SECTIONS_MAX]; /* the first to cover an address wins */
	void *plain[SECTIONS_MAX]; /* buffers of decompressed sections, or NULL; owned */
	size_t count;
	uint64_t base, limit; /* address range of the code */
	Elf *elf;	      /* keeps the bytes alive; owned */
	char *copy;	      /* the bytes of an image without a file, or NULL; owned */
};

/* Reads an image's .eh_frame and .debug_frame (only .eh_frame where Go is unwound by pclntab).
 * count is 0 when there is neither, or the image is not an ELF file. Must be closed in any case. */
void cfi_source_open(struct cfi_source *source, const struct image *image);
void cfi_source_close(struct cfi_source *source);

#endif
