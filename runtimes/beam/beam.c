/* The table of functions that runtimes/managed.c calls, and those that open and free the runtime
 * and begin a walk; steps and names are in files of their own. */
#include "runtimes/beam/beam.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memcache.h"
#include "runtimes/beam/runtime.h"

enum { PAGES = 512 }; /* of the cache */

void beam_release(void *data)
{
	struct beam_runtime *rt = data;

	beam_ranges_release(&rt->ranges);
	strset_release(&rt->files);
	memcache_free(rt->cache);
	free((void *)rt->current);
	free(rt);
}

static int beam_prepare(struct beam_runtime *rt, const struct image *image, uint64_t bias,
			struct error *why)
{
	int rc = memcache_new(&rt->cache, rt->live, MEMCACHE_BLOCK_MIN, PAGES);

	if (rc)
		return rc;
	rt->current = calloc(1, sizeof(*rt->current));
	if (!rt->current)
		return ERR_NOMEM;
	rc = strset_init(&rt->files);
	if (rc)
		return rc;
	rt->memory = memcache_memory(rt->cache);
	rc = beam_find_layout(rt, image, bias, why);
	if (!rc && !beam_ranges_read(rt))
		rc = ERR_BUSY; /* no module is loaded yet, or one is just being loaded */
	return rc;
}

int beam_find(void **result, const struct image *image, uint64_t bias, const struct memory *memory,
	      struct error *why)
{
	struct beam_runtime *rt = calloc(1, sizeof(*rt));
	int rc;

	if (!rt)
		return ERR_NOMEM;
	rt->live = memory;
	rc = beam_prepare(rt, image, bias, why);
	if (rc)
		beam_release(rt);
	else
		*result = rt;
	return rc;
}

static void beam_begin(void *data)
{
	struct beam_runtime *rt = data;

	memcache_forget(rt->cache);
	memset(rt->kept, 0, sizeof(rt->kept));
	rt->crossed = false;
	beam_ranges_begin(rt);
}

const struct managed_ops beam_ops = {
	.mapping = "[erlang]",
	.find = beam_find,
	.free = beam_release,
	.begin = beam_begin,
	.step = beam_step,
	.names = beam_names,
};
