/*
 * A row is found by its key: all texts and numbers that distinguish it, one after the other, each
 * text after its length. The key is stored with the row, and the texts of the row point into it. So
 * a stack costs one hash, one comparison and, if it is new, one copy.
 *
 * Rejected: a string set that keeps each string once. It needs two look-ups for each frame, of
 * which a dump has millions, to save memory for the few stacks that are kept.
 */
#include "goparse/summary/census.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "base/room.h"

struct census_kept {
	struct census_row row;
	const char *key;
	size_t key_len;
};

struct census_table {
	struct hashindex index;
	struct census_kept **rows; /* in the order of first sight; in the arena */
	size_t count, room;
	uint64_t beyond; /* goroutines of the current dump beyond the limits, without a row */
};

struct census {
	struct arena arena;
	struct census_table tables[CENSUS_KINDS];
	struct census_row total;
	struct buffer key;
	bool later; /* this is not the first dump */
};

int census_new(struct census **c, struct error *err)
{
	*c = calloc(1, sizeof(**c));
	return *c ? 0 : error_nomem(err);
}

void census_free(struct census *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < CENSUS_KINDS; i++) {
		hashindex_release(&c->tables[i].index);
		free(c->tables[i].rows);
	}
	arena_release(&c->arena);
	buffer_release(&c->key);
	free(c);
}

static void census_begin_row(struct census_row *r, bool later)
{
	if (!later)
		r->first = r->count;
	r->count = r->longest_ns = r->as_long = 0;
	memset(r->spans, 0, sizeof(r->spans));
}

void census_next_dump(struct census *c)
{
	census_begin_row(&c->total, c->later);
	for (size_t i = 0; i < CENSUS_KINDS; i++) {
		c->tables[i].beyond = 0;
		for (size_t j = 0; j < c->tables[i].count; j++)
			census_begin_row(&c->tables[i].rows[j]->row, c->later);
	}
	c->later = true;
}

static enum census_span census_span_of(uint64_t ns)
{
	static const uint64_t minute = 60000000000;

	return ns < minute	? CENSUS_LESS :
	       ns < 10 * minute ? CENSUS_MINUTES :
	       ns < 60 * minute ? CENSUS_TENS :
				  CENSUS_HOURS;
}

static void tally(struct census_row *r, const struct goparse_goroutine *g)
{
	r->spans[census_span_of(g->wait_ns)]++;
	if (!r->count++ || g->wait_ns > r->longest_ns) {
		r->longest_ns = g->wait_ns;
		r->as_long = 0;
		r->stack.id = g->stack.id;
	}
	r->as_long += g->wait_ns == r->longest_ns;
}

static int census_put_number(struct buffer *key, uint64_t n)
{
	return buffer_add(key, &n, sizeof(n));
}

static int census_put_text(struct buffer *key, struct goparse_text text)
{
	return census_put_number(key, text.len) || buffer_add(key, text.at, text.len) ? ERR_NOMEM :
											0;
}

static int put_state(struct buffer *key, const struct goparse_goroutine *g)
{
	static const char leaked[] = " (leaked)";
	size_t more = g->flags & GOPARSE_LEAKED ? sizeof(leaked) - 1 : 0;

	if (census_put_number(key, g->state.len + more) ||
	    buffer_add(key, g->state.at, g->state.len) || buffer_add(key, leaked, more))
		return ERR_NOMEM;
	return 0;
}

static int census_put_frame(struct buffer *key, const struct goparse_frame *f)
{
	if (census_put_text(key, f->function) || census_put_text(key, f->file) ||
	    census_put_number(key, f->line))
		return ERR_NOMEM;
	return 0;
}

/* The number of elided frames is not part of the key: it differs from one recursion to the next. */
static int census_put_stack(struct buffer *key, const struct goparse_goroutine *g)
{
	const struct goparse_stack *s = &g->stack;
	int rc = put_state(key, g) || census_put_frame(key, &s->created_by) ||
				 census_put_number(key, s->unavailable) ||
				 census_put_number(key, s->elided ? s->elided_at + 1 : 0) ||
				 census_put_number(key, s->count) ?
			 ERR_NOMEM :
			 0;

	for (size_t i = 0; !rc && i < s->count; i++)
		rc = census_put_frame(key, &s->frames[i]);
	return rc;
}

static uint64_t get_number(const char **at)
{
	uint64_t n;

	memcpy(&n, *at, sizeof(n));
	*at += sizeof(n);
	return n;
}

static struct goparse_text get_text(const char **at)
{
	struct goparse_text text = { .len = get_number(at) };

	text.at = *at;
	*at += text.len;
	return text;
}

static struct goparse_frame get_frame(const char **at)
{
	struct goparse_frame f = { .function = get_text(at) };

	f.file = get_text(at);
	f.line = get_number(at);
	return f;
}

