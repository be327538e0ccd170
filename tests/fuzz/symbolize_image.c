// links: symbolize
/*
 * Whole files -> lookups (lookups.h): ELF, symbol tables, MiniDebugInfo, DWARF and names,
 * through libelf and libdw.
 */
#include "tests/fuzz/lookups.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbolizer *s;
	struct image *image;

	if (size > 1 << 20 || image_open_bytes(data, size, "/fuzzed", &image, NULL))
		return 0;
	if (symbolizer_new(&s, NULL, 0))
		abort();
	look_up_all(s, image);
	symbolizer_free(s);
	image_free(image);
	return 0;
}
