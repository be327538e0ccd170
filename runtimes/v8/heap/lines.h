/*
 * Lines of a source text: where each ends, in characters (UTF-16 units) from the text's start.
 *
 * V8 computes them when it first needs a line of a script, and counts a carriage return, a newline,
 * both together, U+2028 and U+2029 as one line's end; the text's end is the last one (V8's
 * String::CalculateLineEnds).
 */
#ifndef RUNTIMES_V8_HEAP_LINES_H
#define RUNTIMES_V8_HEAP_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* {0} is empty, and continues nowhere. */
struct v8_lines {
	uint32_t *ends; /* owned; ascending */
	size_t count, room;
	uint32_t at; /* characters that were scanned */
	bool cr;     /* the last one was a carriage return */
};

void v8_lines_release(struct v8_lines *l);

/* Appends an end. ERR_FORMAT: it is in front of the last one; ERR_NOMEM. */
int v8_lines_add(struct v8_lines *l, uint32_t end);

/* Scans the text's next characters, of one or two bytes. v8_lines_finish ends the text.
 * ERR_NOMEM. */
int v8_lines_scan(struct v8_lines *l, const void *chars, size_t count, bool wide);
int v8_lines_finish(struct v8_lines *l);

/* The line and column, both from 0 on, of a character. False: it is in none. */
bool v8_lines_find(const struct v8_lines *l, uint32_t offset, uint32_t *line, uint32_t *column);

#endif
