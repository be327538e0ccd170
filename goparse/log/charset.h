/* The first step of unlog.h: UTF-16 becomes UTF-8, as PowerShell's `>` writes it, and carriage
 * returns in a text without newlines become newlines. */
#ifndef GOPARSE_LOG_CHARSET_H
#define GOPARSE_LOG_CHARSET_H

#include "goparse/log/stage.h"

struct charset {
	struct stage stage;
	enum charset_is { CHARSET_PLAIN, CHARSET_UTF16LE, CHARSET_UTF16BE, CHARSET_RETURNS } is;
};

/* A goparse_reader; `charset` is a struct charset. */
int charset_read(void *charset, void *buf, size_t len, size_t *got, struct error *err);

#endif
