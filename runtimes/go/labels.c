/*
 * g.labels is a *labelMap of runtime/pprof. Up to Go 1.23 that is a map[string]string; since 1.24
 * it is a struct of one slice of pairs of strings (runtime/pprof/label.go; since 1.26
 * internal/runtime/pprof/label). Neither changes once a goroutine has it.
 */
#include "runtimes/go/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "base/process/memory.h"
#include "base/room.h"
#include "runtimes/go/map.h"

enum {
	SLICE_SINCE = 24,
	SETS_MAX = 1 << 16,  /* sets that are cached */
	TEXT_MAX = 64 << 20, /* bytes of all their text */
};

static const uint64_t LONG_MAX_BYTES = 1ull << 40; /* no Go string is longer */

/* A Go string: address, length. */
struct go_labels_text {
	uint64_t at, len;
};

struct go_labels_pair {
	struct go_labels_text key, value;
};

struct set {
	uint64_t address;
	struct golabel *labels;
	size_t count;
};

struct golabels {
	const struct memory *memory;
	unsigned minor;
	bool remember;
	struct arena arena; /* memory of all sets */
	struct set *sets;
	size_t count, room;
	struct hashindex index;			    /* by address, when sets are cached */
	struct go_labels_pair pairs[GO_LABELS_MAX]; /* of the set that is being read */
	size_t pair_count;
};

int golabels_new(struct golabels **out, const struct memory *memory, unsigned minor)
{
	struct golabels *l = calloc(1, sizeof(*l));

	if (!l)
		return ERR_NOMEM;
	l->memory = memory;
	l->minor = minor;
	*out = l;
	return 0;
}

static void go_labels_forget(struct golabels *l)
{
	arena_release(&l->arena);
	hashindex_clear(&l->index);
	l->count = 0;
}

void golabels_free(struct golabels *l)
{
	if (!l)
		return;
	go_labels_forget(l);
	hashindex_release(&l->index);
	free(l->sets);
	free(l);
}

void golabels_remember(struct golabels *l, bool remember)
{
	go_labels_forget(l);
	l->remember = remember;
}

static int go_labels_read_slice(struct golabels *l, uint64_t address)
{
	uint64_t slice[3]; /* address, length, capacity */

	if (l->memory->read(l->memory, address, slice, sizeof(slice)) || slice[1] > GO_LABELS_MAX ||
	    slice[1] > slice[2])
		return ERR_FORMAT;
	l->pair_count = (size_t)slice[1];
	if (l->pair_count && l->memory->read(l->memory, slice[0], l->pairs,
					     l->pair_count * sizeof(struct go_labels_pair)))
		return ERR_FORMAT;
	return 0;
}

static int keep_pair(void *ctx, const void *key, const void *value)
{
	struct golabels *l = ctx;
	struct go_labels_pair *p = &l->pairs[l->pair_count++];

	memcpy(&p->key, key, sizeof(p->key));
	memcpy(&p->value, value, sizeof(p->value));
	return 0;
}

static int read_map(struct golabels *l, uint64_t address)
{
	struct gomap_kind kind = { l->minor, sizeof(struct go_labels_text),
				   sizeof(struct go_labels_text) };
	uint64_t map;
	int rc;

	if (memory_read_u64(l->memory, address, &map))
		return ERR_FORMAT;
	l->pair_count = 0;
	rc = gomap_each(l->memory, map, &kind, GO_LABELS_MAX, keep_pair, l);
	return rc == ERR_LIMIT ? ERR_FORMAT : rc;
}

static int go_labels_read_text(struct golabels *l, const struct go_labels_text *t,
			       const char **text, size_t *len)
{
	char bytes[GO_LABEL_MAX];

	*len = t->len < GO_LABEL_MAX ? (size_t)t->len : GO_LABEL_MAX;
	if (t->len > LONG_MAX_BYTES ||
	    (*len && (!t->at || l->memory->read(l->memory, t->at, bytes, *len))))
		return ERR_FORMAT;
	*text = arena_copy(&l->arena, bytes, *len);
	return *text ? 0 : ERR_NOMEM;
}

static int go_labels_by_key(const void *a, const void *b)
{
	const struct golabel *x = a, *y = b;
	int order = memcmp(x->key, y->key, x->key_len < y->key_len ? x->key_len : y->key_len);

	return order ? order : (x->key_len > y->key_len) - (x->key_len < y->key_len);
}

static int go_labels_read_set(struct golabels *l, uint64_t address, struct set *s)
{
	int rc = l->minor < SLICE_SINCE ? read_map(l, address) : go_labels_read_slice(l, address);

	if (rc)
		return rc;
	*s = (struct set){ address, NULL, l->pair_count };
	s->labels = arena_alloc(&l->arena, (s->count + 1) * sizeof(*s->labels));
	if (!s->labels)
		return ERR_NOMEM;
	for (size_t i = 0; !rc && i < s->count; i++) {
		struct golabel *g = &s->labels[i];

		rc = go_labels_read_text(l, &l->pairs[i].key, &g->key, &g->key_len);
		if (!rc)
			rc = go_labels_read_text(l, &l->pairs[i].value, &g->value, &g->value_len);
	}
	if (!rc)
		qsort(s->labels, s->count, sizeof(*s->labels), go_labels_by_key);
	return rc;
}

int golabels_read(struct golabels *l, uint64_t address, const struct golabel **labels,
		  size_t *count)
{
	uint32_t id = HASHINDEX_NUMBER(&l->index, l->sets, address, address);
	int rc = 0;

	if (id == HASHINDEX_NONE) {
		if (!l->remember || l->count == SETS_MAX || l->arena.total > TEXT_MAX)
			go_labels_forget(l);
		id = (uint32_t)l->count;
		rc = room_for((void **)&l->sets, &l->room, l->count + 1, sizeof(*l->sets));
		if (!rc)
			rc = go_labels_read_set(l, address, &l->sets[id]);
		if (!rc && l->remember)
			rc = hashindex_add_number(&l->index, address, id);
		l->count += !rc;
	}
	if (rc)
		return rc;
	*labels = l->sets[id].labels;
	*count = l->sets[id].count;
	return 0;
}
