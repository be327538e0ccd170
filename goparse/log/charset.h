/* The first step of unlog.h: UTF-16, as PowerShell's `>` writes it, and UTF-32 become UTF-8, and
 * carriage returns in a text without newlines become newlines. */
#ifndef GOPARSE_LOG_CHARSET_H
#define GOPARSE_LOG_CHARSET_H

#include "goparse/log/lines/stage.h"

struct charset {
	struct stage stage;
	enum { CHARSET_PLAIN, CHARSET_UTF, CHARSET_RETURNS } is;
	size_t width;	 /* of a unit of CHARSET_UTF in bytes: 2 or 4 */
	bool big_endian; /* its first byte is the most significant one */
};

/* A goparse_reader; `charset` is a struct charset. */
int charset_read(void *charset, void *buf, size_t len, size_t *got, struct error *err);

#endif
