/* Labels are told apart by key and text. The text of a number is what is printed, converted from
 * the unit of its key, so two numbers that look the same are added up. */
#include "pprof/report/reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashindex.h"
#include "base/room.h"
#include "pprof/graph/graph.h"
#include "pprof/graph/measure.h"
#include "base/printer.h"
#include "pprof/graph/text.h"
#include "pprof/labels.h"
#include "pprof/profile.h"
#include "pprof/report/heading.h"
#include "pprof/report/labels.h"

enum { VALUE_MAX = 2 * MEASURE_MAX };

struct tag {
	uint32_t key;	   /* string of the profile */
	uint32_t text;	   /* string of tags.texts */
	const char *name;  /* of the key */
	const char *value; /* the text */
	size_t columns;	   /* of the key */
	int64_t sum;
};

struct report_tags {
	const struct profile *p;
	const struct report_view *v;
	const char *unit; /* that values are shown in */
	struct strset texts;
	struct tag *list;
	size_t count, room;
	struct hashindex index;
	struct printer *out;
	int64_t total;
};

static bool same_tag(const void *owner, uint32_t i, const void *key)
{
	const struct tag *a = &((const struct report_tags *)owner)->list[i], *b = key;

	return a->key == b->key && a->text == b->text;
}

static int report_tags_text_of(struct report_tags *t, const struct profile_label *l, uint32_t *text)
{
	const struct strset_entry *e = &t->p->strings.entries[l->str];
	char number[MEASURE_MAX];

	if (l->str)
		return strset_add(&t->texts, e->text, e->len, text);
	measure_label(l->num, labels_unit(t->p, t->v->label_units, l->key), t->unit, number);
	return strset_addz(&t->texts, number, text);
}

static int count_label(struct report_tags *t, const struct profile_label *l, int64_t value)
{
	struct tag tag = { .key = l->key };
	uint64_t hash;
	uint32_t i;

	if (report_tags_text_of(t, l, &tag.text))
		return ERR_NOMEM;
	hash = hash_bytes((uint32_t[]){ tag.key, tag.text }, 2 * sizeof(uint32_t));
	i = hashindex_find(&t->index, hash, same_tag, t, &tag);
	if (i == HASHINDEX_NONE) {
		i = (uint32_t)t->count;
		if (room_for((void **)&t->list, &t->room, t->count + 1, sizeof(tag)) ||
		    hashindex_add(&t->index, hash, i))
			return ERR_NOMEM;
		t->list[t->count++] = tag;
	}
	t->list[i].sum = measure_sum(t->list[i].sum, value);
	return 0;
}

static int report_tags_count_all(struct report_tags *t)
{
	const struct profile *p = t->p;

	for (size_t i = 0; i < p->sample_count; i++) {
		const struct profile_sample *s = &p->samples[i];

		for (size_t j = 0; j < s->labels; j++) {
			const struct profile_label *l = &p->labels[s->first_label + j];

			if (!label_is_empty(l) &&
			    count_label(t, l, p->values[s->first_value + t->v->type]))
				return ERR_NOMEM;
		}
	}
	for (size_t i = 0; i < t->count; i++) {
		t->list[i].name = strset_get(&p->strings, t->list[i].key);
		t->list[i].columns = labels_columns(p, t->list[i].key);
		t->list[i].value = strset_get(&t->texts, t->list[i].text);
	}
	return 0;
}

static int by_key_and_value(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;
	int64_t mine = measure_magnitude(x->sum), yours = measure_magnitude(y->sum);

	if (x->key != y->key) {
		int order = strcmp(x->name, y->name);

		return order ? order : x->key < y->key ? -1 : 1;
	}
	return mine != yours ? (mine > yours ? -1 : 1) : strcmp(x->value, y->value);
}

/* Writes a value as pprof does in front of a tag: with its share, if there is a total. Returns its
 * columns. */
static size_t report_tags_value_text(const struct report_tags *t, int64_t value,
				     char text[VALUE_MAX])
{
	char number[MEASURE_MAX], share[MEASURE_MAX];
	int len;

	measure_label(value, heading_unit(t->p, t->v), t->unit, number);
	if (t->total <= 0)
		len = snprintf(text, VALUE_MAX, "%s", number);
	else
		len = snprintf(text, VALUE_MAX, "%s (%s)", number,
			       measure_percent(value, t->total, share));
	return text_columns(text, (size_t)len);
}

static void report_tags_add_key(struct report_tags *t, const struct tag *list, size_t count)
{
	char text[MEASURE_MAX], whole[MEASURE_MAX], share[MEASURE_MAX];
	const char *unit = heading_unit(t->p, t->v);
	int64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum = measure_sum(sum, list[i].sum);
	print_to(t->out, " ");
	print_foreign(t->out, list->name);
	measure_label(sum, unit, t->unit, text);
	measure_label(t->total, unit, t->unit, whole);
	print_to(t->out, ": Total %s of %s", text, whole);
	if (t->total > 0)
		print_to(t->out, " (%s)", measure_percent(sum, t->total, share));
	print_to(t->out, "\n");
}

/* Adds the values of one key. As Go's tabwriter does it, each column is as wide as its widest cell
 * plus a space before it. */
static void report_tags_add_values(struct report_tags *t, const struct tag *list, size_t count)
{
	size_t width = 0, first = list->columns + 2, columns;
	char text[VALUE_MAX];

	for (size_t i = 0; i < count; i++) {
		columns = report_tags_value_text(t, list[i].sum, text);
		width = columns > width ? columns : width;
	}
	for (size_t i = 0; i < count; i++) {
		columns = report_tags_value_text(t, list[i].sum, text);
		print_to(t->out, "%*s", (int)(first + width + 1 - columns), "");
		print_foreign(t->out, text);
		print_to(t->out, ": ");
		print_foreign(t->out, list[i].value);
		print_to(t->out, "\n");
	}
	print_to(t->out, "\n");
}

static void report_tags_add_all(struct report_tags *t)
{
	if (t->count)
		qsort(t->list, t->count, sizeof(*t->list), by_key_and_value);
	for (size_t i = 0, end; i < t->count && !t->out->rc; i = end) {
		for (end = i + 1; end < t->count && t->list[end].key == t->list[i].key;)
			end++;
		report_tags_add_key(t, &t->list[i], end - i);
		report_tags_add_values(t, &t->list[i], end - i);
	}
}

int report_tags(const struct profile *p, const struct report_view *v, struct buffer *out,
		struct error *err)
{
	struct printer to = { out, 0 };
	struct report_tags t = { .p = p,
				 .v = v,
				 .unit = v->unit ? v->unit : "minimum",
				 .out = &to,
				 .total = v->total ? v->total : graph_total(p, v->type) };

	to.rc = strset_init(&t.texts) || report_tags_count_all(&t) ? ERR_NOMEM : 0;
	report_tags_add_all(&t);
	hashindex_release(&t.index);
	strset_release(&t.texts);
	free(t.list);
	return printer_result(&to, err);
}
