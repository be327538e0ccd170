/* runtime.MemStats, as runtime/pprof prints it at the end of a heap profile's text. */
#ifndef RUNTIMES_GO_PROFILE_MEMSTATS_H
#define RUNTIMES_GO_PROFILE_MEMSTATS_H

struct buffer;
struct goprofile;

/* Appends the fields in Go's order, without those that are not known. ERR_NOMEM. */
int memstats_add(struct goprofile *g, struct buffer *out);

#endif
