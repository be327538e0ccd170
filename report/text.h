/*
 * Text out of foreign strings, into a buffer: without control characters, within a
 * number of columns, and not without end.
 *
 * A profile of some kilobytes can ask for gigabytes of text (a name of 30 KB in each of
 * 30,000 frames): past TEXT_MAX every call says ERR_LIMIT.
 */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <stddef.h>

#include "base/buffer.h"

enum { TEXT_MAX = 512 << 20 }; /* bytes */

struct error;
struct profile;

/* Appends. '?' stands for what would act on a terminal: C0 and C1 controls, DEL. 0,
 * ERR_NOMEM or ERR_LIMIT. */
int text_add(struct buffer *out, const char *text, size_t len);
int text_add_string(struct buffer *out, const struct profile *p, unsigned string);

/* The same, as far as it has room in the line that `out` ends with: what does not fit in
 * `width` columns (0: all) less `reserve` at its end is cut out of the middle, and "…"
 * says so. At least a few characters stay. */
int text_add_fitting(struct buffer *out, const char *text, size_t len, unsigned width,
		     size_t reserve);

/* Text of our own, "%s" only of trusted strings. Checks the limit, too. */
int text_addf(struct buffer *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What a writer returns for `rc`, with the message of such an error. */
int text_result(int rc, struct error *err);

#endif
