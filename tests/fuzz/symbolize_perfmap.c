// links: symbolize/jit
/* The parser of perf maps on any bytes: ranges do not overlap, and each has one name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/jit/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfmap m;

	m = (struct perfmap){ 0 };
	if (perfmap_parse(&m, data, size))
		abort();
	for (size_t i = 0; i < m.code.count; i++) {
		const struct range *r = &m.code.all[i];
		const char *name = perfmap_find(&m, r->start);

		if (r->start >= r->end || (i && r->start < r[-1].end) || !name || !*name ||
		    strlen(name) > size || perfmap_find(&m, r->end - 1) != name)
			abort();
	}
	perfmap_release(&m);
	return 0;
}
