/*
 * A hash index: from a key's hash to the number of the entry that holds it.
 *
 * The owner keeps its entries in an array of its own and only the question
 * "which entry has this key?" is answered here, so one piece of code serves
 * interned strings, stacks, locations and functions. Slots hold 32 bits of
 * hash beside the number: a probe rarely asks the owner to compare.
 */
#ifndef BASE_HASHINDEX_H
#define BASE_HASHINDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASHINDEX_NONE UINT32_MAX

struct hashindex {
	struct hashindex_slot *slots;
	uint32_t mask;	/* slots - 1; slots is a power of two */
	uint32_t count; /* entries */
};

/* True when entry `id` has the key that is looked for. */
typedef bool hashindex_eq(const void *owner, uint32_t id, const void *key);

/* An empty index; {0} is as good. */
void hashindex_init(struct hashindex *ix);
void hashindex_release(struct hashindex *ix);

/* Forgets all entries and keeps the memory. */
void hashindex_clear(struct hashindex *ix);

/* The entry with this key, or HASHINDEX_NONE. */
uint32_t hashindex_find(const struct hashindex *ix, uint64_t hash, hashindex_eq *eq,
			const void *owner, const void *key);

/* Adds an entry whose key is not there yet. 0 or ERR_NOMEM. */
int hashindex_add(struct hashindex *ix, uint64_t hash, uint32_t id);

/* Makes room for `more` entries at once. 0 or ERR_NOMEM. */
int hashindex_reserve(struct hashindex *ix, size_t more);

/* XXH3 of `len` bytes (libxxhash), the hash used throughout. Differs from process
 * to process, so nothing that is written may depend on it. */
uint64_t hash_bytes(const void *data, size_t len);

#endif
