/*
 * Distinct sets of pprof labels, however many goroutines have each.
 *
 * Goroutines share the set that they inherit, so most sets are found by address. Two sets with the
 * same content are one, as in runtime/pprof (printCountProfile), which compares their texts.
 */
#ifndef RUNTIMES_GO_SESSION_LABELSETS_H
#define RUNTIMES_GO_SESSION_LABELSETS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/hashindex.h"

struct golabel;
struct profile;
struct profile_label;

struct labelset {
	const char *text; /* as from labelMap.String: {"key":"value", "other":"one"} */
	size_t len;
	const struct golabel *labels; /* sorted by key */
	size_t count;
};

struct labelsets {
	struct arena arena;
	struct labelset *sets;
	struct hashindex texts;
	size_t count, room;
	struct buffer text;
	struct labelsets_seen *seen;
	struct hashindex addresses;
	size_t seen_count, seen_room;
	struct profile_label *made; /* the result of labelsets_make */
	size_t made_room;
};

/* The most bytes of all sets: a hostile program could have any number. */
enum { LABELSETS_BYTES_MAX = 256 << 20 };

/* {0} is empty. */
void labelsets_release(struct labelsets *s);

/* The set that was read at an address: 1 + its index in `sets`; 0: not known. */
uint32_t labelsets_at(const struct labelsets *s, uint64_t address);

/* Adds a set that was read at `address` (0: not to be remembered). The labels are copied. *set: 1 +
 * its index. ERR_LIMIT: more than LABELSETS_BYTES_MAX; ERR_NOMEM. */
int labelsets_add(struct labelsets *s, uint64_t address, const struct golabel *labels, size_t count,
		  uint32_t *set);

/* Forgets the addresses of sets, because other sets may be there by now. */
void labelsets_forget(struct labelsets *s);

/* Adds the strings of a set (0: none) to the profile; *labels are the labels for a sample, valid
 * until the next call. A label with an empty value has only its key, as runtime/pprof writes it;
 * readers ignore it. ERR_NOMEM. */
int labelsets_make(struct labelsets *s, uint32_t set, struct profile *p,
		   const struct profile_label **labels, size_t *count);

#endif
