/* Colour on a terminal: titles bold, what costs much warm. Nothing unless v->colour. */
#ifndef REPORT_PAINT_H
#define REPORT_PAINT_H

#include <stdint.h>

struct buffer;
struct report_view;

/* A line of our own, with its end. 0, ERR_NOMEM, ERR_LIMIT; so all. */
int paint_title(struct buffer *out, const struct report_view *v, const char *text);

/* Begins and ends a line whose value is that share of the total. */
int paint_share(struct buffer *out, const struct report_view *v, int64_t value, int64_t total);
int paint_end_line(struct buffer *out, const struct report_view *v, int64_t value, int64_t total);

#endif
