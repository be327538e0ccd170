// links: base/process
/*
 * Any bytes as an ELF file with Go's pclntab: functions, stacks, lines and inlined calls at some
 * addresses.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/process/gomodule.h"
#include "base/process/gopclntab.h"
#include "base/process/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LOOKS = 64, INLINED_MAX = 64 };

static void look(struct gopclntab *t, uint64_t addr)
{
	struct go_inlined inlined;
	struct go_function f;
	char text[256];
	int32_t depth;
	uint32_t line;

	if (!gopclntab_find(t, addr, &f))
		return;
	if (addr < f.entry || addr >= f.end)
		abort();
	gopclntab_name(t, f.name, text, sizeof(text));
	if (gopclntab_stack(t, &f, addr, &depth) && depth < 0)
		abort();
	gopclntab_line(t, &f, addr, text, sizeof(text), &line);
	for (int i = 0; i < INLINED_MAX && gopclntab_inlined(t, &f, addr, &inlined); i++) {
		if (inlined.call < f.entry || inlined.call >= f.end)
			abort();
		addr = inlined.call;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gopclntab *t;
	struct image *image;
	struct go_function f;

	if (image_open_bytes(data, size, "/fuzz", &image, NULL))
		return 0;
	if (!gopclntab_open(image, &t)) {
		uint64_t text = gopclntab_module(t)->text;

		for (uint64_t i = 0; i < LOOKS; i++)
			look(t, text + i * 37);
		if (gopclntab_module(t)->functions < 1000)
			gopclntab_named(t, "runtime.morestack", &f);
		gopclntab_close(t);
	}
	image_free(image);
	return 0;
}
