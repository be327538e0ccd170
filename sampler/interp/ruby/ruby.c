#include "sampler/interp/ruby/ruby.h"

#include "base/error.h"

static int find(void **rt, const struct image *image, uint64_t bias, const struct memory *memory,
		struct error *why)
{
	(void)rt, (void)image, (void)bias, (void)memory, (void)why;
	return ERR_NOTFOUND;
}

const struct interp_ops ruby_ops = { .mapping = "[ruby]", .find = find };
