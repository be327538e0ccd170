/* The arrays double in size. Two hash indexes find equal functions and locations, the
 * string set finds equal strings. Everything is kept in the order in which it was added,
 * so the encoder's output depends on nothing else. */
#include "pprof/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/utf8.h"
#include "pprof/append.h"

int profile_init(struct profile *p)
{
	memset(p, 0, sizeof(*p));
	return strset_init(&p->strings);
}

void profile_release(struct profile *p)
{
	strset_release(&p->strings);
	hashindex_release(&p->function_index);
	hashindex_release(&p->location_index);
	free(p->types);
	free(p->mappings);
	free(p->functions);
	free(p->locations);
	free(p->lines);
	free(p->samples);
	free(p->stack);
	free(p->values);
	free(p->labels);
	free(p->comments);
	memset(p, 0, sizeof(*p));
}

enum { ROOM_MIN = 16 };

static size_t profile_room_for(size_t count)
{
	return count <= ROOM_MIN ? ROOM_MIN : (size_t)1 << (64 - __builtin_clzl(count - 1));
}

/* The capacity of an array is at least room_for(count); it is larger when an earlier call
 * requested room for more elements than were added. */
int profile_room(void *array, size_t count, size_t more, size_t size)
{
	void **p = array;
	size_t need = count + more;
	void *grown;

	if (*p && need <= profile_room_for(count))
		return 0;
	if (more > SIZE_MAX / 4 / size - count)
		return ERR_NOMEM;
	grown = realloc(*p, profile_room_for(need) * size);
	if (!grown)
		return ERR_NOMEM;
	*p = grown;
	return 0;
}

int profile_text(struct profile *p, const char *text, size_t len, uint32_t *id)
{
	struct buffer clean = { 0 };
	int rc;

	if (utf8_valid(text, len) == len)
		return strset_add(&p->strings, text, len, id);
	rc = buffer_add_utf8(&clean, text, len);
	rc = rc ? rc : strset_add(&p->strings, (char *)clean.data, clean.len, id);
	buffer_release(&clean);
	return rc;
}

int profile_string(struct profile *p, const char *text, uint32_t *id)
{
	return profile_text(p, text ? text : "", text ? strlen(text) : 0, id);
}

int profile_add_type(struct profile *p, const char *type, const char *unit)
{
	struct profile_type t;

	if (profile_string(p, type, &t.type) || profile_string(p, unit, &t.unit))
		return ERR_NOMEM;
	return profile_add_type_ids(p, t);
}

int profile_add_type_ids(struct profile *p, struct profile_type type)
{
	if (profile_room(&p->types, p->type_count, 1, sizeof(*p->types)))
		return ERR_NOMEM;
	p->types[p->type_count++] = type;
	return 0;
}

int profile_add_contentions(struct profile *p)
{
	if (profile_add_type(p, "contentions", "count") ||
	    profile_add_type(p, "delay", "nanoseconds"))
		return ERR_NOMEM;
	p->period_type = p->types[0];
	p->period = 1;
	return 0;
}

int profile_add_mapping(struct profile *p, const struct profile_mapping *mapping, uint32_t *id)
{
	if (p->mapping_count >= UINT32_MAX - 1 ||
	    profile_room(&p->mappings, p->mapping_count, 1, sizeof(*p->mappings)))
		return ERR_NOMEM;
	p->mappings[p->mapping_count++] = *mapping;
	*id = (uint32_t)p->mapping_count;
	return 0;
}

static bool same_function(const void *owner, uint32_t i, const void *key)
{
	const struct profile_function *a = &((const struct profile *)owner)->functions[i];
	const struct profile_function *b = key;

	return a->name == b->name && a->system_name == b->system_name &&
	       a->filename == b->filename && a->start_line == b->start_line;
}

/* Sets *found to the index of a function equal to *f. If the hash index has none, *f is put into it
 * as index `at`; if `at` is the count of functions, *f is also appended to the array. */
static int profile_find_function(struct profile *p, const struct profile_function *f, size_t at,
				 uint32_t *found)
{
	uint64_t words[3] = { (uint64_t)f->name << 32 | f->system_name, f->filename,
			      (uint64_t)f->start_line };
	uint64_t hash = hash_bytes(words, sizeof(words));

	*found = hashindex_find(&p->function_index, hash, same_function, p, f);
	if (*found != HASHINDEX_NONE)
		return 0;
	*found = (uint32_t)at;
	if (at == p->function_count) {
		if (p->function_count >= UINT32_MAX - 1 ||
		    profile_room(&p->functions, p->function_count, 1, sizeof(*p->functions)))
			return ERR_NOMEM;
		p->functions[p->function_count++] = *f;
	}
	return hashindex_add(&p->function_index, hash, *found);
}

int profile_add_function(struct profile *p, const struct profile_function *f, uint32_t *id)
{
	for (; p->functions_indexed < p->function_count; p->functions_indexed++)
		if (profile_find_function(p, &p->functions[p->functions_indexed],
					  p->functions_indexed, id))
			return ERR_NOMEM;
	if (profile_find_function(p, f, p->function_count, id))
		return ERR_NOMEM;
	p->functions_indexed = p->function_count;
	++*id;
	return 0;
}

struct location_key {
	const struct profile_location *location;
	const struct profile_line *lines;
	size_t count;
};

