/* Virtual threads' frames in the heap are walked on x86-64 only, as all of HotSpot's are. */
#include "runtimes/hotspot/chunks.h"

int hotspot_chunks_init(struct hotspot *hs)
{
	(void)hs;
	return 0;
}

void hotspot_chunks_free(struct hotspot_chunks *c)
{
	(void)c;
}

void hotspot_chunks_begin(struct hotspot *hs)
{
	(void)hs;
}
