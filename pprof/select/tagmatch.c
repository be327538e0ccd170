/* Labels repeat from sample to sample, so each pair of key and value is matched once and the
 * patterns that match are kept as bits. */
#include "pprof/select/tagmatch.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "base/room.h"
#include "pprof/labels.h"
#include "pprof/profile.h"
#include "pprof/select/pattern.h"
#include "pprof/units.h"

struct tagmatch_pair {
	uint32_t key, value;
	uint64_t bits; /* of the patterns that match */
};

struct tagmatch {
	char *key;  /* NULL: any */
	char *text; /* behind the key */
	bool is_range;
	double least, most; /* in `unit` */
	const char *unit;   /* static, or in `own_unit` */
	char *own_unit;
	struct pattern *patterns[TAGMATCH_PATTERNS_MAX];
	size_t count;
	struct tagmatch_pair *pairs;
	size_t pair_count, pair_room;
	struct hashindex index;
	struct buffer line; /* KEY:VALUE */
};

/* A number and its unit, which has letters only and may be empty. */
struct bound {
	int64_t number;
	const char *unit;
	size_t unit_len;
	bool there, too_large;
};

static void read_bound(const char **pos, struct bound *b)
{
	const char *p = *pos, *digits = p + (*p == '+' || *p == '-');
	char *end;

	*b = (struct bound){ 0 };
	if (!isdigit((unsigned char)*digits))
		return;
	errno = 0;
	b->number = strtoll(p, &end, 10);
	b->too_large = errno == ERANGE;
	b->there = true;
	b->unit = end;
	while (isalpha((unsigned char)*end))
		end++;
	b->unit_len = (size_t)(end - b->unit);
	*pos = end;
}

static char *copy_unit(const struct bound *b)
{
	return strndup(b->there ? b->unit : "", b->unit_len);
}

/* The range has the unit of the first bound, under its canonical name. */
static int set_range(struct tagmatch *m, const struct bound *first, const struct bound *last)
{
	char *second = copy_unit(last);
	const char *unit;
	double value;

	m->own_unit = copy_unit(first);
	if (!second || !m->own_unit) {
		free(second);
		return ERR_NOMEM;
	}
	value = units_scale(first->number, m->own_unit, m->own_unit, &m->unit);
	m->least = m->most = value;
	m->is_range = true;
	if (last->there) {
		m->most = units_scale(last->number, second, m->unit, &unit);
		m->is_range = !strcmp(unit, m->unit);
	}
	free(second);
	return 0;
}

static int tagmatch_read_range(struct tagmatch *m, struct error *err)
{
	const char *p = m->text;
	struct bound first, last = { 0 };
	bool up_to = *p == ':', from = false;

	p += up_to;
	read_bound(&p, &first);
	if (!up_to && first.there && *p == ':') {
		p++;
		from = true;
		read_bound(&p, &last);
	}
	if (!first.there || *p)
		return 0;
	if (first.too_large || last.too_large)
		return error_set(err, ERR_USAGE, "'%s': numbers have 64 bits", m->text);
	if (set_range(m, &first, &last))
		return error_nomem(err);
	if (up_to)
		m->least = -__builtin_inf();
	if (from && !last.there)
		m->most = __builtin_inf();
	return 0;
}

static int read_patterns(struct tagmatch *m, struct error *err)
{
	const char *p = m->text;
	int rc = 0;

	while (!rc) {
		size_t len = strcspn(p, ",");

		if (m->count == TAGMATCH_PATTERNS_MAX)
			return error_set(err, ERR_LIMIT, "more than %d patterns",
					 TAGMATCH_PATTERNS_MAX);
		rc = pattern_new(&m->patterns[m->count], p, len, err);
		m->count += !rc;
		if (!p[len])
			break;
		p += len + 1;
	}
	return rc;
}

int tagmatch_new(struct tagmatch **match, const char *text, struct error *err)
{
	struct tagmatch *m = calloc(1, sizeof(*m));
	const char *equals = strchr(text, '=');
	int rc = m ? 0 : ERR_NOMEM;

	*match = NULL;
	if (m && equals && equals > text && !(m->key = strndup(text, (size_t)(equals - text))))
		rc = ERR_NOMEM;
	if (m && !(m->text = strdup(equals ? equals + 1 : text)))
		rc = ERR_NOMEM;
	if (rc)
		error_nomem(err);
	if (!rc)
		rc = tagmatch_read_range(m, err);
	if (!rc && !m->is_range)
		rc = read_patterns(m, err);
	if (rc) {
		tagmatch_free(m);
		return rc;
	}
	*match = m;
	return 0;
}

