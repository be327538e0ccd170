/* Erlang's frames on aarch64, where its stack is not the native one, are not read yet. */
#include "base/error.h"
#include "runtimes/beam/runtime.h"

int beam_find_layout(struct beam_runtime *rt, const struct image *image, uint64_t bias,
		     struct error *why)
{
	(void)rt, (void)image, (void)bias, (void)why;
	return ERR_NOTFOUND;
}

int beam_step(void *rt, struct walk *w, enum frame_kind *kind, struct managed_frame *frame)
{
	(void)rt, (void)w, (void)kind, (void)frame;
	return MANAGED_PASS;
}
