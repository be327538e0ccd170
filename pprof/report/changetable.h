/* What a table of changes is made of, for its two writers, change_text.c and change_json.c. */
#ifndef PPROF_REPORT_CHANGETABLE_H
#define PPROF_REPORT_CHANGETABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprof/graph/nodes.h"
#include "pprof/report/change.h"

#define CHANGE_LEVEL 0.0005 /* of the test for noise, of a whole table */

enum side { BASE, NEW };

struct change_tally {
	int64_t value[2], samples[2]; /* by side */
};

struct change_row {
	uint32_t node;
	double value[2], change; /* as shown */
	bool noise;
};

struct change_table {
	const struct profile *p;
	const struct report_view *v;
	const struct change *c;
	struct nodes nodes;
	struct change_tally *tallies, total; /* tallies: by node */
	struct change_row *rows;
	size_t count, all, noisy, sure; /* sure: no noise, whether shown or not */
	size_t samples;			/* the column; p->type_count: none */
	double scale[2];		/* from a value to what is shown */
	double weight[2];		/* of the test; 0: there is none */
	const char *unit;
	double ratio; /* from the type's unit to `unit` */
	bool rates;
	struct report_view with_calls; /* *v if that shows more (look_at_calls) */
	bool looked;
};

/* Counts, makes the rows and chooses the unit. The caller calls change_release, after an error,
 * too. ERR_NOMEM, ERR_LIMIT. */
int change_make(struct change_table *t, const struct profile *difference,
		const struct report_view *v, const struct change *c);
void change_release(struct change_table *t);

/* The row of both sums. */
struct change_row change_total(const struct change_table *t);

/* Can it be tested which changes are noise? Has a profile no duration? Are the values no sums over
 * time? */
bool change_is_tested(const struct change_table *t);
bool change_has_durations(const struct change_table *t);
bool change_is_level(const struct change_table *t);

#endif
