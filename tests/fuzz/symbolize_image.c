/* Any bytes as an ELF file: symbols and DWARF looked up all over it. */
#include <stdint.h>
#include <stdlib.h>

#include "symbolize/symbolizer.h"
#include "target/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbolizer *s;
	struct image *image;
	struct symbol symbol;

	if (size > 1 << 20 || image_open_bytes(data, size, "/fuzzed", &image, NULL))
		return 0;
	if (symbolizer_new(&s, NULL, 0))
		abort();
	for (uint64_t addr = 0x1000; addr < 0x1400; addr += 7)
		if (symbolizer_lookup(s, image, addr, &symbol))
			break;
	symbolizer_free(s);
	image_free(image);
	return 0;
}
