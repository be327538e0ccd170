/* runtime.MemStats as runtime/pprof prints it behind a heap profile's text. */
#ifndef GOPROFILE_MEMSTATS_H
#define GOPROFILE_MEMSTATS_H

struct buffer;
struct goprofile;

/* Appends its fields, in Go's order; those that are not known are left out. ERR_NOMEM. */
int memstats_add(struct goprofile *g, struct buffer *out);

#endif
