/*
 * A hash index: from a key's hash to the number of the entry that holds the key.
 *
 * The owner keeps its entries in its own array. The index only answers which entry has a key, so
 * one piece of code serves interned strings, stacks, locations and functions. Slots hold 32 bits of
 * hash beside the number, so that a search rarely calls the owner's comparison.
 */
#ifndef BASE_HASHINDEX_H
#define BASE_HASHINDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASHINDEX_NONE UINT32_MAX

/* {0} is empty. */
struct hashindex {
	struct hashindex_slot *slots;
	uint32_t mask;	/* number of slots (a power of two) - 1 */
	uint32_t count; /* entries */
};

/* True if entry `id` of `owner` has this key. */
typedef bool hashindex_eq(const void *owner, uint32_t id, const void *key);

void hashindex_release(struct hashindex *ix);

/* Removes all entries and keeps the memory. */
void hashindex_clear(struct hashindex *ix);

/* The number of the entry with this key, or HASHINDEX_NONE. */
uint32_t hashindex_find(const struct hashindex *ix, uint64_t hash, hashindex_eq *eq,
			const void *owner, const void *key);

/* Adds an entry whose key is not in the index yet. 0 or ERR_NOMEM. */
int hashindex_add(struct hashindex *ix, uint64_t hash, uint32_t id);

/* The same for entries of an array whose key is a number: their field `key`, a uint64_t. */
#define HASHINDEX_NUMBER(ix, entries, key, number) \
	hashindex_number(ix, entries, sizeof(*(entries)), offsetof(__typeof__(*(entries)), key), \
			 number)

/* For HASHINDEX_NUMBER: entries have `size` bytes, with the key `at` bytes from the beginning. */
uint32_t hashindex_number(const struct hashindex *ix, const void *entries, size_t size, size_t at,
			  uint64_t number);
int hashindex_add_number(struct hashindex *ix, uint64_t number, uint32_t id);

/* Makes room for `more` entries at once. 0 or ERR_NOMEM. */
int hashindex_reserve(struct hashindex *ix, size_t more);

/* XXH3 of `len` bytes (libxxhash), the hash used throughout. It differs from process to process, so
 * no output may depend on it. */
uint64_t hash_bytes(const void *data, size_t len);

/* Its seed, set before main. */
extern uint64_t hash_seed;

#endif
