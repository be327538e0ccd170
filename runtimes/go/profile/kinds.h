/* The kinds of profiles that goprofile_make and goprofile_text dispatch to (make.c). */
#ifndef RUNTIMES_GO_PROFILE_KINDS_H
#define RUNTIMES_GO_PROFILE_KINDS_H

#include "runtimes/go/numbers/buckets.h"

struct buffer;
struct error;
struct goprofile;
struct goprofile_id;
struct profile;

/* For each kind: _make fills a profile that has no types yet, _text appends the text form. */
int goprofile_heap_make(struct goprofile *g, struct profile *p, struct error *err);
int goprofile_heap_text(struct goprofile *g, struct buffer *out, struct error *err);
int goprofile_delay_make(struct goprofile *g, enum go_buckets which, struct profile *p,
			 struct error *err);
int goprofile_delay_text(struct goprofile *g, enum go_buckets which, struct buffer *out,
			 struct error *err);
/* Goroutines, threads, or a custom profile. */
int goprofile_count_make(struct goprofile *g, const struct goprofile_id *id, struct profile *p,
			 struct error *err);
int goprofile_count_text(struct goprofile *g, const struct goprofile_id *id, struct buffer *out,
			 struct error *err);

#endif
