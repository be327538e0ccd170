// links: symbolize/dwarf
/*
 * Any bytes as .debug_line, and at the same time as .debug_line_str and .debug_str. The first
 * byte is the offset of the table, divided by four.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "symbolize/dwarf/linetable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_file(const struct linetable *t, uint64_t number)
{
	const char *folder, *name = linetable_file(t, number, &folder);
	volatile size_t len = (name ? strlen(name) : 0) + (folder ? strlen(folder) : 0);

	(void)len;
}

static void look_up(const struct linetable *t, uint64_t addr)
{
	const struct line_row *row = linetable_find(t, addr);

	if (row)
		use_file(t, row->file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct line_sections sections;
	struct linetable *t;
	size_t len;
	int rc;

	if (!size)
		return 0;
	cursor_init(&sections.line, data + 1, size - 1, "line");
	sections.line_str = sections.str = sections.line;
	rc = linetable_new(&t, &sections, data[0] / 4, "/folder");
	if (rc && rc != ERR_FORMAT)
		abort();
	if (rc)
		return 0;
	for (unsigned bit = 0; bit < 64; bit++)
		for (int64_t by = -2; by <= 2; by++)
			look_up(t, (1ull << bit) + (uint64_t)by);
	for (uint64_t number = 0; number < 70; number++)
		use_file(t, number);
	if (linetable_bytes(t, &len) < (const void *)data || len > size)
		abort();
	linetable_free(t);
	return 0;
}
