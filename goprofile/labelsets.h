/*
 * Sets of pprof labels: each once, however many goroutines have it.
 *
 * Goroutines share the set that they inherit, so most are found by their address. Two of the
 * same content are one, as in runtime/pprof (printCountProfile), which tells them apart by their
 * text.
 */
#ifndef GOPROFILE_LABELSETS_H
#define GOPROFILE_LABELSETS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/hashindex.h"

struct golabel;
struct profile;
struct profile_label;

struct labelset {
	const char *text;  /* as labelMap.String has it: {"key":"value", "other":"one"} */
	size_t len;
	const struct golabel *labels; /* by key */
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
	struct profile_label *made; /* of labelsets_make */
	size_t made_room;
};

/* Bytes of all sets together; a hostile program could go on for ever. */
enum { LABELSETS_BYTES_MAX = 256 << 20 };

/* {0} is empty. */
void labelsets_release(struct labelsets *s);

/* The set of an address: 1 + its index in `sets`; 0 when it is not known. */
uint32_t labelsets_at(const struct labelsets *s, uint64_t address);

/* Adds a set's content, which was read at an address (0: nowhere); copied. ERR_LIMIT,
 * ERR_NOMEM. */
int labelsets_add(struct labelsets *s, uint64_t address, const struct golabel *labels,
		  size_t count, uint32_t *set);

/* Forgets which addresses had which sets, when memory may have come to hold others. */
void labelsets_forget(struct labelsets *s);

/* A set (0: none) as a sample's labels, good until the next call. One whose value is empty has
 * its key alone, as runtime/pprof writes it, which readers take for no label. ERR_NOMEM. */
int labelsets_make(struct labelsets *s, uint32_t set, struct profile *p,
		   const struct profile_label **labels, size_t *count);

#endif
