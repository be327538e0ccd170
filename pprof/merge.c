/*
 * The sum is a struct profile that grows. While a profile is added, maps lead from its numbers
 * to the sum's. An entry is mapped when a sample first refers to it: this gives the tables
 * google/pprof's order, and leaves out entries that no sample refers to.
 *
 * Once a stack is in the sum's numbers, samples are equal when these numbers and the sorted
 * labels are, so a hash of both finds the sample. google/pprof makes a string of every sample
 * for that, and has all profiles in memory at once.
 */
#include "pprof/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/compat.h"
#include "pprof/labels.h"
#include "pprof/profile.h"

struct merge {
	struct profile sum;
	struct hashindex samples, mappings, comments; /* of the sum's entries */
	bool begun;
};

/* A profile that is being added to the sum. */
struct pprof_merge_source {
	const struct profile *from;
	struct merge *m;
	/* By index in `from`: the number in the sum; 0: not added yet (or, of a string, ""). */
	uint32_t *strings, *mappings, *functions, *locations;
	/* The current sample or location, in the sum's numbers. */
	uint32_t *stack;
	struct profile_label *labels;
	struct profile_line *lines;
	size_t label_count;
};

/* Equality */

struct mapping_key {
	uint64_t size, offset;
	uint32_t name; /* build ID or file */
};

static struct mapping_key mapping_key(const struct profile_mapping *m)
{
	return (struct mapping_key){ (m->limit - m->start + 0xfff) & ~(uint64_t)0xfff, m->offset,
				     m->build_id ? m->build_id : m->filename };
}

static bool pprof_merge_same_mapping(const void *owner, uint32_t i, const void *key)
{
	const struct mapping_key *b = key;
	struct mapping_key a = mapping_key(&((const struct profile *)owner)->mappings[i]);

	return a.size == b->size && a.offset == b->offset && a.name == b->name;
}

static bool same_comment(const void *owner, uint32_t i, const void *key)
{
	return ((const struct profile *)owner)->comments[i] == *(const uint32_t *)key;
}

static bool is_zero(const struct profile *p, const struct profile_sample *s)
{
	for (size_t i = 0; i < p->type_count; i++)
		if (p->values[s->first_value + i])
			return false;
	return true;
}

/* From a source's numbers to the sum's. 0 or ERR_NOMEM. */

static int map_string(struct pprof_merge_source *s, uint32_t from, uint32_t *to)
{
	const struct strset_entry *e = &s->from->strings.entries[from];

	if (from && !s->strings[from] &&
	    strset_add(&s->m->sum.strings, e->text, e->len, &s->strings[from]))
		return ERR_NOMEM;
	*to = s->strings[from];
	return 0;
}

static int map_type(struct pprof_merge_source *s, const struct profile_type *from,
		    struct profile_type *to)
{
	if (map_string(s, from->type, &to->type) || map_string(s, from->unit, &to->unit))
		return ERR_NOMEM;
	return 0;
}

static int find_mapping(struct profile *sum, struct hashindex *index,
			const struct profile_mapping *mapping, uint32_t *number)
{
	struct mapping_key key = mapping_key(mapping);
	uint64_t words[3] = { key.size, key.offset, key.name };
	uint64_t hash = hash_bytes(words, sizeof(words));
	uint32_t at = hashindex_find(index, hash, pprof_merge_same_mapping, sum, &key);

	*number = at + 1;
	if (at != HASHINDEX_NONE)
		return 0;
	if (hashindex_add(index, hash, (uint32_t)sum->mapping_count))
		return ERR_NOMEM;
	return profile_add_mapping(sum, mapping, number);
}

static int map_mapping(struct pprof_merge_source *s, uint32_t from, uint32_t *to)
{
	struct profile_mapping mapping;

	if (from && !s->mappings[from - 1]) {
		mapping = s->from->mappings[from - 1];
		mapping.id = 0;
		if (map_string(s, mapping.filename, &mapping.filename) ||
		    map_string(s, mapping.build_id, &mapping.build_id) ||
		    find_mapping(&s->m->sum, &s->m->mappings, &mapping, &s->mappings[from - 1]))
			return ERR_NOMEM;
	}
	*to = from ? s->mappings[from - 1] : 0;
	return 0;
}

static int map_function(struct pprof_merge_source *s, uint32_t from, uint32_t *to)
{
	struct profile_function function;

	if (from && !s->functions[from - 1]) {
		function = s->from->functions[from - 1];
		if (map_string(s, function.name, &function.name) ||
		    map_string(s, function.system_name, &function.system_name) ||
		    map_string(s, function.filename, &function.filename) ||
		    profile_add_function(&s->m->sum, &function, &s->functions[from - 1]))
			return ERR_NOMEM;
	}
	*to = from ? s->functions[from - 1] : 0;
	return 0;
}

/* An address is moved to the sum's mapping; then equal locations have equal addresses, and
 * profile_add_location finds them. */
