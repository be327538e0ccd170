// links: sampler/thread
/* Any text as a preempted thread's kernel stack. What is found must not depend on the frames' offsets,
 * and a text without its last byte is not a whole one. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/thread/preempted.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + !size); /* so that a read behind the end is found */
	struct preempted p;

	must(copy);
	memcpy(copy, data, size);
	p = preempted_parse(copy, size);
	must(p.number >= -1);
	switch (p.place) {
	case PREEMPTED_UNKNOWN:
	case PREEMPTED_IN_USER:
	case PREEMPTED_CALL_OVER:
		must(p.number == -1 && !p.bears);
		break;
	case PREEMPTED_BEARS:
		must(p.number >= 0 && !p.bears);
		break;
	case PREEMPTED_DELICATE:
		must(!p.bears || p.number >= 0);
		break;
	}
	if (p.place != PREEMPTED_UNKNOWN)
		must(memchr(copy, '+', size) && copy[size - 1] == '\n');
	free(copy);
	copy = malloc(size + !size);
	must(copy);
	memcpy(copy, data, size);
	if (size && (size < 2 || copy[size - 2] != '\n'))
		must(preempted_parse(copy, size - 1).place == PREEMPTED_UNKNOWN);
	free(copy);
	return 0;
}
