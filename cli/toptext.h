/* What `sampler top` shows, as lines of text: the same for screen and table. */
#ifndef CLI_TOPTEXT_H
#define CLI_TOPTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/live.h"

struct buffer;
struct recording_stats;

/* What has come between two looks at the figures of a recording. */
struct topfigures {
	uint64_t elapsed_ns, cpu_ns, own_cpu_ns, ticks, ticks_due, withheld;
};

struct topview {
	const struct live *live;	     /* NULL: nothing yet */
	const struct recording_stats *stats; /* since the start */
	struct topfigures recent;
	const char *target;  /* "redis-server 4711" */
	unsigned rate;	     /* that was asked for */
	bool wall;	     /* what is shown is wall time */
	bool threads;	     /* a line for each thread, not for each function */
	uint64_t window_ns, elapsed_ns; /* of the profiles that `live` was made of */
};

/* Figures of this moment less those of `before`. */
struct topfigures topfigures_since(const struct recording_stats *now,
				   const struct topfigures *before);

/* The lines above the rows, each into `line` of `room` bytes: how the target does and how
 * we do; what the columns are. */
enum { TOPTEXT_LINE = 512 };
void toptext_target(const struct topview *v, char *line);
void toptext_sampler(const struct topview *v, char *line);
void toptext_spans(const struct topview *v, char *line);
void toptext_columns(const struct topview *v, char *line);

/* Lines and their numbers: rows of functions or of threads. Their names are as they came. */
size_t toptext_count(const struct topview *v);
const char *toptext_name(const struct topview *v, size_t i); /* what a filter looks at */
double toptext_heat(const struct topview *v, size_t i);	     /* share of late, 0 to 1 */
void toptext_row(const struct topview *v, size_t i, char *line);

#endif
