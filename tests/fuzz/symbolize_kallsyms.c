// links: symbolize
/* Any text as /proc/kallsyms; each function that was read is looked up. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer text = { NULL, 0, 0 };
	const char *line = (const char *)data, *end = line + size;
	struct kallsyms k;

	if (buffer_add(&text, data, size) || kallsyms_parse(&k, &text))
		abort();
	if (k.count && k.start >= k.end)
		abort();
	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t len = (size_t)((next ? next : end) - line), at = len < 19 ? 0 : 19;
		uint64_t found = kallsyms_find(&k, line + at, len - at, "", 0, len);

		if (found && (found < k.start || found >= k.end))
			abort();
		line += len + 1;
	}
	kallsyms_release(&k);
	return 0;
}
