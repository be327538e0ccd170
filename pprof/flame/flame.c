#include "pprof/flame/flame.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/flame/difference.h"
#include "pprof/flame/frames.h"
#include "pprof/flame/rank.h"
#include "pprof/profile.h"

static size_t sides(const struct flame *f)
{
	return f->difference ? SIDES : 1;
}

/* Chooses the requested type and others, FLAME_TYPES together, in the profile's order. */
static void choose_types(struct flame *f)
{
	for (size_t i = 0; i < f->p->type_count; i++) {
		size_t room = FLAME_TYPES - f->type_count - (i < f->v->type);

		if (i != f->v->type && !room)
			continue;
		if (i == f->v->type)
			f->shown = f->type_count;
		f->types[f->type_count++] = i;
		f->difference |= difference_detect(f->p, i);
		if (f->type_count == FLAME_TYPES)
			break;
	}
}

static int add_sample(struct flame *f, size_t sample, struct error *err)
{
	const int64_t *values = f->p->values + f->p->samples[sample].first_value;
	int64_t row[FLAME_TYPES * SIDES];
	const uint32_t *ids;
	size_t count, n = 0;
	int rc;

	for (size_t i = 0; i < f->type_count; i++) {
		int64_t split[SIDES];

		difference_split(values[f->types[i]], split);
		for (size_t side = 0; side < sides(f); side++)
			row[n++] = split[side];
	}
	rc = frames_of(f->frames, sample, &ids, &count, err);
	return rc ? rc : calltree_add(&f->tree, ids, count, row, err);
}

static int rank_frames(struct flame *f)
{
	size_t count = frames_count(f->frames);
	uint32_t *of_strings;

	if (rank_strings(frames_strings(f->frames), &of_strings))
		return ERR_NOMEM;
	f->rank = malloc((count + 1) * sizeof(*f->rank));
	for (uint32_t i = 0; f->rank && i < count; i++)
		f->rank[i] = of_strings[frames_get(f->frames, i)->name];
	free(of_strings);
	return f->rank ? 0 : ERR_NOMEM;
}

static int fill(struct flame *f, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < f->p->sample_count && !rc; i++)
		rc = add_sample(f, i, err);
	if (rc)
		return rc;
	if (rank_frames(f))
		return error_nomem(err);
	rc = calltree_finish(&f->tree, f->rank, err);
	if (!rc && (flame_choose(f) || flame_choose_hues(f)))
		return error_nomem(err);
	return rc;
}

int flame_init(struct flame *f, const struct profile *p, const struct report_view *v,
	       struct error *err)
{
	int rc;

	memset(f, 0, sizeof(*f));
	f->p = p;
	f->v = v;
	if (v->type >= p->type_count)
		return error_set(err, ERR_USAGE, "the profile has %zu sample types, not %zu",
				 p->type_count, v->type + 1);
	choose_types(f);
	rc = frames_new(&f->frames, p, v, err);
	if (!rc && calltree_init(&f->tree, f->type_count * sides(f)))
		return error_nomem(err);
	return rc ? rc : fill(f, err);
}

void flame_release(struct flame *f)
{
	frames_free(f->frames);
	calltree_release(&f->tree);
	free(f->rank);
	free(f->kept);
	free(f->hues);
}

int64_t flame_total(const struct flame *f, uint32_t node, size_t type, int side)
{
	return f->tree.total[node * f->tree.columns + type * sides(f) + (size_t)side];
}

int64_t flame_self(const struct flame *f, uint32_t node, size_t type, int side)
{
	return f->tree.self[node * f->tree.columns + type * sides(f) + (size_t)side];
}

uint32_t flame_next(const struct flame *f, uint32_t node)
{
	uint32_t n = calltree_next(&f->tree, node);

	while (n != CALLTREE_NONE && !f->kept[n])
		n = calltree_skip(&f->tree, n);
	return n;
}
