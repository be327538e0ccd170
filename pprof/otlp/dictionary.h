/*
 * Collects the tables of an OTLP message, to which samples refer by index.
 *
 * Each table is a set of encoded entries: two entries are equal exactly when their bytes are, since
 * what they refer to is there once, too. Entry 0 is the empty message, as the format requires. An
 * entry is added when a sample first needs it, so no table has an entry that nothing refers to.
 * Internal to pprof/otlp/.
 */
#ifndef PPROF_OTLP_DICTIONARY_H
#define PPROF_OTLP_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/strset.h"

struct otlp_attribute;
struct profile;
struct profile_label;
struct profile_sample;
struct writer;

struct indexes {
	uint32_t *list; /* owned */
	size_t count, room;
};

struct dictionary {
	const struct profile *p;
	struct strset strings, attributes, mappings, functions, locations, stacks;
	/* By the number in the profile: the index + 1; 0: not added yet. */
	uint32_t *string_of, *mapping_of, *function_of, *location_of;
	/* Being made: an entry, a text in it, the indexes of its attributes, those of a stack. */
	struct buffer entry, text;
	struct indexes indexes, stack;
};

/* All functions return 0 or ERR_NOMEM. The caller calls dictionary_release, after an error too.
 * `p` is borrowed. */
int dictionary_init(struct dictionary *d, const struct profile *p);
void dictionary_release(struct dictionary *d);

/* The index of a string of the profile. */
int dictionary_string(struct dictionary *d, uint32_t string, uint32_t *index);

int dictionary_stack(struct dictionary *d, const struct profile_sample *s, uint32_t *index);

/* Adds the indexes of a sample's labels to the empty `to`, in ascending order. */
int dictionary_labels(struct dictionary *d, const struct profile_sample *s, struct indexes *to);

/* Adds an attribute, and its index to `to`: a text of the profile, or an array of texts. */
int dictionary_text(struct dictionary *d, const char *key, uint32_t string, struct indexes *to);
int dictionary_texts(struct dictionary *d, const char *key, const uint32_t *strings, size_t count,
		     struct indexes *to);

/* Writes a message Dictionary's fields. */
void dictionary_write(const struct dictionary *d, struct writer *w);

#endif
