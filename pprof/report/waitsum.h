/* The waits of a wall profile, by what for, for the two writers, waits.c and waits_json.c. */
#ifndef PPROF_REPORT_WAITSUM_H
#define PPROF_REPORT_WAITSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/hashindex.h"
#include "base/strset.h"
#include "pprof/report/stacktext.h"

struct error;
struct profile;
struct report_view;

/* Time for which one thing was waited for in one stack. Waits for work, which are those for
 * connections, stand apart, and so do event loops: of one that waits for several it is not known
 * whether that is work of its clients, or an answer to its own requests. */
struct waits_row {
	uint32_t what;	/* in waitsum.things */
	uint32_t stack; /* in waitsum.stacks; 0: it has none */
	enum waits_part { PART_WAITS, PART_LOOPS, PART_IDLE } part;
	int64_t sum, what_sum;
};

struct waitsum {
	const struct profile *p;
	const struct report_view *v;
	struct strset things;
	struct stacktext stacks;
	struct buffer text;	/* reused */
	struct waits_row *rows; /* by part; those of a thing are neighbours */
	size_t count, room;
	struct hashindex index;
	int64_t sum, total;
};

/* Finds and sorts all waits. The caller calls waitsum_release, after an error, too. ERR_NOMEM;
 * ERR_NOTFOUND: no thread waited. */
int waitsum_find(struct waitsum *w, const struct profile *p, const struct report_view *v,
		 struct error *err);
void waitsum_release(struct waitsum *w);

/* How many rows from rows[i] on are of its thing. */
size_t waitsum_group(const struct waitsum *w, size_t i);

#endif