/* The reverse of put_stack. */
static int get_stack(struct arena *a, struct census_row *r, const char *at)
{
	struct goparse_frame *frames;
	size_t elided;

	r->state = get_text(&at);
	r->stack.created_by = get_frame(&at);
	r->stack.unavailable = get_number(&at);
	elided = get_number(&at);
	r->stack.elided = elided;
	r->stack.elided_at = elided ? elided - 1 : 0;
	r->stack.count = get_number(&at);
	if (r->stack.count > CENSUS_FRAMES_MAX)
		r->stack.count = CENSUS_FRAMES_MAX;
	frames = arena_alloc(a, r->stack.count * sizeof(*frames));
	if (!frames)
		return ERR_NOMEM;
	for (size_t i = 0; i < r->stack.count; i++)
		frames[i] = get_frame(&at);
	r->stack.frames = frames;
	return 0;
}

static bool census_has_key(const void *owner, uint32_t id, const void *key)
{
	const struct census_kept *k = ((const struct census_table *)owner)->rows[id];
	const struct buffer *wanted = key;

	return k->key_len == wanted->len && !memcmp(k->key, wanted->data, wanted->len);
}

static int fill_row(struct census *c, enum census_kind kind, struct census_kept *k)
{
	const char *at = k->key;

	switch (kind) {
	case CENSUS_STATES:
		k->row.state = get_text(&at);
		return 0;
	case CENSUS_STACKS:
		return get_stack(&c->arena, &k->row, at);
	default:
		k->row.stack.created_by = get_frame(&at);
		return 0;
	}
}

static int census_add_row(struct census *c, enum census_kind kind, uint64_t hash,
			  struct census_kept **k)
{
	struct census_table *t = &c->tables[kind];
	struct census_kept *new = arena_alloc(&c->arena, sizeof(*new));

	if (!new)
		return ERR_NOMEM;
	new->key = arena_copy(&c->arena, c->key.data, c->key.len);
	new->key_len = c->key.len;
	new->row.place = t->count;
	if (!new->key || fill_row(c, kind, new) ||
	    room_for((void **)&t->rows, &t->room, t->count + 1, sizeof(*t->rows)) ||
	    hashindex_add(&t->index, hash, (uint32_t)t->count))
		return ERR_NOMEM;
	*k = t->rows[t->count++] = new;
	return 0;
}

/* Counts the goroutine in the row whose key is c->key, or in `beyond` if no row can be added. */
static int count_in(struct census *c, enum census_kind kind, const struct goparse_goroutine *g)
{
	struct census_table *t = &c->tables[kind];
	uint64_t hash = hash_bytes(c->key.data, c->key.len);
	uint32_t id = hashindex_find(&t->index, hash, census_has_key, t, &c->key);
	struct census_kept *k = NULL;
	int rc = 0;

	if (id != HASHINDEX_NONE)
		k = t->rows[id];
	else if (t->count < CENSUS_ROWS_MAX && c->arena.total < CENSUS_BYTES_MAX)
		rc = census_add_row(c, kind, hash, &k);
	if (k)
		tally(&k->row, g);
	t->beyond += !k;
	return rc;
}

static int census_count_all(struct census *c, const struct goparse_goroutine *g)
{
	int rc;

	c->key.len = 0;
	rc = put_state(&c->key, g);
	rc = rc ? rc : count_in(c, CENSUS_STATES, g);
	c->key.len = 0;
	rc = rc ? rc : census_put_stack(&c->key, g);
	rc = rc ? rc : count_in(c, CENSUS_STACKS, g);
	if (rc || !g->stack.created_by.function.len)
		return rc;
	c->key.len = 0;
	rc = census_put_frame(&c->key, &g->stack.created_by);
	return rc ? rc : count_in(c, CENSUS_CREATORS, g);
}

int census_add(struct census *c, const struct goparse_goroutine *g, struct error *err)
{
	tally(&c->total, g);
	return census_count_all(c, g) ? error_nomem(err) : 0;
}

const struct census_row *census_total(const struct census *c)
{
	return &c->total;
}

static int more_first(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int as_they_came(const struct census_row *a, const struct census_row *b)
{
	return more_first(b->place, a->place);
}

static int census_by_count(const void *a, const void *b)
{
	const struct census_row *x = *(const struct census_row *const *)a;
	const struct census_row *y = *(const struct census_row *const *)b;
	int order = more_first(x->count, y->count);

	order = order ? order : more_first(x->longest_ns, y->longest_ns);
	return order ? order : as_they_came(x, y);
}

static int by_wait(const void *a, const void *b)
{
	const struct census_row *x = *(const struct census_row *const *)a;
	const struct census_row *y = *(const struct census_row *const *)b;
	int order = more_first(x->longest_ns, y->longest_ns);

	order = order ? order : more_first(x->count, y->count);
	return order ? order : as_they_came(x, y);
}

int census_rank(const struct census *c, enum census_kind kind, enum census_order order,
		struct census_list *list, struct error *err)
{
	const struct census_table *t = &c->tables[kind];

	*list = (struct census_list){ .beyond = t->beyond };
	list->rows = malloc((t->count + 1) * sizeof(*list->rows));
	if (!list->rows)
		return error_nomem(err);
	for (size_t i = 0; i < t->count; i++)
		if (t->rows[i]->row.count)
			list->rows[list->count++] = &t->rows[i]->row;
	qsort(list->rows, list->count, sizeof(*list->rows),
	      order == CENSUS_BY_COUNT ? census_by_count : by_wait);
	return 0;
}
