/*
 * Shows what changed between two profiles as a table: base, new, change, the largest change first.
 *
 * The profile is a difference as `pprof -diff_base` makes it: the base's samples are negated and
 * have the label pprof::base. So one profile has the frames of both, and what filters a profile
 * filters both alike.
 */
#ifndef PPROF_REPORT_CHANGE_H
#define PPROF_REPORT_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct error;
struct profile;
struct report_view;

/* One of the two, before they were combined. */
struct change_side {
	const char *name;		    /* borrowed; any bytes */
	int64_t time_nanos, duration_nanos; /* 0: not known */
};

struct change {
	struct change_side base, new;
	bool normalized; /* the new values are scaled so that both totals are equal */
};

/* Appends the table. Values are those of v->type; v->by, cum, unit, nodecount, node_fraction (of
 * the larger total), filters, width and colour act as in report_top.
 *
 * Values are per second if the durations differ by more than a hundredth, unless the type is a
 * level ("inuse_space") and no sum over time.
 *
 * A change is marked as possible noise by the counts of samples, from the column samples/count: how
 * likely are two counts as different as these if the function costs the same in both
 * (changetable.c)? The table says so if the counts cannot be compared. ERR_NOMEM, ERR_LIMIT. */
int report_change(const struct profile *difference, const struct report_view *v,
		  const struct change *c, struct buffer *out, struct error *err);

/* The same as JSON, as report_top_json. */
int report_change_json(const struct profile *difference, const struct report_view *v,
		       const struct change *c, struct buffer *out, struct error *err);

/* The probability that chance alone divides base + new samples as unequally as this or more, to
 * either side, where a sample is of the base with the odds base_weight : new_weight. From 0 to 1;
 * both weights are above 0. */
double change_chance(int64_t base, int64_t new, double base_weight, double new_weight);

#endif
