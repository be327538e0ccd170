/* The distance is that of optimal string alignment (Damerau's four errors of typing, no part
 * edited twice). */
#include "cli/common/similar.h"

#include <stdint.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t similar_distance(const char *a, const char *b)
{
	size_t rows[3][SIMILAR_MAX + 1], n = strlen(a), m = strlen(b);
	size_t *older = rows[0], *old = rows[1], *row = rows[2], *spare;

	if (n > SIMILAR_MAX || m > SIMILAR_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= m; j++)
		old[j] = j;
	for (size_t i = 1; i <= n; i++) {
		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			row[j] = least(least(old[j], row[j - 1]) + 1,
				       old[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], older[j - 2] + 1);
		}
		spare = older;
		older = old;
		old = row;
		row = spare;
	}
	return old[m];
}

bool similar_enough(const char *typed, const char *word, size_t distance)
{
	size_t n = strlen(typed), m = strlen(word);

	return distance <= (n > m ? n : m) / 3;
}

void similar_try(struct similar *best, const char *typed, const char *word)
{
	size_t distance = similar_distance(typed, word);

	if ((*best->word && distance >= best->distance) || !similar_enough(typed, word, distance))
		return;
	strcpy(best->word, word);
	best->distance = distance;
}
