/* Colours lines on a terminal: titles are bold, lines red or green by their share of the total.
 * None unless v->colour. */
#ifndef PPROF_REPORT_PAINT_H
#define PPROF_REPORT_PAINT_H

#include <stdint.h>

struct printer;
struct report_view;

/* Appends a trusted text as a line. */
void paint_title(struct printer *out, const struct report_view *v, const char *text);

/* Begin and end a line that is coloured by the share value / total. */
void paint_share(struct printer *out, const struct report_view *v, int64_t value, int64_t total);
void paint_end_line(struct printer *out, const struct report_view *v, int64_t value, int64_t total);

#endif
