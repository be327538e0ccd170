/*
 * Whole files -> lookups: ELF, symbol tables, MiniDebugInfo, DWARF and names,
 * through libelf and libdw. Asked are the ends of the segments, what the symbol
 * table names, and addresses spread over the executable segments.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/elfsyms.h"
#include "symbolize/symbolizer.h"
#include "target/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SPREAD = 16, SYMBOLS = 32 };

static void look_up(struct symbolizer *s, const struct image *image, uint64_t addr)
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

static void look_up_symbols(struct symbolizer *s, const struct image *image)
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

static void look_up_segments(struct symbolizer *s, const struct image *image)
{
	size_t count;
	const struct image_segment *segments = image_segments(image, &count);

	for (size_t i = 0; i < count && i < 8; i++)
		for (uint64_t n = 0; n <= SPREAD; n++)
			look_up(s, image, segments[i].vaddr + segments[i].memsz / SPREAD * n);
	look_up(s, image, 0);
	look_up(s, image, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbolizer *s;
	struct image *image;

	if (size > 1 << 20 || image_open_bytes(data, size, "/fuzzed", &image, NULL))
		return 0;
	if (symbolizer_new(&s, NULL, 0))
		abort();
	look_up_symbols(s, image);
	look_up_segments(s, image);
	if (!symbolizer_note(s, image))
		abort();
	symbolizer_free(s);
	image_free(image);
	return 0;
}
