/* An array for each table of the profile has the index of what was added already. An entry is
 * written to a buffer first, because its bytes are its identity. */
#include "pprof/otlp/dictionary.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "pprof/otlp/fields.h"
#include "pprof/profile.h"
#include "pprof/wire/writer.h"

int dictionary_init(struct dictionary *d, const struct profile *p)
{
	memset(d, 0, sizeof(*d));
	d->p = p;
	d->string_of = calloc(p->strings.count + 1, sizeof(uint32_t));
	d->mapping_of = calloc(p->mapping_count + 1, sizeof(uint32_t));
	d->function_of = calloc(p->function_count + 1, sizeof(uint32_t));
	d->location_of = calloc(p->location_count + 1, sizeof(uint32_t));
	if (!d->string_of || !d->mapping_of || !d->function_of || !d->location_of)
		return ERR_NOMEM;
	return strset_init(&d->strings) || strset_init(&d->attributes) ||
			       strset_init(&d->mappings) || strset_init(&d->functions) ||
			       strset_init(&d->locations) || strset_init(&d->stacks) ?
		       ERR_NOMEM :
		       0;
}

void dictionary_release(struct dictionary *d)
{
	strset_release(&d->strings);
	strset_release(&d->attributes);
	strset_release(&d->mappings);
	strset_release(&d->functions);
	strset_release(&d->locations);
	strset_release(&d->stacks);
	free(d->string_of);
	free(d->mapping_of);
	free(d->function_of);
	free(d->location_of);
	free(d->indexes.list);
	free(d->stack.list);
	buffer_release(&d->entry);
	buffer_release(&d->text);
}

/* Strings. */

int dictionary_string(struct dictionary *d, uint32_t string, uint32_t *index)
{
	const struct strset_entry *s = &d->p->strings.entries[string];

	if (!d->string_of[string]) {
		d->text.len = 0;
		if (buffer_add_utf8(&d->text, s->text, s->len) ||
		    strset_add(&d->strings, (const char *)d->text.data, d->text.len, index))
			return ERR_NOMEM;
		d->string_of[string] = *index + 1;
	}
	*index = d->string_of[string] - 1;
	return 0;
}

/* Writes the index of a string. */
static void put_string(struct dictionary *d, struct writer *w, unsigned field, uint32_t string)
{
	uint32_t index = 0;

	if (!w->rc)
		w->rc = dictionary_string(d, string, &index);
	writer_number(w, field, index);
}

/* Writes the text itself. */
static void dictionary_put_text(struct dictionary *d, struct writer *w, uint32_t string)
{
	const struct strset_entry *s = &d->p->strings.entries[string];

	d->text.len = 0;
	if (!w->rc)
		w->rc = buffer_add_utf8(&d->text, s->text, s->len);
	writer_bytes(w, ANY_STRING, d->text.data, d->text.len);
}

static struct writer dictionary_begin(struct dictionary *d)
{
	d->entry.len = 0;
	return (struct writer){ .out = &d->entry };
}

/* Adds the entry that was written. */
static int dictionary_add(struct dictionary *d, struct writer *w, struct strset *table,
			  uint32_t *index)
{
	return w->rc ? w->rc : strset_add(table, (const char *)d->entry.data, d->entry.len, index);
}

static int dictionary_push(struct indexes *to, uint32_t index)
{
	if (room_for((void **)&to->list, &to->room, to->count + 1, sizeof(*to->list)))
		return ERR_NOMEM;
	to->list[to->count++] = index;
	return 0;
}

/* Attributes: KeyValueAndUnit. */

static int dictionary_add_attribute(struct dictionary *d, struct writer *w, struct indexes *to)
{
	uint32_t index;
	int rc = dictionary_add(d, w, &d->attributes, &index);

	return rc ? rc : dictionary_push(to, index);
}

static void put_key(struct dictionary *d, struct writer *w, const char *key)
{
	uint32_t index = 0;

	if (!w->rc)
		w->rc = strset_addz(&d->strings, key, &index);
	writer_number(w, UNITED_KEY, index);
}

