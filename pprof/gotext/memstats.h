/* The block "# runtime.MemStats" of a heap text. */
#ifndef PPROF_GOTEXT_MEMSTATS_H
#define PPROF_GOTEXT_MEMSTATS_H

struct buffer;
struct legacy_memstats;

/* Appends the block to `out`, without the fields of stats->unknown. ERR_NOMEM. */
int legacy_memstats_write(const struct legacy_memstats *stats, struct buffer *out);

#endif
