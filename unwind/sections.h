/* Where an image keeps its CFI, and those bytes. */
#ifndef UNWIND_SECTIONS_H
#define UNWIND_SECTIONS_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/cfi.h"

struct image;

enum { SECTIONS_MAX = 4 };

/* All that a table is made of. */
struct cfi_source {
	struct cfi_section sections[SECTIONS_MAX]; /* the first wins where two cover an address */
	void *plain[SECTIONS_MAX]; /* what had to be uncompressed, or NULL */
	size_t count;
	uint64_t base, limit; /* of the code */
	Elf *elf; /* holds the bytes */
	char *copy;
};

/* Reads an image's .eh_frame and .debug_frame; count is 0 when it has neither, or is no
 * ELF file. To be closed in any case. */
void cfi_source_open(struct cfi_source *source, const struct image *image);
void cfi_source_close(struct cfi_source *source);

#endif
