/*
 * The sample types select the form of runtime/pprof's text: a single type with the unit
 * "count" is a count profile, contentions and delay are a contention profile, four types of
 * allocations or two of space are a heap profile.
 *
 * Samples are sorted as Go sorts them; equal ones keep the profile's order. (Go sorts equal
 * ones by addresses that the protobuf does not have.)
 *
 * Numbers are written so that a reader computes the profile's values from them: cycles are
 * nanoseconds, and a heap's estimates are converted back to samples
 * (pprof/gotext/heapscale.h).
 */
#include "pprof/gotext/gotext.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/gotext/goquote.h"
#include "pprof/gotext/heapscale.h"
#include "pprof/gotext/stack.h"
#include "pprof/profile.h"

enum { HEAP_TYPES = 4 };

struct gotext_row {
	size_t sample;
	int64_t key;		    /* rows are sorted by this, then by `sample` */
	int64_t values[HEAP_TYPES]; /* as they are written */
};

struct gotext_writer {
	const struct profile *p;
	const struct legacy_extras *extras;
	struct buffer *out;
	struct error *err;
	struct gotext_row *rows; /* one for each sample */
	struct stack_lines lines;
};

static bool gotext_has_types(const struct profile *p, const char *const *types, size_t count)
{
	if (p->type_count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (strcmp(strset_get(&p->strings, p->types[i].type), types[2 * i]) ||
		    strcmp(strset_get(&p->strings, p->types[i].unit), types[2 * i + 1]))
			return false;
	return true;
}

static int none(struct gotext_writer *w, const char *why)
{
	return error_set(w->err, ERR_NOTFOUND, "%s", why);
}

static int nomem(struct gotext_writer *w)
{
	return error_nomem(w->err);
}

static int gotext_by_key(const void *a, const void *b)
{
	const struct gotext_row *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->sample < y->sample ? -1 : x->sample > y->sample;
}

static void add_to(int64_t *total, int64_t value)
{
	if (__builtin_add_overflow(*total, value, total))
		*total = INT64_MAX;
}

static int gotext_make_rows(struct gotext_writer *w)
{
	const struct profile *p = w->p;

	w->rows = calloc(p->sample_count + 1, sizeof(*w->rows));
	if (!w->rows)
		return nomem(w);
	for (size_t i = 0; i < p->sample_count; i++) {
		w->rows[i].sample = i;
		for (size_t j = 0; j < p->type_count; j++) {
			int64_t v = p->values[p->samples[i].first_value + j];

			if (v < 0)
				return none(w, "a value is negative");
			w->rows[i].values[j] = v;
		}
	}
	return 0;
}

static void sort_rows(struct gotext_writer *w, size_t value, bool descending)
{
	for (size_t i = 0; i < w->p->sample_count; i++)
		w->rows[i].key = descending ? -w->rows[i].values[value] : w->rows[i].values[value];
	qsort(w->rows, w->p->sample_count, sizeof(*w->rows), gotext_by_key);
}

/* Writes " 0xADDRESS" for each location: the address plus 1, because readers subtract 1 from a
 * return address. */
static int put_addresses(struct gotext_writer *w, const struct profile_sample *s)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < s->locations; i++) {
		const struct profile_location *l =
			&w->p->locations[w->p->stack[s->first_location + i] - 1];

		if (!l->address && l->lines)
			return none(w, "a location has a name and no address, and addresses are "
				       "all that is read of the text");
		rc = buffer_addf(w->out, " 0x%" PRIx64, l->address + 1);
	}
	return rc ? nomem(w) : 0;
}

static int put_comments(struct gotext_writer *w, const struct profile_sample *s, bool all)
{
	return stack_lines_write(&w->lines, w->p, s, all, w->out) ? nomem(w) : 0;
}

static int gotext_put_stack(struct gotext_writer *w, const struct profile_sample *s, bool all)
{
	int rc = put_addresses(w, s);

	if (!rc && buffer_add(w->out, "\n", 1))
		rc = nomem(w);
	return rc ? rc : put_comments(w, s, all);
}

/* Counts */

