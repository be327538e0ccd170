/* Where modules are, and the code that functions share. */
#ifndef RUNTIMES_BEAM_RANGES_H
#define RUNTIMES_BEAM_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct beam_label;
struct beam_runtime;

struct beam_range {
	uint64_t start, end;
};

enum { BEAM_RANGES_MAX = 1 << 16 };

/* The modules: where they are at the walk's begin and were when the walk before it began. */
struct beam_ranges {
	struct beam_range *now, *before; /* owned */
	size_t count, count_before, room, room_before;
	bool read, good;
};

/* Forgets the modules that a walk before this one has read. */
void beam_ranges_begin(struct beam_runtime *rt);
void beam_ranges_release(struct beam_ranges *r);

/* Reads where modules are, once in a walk. False: that cannot be read. ERR_NOMEM counts as that. */
bool beam_ranges_read(struct beam_runtime *rt);

/* The module whose memory holds this address. NULL: none. */
const struct beam_range *beam_range_find(struct beam_runtime *rt, uint64_t addr);

/* The shared code that begins at that address; NULL: none does. */
const struct beam_label *beam_shared_at(const struct beam_runtime *rt, uint64_t addr);

#endif
