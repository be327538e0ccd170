/*
 * Makes text of untrusted strings in a buffer: without control characters, and limited in columns
 * and in size.
 *
 * A profile of some kilobytes can require gigabytes of text (a name of 30 KB in each of 30,000
 * frames): beyond TEXT_MAX every call returns ERR_LIMIT.
 */
#ifndef PPROF_GRAPH_TEXT_H
#define PPROF_GRAPH_TEXT_H

#include <stddef.h>

#include "base/buffer.h"

enum { TEXT_MAX = 512 << 20 }; /* bytes */

struct error;
struct profile;

/* Append a text. Control characters that act on a terminal (C0, C1, DEL) become '?'. 0, ERR_NOMEM
 * or ERR_LIMIT. */
int text_add(struct buffer *out, const char *text, size_t len);
int text_add_string(struct buffer *out, const struct profile *p, unsigned string);

/* The columns that a text takes: a character is one. */
size_t text_columns(const char *text, size_t len);

/* How many bytes the first `count` characters have; if there are fewer, `len`. */
size_t text_prefix(const char *text, size_t len, size_t count);

/* The width for "%*s" that pads the text to `columns`: its width counts bytes. */
int text_width(const char *text, int columns);

/* Which bytes of a text that takes more than `columns` are kept, with "…" in place of the middle:
 * the first *head ones, and those from *tail on. */
void text_cut(const char *text, size_t len, size_t columns, size_t *head, size_t *tail);

/* Appends a text, cut to fit into the line that `out` ends with: the line may have `width` columns
 * (0: no limit), of which `reserve` must stay free at its end. A longer text is shortened in the
 * middle, with "…" in place of what was removed; at least a few characters are kept. Errors as for
 * text_add. */
int text_add_fitting(struct buffer *out, const char *text, size_t len, unsigned width,
		     size_t reserve);

/* Appends trusted text: strings for "%s" must be trusted. Errors as for text_add. */
int text_addf(struct buffer *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Returns `rc`, an error of these functions or 0, and sets its message. */
int text_result(int rc, struct error *err);

#endif
