/* A progress line on a terminal, rewritten in place. Elsewhere nothing is printed. */
#ifndef CLI_COMMON_PROGRESS_H
#define CLI_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct recording_stats;

struct progress {
	bool on;	      /* the standard error is a terminal, and --quiet was not given */
	uint64_t duration_ns; /* 0: unknown, no bar */
	unsigned rate;
};

void progress_init(struct progress *p, bool quiet, uint64_t duration_ns, unsigned rate);

/* A recording_progress callback; `progress` is a struct progress. */
void progress_show(void *progress, const struct recording_stats *stats);

/* Says what is being done after sampling; NULL clears the line. */
void progress_say(const struct progress *p, const char *what);

#endif
