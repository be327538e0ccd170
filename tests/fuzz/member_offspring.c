// links: sampler/member
/* The text of /proc/PID/stat, in which the process chooses its name. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/member/offspring.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + !size); /* so that a read behind the end is found */
	uint64_t ticks[4];

	must(copy);
	memcpy(copy, data, size);
	if (offspring_parse(copy, size, ticks))
		must(memchr(copy, ')', size));
	free(copy);
	return 0;
}