/* Adds an attribute whose value is one of our own words. */
static int add_word(struct dictionary *d, const char *key, const char *value, struct indexes *to)
{
	struct writer w = dictionary_begin(d);
	size_t start;

	put_key(d, &w, key);
	start = writer_begin(&w, UNITED_VALUE);
	writer_bytes(&w, ANY_STRING, value, strlen(value));
	writer_end(&w, start);
	return dictionary_add_attribute(d, &w, to);
}

int dictionary_text(struct dictionary *d, const char *key, uint32_t string, struct indexes *to)
{
	struct writer w = dictionary_begin(d);
	size_t start;

	put_key(d, &w, key);
	start = writer_begin(&w, UNITED_VALUE);
	dictionary_put_text(d, &w, string);
	writer_end(&w, start);
	return dictionary_add_attribute(d, &w, to);
}

int dictionary_texts(struct dictionary *d, const char *key, const uint32_t *strings, size_t count,
		     struct indexes *to)
{
	struct writer w = dictionary_begin(d);
	size_t value, array;

	put_key(d, &w, key);
	value = writer_begin(&w, UNITED_VALUE);
	array = writer_begin(&w, ANY_ARRAY);
	for (size_t i = 0; i < count; i++) {
		size_t start = writer_begin(&w, ARRAY_VALUES);

		dictionary_put_text(d, &w, strings[i]);
		writer_end(&w, start);
	}
	writer_end(&w, array);
	writer_end(&w, value);
	return dictionary_add_attribute(d, &w, to);
}

/* Labels. */

static void dictionary_put_label(struct dictionary *d, struct writer *w,
				 const struct profile_label *l)
{
	if (l->str)
		dictionary_put_text(d, w, l->str);
	else
		writer_value(w, ANY_INT, (uint64_t)l->num);
}

/* Writes the labels of one key: as an array if there are several, since in OTLP a sample has a key
 * once. */
static void dictionary_put_labels(struct dictionary *d, struct writer *w,
				  const struct profile_label *labels, const uint32_t *order,
				  size_t count)
{
	size_t array;

	if (count == 1) {
		dictionary_put_label(d, w, &labels[*order]);
		return;
	}
	array = writer_begin(w, ANY_ARRAY);
	for (size_t i = 0; i < count; i++) {
		size_t start = writer_begin(w, ARRAY_VALUES);

		dictionary_put_label(d, w, &labels[order[i]]);
		writer_end(w, start);
	}
	writer_end(w, array);
}

/* The unit of the labels of one key; none if they differ. */
static uint32_t dictionary_unit_of(const struct profile_label *labels, const uint32_t *order,
				   size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (labels[order[i]].num_unit != labels[*order].num_unit)
			return 0;
	return labels[*order].num_unit;
}

static int dictionary_add_labels(struct dictionary *d, const struct profile_label *labels,
				 const uint32_t *order, size_t count, struct indexes *to)
{
	struct writer w = dictionary_begin(d);
	size_t start;

	put_string(d, &w, UNITED_KEY, labels[*order].key);
	start = writer_begin(&w, UNITED_VALUE);
	dictionary_put_labels(d, &w, labels, order, count);
	writer_end(&w, start);
	put_string(d, &w, UNITED_UNIT, dictionary_unit_of(labels, order, count));
	return dictionary_add_attribute(d, &w, to);
}

static int dictionary_by_key(const void *a, const void *b, void *labels)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t x_key = ((const struct profile_label *)labels)[x].key;
	uint32_t y_key = ((const struct profile_label *)labels)[y].key;

	return x_key != y_key ? (x_key > y_key) - (x_key < y_key) : (x > y) - (x < y);
}

static int dictionary_by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int dictionary_labels(struct dictionary *d, const struct profile_sample *s, struct indexes *to)
{
	struct profile_label *labels = d->p->labels + s->first_label;
	struct indexes *order = &d->indexes;
	int rc = 0;

	order->count = 0;
	for (size_t i = 0; !rc && i < s->labels; i++)
		if (labels[i].key)
			rc = dictionary_push(order, (uint32_t)i);
	if (rc || !order->count)
		return rc;
	qsort_r(order->list, order->count, sizeof(*order->list), dictionary_by_key, labels);
	for (size_t i = 0, next; !rc && i < order->count; i = next) {
		for (next = i + 1; next < order->count; next++)
			if (labels[order->list[next]].key != labels[order->list[i]].key)
				break;
		rc = dictionary_add_labels(d, labels, order->list + i, next - i, to);
	}
	if (to->count)
		qsort(to->list, to->count, sizeof(*to->list), dictionary_by_number);
	return rc;
}

