/* The kinds of profiles that goprofile_make and goprofile_text dispatch to (make.c). */
#ifndef SAMPLER_GO_PROFILE_KINDS_H
#define SAMPLER_GO_PROFILE_KINDS_H

#include "sampler/go/numbers/buckets.h"

struct buffer;
struct error;
struct goprofile;
struct profile;

/* Each kind of profile: into a profile without types, or appended as text. */
enum goprofile_heap { GOPROFILE_HEAP, GOPROFILE_ALLOCS };
int goprofile_heap_make(struct goprofile *g, enum goprofile_heap kind, struct profile *p,
			struct error *err);
int goprofile_heap_text(struct goprofile *g, struct buffer *out, struct error *err);
int goprofile_delay_make(struct goprofile *g, enum go_buckets which, struct profile *p,
			 struct error *err);
int goprofile_delay_text(struct goprofile *g, enum go_buckets which, struct buffer *out,
			 struct error *err);
/* `name`: "goroutine", "threadcreate" or that of a custom profile. */
int goprofile_count_make(struct goprofile *g, const char *name, struct profile *p,
			 struct error *err);
int goprofile_count_text(struct goprofile *g, const char *name, struct buffer *out,
			 struct error *err);

#endif
