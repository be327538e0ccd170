/* Reads of Ruby's strings, arrays and symbols. */
#ifndef RUNTIMES_RUBY_OBJECT_H
#define RUNTIMES_RUBY_OBJECT_H

#include "runtimes/ruby/runtime.h"

enum { NAME_BYTES = 25000 }; /* two texts that it reads, each byte of which may become three */

/* Reads OBJECT_BYTES of an object. False: there is none, which is no error. */
bool ruby_read_object(const struct memory *memory, uint64_t addr, void *object);

struct ruby_text {
	uint64_t at, len; /* bytes of the process */
};

/* Where the bytes of a string are, of which OBJECT_BYTES at `addr` are at hand; false: it is
 * none. */
bool ruby_string_text(const struct ruby_runtime *rt, uint64_t addr, const void *object,
		      struct ruby_text *text);
/* Element `i` of an array, of which OBJECT_BYTES are at hand, is at this address; 0: it has
 * none. */
uint64_t ruby_array_element(uint64_t addr, const void *object, uint64_t i);
/* Copies a string into `arena`; a long one is cut. NULL: there is none; *nomem: out of memory. */
const char *ruby_read_string(const struct ruby_runtime *rt, const struct memory *memory,
			     uint64_t addr, struct arena *arena, bool *nomem);
/* The same for the name of an ID. */
const char *ruby_read_id(const struct ruby_runtime *rt, const struct memory *memory, uint64_t id,
			 struct arena *arena, bool *nomem);
/* Finds ruby_global_symbols in the image's data. 0: not found. */
uint64_t ruby_find_symbols(const struct ruby_runtime *rt, const struct image *image, uint64_t bias,
			   const struct memory *memory);

#endif
