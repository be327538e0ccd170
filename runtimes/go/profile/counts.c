/* A stack is found by a hash over pcs, labels and availability. Stacks are sorted as the runtime
 * sorts the texts that it would print, without making these. */
#include "runtimes/go/profile/counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/room.h"
#include "pprof/profile.h"
#include "runtimes/go/session/builder.h"
#include "runtimes/go/session/stacktext.h"

void counts_release(struct counts *c)
{
	free(c->stacks);
	free(c->pcs);
	labelsets_release(&c->labels);
	hashindex_release(&c->index);
	*c = (struct counts){ 0 };
}

struct counts_key {
	const uint64_t *pcs;
	size_t count;
	uint32_t labels;
	bool unavailable;
};

static bool same_stack(const void *owner, uint32_t i, const void *key)
{
	const struct counts *c = owner;
	const struct gocounts *s = &c->stacks[i];
	const struct counts_key *k = key;

	return s->count == k->count && s->labels == k->labels && s->unavailable == k->unavailable &&
	       (!k->count || !memcmp(c->pcs + s->first, k->pcs, k->count * sizeof(*k->pcs)));
}

static int counts_add_stack(struct counts *c, const struct counts_key *k, uint64_t hash)
{
	struct gocounts s = { .first = c->pc_count,
			      .count = k->count,
			      .labels = k->labels,
			      .unavailable = k->unavailable,
			      .times = 1 };

	if (k->count > COUNTS_PCS_MAX - c->pc_count || c->count >= COUNTS_PCS_MAX)
		return ERR_LIMIT;
	if (room_for((void **)&c->stacks, &c->room, c->count + 1, sizeof(*c->stacks)) ||
	    room_for((void **)&c->pcs, &c->pc_room, c->pc_count + k->count, sizeof(*c->pcs)) ||
	    hashindex_add(&c->index, hash, (uint32_t)c->count))
		return ERR_NOMEM;
	if (k->count)
		memcpy(c->pcs + c->pc_count, k->pcs, k->count * sizeof(*k->pcs));
	c->pc_count += k->count;
	c->stacks[c->count++] = s;
	return 0;
}

int counts_add(struct counts *c, const uint64_t *pcs, size_t count, uint32_t labels,
	       bool unavailable)
{
	struct counts_key k = { pcs, count, labels, unavailable };
	uint64_t words[2] = { hash_bytes(pcs, count * sizeof(*pcs)),
			      (uint64_t)labels << 1 | unavailable };
	uint64_t hash = hash_bytes(words, sizeof(words));
	uint32_t i = hashindex_find(&c->index, hash, same_stack, c, &k);

	c->total++;
	if (i == HASHINDEX_NONE)
		return counts_add_stack(c, &k, hash);
	c->stacks[i].times++;
	return 0;
}

/* Compares pcs as the texts " 0x47f3e1" and " 0x100" compare. A text that is a prefix of the other
 * is less, because what follows a pc is less than any digit. */
static int by_digits(uint64_t a, uint64_t b)
{
	int digits_a = 16 - (a ? __builtin_clzll(a) / 4 : 15);
	int digits_b = 16 - (b ? __builtin_clzll(b) / 4 : 15);
	int least = digits_a < digits_b ? digits_a : digits_b;
	uint64_t x = a >> 4 * (digits_a - least), y = b >> 4 * (digits_b - least);

	return x != y ? (x > y) - (x < y) : digits_a - digits_b;
}

static int by_labels(const struct counts *c, uint32_t a, uint32_t b)
{
	const struct labelset *x, *y;
	size_t least;
	int order;

	if (!a || !b)
		return (a != 0) - (b != 0);
	x = &c->labels.sets[a - 1];
	y = &c->labels.sets[b - 1];
	least = x->len < y->len ? x->len : y->len;
	order = memcmp(x->text, y->text, least);
	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static int counts_by_count(const void *a, const void *b, void *ctx)
{
	const struct counts *c = ctx;
	const struct gocounts *x = a, *y = b;

	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	for (size_t i = 0; i < x->count && i < y->count; i++) {
		int order = by_digits(c->pcs[x->first + i], c->pcs[y->first + i]);

		if (order)
			return order;
	}
	/* The newline before labels is less than the space before a pc. */
	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	if (x->labels != y->labels)
		return by_labels(c, x->labels, y->labels);
	return x->unavailable - y->unavailable;
}

void counts_sort(struct counts *c)
{
	if (c->count)
		qsort_r(c->stacks, c->count, sizeof(*c->stacks), counts_by_count, c);
}

static const char unavailable[] = "[stack unavailable]";

/* Finds the stack's locations. If it is unavailable, they are a frame that says so and the function
 * where the goroutine begins. */
static int counts_locate(struct counts *c, struct builder *b, const struct gocounts *s,
			 const uint32_t **locations, size_t *count, uint32_t none[])
{
	int rc = builder_locate(b, c->pcs + s->first, s->count, locations, count);

	if (rc || !s->unavailable)
		return rc;
	rc = builder_named(b, unavailable, &none[0]);
	if (*count)
		none[1] = (*locations)[*count - 1];
	*count = *count ? 2 : 1;
	*locations = none;
	return rc;
}

int counts_build(struct counts *c, struct builder *b)
{
	const struct profile_label *labels;
	const uint32_t *locations;
	uint32_t none[2];
	size_t count, label_count;

	for (size_t i = 0; i < c->count; i++) {
		const struct gocounts *s = &c->stacks[i];

		if (counts_locate(c, b, s, &locations, &count, none) ||
		    labelsets_make(&c->labels, s->labels, b->profile, &labels, &label_count) ||
		    profile_add_sample(b->profile, locations, count, &s->times, labels,
				       label_count))
			return ERR_NOMEM;
	}
	return 0;
}

static int counts_add_text(const struct counts *c, const struct gocounts *s,
			   struct pcframes *frames, struct buffer *out)
{
	const struct labelset *set = s->labels ? &c->labels.sets[s->labels - 1] : NULL;
	const uint64_t *pcs = c->pcs + s->first;

	if (buffer_addf(out, "%" PRId64 " @", s->times) || stacktext_pcs(out, pcs, s->count) ||
	    (set && (buffer_addf(out, "\n# labels: ") || buffer_add(out, set->text, set->len))) ||
	    buffer_add(out, "\n", 1) ||
	    (s->unavailable && buffer_addf(out, "#\t%s\n", unavailable)))
		return ERR_NOMEM;
	return stacktext_frames(out, frames, pcs, s->count, false);
}

int counts_text(struct counts *c, const char *name, struct pcframes *frames, struct buffer *out)
{
	if (buffer_addf(out, "%s profile: total %" PRIu64 "\n", name, c->total))
		return ERR_NOMEM;
	for (size_t i = 0; i < c->count; i++)
		if (counts_add_text(c, &c->stacks[i], frames, out))
			return ERR_NOMEM;
	return 0;
}