/* What a profile contains about the origin of its code, by OpenTelemetry's semantic conventions.
 * What it does not contain is not guessed. */

/* The attribute that a mapping's build ID belongs into; NULL if it has none. Go's own has four
 * parts with slashes between (cmd/go/internal/work/buildid.go); the GNU linker's is a row of
 * hexadecimal digits. */
static const char *otlp_build_id_key(const struct profile *p, const struct profile_mapping *m)
{
	const char *id = strset_get(&p->strings, m->build_id);

	if (!*id)
		return NULL;
	return strchr(id, '/') ? "process.executable.build_id.go" :
				 "process.executable.build_id.gnu";
}

static bool dictionary_ends_in(const char *text, const char *ending)
{
	size_t len = strlen(text), end = strlen(ending);

	return len > end && !strcmp(text + len - end, ending);
}

/* The name of the innermost line's source file; "" if it has none. */
static const char *source_of(const struct profile *p, const struct profile_location *l)
{
	uint32_t function = l->lines ? p->lines[l->first_line].function : 0;

	return function ? strset_get(&p->strings, p->functions[function - 1].filename) : "";
}

/* A value of profile.frame.type; NULL: not known. Only an ELF file has a build ID, so code of a
 * mapping with one was compiled to it. Code in memory that a just-in-time compiler wrote has none,
 * and no type. "native" may stand for Go and Rust, too, where the source's name is not known. */
static const char *otlp_frame_type(const struct profile *p, const struct profile_location *l)
{
	const struct profile_mapping *m = l->mapping ? &p->mappings[l->mapping - 1] : NULL;
	const char *source = source_of(p, l), *file = m ? strset_get(&p->strings, m->filename) : "";

	if (!strncmp(file, "[kernel", strlen("[kernel")))
		return "kernel";
	if (dictionary_ends_in(source, ".go"))
		return "go";
	if (dictionary_ends_in(source, ".rs"))
		return "rust";
	return m && m->build_id ? "native" : NULL;
}

/* Mappings, functions, locations. */

static int dictionary_mapping_of(struct dictionary *d, uint32_t id, uint32_t *index)
{
	const struct profile_mapping *m = &d->p->mappings[id - 1];
	const char *key = otlp_build_id_key(d->p, m);
	struct writer w;
	int rc = 0;

	d->indexes.count = 0;
	if (key)
		rc = dictionary_text(d, key, m->build_id, &d->indexes);
	if (rc)
		return rc;
	w = dictionary_begin(d);
	writer_number(&w, OTLP_MAPPING_START, m->start);
	writer_number(&w, OTLP_MAPPING_LIMIT, m->limit);
	writer_number(&w, OTLP_MAPPING_OFFSET, m->offset);
	put_string(d, &w, OTLP_MAPPING_FILENAME, m->filename);
	writer_packed(&w, OTLP_MAPPING_ATTRIBUTES, d->indexes.list, d->indexes.count);
	return dictionary_add(d, &w, &d->mappings, index);
}

static int dictionary_function_of(struct dictionary *d, uint32_t id, uint32_t *index)
{
	const struct profile_function *f = &d->p->functions[id - 1];
	struct writer w = dictionary_begin(d);

	put_string(d, &w, OTLP_FUNCTION_NAME, f->name);
	put_string(d, &w, OTLP_FUNCTION_SYSTEM_NAME, f->system_name);
	put_string(d, &w, OTLP_FUNCTION_FILENAME, f->filename);
	writer_number(&w, OTLP_FUNCTION_START_LINE, (uint64_t)f->start_line);
	return dictionary_add(d, &w, &d->functions, index);
}

/* Finds the index of an entry, or adds it. Id 0 is none, as index 0 is. */
static int dictionary_find(struct dictionary *d, uint32_t *known, uint32_t id,
			   int (*make)(struct dictionary *d, uint32_t id, uint32_t *index),
			   uint32_t *index)
{
	int rc = 0;

	*index = 0;
	if (!id)
		return 0;
	if (!known[id]) {
		rc = make(d, id, index);
		known[id] = rc ? 0 : *index + 1;
	}
	*index = rc ? 0 : known[id] - 1;
	return rc;
}

