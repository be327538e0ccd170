/* The lookups of the fuzz targets for whole files: the ends of the segments, the addresses in the
 * symbol table, and addresses spread over the segments. */
#ifndef TESTS_FUZZ_LOOKUPS_H
#define TESTS_FUZZ_LOOKUPS_H

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/image.h"
#include "symbolize/files/elfsyms.h"
#include "symbolize/symbolizer.h"

enum { SPREAD = 16, SYMBOLS = 32 };

static inline void look_up(struct symbolizer *s, const struct image *image, uint64_t addr)
{
	struct symbol symbol;

	if (symbolizer_lookup(s, image, addr, &symbol))
		abort();
	for (size_t i = 0; i < symbol.count; i++) {
		const struct symbol_frame *f = &symbol.frames[i];
		volatile size_t len = strlen(f->name) + strlen(f->system_name) +
				      (f->file ? strlen(f->file) : 0);

		(void)len;
	}
}

static inline void look_up_symbols(struct symbolizer *s, const struct image *image)
{
	struct elfsyms syms;

	elfsyms_init(&syms);
	if (elfsyms_add(&syms, image_elf(image), SHT_SYMTAB, true) < 0 || elfsyms_settle(&syms))
		abort();
	for (size_t i = 0; i < syms.count && i < SYMBOLS; i++) {
		look_up(s, image, syms.all[i].start);
		look_up(s, image, syms.all[i].end - 1);
	}
	elfsyms_release(&syms);
}

static inline void look_up_segments(struct symbolizer *s, const struct image *image)
{
	size_t count;
	const struct image_segment *segments = image_segments(image, &count);

	for (size_t i = 0; i < count && i < 8; i++)
		for (uint64_t n = 0; n <= SPREAD; n++)
			look_up(s, image, segments[i].vaddr + segments[i].memsz / SPREAD * n);
	look_up(s, image, 0);
	look_up(s, image, UINT64_MAX);
}

static inline void look_up_all(struct symbolizer *s, const struct image *image)
{
	look_up_symbols(s, image);
	look_up_segments(s, image);
	if (!symbolizer_note(s, image))
		abort();
}

#endif
