/* Setting and removing labels rewrite the whole array, because a sample's run of labels cannot
 * grow in place. */
#include "pprof/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hashindex.h"
#include "pprof/append.h"
#include "pprof/profile.h"

bool label_is_empty(const struct profile_label *label)
{
	return !label->str && !label->num && !label->num_unit;
}

bool sample_has_key(const void *owner, uint32_t i, const void *key)
{
	const struct profile *p = owner;
	const struct profile_sample *s = &p->samples[i];
	const struct sample_key *k = key;

	if (s->locations != k->locations || s->labels != k->label_count ||
	    memcmp(p->stack + s->first_location, k->stack, k->locations * sizeof(*k->stack)))
		return false;
	for (size_t j = 0; j < k->label_count; j++) {
		const struct profile_label *a = &p->labels[s->first_label + j], *b = &k->labels[j];

		if (a->key != b->key || a->str != b->str || a->num != b->num ||
		    a->num_unit != b->num_unit)
			return false;
	}
	return true;
}

/* Hashes labels field by field, because the structure has padding. */
uint64_t sample_key_hash(const struct sample_key *k)
{
	uint64_t hash = hash_bytes(k->stack, k->locations * sizeof(*k->stack));

	for (size_t i = 0; i < k->label_count; i++) {
		const struct profile_label *l = &k->labels[i];
		uint64_t words[4] = { hash, (uint64_t)l->key << 32 | l->str, (uint64_t)l->num,
				      l->num_unit };

		hash = hash_bytes(words, sizeof(words));
	}
	return hash;
}

uint32_t *labels_units(const struct profile *p)
{
	uint32_t *units = calloc(p->strings.count + 1, sizeof(*units));

	for (size_t i = 0; units && i < p->sample_count; i++)
		for (size_t j = 0; j < p->samples[i].labels; j++) {
			const struct profile_label *l = &p->labels[p->samples[i].first_label + j];

			if (!l->str && l->num_unit && !units[l->key])
				units[l->key] = l->num_unit;
		}
	return units;
}

const char *labels_unit(const struct profile *p, const uint32_t *units, uint32_t key)
{
	const char *name = strset_get(&p->strings, key);

	if (units[key])
		return strset_get(&p->strings, units[key]);
	return !strcmp(name, "alignment") || !strcmp(name, "request") ? "bytes" : name;
}

bool sample_is_base(const struct profile *p, const struct profile_sample *s)
{
	for (size_t i = 0; i < s->labels; i++) {
		const struct profile_label *l = &p->labels[s->first_label + i];

		if (l->str && !strcmp(strset_get(&p->strings, l->str), "true") &&
		    !strcmp(strset_get(&p->strings, l->key), "pprof::base"))
			return true;
	}
	return false;
}

/* Strings before numbers, then by key as Go compares strings: byte by byte, then by length. */
static int pprof_labels_compare(const struct strset *strings, const struct profile_label *a,
				const struct profile_label *b)
{
	const struct strset_entry *x = &strings->entries[a->key], *y = &strings->entries[b->key];
	int order;

	if (!a->str != !b->str)
		return a->str ? -1 : 1;
	order = x == y ? 0 : memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static bool sorted(const struct strset *strings, const struct profile_label *labels, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (pprof_labels_compare(strings, &labels[i - 1], &labels[i]) > 0)
			return false;
	return true;
}

struct pprof_labels_entry {
	struct profile_label label;
	size_t place;
};

/* qsort is not stable; comparing the places makes it so. */
static int pprof_labels_by_key(const void *a, const void *b, void *strings)
{
	const struct pprof_labels_entry *x = a, *y = b;
	int order = pprof_labels_compare(strings, &x->label, &y->label);

	return order ? order : (x->place > y->place) - (x->place < y->place);
}

int labels_sort(const struct strset *strings, struct profile_label *labels, size_t count)
{
	struct pprof_labels_entry *entries;

	if (sorted(strings, labels, count))
		return 0;
	entries = calloc(count, sizeof(*entries));
	if (!entries)
		return ERR_NOMEM;
	for (size_t i = 0; i < count; i++)
		entries[i] = (struct pprof_labels_entry){ labels[i], i };
	qsort_r(entries, count, sizeof(*entries), pprof_labels_by_key, (void *)strings);
	for (size_t i = 0; i < count; i++)
		labels[i] = entries[i].label;
	free(entries);
	return 0;
}

/* Labels that replace the string labels of a key in every sample. */
struct pprof_labels_change {
	uint32_t key;
	const struct profile_label *labels;
	size_t count;
};

/* Writes one sample's labels after the change to `out`; returns how many. */
static size_t write_changed(const struct profile *p, const struct profile_sample *s,
			    const struct pprof_labels_change *c, struct profile_label *out)
{
	size_t count = 0;

	for (size_t i = 0; i < s->labels; i++) {
		const struct profile_label *l = &p->labels[s->first_label + i];

		if (l->key != c->key || !l->str)
			out[count++] = *l;
	}
	for (size_t i = 0; i < c->count; i++)
		out[count++] = c->labels[i];
	return count;
}

static int pprof_labels_apply(struct profile *p, const struct pprof_labels_change *c)
{
	size_t most = p->sample_count * c->count, used = 0;
	struct profile_label *labels = NULL;

	for (size_t i = 0; i < p->sample_count; i++)
		most += p->samples[i].labels;
	if (profile_room(&labels, 0, most, sizeof(*labels)))
		return ERR_NOMEM;
	for (size_t i = 0; i < p->sample_count; i++) {
		struct profile_sample *s = &p->samples[i];

		s->labels = write_changed(p, s, c, labels + used);
		s->first_label = used;
		used += s->labels;
	}
	free(p->labels);
	p->labels = labels;
	p->label_count = used;
	for (size_t i = 0; c->count && i < p->sample_count; i++)
		if (labels_sort(&p->strings, labels + p->samples[i].first_label,
				p->samples[i].labels))
			return ERR_NOMEM;
	return 0;
}

int profile_set_label(struct profile *p, const char *key, const char *const *values, size_t count)
{
	struct profile_label *labels = calloc(count + 1, sizeof(*labels));
	struct pprof_labels_change c = { .labels = labels };
	int rc = labels ? profile_string(p, key, &c.key) : ERR_NOMEM;

	for (size_t i = 0; !rc && i < count; i++) {
		struct profile_label *l = &labels[c.count];

		*l = (struct profile_label){ .key = c.key };
		rc = profile_string(p, values[i], &l->str);
		c.count += !label_is_empty(l);
	}
	if (!rc)
		rc = pprof_labels_apply(p, &c);
	free(labels);
	return rc;
}

int profile_remove_label(struct profile *p, const char *key)
{
	return profile_set_label(p, key, NULL, 0);
}
