/* Perf maps of any bytes: the entries kept are sorted, disjoint and printable. */
#include <stdint.h>
#include <stdlib.h>

#include "symbolize/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfmap m;

	perfmap_init(&m);
	if (perfmap_parse(&m, data, size))
		abort();
	for (size_t i = 0; i < m.count; i++) {
		const struct perfmap_entry *e = &m.entries[i];

		if (e->start >= e->end || (i && e->start < m.entries[i - 1].end) ||
		    perfmap_find(&m, e->start) != e || perfmap_find(&m, e->end - 1) != e)
			abort();
		for (const char *c = e->name; *c; c++)
			if ((unsigned char)*c < 0x20 || *c == 0x7f)
				abort();
	}
	perfmap_release(&m);
	return 0;
}