static int map_location(struct pprof_merge_source *s, uint32_t from)
{
	struct profile_location l = s->from->locations[from - 1];

	l.id = 0;
	if (map_mapping(s, l.mapping, &l.mapping))
		return ERR_NOMEM;
	if (l.mapping) {
		uint32_t own = s->from->locations[from - 1].mapping;

		l.address += s->m->sum.mappings[l.mapping - 1].start -
			     s->from->mappings[own - 1].start;
	}
	for (size_t i = 0; i < l.lines; i++) {
		s->lines[i] = s->from->lines[l.first_line + i];
		if (map_function(s, s->lines[i].function, &s->lines[i].function))
			return ERR_NOMEM;
	}
	return profile_add_location(&s->m->sum, &l, s->lines, l.lines, &s->locations[from - 1]);
}

static int map_stack(struct pprof_merge_source *s, const struct profile_sample *sample)
{
	const uint32_t *stack = s->from->stack + sample->first_location;

	for (size_t i = 0; i < sample->locations; i++) {
		uint32_t *number = &s->locations[stack[i] - 1];

		if (!*number && map_location(s, stack[i]))
			return ERR_NOMEM;
		s->stack[i] = *number;
	}
	return 0;
}

static int map_labels(struct pprof_merge_source *s, const struct profile_sample *sample)
{
	const struct profile_label *labels = s->from->labels + sample->first_label;

	s->label_count = 0;
	for (size_t i = 0; i < sample->labels; i++) {
		struct profile_label *to = &s->labels[s->label_count];

		if (label_is_empty(&labels[i]))
			continue;
		*to = labels[i];
		if (map_string(s, to->key, &to->key) || map_string(s, to->str, &to->str) ||
		    map_string(s, to->num_unit, &to->num_unit))
			return ERR_NOMEM;
		s->label_count++;
	}
	return labels_sort(&s->m->sum.strings, s->labels, s->label_count);
}

static void pprof_merge_add_values(struct profile *sum, uint32_t sample, const int64_t *values)
{
	int64_t *to = sum->values + sum->samples[sample].first_value;

	for (size_t i = 0; i < sum->type_count; i++)
		to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)values[i]);
}

static int map_sample(struct pprof_merge_source *s, const struct profile_sample *sample)
{
	const int64_t *values = s->from->values + sample->first_value;
	struct profile *sum = &s->m->sum;
	struct sample_key key;
	uint64_t hash;
	uint32_t at;

	if (map_labels(s, sample) || map_stack(s, sample))
		return ERR_NOMEM;
	key = (struct sample_key){ s->stack, s->labels, sample->locations, s->label_count };
	hash = sample_key_hash(&key);
	at = hashindex_find(&s->m->samples, hash, sample_has_key, sum, &key);
	if (at != HASHINDEX_NONE) {
		pprof_merge_add_values(sum, at, values);
		return 0;
	}
	if (hashindex_add(&s->m->samples, hash, (uint32_t)sum->sample_count))
		return ERR_NOMEM;
	return profile_add_sample(sum, s->stack, sample->locations, values, s->labels,
				  s->label_count);
}

/* The header */

static int map_comments(struct pprof_merge_source *s)
{
	struct profile *sum = &s->m->sum;

	for (size_t i = 0; i < s->from->comment_count; i++) {
		uint64_t hash;
		uint32_t text;

		if (map_string(s, s->from->comments[i], &text))
			return ERR_NOMEM;
		hash = hash_bytes(&text, sizeof(text));
		if (hashindex_find(&s->m->comments, hash, same_comment, sum, &text) !=
		    HASHINDEX_NONE)
			continue;
		if (hashindex_add(&s->m->comments, hash, (uint32_t)sum->comment_count) ||
		    profile_add_comment_id(sum, text))
			return ERR_NOMEM;
	}
	return 0;
}

/* Takes what the first profile alone decides: sample types, period type, drop_frames and
 * keep_frames. */
static int pprof_merge_begin(struct pprof_merge_source *s)
{
	struct profile *sum = &s->m->sum;
	struct profile_type type;

	if (s->m->begun)
		return 0;
	s->m->begun = true;
	for (size_t i = 0; i < s->from->type_count; i++)
		if (map_type(s, &s->from->types[i], &type) || profile_add_type_ids(sum, type))
			return ERR_NOMEM;
	if (map_type(s, &s->from->period_type, &sum->period_type) ||
	    map_string(s, s->from->drop_frames, &sum->drop_frames) ||
	    map_string(s, s->from->keep_frames, &sum->keep_frames))
		return ERR_NOMEM;
	return 0;
}

/* Times and periods are combined as in combineHeaders. If the sum's time is 0 (unknown), the next
 * profile's time replaces it. If the next profile's time is 0, it counts as the earliest and
 * replaces the sum's. */
