/* Labels are told apart by key and text. The text of a number is what is printed, converted from
 * the unit of its key, so two numbers that look the same are added up. */
#include "pprof/report/reports.h"

#include <stdlib.h>
#include <string.h>

#include "base/hashindex.h"
#include "base/room.h"
#include "pprof/graph/graph.h"
#include "pprof/graph/measure.h"
#include "pprof/graph/text.h"
#include "pprof/labels.h"
#include "pprof/profile.h"
#include "pprof/report/heading.h"
#include "pprof/report/labels.h"

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
	struct buffer *out;
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

/* A value as pprof writes it in front of a tag: with its share, if there is a total. */
static int report_tags_add_value(struct report_tags *t, int64_t value, struct buffer *out)
{
	char text[MEASURE_MAX], share[MEASURE_MAX];

	measure_label(value, heading_unit(t->p, t->v), t->unit, text);
	if (t->total <= 0)
		return text_addf(out, "%s", text);
	return text_addf(out, "%s (%s)", text, measure_percent(value, t->total, share));
}

static int report_tags_add_key(struct report_tags *t, const struct tag *list, size_t count)
{
	char text[MEASURE_MAX], whole[MEASURE_MAX], share[MEASURE_MAX];
	const char *unit = heading_unit(t->p, t->v);
	int64_t sum = 0;
	int rc = text_addf(t->out, " ");

	for (size_t i = 0; i < count; i++)
		sum = measure_sum(sum, list[i].sum);
	rc = rc ? rc : text_add(t->out, list->name, strlen(list->name));
	measure_label(sum, unit, t->unit, text);
	measure_label(t->total, unit, t->unit, whole);
	rc = rc ? rc : text_addf(t->out, ": Total %s of %s", text, whole);
	if (!rc && t->total > 0)
		rc = text_addf(t->out, " (%s)", measure_percent(sum, t->total, share));
	return rc ? rc : text_addf(t->out, "\n");
}

/* Adds the values of one key. As Go's tabwriter does it, each column is as wide as its widest cell
 * plus a space before it. */
static int report_tags_add_values(struct report_tags *t, const struct tag *list, size_t count)
{
	size_t width = 0, first = list->columns + 2, columns;
	struct buffer value = { 0 };
	int rc = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < count && !rc; i++) {
			value.len = 0;
			rc = report_tags_add_value(t, list[i].sum, &value);
			columns = text_columns((char *)value.data, value.len);
			if (!pass) {
				width = columns + 2 > width ? columns + 2 : width;
				continue;
			}
			rc = rc ? rc :
				  text_addf(t->out, "%*s", (int)(first + width - columns - 1), "");
			rc = rc ? rc : text_add(t->out, (char *)value.data, value.len);
			rc = rc ? rc : text_addf(t->out, ": ");
			rc = rc ? rc : text_add(t->out, list[i].value, strlen(list[i].value));
			rc = rc ? rc : text_addf(t->out, "\n");
		}
	buffer_release(&value);
	return rc ? rc : text_addf(t->out, "\n");
}

static int report_tags_show(struct report_tags *t)
{
	int rc = report_tags_count_all(t);

	if (!rc && t->count)
		qsort(t->list, t->count, sizeof(*t->list), by_key_and_value);
	for (size_t i = 0, end; i < t->count && !rc; i = end) {
		for (end = i + 1; end < t->count && t->list[end].key == t->list[i].key;)
			end++;
		rc = report_tags_add_key(t, &t->list[i], end - i);
		rc = rc ? rc : report_tags_add_values(t, &t->list[i], end - i);
	}
	return rc;
}

int report_tags(const struct profile *p, const struct report_view *v, struct buffer *out,
		struct error *err)
{
	struct report_tags t = { .p = p,
				 .v = v,
				 .unit = v->unit ? v->unit : "minimum",
				 .out = out,
				 .total = v->total ? v->total : graph_total(p, v->type) };
	int rc = strset_init(&t.texts);

	rc = rc ? rc : report_tags_show(&t);
	hashindex_release(&t.index);
	strset_release(&t.texts);
	free(t.list);
	return text_result(rc, err);
}
