/*
 * Selects samples by their labels: pprof's -tagfocus and -tagignore (internal/driver/
 * driver_focus.go, compileTagFilter).
 *
 *   PATTERN[,PATTERN…]       each occurs in some label of the sample, written KEY:VALUE
 *   KEY=PATTERN[,PATTERN…]   one of them occurs in a value of that key
 *   [KEY=]RANGE              a number of the sample lies in it: 32kb, 32kb:, :64kb, 32kb:64kb
 *
 * A range without a unit matches numbers without a unit. A range that mixes kinds of units is
 * taken for a pattern, as in pprof.
 */
#ifndef PPROF_SELECT_TAGMATCH_H
#define PPROF_SELECT_TAGMATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "pprof/select/filter.h"

struct error;
struct profile;
struct tagmatch;

enum { TAGMATCH_PATTERNS_MAX = 64 };

/* Reads the text; the caller frees *match with tagmatch_free. ERR_USAGE; ERR_LIMIT, also for more
 * than TAGMATCH_PATTERNS_MAX patterns; ERR_NOMEM. */
int tagmatch_new(struct tagmatch **match, const char *text, struct error *err);
void tagmatch_free(struct tagmatch *match); /* NULL is allowed */

/* The part of the text that is a range of numbers, owned by `match`; NULL: it is patterns. */
const char *tagmatch_range(const struct tagmatch *match);

/* Keeps the samples that match focus (NULL: all do) and not ignore (NULL: none does); found->focus
 * and found->ignore: has any sample matched (FilterSamplesByTag)? `focus` and `ignore` must not be
 * used with another profile. `units` is from labels_units, called before samples are filtered.
 * ERR_NOMEM or an error of pattern_match: samples may then be missing or there twice. */
int tagmatch_filter(struct profile *p, const uint32_t *units, struct tagmatch *focus,
		    struct tagmatch *ignore, struct filter_found *found, struct error *err);

#endif
