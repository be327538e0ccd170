#include "goprofile/labelreading.h"

#include "base/error.h"
#include "goruntime/gogoroutines.h"
#include "goruntime/golabels.h"
#include "goruntime/golayout.h"
#include "goruntime/golive.h"

enum { LOOK_AT_GC = 256 }; /* goroutines between two looks at whether a GC has begun */

int labelreading_init(struct labelreading *l, const struct golive *live, struct labelsets *sets)
{
	*l = (struct labelreading){ .live = live, .sets = sets };
	return golabels_new(&l->reader, live->memory, live->vars.layout->minor);
}

void labelreading_release(struct labelreading *l)
{
	golabels_free(l->reader);
	l->reader = NULL;
}

bool labelreading_gc_cycles(const struct golive *live, uint32_t *cycles)
{
	return live->places.gc_cycles &&
	       !live->memory->read(live->memory, live->places.gc_cycles, cycles, sizeof(*cycles));
}

static void look_at_gc(struct labelreading *l)
{
	uint32_t cycles = 0;

	if (l->told++ % LOOK_AT_GC)
		return;
	if (!labelreading_gc_cycles(l->live, &cycles) || cycles != l->gc_cycles)
		labelsets_forget(l->sets);
	l->gc_cycles = cycles;
}

int labelreading_of(struct labelreading *l, const struct go_goroutine *g, uint32_t *set)
{
	const struct golive *live = l->live;
	const struct golabel *labels;
	uint64_t still = 0;
	size_t count;
	int rc;

	look_at_gc(l);
	*set = g->labels ? labelsets_at(l->sets, g->labels) : 0;
	if (*set || !g->labels)
		return 0;
	rc = golabels_read(l->reader, g->labels, &labels, &count);
	if (!rc && memory_read_u64(live->memory, g->g + live->fields.g.labels, &still))
		rc = ERR_FORMAT;
	if (!rc && still == g->labels)
		return labelsets_add(l->sets, g->labels, labels, count, set);
	if (rc != ERR_NOMEM)
		l->unreadable++;
	return rc == ERR_NOMEM ? rc : 0;
}
