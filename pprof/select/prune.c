/* Each location gets a mark and how many of its lines stay; a sample is then cut by the marks of
 * its stack. Nothing is changed before all patterns have matched. */
#include "pprof/select/prune.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/append.h"
#include "pprof/profile.h"
#include "pprof/select/matches.h"
#include "pprof/select/pattern.h"

/* Marks of a location: drop it and its callees, or only its callees. */
enum { GOES = 1, BENEATH_GOES = 2 };

struct pruning {
	struct profile *p;
	struct matches drop, keep;
	uint8_t *marks;	   /* by location */
	size_t *remaining; /* by location: how many of its outermost lines stay */
};

static bool is_dropped(struct pruning *r, const struct profile_line *line)
{
	uint32_t name = line->function ? r->p->functions[line->function - 1].name : 0;

	return name && matches_string(&r->drop, name) && !matches_string(&r->keep, name);
}

static void mark_beneath(struct pruning *r, size_t i)
{
	const struct profile_location *l = &r->p->locations[i];

	r->remaining[i] = l->lines;
	for (size_t j = l->lines; j-- > 0;)
		if (is_dropped(r, &r->p->lines[l->first_line + j])) {
			r->marks[i] = j == l->lines - 1 ? GOES : BENEATH_GOES;
			r->remaining[i] -= r->marks[i] == GOES ? 0 : j + 1;
			return;
		}
}

static void mark_above(struct pruning *r, size_t i)
{
	const struct profile_location *l = &r->p->locations[i];

	r->remaining[i] = l->lines;
	for (size_t j = 0; j < l->lines; j++)
		if (is_dropped(r, &r->p->lines[l->first_line + j])) {
			r->marks[i] = BENEATH_GOES;
			r->remaining[i] -= j;
			return;
		}
}

/* Marks all locations; changes them only if no match has failed. */
static int prune_mark(struct pruning *r, void (*one)(struct pruning *, size_t))
{
	for (size_t i = 0; i < r->p->location_count && !r->drop.rc && !r->keep.rc; i++)
		one(r, i);
	if (r->drop.rc || r->keep.rc)
		return r->drop.rc ? r->drop.rc : r->keep.rc;
	for (size_t i = 0; i < r->p->location_count; i++) {
		struct profile_location *l = &r->p->locations[i];

		l->first_line += l->lines - r->remaining[i];
		l->lines = r->remaining[i];
	}
	profile_forget_indexes(r->p);
	return 0;
}

static void drop_leaves(struct profile_sample *s, size_t count)
{
	s->first_location += count;
	s->locations -= count;
}

/* From the root: matching frames before the first other one are kept, so that no stack vanishes. */
static void prune_sample(const struct pruning *r, struct profile_sample *s)
{
	const uint32_t *stack = r->p->stack + s->first_location;
	bool found_user = false;

	for (size_t i = s->locations; i-- > 0;) {
		uint8_t mark = r->marks[stack[i] - 1];

		if (!mark)
			found_user = true;
		else if (found_user) {
			drop_leaves(s, mark == GOES ? i + 1 : i);
			return;
		}
	}
}

static void prune_sample_from(const struct pruning *r, struct profile_sample *s)
{
	const uint32_t *stack = r->p->stack + s->first_location;

	for (size_t i = 0; i < s->locations; i++)
		if (r->marks[stack[i] - 1]) {
			drop_leaves(s, i);
			return;
		}
}

/* Marks each location with `mark_one` and then cuts each sample with `cut`. */
static int prune_run(struct profile *p, const struct pattern *drop, const struct pattern *keep,
		     void (*mark_one)(struct pruning *r, size_t i),
		     void (*cut)(const struct pruning *r, struct profile_sample *s),
		     struct error *err)
{
	struct pruning r = { .p = p };
	int rc = 0;

	r.marks = calloc(p->location_count + 1, sizeof(*r.marks));
	r.remaining = calloc(p->location_count + 1, sizeof(*r.remaining));
	if (matches_init(&r.drop, p, drop, err) | matches_init(&r.keep, p, keep, err) || !r.marks ||
	    !r.remaining)
		rc = error_nomem(err);
	r.drop.simplified = r.keep.simplified = true;
	if (!rc)
		rc = prune_mark(&r, mark_one);
	for (size_t i = 0; i < p->sample_count && !rc; i++)
		cut(&r, &p->samples[i]);
	matches_release(&r.drop);
	matches_release(&r.keep);
	free(r.marks);
	free(r.remaining);
	return rc;
}

int prune(struct profile *p, const struct pattern *drop, const struct pattern *keep,
	  struct error *err)
{
	return prune_run(p, drop, keep, mark_beneath, prune_sample, err);
}

int prune_from(struct profile *p, const struct pattern *from, struct error *err)
{
	return prune_run(p, from, NULL, mark_above, prune_sample_from, err);
}

/* The text is composed before it is compiled, as in pprof, where "a)|(b" is a valid pattern. */
static int whole_name(const struct profile *p, uint32_t string, struct pattern **pattern,
		      struct error *err)
{
	const struct strset_entry *e = &p->strings.entries[string];
	struct buffer text = { 0 };
	int rc = 0;

	*pattern = NULL;
	if (!string)
		return 0;
	if (buffer_add(&text, "^(", 2) || buffer_add(&text, e->text, e->len) ||
	    buffer_add(&text, ")$", 2))
		rc = error_nomem(err);
	if (!rc)
		rc = pattern_new(pattern, (char *)text.data, text.len, err);
	buffer_release(&text);
	return rc;
}

int prune_uninteresting(struct profile *p, struct error *err)
{
	struct pattern *drop = NULL, *keep = NULL;
	int rc;

	if (!p->drop_frames)
		return 0;
	rc = whole_name(p, p->drop_frames, &drop, err);
	if (!rc)
		rc = whole_name(p, p->keep_frames, &keep, err);
	if (!rc)
		rc = prune(p, drop, keep, err);
	pattern_free(drop);
	pattern_free(keep);
	return rc;
}