static int dictionary_add_functions(struct dictionary *d, const struct profile_location *l)
{
	const struct profile_line *lines = d->p->lines + l->first_line;
	uint32_t index;
	int rc = 0;

	for (size_t i = 0; !rc && i < l->lines; i++)
		rc = dictionary_find(d, d->function_of, lines[i].function, dictionary_function_of,
				     &index);
	return rc;
}

static void dictionary_put_line(struct dictionary *d, struct writer *w,
				const struct profile_line *l)
{
	size_t start = writer_begin(w, OTLP_LOCATION_LINES);

	if (l->function)
		writer_number(w, OTLP_LINE_FUNCTION, d->function_of[l->function] - 1);
	writer_number(w, OTLP_LINE_LINE, (uint64_t)l->line);
	writer_number(w, OTLP_LINE_COLUMN, (uint64_t)l->column);
	writer_end(w, start);
}

static int add_true(struct dictionary *d, const char *key, struct indexes *to)
{
	struct writer w = dictionary_begin(d);
	size_t start;

	put_key(d, &w, key);
	start = writer_begin(&w, UNITED_VALUE);
	writer_value(&w, ANY_BOOL, 1);
	writer_end(&w, start);
	return dictionary_add_attribute(d, &w, to);
}

static int location_attributes(struct dictionary *d, const struct profile_location *l)
{
	const char *type = otlp_frame_type(d->p, l);
	int rc = 0;

	d->indexes.count = 0;
	if (type)
		rc = add_word(d, "profile.frame.type", type, &d->indexes);
	if (!rc && l->is_folded)
		rc = add_true(d, "pprof.location.is_folded", &d->indexes);
	return rc;
}

/* What it refers to is added first, since one entry at a time is made. */
static int dictionary_location_of(struct dictionary *d, uint32_t id, uint32_t *index)
{
	const struct profile_location *l = &d->p->locations[id - 1];
	uint32_t mapping;
	struct writer w;
	int rc = dictionary_find(d, d->mapping_of, l->mapping, dictionary_mapping_of, &mapping);

	rc = rc ? rc : dictionary_add_functions(d, l);
	rc = rc ? rc : location_attributes(d, l);
	if (rc)
		return rc;
	w = dictionary_begin(d);
	writer_number(&w, OTLP_LOCATION_MAPPING, mapping);
	writer_number(&w, OTLP_LOCATION_ADDRESS, l->address);
	for (size_t i = 0; i < l->lines; i++)
		dictionary_put_line(d, &w, &d->p->lines[l->first_line + i]);
	writer_packed(&w, OTLP_LOCATION_ATTRIBUTES, d->indexes.list, d->indexes.count);
	return dictionary_add(d, &w, &d->locations, index);
}

int dictionary_stack(struct dictionary *d, const struct profile_sample *s, uint32_t *index)
{
	const uint32_t *ids = d->p->stack + s->first_location;
	uint32_t location;
	struct writer w;
	int rc = 0;

	d->stack.count = 0;
	for (size_t i = 0; !rc && i < s->locations; i++) {
		rc = dictionary_find(d, d->location_of, ids[i], dictionary_location_of, &location);
		rc = rc ? rc : dictionary_push(&d->stack, location);
	}
	if (rc)
		return rc;
	w = dictionary_begin(d);
	writer_packed(&w, OTLP_STACK_LOCATIONS, d->stack.list, d->stack.count);
	return dictionary_add(d, &w, &d->stacks, index);
}

static void put_table(struct writer *w, unsigned field, const struct strset *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		writer_bytes(w, field, table->entries[i].text, table->entries[i].len);
}

void dictionary_write(const struct dictionary *d, struct writer *w)
{
	put_table(w, DICTIONARY_MAPPINGS, &d->mappings);
	put_table(w, DICTIONARY_LOCATIONS, &d->locations);
	put_table(w, DICTIONARY_FUNCTIONS, &d->functions);
	writer_bytes(w, DICTIONARY_LINKS, "", 0); /* pprof has no links to spans */
	put_table(w, DICTIONARY_STRINGS, &d->strings);
	put_table(w, DICTIONARY_ATTRIBUTES, &d->attributes);
	put_table(w, DICTIONARY_STACKS, &d->stacks);
}
