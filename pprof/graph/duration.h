/* Writes durations as Go's time.Duration.String: "1h2m3.5s", "1.5ms", "0s". */
#ifndef PPROF_GRAPH_DURATION_H
#define PPROF_GRAPH_DURATION_H

#include <stdint.h>

enum { DURATION_MAX = 40 };

/* Writes a duration to `text`, which has DURATION_MAX bytes, and returns `text`. */
const char *duration_text(int64_t nanos, char *text);

#endif
