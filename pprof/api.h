/* What stands behind sampler-pprof.h's `struct pprof`. */
#ifndef PPROF_API_H
#define PPROF_API_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "pprof/profile.h"
#include "pprof/sampler-pprof.h"

struct pprof {
	struct profile profile;
	struct error error;
	/* What pprof_sample hands out. */
	struct buffer mappings; /* struct pprof_mapping, all of the profile's or fewer */
	struct buffer frames;	/* struct pprof_frame */
	struct buffer labels;	/* struct pprof_label */
	struct buffer values;	/* int64_t; a copy: the profile's move as it grows */
	/* The sample that is being added. */
	struct buffer lines;  /* struct profile_line, of one location */
	struct buffer stack;  /* uint32_t */
	struct buffer marks;  /* struct profile_label */
	struct hashindex mapping_index;
	size_t mappings_indexed;
};

/* Puts another profile in the place of what is there, which is released, and forgets
 * what was known of it. */
void api_replace(struct pprof *p, const struct profile *next);

int api_nomem(struct pprof *p);

#endif
