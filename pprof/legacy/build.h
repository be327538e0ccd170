/*
 * Declares what the readers of legacy formats share: a profile under construction, whose samples
 * are lists of addresses. legacy_finish writes the profile, with the numbers and mappings that
 * google/pprof gives it.
 */
#ifndef PPROF_LEGACY_BUILD_H
#define PPROF_LEGACY_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/hashindex.h"
#include "pprof/profile.h"

struct error;

enum { LEGACY_VALUES = 4 }; /* the most that a sample has */

struct legacy_sample {
	size_t first, frames; /* in legacy.stack, leaf first */
	int64_t values[LEGACY_VALUES];
	int64_t block; /* the value of the label "bytes", if has_block is set */
	bool has_block;
};

/* A call at a place. */
struct legacy_line {
	uint32_t name, file; /* strings; file 0: unknown */
	int64_t line;	     /* 0: unknown */
};

/* A future location, found by its address. */
struct legacy_place {
	uint64_t address;
	size_t first_line, lines; /* in legacy.lines, innermost call first; 0: no name is known */
};

/* How far the comments of a sample have been followed (names.c). */
struct legacy_naming {
	size_t sample;	   /* its number, from 1 */
	size_t frame;	   /* in legacy.stack: the last one with a comment */
	size_t first_line; /* of that frame */
	bool begun, lost;  /* lost: the comments are not those of the sample's addresses */
};

struct legacy {
	struct profile *p; /* types, period and strings are added to it directly */
	struct error *err;
	struct hashindex by_address;
	struct legacy_place *places;
	uint32_t *stack; /* indexes of places */
	struct legacy_sample *samples;
	struct profile_mapping *mappings;
	struct legacy_line *lines;
	size_t place_count, stack_count, sample_count, mapping_count, line_count;
	size_t place_room, stack_room, sample_room, mapping_room, line_room;
	struct legacy_naming naming;
	bool drops_doubled_leaf; /* CPU: cleanupDuplicateLocations */
};

/* `p`, initialised and empty, and `err` must live until legacy_release. */
void legacy_init(struct legacy *l, struct profile *p, struct error *err);
void legacy_release(struct legacy *l);

/* Add a sample type; set the period and its type. 0 or ERR_NOMEM. */
int legacy_type(struct legacy *l, const char *type, const char *unit);
int legacy_period(struct legacy *l, const char *type, const char *unit, int64_t period);

/* Adds the text to the profile's strings; its number in *id. 0 or ERR_NOMEM. */
int legacy_string(struct legacy *l, struct cursor text, uint32_t *id);

/* Begin a sample without frames; add a frame to the newest sample, leaf first. *sample is valid
 * until the next sample begins. 0 or ERR_NOMEM. */
int legacy_begin_sample(struct legacy *l, struct legacy_sample **sample);
int legacy_add_frame(struct legacy *l, uint64_t address);

/* Adds each 0x… of the addresses at the front of the text as a frame of the newest sample. The text
 * stands behind the "@" of a sample's line. The addresses are return addresses, so 1 is subtracted.
 * ERR_FORMAT for more than 64 bits; ERR_NOMEM. */
int legacy_add_stack(struct legacy *l, struct cursor text);

/* Reads a comment behind a sample: a frame's name, file and line, as Go writes them; any other text
 * is ignored. 0 or ERR_NOMEM. */
int legacy_comment(struct legacy *l, struct cursor text);

/* Sets drop_frames and keep_frames, the frames that viewers may leave out by the kind of profile,
 * as google/pprof's addLegacyFrameInfo does. ERR_NOMEM. */
int legacy_frames(struct profile *p);

/* Stores the id of each address's mapping in ids[], in the order of the addresses; for an address
 * 0, ids[] is left as it is (Profile.remapMappingIDs; cover.c). Mappings may be extended downwards,
 * and a mapping of everything is added if an address has none. ERR_FORMAT when more than 256
 * mappings end before they begin; ERR_NOMEM. */
int legacy_cover(struct legacy *l, const uint64_t *addresses, size_t count, uint32_t *ids);

/* Writes everything collected to the profile, whose sample types are set. ERR_FORMAT for too many
 * mappings that end before they begin; ERR_NOMEM. */
int legacy_finish(struct legacy *l);

/* The readers of the single formats. Each reads all bytes into an empty profile. It returns 0; or
 * NOT_THIS where google/pprof returns errUnrecognized and tries the next format, with a message if
 * the first line was of this format, which is used if all others fail; or a negative error where
 * google/pprof would stop. */
enum { NOT_THIS = 1 };

typedef int legacy_reader(struct legacy *l, const void *data, size_t len);

legacy_reader legacy_cpu, legacy_heap, legacy_jemalloc, legacy_count, legacy_contention;

#endif
