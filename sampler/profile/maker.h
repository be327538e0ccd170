/*
 * From a round to its profile: the work of the process that decodes (sampler/child/decoding.h).
 *
 * Internal to sampler/.
 */
#ifndef SAMPLER_PROFILE_MAKER_H
#define SAMPLER_PROFILE_MAKER_H

#include <stdint.h>

#include "sampler/child/decoding.h"

struct assemble_names;
struct decoding;
struct error;
struct fetching;
struct outfile;
struct profile;
struct recording_options;
struct recording_stats;
struct recorded;
struct symbolizer;

/* What a decoding process works on. Only the symbolizers are owned. */
struct maker {
	struct recorded *recorded;
	const struct recording_options *options;
	struct recording_stats *stats; /* shown in the profile's comments */
	struct decoding *decoding;
	const struct fetching *fetching; /* NULL: nothing was requested from the network */
	unsigned flags;			 /* as in symbolize/symbolizer.h */
	const char *command_line;	 /* for the comments */
	uint64_t cpu_ns, peak_bytes;	 /* of the recording until this decoding began */
	struct symbolizer **symbolizers; /* by member; NULL until maker_symbolizers */
	uint32_t count;			 /* of the symbolizers */
};

/* Called before the decoding process starts: reads what that process may not read, the program's
 * path and the targets' users. */
void maker_ready(struct maker *p);

/* In the decoding process: makes a symbolizer for each member; maker_write frees them.
 * ERR_NOMEM. */
int maker_symbolizers(struct maker *p);

/* Fills an initialised profile, comments included. Without native frames (no_native), samples may
 * be equal, and locations stay that no sample has: the places of assemble_names refer to them. Our
 * CPU time and peak size are set in `result` and in the stats. ERR_NOMEM. */
int maker_fill(struct maker *p, const struct assemble_names *names, struct profile *profile,
	       struct decode_result *result, struct error *err);

/* As decode_work, with a struct maker: symbolizes all and writes the profile. */
int maker_write(struct maker *p, struct outfile *file, struct decode_result *result,
		struct error *err);

/* CPU time in ns that this process has used, and its peak resident set. */
uint64_t maker_own_cpu_ns(uint64_t *peak_bytes);

#endif
