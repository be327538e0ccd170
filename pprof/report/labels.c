/* Labels are sorted by their keys as they are printed, with blanks in front, because pprof sorts
 * the printed lines; values of one key stay in their order. */
#include "pprof/report/labels.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/room.h"
#include "pprof/graph/text.h"
#include "pprof/profile.h"

/* postDecode ignores a label that is neither a string nor a number. */
static bool is_number(const struct profile_label *l)
{
	return !l->str && (l->num || l->num_unit);
}

/* A key as it is printed and compared: with spaces before it and a colon behind. */
struct printed {
	const struct strset_entry *key;
	size_t blanks;
};

static struct printed printed(const struct labels *l, uint32_t key)
{
	size_t columns = labels_columns(l->p, key);

	return (struct printed){ &l->p->strings.entries[key],
				 columns < l->width ? l->width - columns : 0 };
}

static int character(const struct printed *p, size_t i)
{
	if (i < p->blanks)
		return ' ';
	i -= p->blanks;
	return i < p->key->len ? (unsigned char)p->key->text[i] : i == p->key->len ? ':' : -1;
}

static int report_labels_by_key(const void *a, const void *b, void *labels)
{
	const struct profile_label *x = *(const struct profile_label *const *)a;
	const struct profile_label *y = *(const struct profile_label *const *)b;
	struct printed left = printed(labels, x->key), right = printed(labels, y->key);

	for (size_t i = 0; x->key != y->key && character(&left, i) >= 0; i++)
		if (character(&left, i) != character(&right, i))
			return character(&left, i) < character(&right, i) ? -1 : 1;
	return x < y ? -1 : x > y;
}

size_t labels_columns(const struct profile *p, uint32_t key)
{
	return text_columns(p->strings.entries[key].text, p->strings.entries[key].len);
}

int labels_take(struct labels *l, const struct profile *p, const struct profile_sample *s,
		bool numbers)
{
	l->p = p;
	l->count = 0;
	if (room_for((void **)&l->list, &l->room, s->labels, sizeof(*l->list)))
		return ERR_NOMEM;
	for (size_t i = 0; i < s->labels; i++) {
		const struct profile_label *label = &p->labels[s->first_label + i];

		if (numbers ? is_number(label) : label->str != 0)
			l->list[l->count++] = label;
	}
	if (l->count)
		qsort_r(l->list, l->count, sizeof(*l->list), report_labels_by_key, l);
	return 0;
}

void labels_release(struct labels *l)
{
	free(l->list);
	l->list = NULL;
}

size_t labels_run(const struct labels *l, size_t from)
{
	size_t end = from;

	while (end < l->count && l->list[end]->key == l->list[from]->key)
		end++;
	return end;
}
