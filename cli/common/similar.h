/* Which word a mistyped one may have been meant as. */
#ifndef CLI_COMMON_SIMILAR_H
#define CLI_COMMON_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>

enum { SIMILAR_MAX = 40 }; /* a longer word is similar to none */

/* How many letters have to be inserted, left out, replaced or exchanged with their neighbour to
 * make one word of the other. SIZE_MAX: one is longer than SIMILAR_MAX. */
size_t similar_distance(const char *a, const char *b);

/* May `typed` have been meant as `word`, at that distance? At most one letter in three differs, so
 * that short words are not taken for any other. */
bool similar_enough(const char *typed, const char *word, size_t distance);

/* The most similar word so far; "": none is similar enough. {0} at first. */
struct similar {
	char word[SIMILAR_MAX + 1];
	size_t distance;
};

/* Takes `word` if `typed` is more like it than like all words before. */
void similar_try(struct similar *best, const char *typed, const char *word);

#endif
