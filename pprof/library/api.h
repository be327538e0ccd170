/* Defines sampler-pprof.h's `struct pprof`. */
#ifndef PPROF_LIBRARY_API_H
#define PPROF_LIBRARY_API_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "pprof/library/sampler-pprof.h"
#include "pprof/profile.h"

struct pprof {
	struct profile profile;
	struct error error;
	/* What pprof_sample returns pointers to. */
	struct buffer mappings; /* struct pprof_mapping: the profile's first ones, or all */
	struct buffer frames;	/* struct pprof_frame */
	struct buffer labels;	/* struct pprof_label */
	struct buffer values;	/* int64_t; a copy, because the profile's array moves as it grows */
	/* The sample that is being added. */
	struct buffer lines; /* struct profile_line, of one location */
	struct buffer stack; /* uint32_t */
	struct buffer marks; /* struct profile_label */
	struct hashindex mapping_index;
	size_t mappings_indexed;
};

#endif