static bool same_location(const void *owner, uint32_t i, const void *key)
{
	const struct profile *p = owner;
	const struct profile_location *a = &p->locations[i];
	const struct location_key *k = key;
	const struct profile_location *b = k->location;

	if (a->mapping != b->mapping || a->address != b->address || a->lines != k->count ||
	    a->is_folded != b->is_folded)
		return false;
	for (size_t j = 0; j < k->count; j++) {
		const struct profile_line *x = &p->lines[a->first_line + j], *y = &k->lines[j];

		if (x->function != y->function || x->line != y->line || x->column != y->column)
			return false;
	}
	return true;
}

/* Hashes every line, because languages without addresses have locations that differ in
 * the last line only; field by field, because struct profile_line has padding. */
static uint64_t hash_location(const struct location_key *k)
{
	uint64_t head[2] = { k->location->address, k->location->mapping };
	uint64_t hash = hash_bytes(head, sizeof(head));

	for (size_t i = 0; i < k->count; i++) {
		const struct profile_line *l = &k->lines[i];
		uint64_t words[4] = { hash, l->function, (uint64_t)l->line, (uint64_t)l->column };

		hash = hash_bytes(words, sizeof(words));
	}
	return hash;
}

int profile_append_location(struct profile *p, const struct profile_location *location)
{
	if (p->location_count >= UINT32_MAX - 1 ||
	    profile_room(&p->locations, p->location_count, 1, sizeof(*p->locations)))
		return ERR_NOMEM;
	p->locations[p->location_count++] = *location;
	return 0;
}

static int append_lines(struct profile *p, const struct location_key *k)
{
	struct profile_location location = *k->location;

	location.first_line = p->line_count;
	location.lines = k->count;
	if (profile_room(&p->lines, p->line_count, k->count, sizeof(*p->lines)))
		return ERR_NOMEM;
	if (k->count)
		memcpy(p->lines + p->line_count, k->lines, k->count * sizeof(*k->lines));
	p->line_count += k->count;
	return profile_append_location(p, &location);
}

/* As find_function, for a location. */
static int find_location(struct profile *p, const struct location_key *k, size_t at,
			 uint32_t *found)
{
	uint64_t hash = hash_location(k);

	*found = hashindex_find(&p->location_index, hash, same_location, p, k);
	if (*found != HASHINDEX_NONE)
		return 0;
	*found = (uint32_t)at;
	if (at == p->location_count && append_lines(p, k))
		return ERR_NOMEM;
	return hashindex_add(&p->location_index, hash, *found);
}

static int index_locations(struct profile *p)
{
	uint32_t found;

	for (; p->locations_indexed < p->location_count; p->locations_indexed++) {
		const struct profile_location *l = &p->locations[p->locations_indexed];
		struct location_key key = { l, l->lines ? p->lines + l->first_line : NULL,
					    l->lines };

		if (find_location(p, &key, p->locations_indexed, &found))
			return ERR_NOMEM;
	}
	return 0;
}

int profile_add_location(struct profile *p, const struct profile_location *location,
			 const struct profile_line *lines, size_t line_count, uint32_t *id)
{
	struct location_key key = { location, lines, line_count };

	if (index_locations(p) || find_location(p, &key, p->location_count, id))
		return ERR_NOMEM;
	p->locations_indexed = p->location_count;
	++*id;
	return 0;
}

void profile_forget_indexes(struct profile *p)
{
	hashindex_clear(&p->function_index);
	hashindex_clear(&p->location_index);
	p->functions_indexed = p->locations_indexed = 0;
}

int profile_add_sample(struct profile *p, const uint32_t *locations, size_t location_count,
		       const int64_t *values, const struct profile_label *labels,
		       size_t label_count)
{
	struct profile_sample s = { p->stack_count, location_count, p->value_count, p->label_count,
				    label_count };

	if (profile_room(&p->samples, p->sample_count, 1, sizeof(*p->samples)) ||
	    profile_room(&p->stack, p->stack_count, location_count, sizeof(*p->stack)) ||
	    profile_room(&p->values, p->value_count, p->type_count, sizeof(*p->values)) ||
	    profile_room(&p->labels, p->label_count, label_count, sizeof(*p->labels)))
		return ERR_NOMEM;
	if (location_count)
		memcpy(p->stack + p->stack_count, locations, location_count * sizeof(*locations));
	if (p->type_count)
		memcpy(p->values + p->value_count, values, p->type_count * sizeof(*values));
	if (label_count)
		memcpy(p->labels + p->label_count, labels, label_count * sizeof(*labels));
	p->stack_count += location_count;
	p->value_count += p->type_count;
	p->label_count += label_count;
	p->samples[p->sample_count++] = s;
	return 0;
}

int profile_set_stack(struct profile *p, size_t sample, const uint32_t *locations,
		      size_t location_count)
{
	struct profile_sample *s = &p->samples[sample];

	if (profile_room(&p->stack, p->stack_count, location_count, sizeof(*p->stack)))
		return ERR_NOMEM;
	if (location_count)
		memcpy(p->stack + p->stack_count, locations, location_count * sizeof(*locations));
	s->first_location = p->stack_count;
	s->locations = location_count;
	p->stack_count += location_count;
	return 0;
}

int profile_add_comment(struct profile *p, const char *text)
{
	uint32_t id;

	return profile_string(p, text, &id) ? ERR_NOMEM : profile_add_comment_id(p, id);
}

int profile_add_comment_id(struct profile *p, uint32_t string)
{
	if (profile_room(&p->comments, p->comment_count, 1, sizeof(*p->comments)))
		return ERR_NOMEM;
	p->comments[p->comment_count++] = string;
	return 0;
}
