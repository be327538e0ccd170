/*
 * Samples chosen by their labels: pprof's -tagfocus and -tagignore (internal/driver/
 * driver_focus.go, compileTagFilter).
 *
 *   PATTERN[,PATTERN…]       each occurs in some label of the sample, written KEY:VALUE
 *   KEY=PATTERN[,PATTERN…]   one of them occurs in a value of that key
 *   [KEY=]RANGE              a number of the sample lies in it: 32kb, 32kb:, :64kb, 32kb:64kb
 *
 * A range without a unit means numbers that have none; a range that mixes kinds of units is
 * no range but a pattern, as in pprof.
 */
#ifndef PPROF_TAGMATCH_H
#define PPROF_TAGMATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "pprof/filter.h"

struct error;
struct profile;
struct tagmatch;

enum { TAGMATCH_PATTERNS_MAX = 64 };

/* Reads the text. ERR_USAGE, ERR_LIMIT for more than TAGMATCH_PATTERNS_MAX patterns, ERR_NOMEM.
 * The caller owns *match. */
int tagmatch_new(struct tagmatch **match, const char *text, struct error *err);
void tagmatch_free(struct tagmatch *match); /* NULL is fine */

/* The part of the text that was read as a range of numbers; NULL where it is patterns. */
const char *tagmatch_range(const struct tagmatch *match);

/* Keeps the samples that match focus (NULL: all) and not ignore; found->focus and found->ignore
 * tell whether any did (FilterSamplesByTag). A match serves one profile. `units` from
 * tagmatch_units, which has to be asked before samples are filtered. */
int tagmatch_filter(struct profile *p, const uint32_t *units, struct tagmatch *focus,
		    struct tagmatch *ignore, struct filter_found *found, struct error *err);

/* What the numbers of each key are measured in: by the key's string the unit's string, 0 where
 * no sample tells (profile.go, NumLabelUnits). To be freed; NULL when out of memory. */
uint32_t *tagmatch_units(const struct profile *p);

#endif