static int gotext_by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "key":"value", which the caller frees. NULL: out of memory. */
static char *quoted_label(const struct profile *p, const struct profile_label *l)
{
	const struct strset_entry *key = &p->strings.entries[l->key];
	const struct strset_entry *value = &p->strings.entries[l->str];
	struct buffer text = { 0 };

	if (goquote(key->text, key->len, &text) || buffer_add(&text, ":", 1) ||
	    goquote(value->text, value->len, &text) || buffer_add(&text, "", 1))
		buffer_release(&text);
	return (char *)text.data;
}

static int gotext_put_quoted(struct gotext_writer *w, char **texts, size_t count)
{
	int rc = buffer_addf(w->out, "# labels: {");

	qsort(texts, count, sizeof(*texts), gotext_by_text);
	for (size_t i = 0; !rc && i < count; i++)
		rc = buffer_addf(w->out, "%s%s", i ? ", " : "", texts[i]);
	return rc ? rc : buffer_add(w->out, "}\n", 2);
}

/* Writes the labels that are strings, sorted. */
static int gotext_put_labels(struct gotext_writer *w, const struct profile_sample *s)
{
	char **texts = malloc((s->labels + 1) * sizeof(*texts));
	size_t count = 0;
	int rc = texts ? 0 : ERR_NOMEM;

	for (size_t i = 0; !rc && i < s->labels; i++) {
		const struct profile_label *l = &w->p->labels[s->first_label + i];

		if (l->str && !(texts[count++] = quoted_label(w->p, l)))
			rc = ERR_NOMEM;
	}
	if (!rc && count)
		rc = gotext_put_quoted(w, texts, count);
	while (count)
		free(texts[--count]);
	free(texts);
	return rc ? nomem(w) : 0;
}

static int put_count_header(struct gotext_writer *w, const char *name)
{
	int64_t total = 0;

	if (!*name || strpbrk(name, " \t\n\f\r"))
		return none(w, "the sample type's name has a blank in it");
	for (size_t i = 0; i < w->p->sample_count; i++)
		add_to(&total, w->rows[i].values[0]);
	return buffer_addf(w->out, "%s profile: total %" PRId64 "\n", name, total) ? nomem(w) : 0;
}

static int write_counts(struct gotext_writer *w)
{
	int rc = put_count_header(w, strset_get(&w->p->strings, w->p->types[0].type));

	sort_rows(w, 0, true);
	for (size_t i = 0; !rc && i < w->p->sample_count; i++) {
		const struct profile_sample *s = &w->p->samples[w->rows[i].sample];

		if (buffer_addf(w->out, "%" PRId64 " @", w->rows[i].values[0]))
			return nomem(w);
		rc = put_addresses(w, s);
		if (!rc && buffer_add(w->out, "\n", 1))
			rc = nomem(w);
		if (!rc)
			rc = gotext_put_labels(w, s);
		if (!rc)
			rc = put_comments(w, s, false);
	}
	return rc;
}

/* Contention */

static int write_contention(struct gotext_writer *w)
{
	bool mutex = w->extras && w->extras->mutex;
	int rc = 0;

	sort_rows(w, 1, true);
	if (buffer_addf(w->out, "--- %s:\ncycles/second=1000000000\n",
			mutex ? "mutex" : "contention") ||
	    (mutex && buffer_addf(w->out, "sampling period=1\n")))
		rc = nomem(w);
	for (size_t i = 0; !rc && i < w->p->sample_count; i++) {
		const struct gotext_row *r = &w->rows[i];

		rc = buffer_addf(w->out, "%" PRId64 " %" PRId64 " @", r->values[1], r->values[0]) ?
			     nomem(w) :
			     gotext_put_stack(w, &w->p->samples[r->sample], true);
	}
	return rc;
}

/* Heap */

static int64_t gotext_block_of(const struct profile *p, const struct profile_sample *s)
{
	for (size_t i = 0; i < s->labels; i++) {
		const struct profile_label *l = &p->labels[s->first_label + i];

		if (!l->str && !strcmp(strset_get(&p->strings, l->key), "bytes"))
			return l->num;
	}
	return 0;
}