static int map_header(struct pprof_merge_source *s)
{
	const struct profile *from = s->from;
	struct profile *sum = &s->m->sum;

	if (pprof_merge_begin(s) || map_comments(s) ||
	    (!sum->default_type && map_string(s, from->default_type, &sum->default_type)) ||
	    (!sum->doc_url && map_string(s, from->doc_url, &sum->doc_url)))
		return ERR_NOMEM;
	if (!sum->time_nanos || from->time_nanos < sum->time_nanos)
		sum->time_nanos = from->time_nanos;
	if (!sum->period || from->period > sum->period)
		sum->period = from->period;
	sum->duration_nanos = (int64_t)((uint64_t)sum->duration_nanos +
					(uint64_t)from->duration_nanos);
	return 0;
}

/* A whole profile */

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Allocates room for the largest sample and location, and a map for each table. */
static int pprof_merge_open_source(struct pprof_merge_source *s)
{
	const struct profile *p = s->from;
	size_t stack = 1, labels = 1, lines = 1;

	for (size_t i = 0; i < p->sample_count; i++) {
		stack = larger(stack, p->samples[i].locations);
		labels = larger(labels, p->samples[i].labels);
	}
	for (size_t i = 0; i < p->location_count; i++)
		lines = larger(lines, p->locations[i].lines);
	s->strings = calloc(p->strings.count, sizeof(*s->strings));
	s->mappings = calloc(p->mapping_count + 1, sizeof(*s->mappings));
	s->functions = calloc(p->function_count + 1, sizeof(*s->functions));
	s->locations = calloc(p->location_count + 1, sizeof(*s->locations));
	s->stack = calloc(stack, sizeof(*s->stack));
	s->labels = calloc(labels, sizeof(*s->labels));
	s->lines = calloc(lines, sizeof(*s->lines));
	if (s->strings && s->mappings && s->functions && s->locations && s->stack && s->labels &&
	    s->lines)
		return 0;
	return ERR_NOMEM;
}

static void close_source(struct pprof_merge_source *s)
{
	free(s->strings);
	free(s->mappings);
	free(s->functions);
	free(s->locations);
	free(s->stack);
	free(s->labels);
	free(s->lines);
}

static int map_all(struct pprof_merge_source *s)
{
	const struct profile *p = s->from;
	uint32_t first;
	int rc = map_header(s);

	if (!rc && !s->m->sum.mapping_count && p->mapping_count)
		rc = map_mapping(s, 1, &first);
	for (size_t i = 0; !rc && i < p->sample_count; i++)
		if (!is_zero(p, &p->samples[i]))
			rc = map_sample(s, &p->samples[i]);
	return rc;
}

int merge_add(struct merge *m, const struct profile *p, struct error *err)
{
	struct pprof_merge_source s = { .from = p, .m = m };
	int rc = m->begun ? profile_compatible(&m->sum, p, err) : 0;

	if (rc)
		return rc;
	rc = pprof_merge_open_source(&s);
	if (!rc)
		rc = map_all(&s);
	close_source(&s);
	return rc ? error_nomem(err) : 0;
}

int merge_new(struct merge **m, struct error *err)
{
	*m = calloc(1, sizeof(**m));
	if (*m && !profile_init(&(*m)->sum))
		return 0;
	merge_free(*m);
	*m = NULL;
	return error_nomem(err);
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	hashindex_release(&m->samples);
	hashindex_release(&m->mappings);
	hashindex_release(&m->comments);
	profile_release(&m->sum);
	free(m);
}

/* Merges the sum anew, after its types have changed or the values of samples have become 0. */
static int renew(struct merge *m, struct error *err)
{
	struct merge *fresh, old;
	int rc = merge_new(&fresh, err);

	if (!rc)
		rc = merge_add(fresh, &m->sum, err);
	if (!rc) {
		old = *m;
		*m = *fresh;
		*fresh = old;
	}
	merge_free(fresh);
	return rc;
}

int merge_add_common(struct merge *m, struct profile *p, struct error *err)
{
	int rc = 0;

	if (m->begun && profile_compatible(&m->sum, p, NULL)) {
		rc = profile_make_compatible(&m->sum, p, err);
		if (!rc)
			rc = renew(m, err);
	}
	return rc ? rc : merge_add(m, p, err);
}

static bool pprof_merge_has_zeros(const struct profile *p)
{
	for (size_t i = 0; i < p->sample_count; i++)
		if (is_zero(p, &p->samples[i]))
			return true;
	return false;
}

int merge_finish(struct merge *m, struct profile *result, struct error *err)
{
	int rc = pprof_merge_has_zeros(&m->sum) ? renew(m, err) : 0;

	if (!rc) {
		*result = m->sum;
		memset(&m->sum, 0, sizeof(m->sum));
	} else {
		memset(result, 0, sizeof(*result));
	}
	merge_free(m);
	return rc;
}

int profile_compact(struct profile *p, struct error *err)
{
	struct profile compact;
	struct merge *m;
	int rc = merge_new(&m, err);

	if (rc)
		return rc;
	rc = merge_add(m, p, err);
	if (rc) {
		merge_free(m);
		return rc;
	}
	rc = merge_finish(m, &compact, err);
	if (!rc) {
		profile_release(p);
		*p = compact;
	}
	return rc;
}
