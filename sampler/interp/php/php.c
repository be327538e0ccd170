#include "sampler/interp/php/php.h"

#include "base/error.h"

static int find(void **rt, const struct image *image, uint64_t bias, const struct memory *memory,
		struct error *why)
{
	(void)rt, (void)image, (void)bias, (void)memory, (void)why;
	return ERR_NOTFOUND;
}

const struct interp_ops php_ops = { .mapping = "[php]", .find = find };
