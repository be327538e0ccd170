/* What `sampler top` shows, as lines of text: the same for screen and table. */
#ifndef CLI_TOP_TEXT_H
#define CLI_TOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprof/report/live.h"

struct buffer;
struct recording_stats;

/* How a recording's figures have grown between two moments. */
struct topfigures {
	uint64_t elapsed_ns, cpu_ns, own_cpu_ns, ticks, ticks_due, withheld, samples;
};

struct topview {
	const struct live *live;	     /* NULL: nothing yet */
	const struct recording_stats *stats; /* since the start */
	struct topfigures recent;
	const char *target;		/* "redis-server 4711" */
	unsigned rate;			/* as requested, in Hz */
	bool wall;			/* what is shown is wall time */
	bool threads;			/* a line for each thread, not for each function */
	uint64_t window_ns, elapsed_ns; /* durations of the profiles that `live` was made from */
	unsigned columns;		/* of the screen; names are shortened to it; 0: no limit */
};

/* The figures of `now` minus those of `before`. */
struct topfigures topfigures_since(const struct recording_stats *now,
				   const struct topfigures *before);

/* Write the lines above the rows, each into the TOPTEXT_LINE bytes of `line`: the target's
 * figures, the sampler's, the spans of time, the titles of the columns. */
enum { TOPTEXT_LINE = 512 };
void toptext_target(const struct topview *v, char *line);
void toptext_sampler(const struct topview *v, char *line);
void toptext_spans(const struct topview *v, char *line);
void toptext_columns(const struct topview *v, char *line);

/* The rows, of functions or of threads: their number, and each by its index. Names may hold any
 * bytes. */
size_t toptext_count(const struct topview *v);
const char *toptext_name(const struct topview *v, size_t i); /* what a filter matches */
double toptext_heat(const struct topview *v, size_t i);	     /* share in the last window, 0 to 1 */
void toptext_row(const struct topview *v, size_t i, char *line);

/* Ends a line where the screen ends. Bytes that begin no character of UTF-8 do not count. */
void toptext_cut(char *line, size_t columns);

#endif