void tagmatch_free(struct tagmatch *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->count; i++)
		pattern_free(m->patterns[i]);
	hashindex_release(&m->index);
	buffer_release(&m->line);
	free(m->pairs);
	free(m->own_unit);
	free(m->key);
	free(m->text);
	free(m);
}

const char *tagmatch_range(const struct tagmatch *m)
{
	return m->is_range ? m->text : NULL;
}

static bool in_range(const struct tagmatch *m, int64_t value, const char *from)
{
	const char *unit;
	double scaled = units_scale(value, from, m->unit, &unit);

	return !strcmp(unit, m->unit) && scaled >= m->least && scaled <= m->most;
}

static bool tagmatch_same_pair(const void *owner, uint32_t i, const void *key)
{
	const struct tagmatch_pair *a = &((const struct tagmatch *)owner)->pairs[i], *b = key;

	return a->key == b->key && a->value == b->value;
}

static int tagmatch_ask(struct tagmatch *m, const struct profile *p, struct tagmatch_pair *pair,
			struct error *err)
{
	const struct strset_entry *key = &p->strings.entries[pair->key];
	const struct strset_entry *value = &p->strings.entries[pair->value];

	m->line.len = 0;
	if ((!m->key &&
	     (buffer_add(&m->line, key->text, key->len) || buffer_add(&m->line, ":", 1))) ||
	    buffer_add(&m->line, value->text, value->len))
		return error_nomem(err);
	for (size_t i = 0; i < m->count; i++) {
		const char *line = m->line.len ? (const char *)m->line.data : "";
		int rc = pattern_match(m->patterns[i], line, m->line.len, err);

		if (rc < 0)
			return rc;
		pair->bits |= (uint64_t)rc << i;
	}
	return 0;
}

/* Adds the bits of the patterns that a label matches. */
static int tagmatch_look_up(struct tagmatch *m, const struct profile *p,
			    const struct profile_label *l, uint64_t *bits, struct error *err)
{
	struct tagmatch_pair pair = { l->key, l->str, 0 };
	uint64_t hash = hash_bytes(&pair, 2 * sizeof(uint32_t));
	uint32_t i = hashindex_find(&m->index, hash, tagmatch_same_pair, m, &pair);
	int rc;

	if (i == HASHINDEX_NONE) {
		rc = tagmatch_ask(m, p, &pair, err);
		if (rc)
			return rc;
		i = (uint32_t)m->pair_count;
		if (room_for((void **)&m->pairs, &m->pair_room, m->pair_count + 1, sizeof(pair)) ||
		    hashindex_add(&m->index, hash, i))
			return error_nomem(err);
		m->pairs[m->pair_count++] = pair;
	}
	*bits |= m->pairs[i].bits;
	return 0;
}

/* 1, 0 or an error. */
static int match_sample(struct tagmatch *m, const struct profile *p, const uint32_t *units,
			const struct profile_sample *s, struct error *err)
{
	uint64_t all = m->count == 64 ? UINT64_MAX : ((uint64_t)1 << m->count) - 1, bits = 0;
	int rc = 0;

	for (size_t i = 0; i < s->labels && !rc; i++) {
		const struct profile_label *l = &p->labels[s->first_label + i];

		if (m->key && strcmp(m->key, strset_get(&p->strings, l->key)))
			continue;
		if (!m->is_range && l->str)
			rc = tagmatch_look_up(m, p, l, &bits, err);
		if (m->is_range && !l->str && !label_is_empty(l) &&
		    in_range(m, l->num, labels_unit(p, units, l->key)))
			return 1;
	}
	if (rc || m->is_range)
		return rc;
	return m->key ? bits != 0 : bits == all;
}

int tagmatch_filter(struct profile *p, const uint32_t *units, struct tagmatch *focus,
		    struct tagmatch *ignore, struct filter_found *found, struct error *err)
{
	size_t kept = 0;

	*found = (struct filter_found){ 0 };
	if (!focus && !ignore)
		return 0;
	for (size_t i = 0; i < p->sample_count; i++) {
		int focused = focus ? match_sample(focus, p, units, &p->samples[i], err) : 1;
		int ignored = ignore && focused >= 0 ?
				      match_sample(ignore, p, units, &p->samples[i], err) :
				      0;

		if (focused < 0 || ignored < 0)
			return focused < 0 ? focused : ignored;
		found->focus = found->focus || focused;
		found->ignore = found->ignore || ignored;
		if (focused && !ignored)
			p->samples[kept++] = p->samples[i];
	}
	p->sample_count = kept;
	return 0;
}
