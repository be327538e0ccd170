/* The numbers of the strings are sorted by bytes, and the order is turned into a rank for each
 * number. */
#include "pprof/flame/rank.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/strset.h"

static int by_bytes(const void *a, const void *b, void *strings)
{
	const struct strset *s = strings;
	const struct strset_entry *x = &s->entries[*(const uint32_t *)a];
	const struct strset_entry *y = &s->entries[*(const uint32_t *)b];
	int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

int rank_strings(const struct strset *s, uint32_t **rank)
{
	uint32_t *order = malloc((s->count + 1) * sizeof(*order));

	*rank = malloc((s->count + 1) * sizeof(**rank));
	if (!order || !*rank) {
		free(order);
		free(*rank);
		*rank = NULL;
		return ERR_NOMEM;
	}
	for (uint32_t i = 0; i < s->count; i++)
		order[i] = i;
	qsort_r(order, s->count, sizeof(*order), by_bytes, (void *)s);
	for (uint32_t i = 0; i < s->count; i++)
		(*rank)[order[i]] = i;
	free(order);
	return 0;
}
