// links: sampler/capture
/* Any bytes as the body of a perf record. What is accepted lies within them, and belongs to a process. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/capture/event.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + !size); /* so that a read behind the end is found */
	struct event e;
	unsigned sum = 0;

	must(copy);
	memcpy(copy, data, size);
	if (event_parse(copy, size, &e)) {
		must(e.pid > 0 && e.tid > 0);
		must(e.stack >= copy && e.stack + e.stack_len <= copy + size);
		for (size_t i = 0; i < e.stack_len; i++)
			sum += e.stack[i];
		must(sum <= 255 * e.stack_len);
		if (e.stack_len) /* which is missing then */
			must(!event_parse(copy, (size_t)(e.stack - copy), &e));
	}
	free(copy);
	return 0;
}
