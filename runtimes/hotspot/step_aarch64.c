/* HotSpot's frames are walked on x86-64 only: its code, the interpreter's frames and the call stub
 * are others on aarch64. The VM is not found there, and its frames are guessed as before. */
#include "base/error.h"
#include "runtimes/hotspot/steps.h"

int hotspot_steps_init(struct hotspot *hs, struct error *why)
{
	(void)hs, (void)why;
	return ERR_NOTFOUND;
}

void hotspot_steps_free(struct hotspot *hs)
{
	(void)hs;
}

uint64_t codelet_frame(const struct hotspot *hs, uint64_t start, uint64_t end)
{
	(void)hs, (void)start, (void)end;
	return 0;
}

int hotspot_step(void *rt, struct walk *w, enum frame_kind *kind, struct managed_frame *frame)
{
	(void)rt, (void)w, (void)kind, (void)frame;
	return MANAGED_PASS;
}
