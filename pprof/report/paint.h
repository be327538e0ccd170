/* Colours lines on a terminal: titles are bold, lines red or green by their share of the total.
 * None unless v->colour. */
#ifndef PPROF_REPORT_PAINT_H
#define PPROF_REPORT_PAINT_H

#include <stdint.h>

struct buffer;
struct report_view;

/* Appends a trusted text as a line. All functions here return 0, ERR_NOMEM or ERR_LIMIT. */
int paint_title(struct buffer *out, const struct report_view *v, const char *text);

/* Begin and end a line that is coloured by the share value / total. */
int paint_share(struct buffer *out, const struct report_view *v, int64_t value, int64_t total);
int paint_end_line(struct buffer *out, const struct report_view *v, int64_t value, int64_t total);

#endif
