/* Go's time.Duration.String: "1h2m3.5s", "1.5ms", "0s". */
#ifndef REPORT_DURATION_H
#define REPORT_DURATION_H

#include <stddef.h>
#include <stdint.h>

enum { DURATION_MAX = 40 };

/* Returns `text`, of DURATION_MAX bytes. */
const char *duration_text(int64_t nanos, char *text);

/* The bytes of the text's first `count` characters; not more than it has. */
size_t duration_prefix(const char *text, size_t count);

#endif
