#include "sampler/interp/v8/v8.h"

#include <stddef.h>

#include "base/error.h"

static int find(void **rt, const struct image *image, uint64_t bias, const struct memory *memory,
		struct error *why)
{
	(void)rt, (void)image, (void)bias, (void)memory, (void)why;
	return ERR_NOTFOUND;
}

const struct managed_ops v8_ops = { .mapping = "[node]", .find = find };
