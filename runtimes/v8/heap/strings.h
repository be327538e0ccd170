/*
 * V8's strings, read from outside (V8's src/objects/string.tq): sequential, cons, thin, sliced and
 * external ones, of one or two bytes a character.
 *
 * Characters are UTF-16, or Latin-1. What is shown is UTF-8.
 */
#ifndef RUNTIMES_V8_HEAP_STRINGS_H
#define RUNTIMES_V8_HEAP_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct v8_look;

enum {
	V8_TEXT_MAX = 4096, /* bytes of a name or path with its NUL; longer ones end in "…" */
	V8_SOURCE_MAX = 256 << 20, /* characters of a source text: longer ones have no lines */
};

/* A stretch of a string's characters in the process's memory. */
struct v8_chars {
	uint64_t at;
	uint32_t count;
	bool wide; /* two bytes each */
};

/* Calls `take` for each stretch of the string's first `max` characters, in order, until it returns
 * something else than 0, which is then returned. ERR_FORMAT: this is no string, or is not whole. */
int v8_string_each(struct v8_look *look, uint64_t string, uint32_t max,
		   int (*take)(void *own, const struct v8_chars *chars), void *own);

/* The string's length in characters. ERR_FORMAT: it is none. */
int v8_string_length(struct v8_look *look, uint64_t string, uint32_t *length);

/* Writes the string as UTF-8 with a NUL; V8_TEXT_MAX bytes are enough. ERR_FORMAT. */
int v8_string_text(struct v8_look *look, uint64_t string, char text[V8_TEXT_MAX]);

#endif
