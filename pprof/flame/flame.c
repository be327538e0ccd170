/* Samples are added to the tree as lists of frame numbers. The tree's children are ordered by the
 * rank of their names, so that the same profile gives the same picture. */
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

static int flame_add_sample(struct flame *f, size_t sample, struct error *err)
{
	int64_t value = f->p->values[f->p->samples[sample].first_value + f->v->type];
	int64_t row[SIDES];
	const uint32_t *ids;
	size_t count;
	int rc = frames_of(f->frames, sample, &ids, &count, err);

	difference_split(value, row);
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

static int flame_fill(struct flame *f, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < f->p->sample_count && !rc; i++)
		rc = flame_add_sample(f, i, err);
	if (rc)
		return rc;
	if (rank_frames(f))
		return error_nomem(err);
	rc = calltree_finish(&f->tree, f->rank, err);
	if (!rc && flame_choose_hues(f))
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
	f->difference = difference_detect(p, v->type);
	rc = frames_new(&f->frames, p, v, err);
	if (!rc && calltree_init(&f->tree, sides(f)))
		return error_nomem(err);
	return rc ? rc : flame_fill(f, err);
}

void flame_release(struct flame *f)
{
	frames_free(f->frames);
	calltree_release(&f->tree);
	free(f->rank);
	free(f->hues);
}

int64_t flame_total(const struct flame *f, uint32_t node, int side)
{
	return f->tree.total[node * f->tree.columns + (size_t)side];
}

int64_t flame_self(const struct flame *f, uint32_t node, int side)
{
	return f->tree.self[node * f->tree.columns + (size_t)side];
}
