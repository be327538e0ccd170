/*
 * From a round to its profile: the work of the process that decodes (sampler/decoding.h).
 *
 * Internal to sampler/.
 */
#ifndef SAMPLER_PRODUCT_H
#define SAMPLER_PRODUCT_H

#include <stdint.h>

#include "sampler/decoding.h"

struct assemble_names;
struct decoding;
struct error;
struct fetching;
struct outfile;
struct profile;
struct recording_options;
struct recording_stats;
struct round;
struct symbolizer;

/* One decoding: what is handed to the process that does it. Nothing is owned but the
 * symbolizers. */
struct product {
	struct round *round;
	const struct recording_options *options;
	struct recording_stats *stats; /* that the profile's comments tell */
	struct decoding *decoding;
	const struct fetching *fetching; /* NULL: nothing was asked of the network */
	unsigned flags;		  /* as in symbolize/symbolizer.h */
	const char *command_line; /* for the comments */
	uint64_t cpu_ns, peak_bytes; /* ours until it began */
	struct symbolizer **symbolizers; /* by member; NULL until product_symbolizers */
	uint32_t count;
};

/* Before the decoding: what the process that does it could not read any more. */
void product_ready(struct product *p);

/* In that process. ERR_NOMEM. */
int product_symbolizers(struct product *p);
void product_release(struct product *p);

/* Fills an initialised profile, comments and all, and the result's figures, which are the
 * stats' then, too. ERR_NOMEM. */
int product_fill(struct product *p, const struct assemble_names *names, struct profile *profile,
		 struct decode_result *result, struct error *err);

/* As decode_work, with a struct product: symbolizes all and writes the profile. */
int product_write(struct product *p, struct outfile *file, struct decode_result *result,
		  struct error *err);

/* CPU time that this process has used, and its peak resident set. */
uint64_t product_own_cpu_ns(uint64_t *peak_bytes);

#endif
