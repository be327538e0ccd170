/*
 * Chooses colours by module: one of HUES, by a hash of the module's name, so that a module has the
 * same colour in every profile. If two modules have the same hue, the one with the smaller self
 * value takes the next free hue.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/flame/difference.h"
#include "pprof/flame/flame.h"
#include "pprof/flame/frames.h"
#include "pprof/graph/measure.h"

enum { HUES = 15, NEXT_HUE = 4, DEGREES = 360 / HUES };

struct weighed {
	uint32_t string;
	int64_t self;
};

/* FNV-1a (RFC 9923), because it is the same on every machine and in every version. */
static uint32_t colour_hash(const char *text)
{
	uint32_t h = 2166136261u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h ^ h >> 15;
}

/* The string that determines a frame's colour: its module, else its file. */
static uint32_t colour_owner_of(const struct flame *f, uint32_t frame)
{
	const struct report_frame *r = frames_get(f->frames, frame);

	return r->module ? r->module : r->file;
}

static int colour_by_weight(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return (x->string > y->string) - (x->string < y->string);
}

static struct weighed *weigh(const struct flame *f)
{
	size_t count = frames_strings(f->frames)->count;
	struct weighed *w = calloc(count + 1, sizeof(*w));

	for (uint32_t i = 0; w && i < count; i++)
		w[i].string = i;
	for (uint32_t i = 1; w && i < f->tree.count; i++) {
		struct weighed *mine = &w[colour_owner_of(f, f->tree.nodes[i].frame)];

		mine->self = measure_sum(mine->self, flame_self(f, i, SIDE_NEW));
	}
	if (w)
		qsort(w, count, sizeof(*w), colour_by_weight);
	return w;
}

int flame_choose_hues(struct flame *f)
{
	const struct strset *strings = frames_strings(f->frames);
	struct weighed *w = weigh(f);
	bool taken[HUES] = { false };

	f->hues = malloc((strings->count + 1) * sizeof(*f->hues));
	if (!w || !f->hues) {
		free(w);
		return ERR_NOMEM;
	}
	for (uint32_t i = 0; i < strings->count; i++) {
		const char *name = frames_base_name(strset_get(strings, w[i].string));
		uint32_t hue = colour_hash(name) % HUES;

		for (int tries = 0; tries < HUES && w[i].self && taken[hue]; tries++)
			hue = (hue + NEXT_HUE) % HUES;
		taken[hue] |= w[i].self > 0;
		f->hues[w[i].string] = *name ? (int16_t)(hue * DEGREES) : -1;
	}
	free(w);
	return 0;
}

int flame_hue(const struct flame *f, uint32_t frame)
{
	return f->hues[colour_owner_of(f, frame)];
}
