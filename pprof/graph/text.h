/* Measures and cuts text by columns; appends strings of a profile, and text cut to fit a line. */
#ifndef PPROF_GRAPH_TEXT_H
#define PPROF_GRAPH_TEXT_H

#include <stddef.h>

struct printer;
struct profile;

/* Appends a string of the profile, as print_foreign does. */
void text_add_string(struct printer *out, const struct profile *p, unsigned string);

/* The columns that a text takes: a character is one. */
size_t text_columns(const char *text, size_t len);

/* How many bytes the first `count` characters have; if there are fewer, `len`. */
size_t text_prefix(const char *text, size_t len, size_t count);

/* The width for "%*s" that pads the text to `columns`: its width counts bytes. */
int text_width(const char *text, int columns);

/* Which bytes of a text that takes more than `columns` are kept, with "…" in place of the middle:
 * the first *head ones, and those from *tail on. */
void text_cut(const char *text, size_t len, size_t columns, size_t *head, size_t *tail);

/* Appends foreign text, cut to fit into the line that `out` ends with: the line may have `width`
 * columns (0: no limit), of which `reserve` must stay free at its end. A longer text is shortened
 * in the middle, with "…" in place of what was removed; at least a few characters are kept. */
void text_add_fitting(struct printer *out, const char *text, size_t len, unsigned width,
		      size_t reserve);

#endif
