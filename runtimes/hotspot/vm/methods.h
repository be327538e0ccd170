/*
 * Methods: where their parts are, what they are called, and an id that tells one from another one
 * at its address (methods.c).
 */
#ifndef RUNTIMES_HOTSPOT_VM_METHODS_H
#define RUNTIMES_HOTSPOT_VM_METHODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"

struct arena;
struct error;
struct hotspot;
struct memory;
struct vmstructs;

/* Offsets and sizes in bytes; -1: this release has none. */
struct hotspot_method_layout {
	int32_t method_const, method_access;
	int32_t const_pool, const_size, const_flags, const_flags_word, const_code_size;
	int32_t const_name, const_signature, const_idnum, const_bytes;
	int32_t has_lines, has_lines_word; /* bit of the flags */
	int32_t pool_cache, pool_holder, pool_tags, pool_length, pool_source, pool_bytes;
	int32_t klass_name, klass_source, klass_methods, klass_bytes;
	int32_t klass_loader, loader_anonymous;
	int32_t symbol_length, symbol_length_and_refcount, symbol_body;
	int32_t array_length, array_data; /* Array<Method*> */
};

enum { HOTSPOT_SYMBOL_MAX = 256 }; /* bytes of a symbol that the id is of */

/* Where the parts of a method are, and what they say. */
struct hotspot_parts {
	uint64_t method, const_method, pool, holder;
	uint64_t class_symbol, name_symbol, signature_symbol;
	uint64_t cache;
	uint16_t class_length, name_length, signature_length; /* of the symbols' texts */
	uint16_t name_index, signature_index;
	uint16_t code_size, access;
	uint16_t source_index; /* in the pool; 0: none */
	bool has_lines;
	uint32_t const_size; /* bytes, with the bytecodes and the line table */
	uint64_t id;
};

/* Those that were met, by address: they are proven each time. */
struct hotspot_methods {
	struct hotspot_method_layout l;
	struct hotspot_parts *at; /* owned */
	size_t count, room;
	struct hashindex by_address;
};

int hotspot_methods_init(struct hotspot_methods *m, const struct vmstructs *tables,
			 struct error *why);
void hotspot_methods_release(struct hotspot_methods *m);

/* A method as it is in that memory: all parts, proven by one look. Valid until the next call.
 * ERR_FORMAT: there is none; ERR_NOMEM. */
int hotspot_parts_read(struct hotspot *hs, const struct memory *memory, uint64_t method,
		       const struct hotspot_parts **parts);

/* A method of the interpreter, as the walk has seen it. */
struct hotspot_method {
	uint64_t const_method;
	uint64_t code; /* address of its bytecodes */
	uint64_t code_size;
	/* Of its constant pool: a frame has the same in its cache slot; 0: not known. */
	uint64_t cache;
	uint64_t id; /* for the key: a digest of what makes it this method */
};

/* As above. Steps call it for each interpreted frame. */
int hotspot_method_read(struct hotspot *hs, uint64_t method, struct hotspot_method *m);

/* The address of an entry of a constant pool. */
uint64_t hotspot_pool_entry(const struct hotspot *hs, uint64_t pool, uint16_t index);

/* A symbol's text in the arena. *len: its bytes. ERR_FORMAT, ERR_NOMEM. */
int hotspot_symbol_read(const struct hotspot *hs, uint64_t symbol, struct arena *arena,
			uint8_t **text, size_t *len);

/* Is this the symbol's text, which is short? */
bool hotspot_symbol_is(const struct hotspot *hs, uint64_t symbol, const char *text);

/* True if the class has several methods of this one's name. */
bool hotspot_is_overloaded(struct hotspot *hs, const struct hotspot_parts *parts);

#endif
