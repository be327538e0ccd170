// links: symbolize/jit
/* The reader of jitdump files on any bytes: all that it finds is in the file, and lines belong to
 * the function. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/jit/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct jitdump *d, uint64_t addr, size_t size)
{
	const struct jitdump_line *line;
	const struct jitdump_function *f = jitdump_find(d, addr, &line);

	if (!f || addr - f->start >= f->size || !*f->name || strlen(f->name) > size)
		abort();
	if (line &&
	    (line < d->lines + f->first_line || line >= d->lines + f->first_line + f->line_count ||
	     line->offset - d->line_shift > addr - f->start || !*line->file))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jitdump d = { 0 };

	if (jitdump_parse(&d, data, size, NULL) == 0)
		for (size_t i = 0; i < d.code.count; i++) {
			const struct range *r = &d.code.all[i];

			if (r->start >= r->end || (i && r->start < r[-1].end))
				abort();
			check(&d, r->start, size);
			check(&d, r->end - 1, size);
		}
	jitdump_release(&d);
	return 0;
}