/* Converts estimates back to samples. */
static int unscale(struct gotext_writer *w, size_t first)
{
	for (size_t i = 0; i < w->p->sample_count; i++) {
		int64_t *v = w->rows[i].values + first;

		if (!v[0] && v[1])
			return none(w, "a sample has bytes in no object");
		heapscale_undo(&v[0], &v[1], w->p->period,
			       gotext_block_of(w->p, &w->p->samples[i]));
	}
	return 0;
}

/* "objects: bytes [objects: bytes] @": in use, then allocated. */
static int put_heap_row(struct gotext_writer *w, const int64_t *in_use, const int64_t *allocated)
{
	if (buffer_addf(w->out, "%" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64 "] @", in_use[0],
			in_use[1], allocated[0], allocated[1]))
		return nomem(w);
	return 0;
}

/* If the two pairs in the header are equal, or the second one is 0, readers expect samples with
 * one pair only. So Go makes the pairs differ (runtime/pprof, writeHeapInternal). */
static int put_heap_header(struct gotext_writer *w, bool has_alloc)
{
	int64_t total[HEAP_TYPES] = { 0 };
	const int64_t *in_use = total + (has_alloc ? 2 : 0);

	for (size_t i = 0; i < w->p->sample_count; i++)
		for (size_t j = 0; j < w->p->type_count; j++)
			add_to(&total[j], w->rows[i].values[j]);
	if (has_alloc && (total[1] == total[3] || !total[1]))
		total[1] += total[1] == INT64_MAX ? -1 : 1;
	if (put_heap_row(w, in_use, total))
		return ERR_NOMEM;
	return buffer_addf(w->out, " heap/%" PRId64 "\n", 2 * w->p->period) ? nomem(w) : 0;
}

static int put_heap_rows(struct gotext_writer *w, bool has_alloc)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < w->p->sample_count; i++) {
		const struct gotext_row *r = &w->rows[i];

		rc = put_heap_row(w, r->values + (has_alloc ? 2 : 0), r->values);
		if (!rc)
			rc = gotext_put_stack(w, &w->p->samples[r->sample], false);
	}
	return rc;
}

static int write_heap(struct gotext_writer *w)
{
	bool has_alloc = w->p->type_count == HEAP_TYPES;
	int rc;

	if (w->p->period < 0 || w->p->period > INT64_MAX / 2)
		return none(w, "the period is no heap profile's");
	rc = unscale(w, 0);
	if (!rc && has_alloc)
		rc = unscale(w, 2);
	if (!rc)
		rc = buffer_addf(w->out, "heap profile: ") ? nomem(w) :
							     put_heap_header(w, has_alloc);
	if (!rc)
		sort_rows(w, has_alloc ? 3 : 1, false);
	if (!rc)
		rc = put_heap_rows(w, has_alloc);
	if (!rc && w->extras && w->extras->memstats &&
	    legacy_memstats_write(w->extras->memstats, w->out))
		rc = nomem(w);
	return rc;
}

typedef int form_writer(struct gotext_writer *w);

static form_writer *find_form(const struct profile *p)
{
	static const char *const contention[] = { "contentions", "count", "delay", "nanoseconds" };
	static const char *const heap[] = { "alloc_objects", "count", "alloc_space", "bytes",
					    "inuse_objects", "count", "inuse_space", "bytes" };
	static const char *const space[] = { "objects", "count", "space", "bytes" };

	if (gotext_has_types(p, contention, 2))
		return write_contention;
	if (gotext_has_types(p, heap, 4) || gotext_has_types(p, space, 2))
		return write_heap;
	if (p->type_count == 1 && !strcmp(strset_get(&p->strings, p->types[0].unit), "count"))
		return write_counts;
	return NULL;
}

int legacy_write(const struct profile *p, const struct legacy_extras *extras, struct buffer *out,
		 struct error *err)
{
	struct gotext_writer w = { .p = p, .extras = extras, .out = out, .err = err };
	form_writer *form = find_form(p);
	int rc;

	if (!form)
		return none(&w, "its sample types are those of no count, contention or heap "
				"profile");
	rc = gotext_make_rows(&w);
	if (!rc)
		rc = form(&w);
	free(w.rows);
	stack_lines_release(&w.lines);
	return rc;
}
