/* Any bytes as a server's answer to a push: headers up to the first NUL, then the content. For the
 * targets of the engines that read their answers. */
#ifndef TESTS_FUZZ_ANSWERS_H
#define TESTS_FUZZ_ANSWERS_H

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "must.h"
#include "base/net/http.h"
#include "rounds/push/protocol.h"

static inline int judge_any(const struct pushprotocol *engine, const uint8_t *data, size_t size)
{
	struct http_answer a = { .status = 200 };
	const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
	size_t headers = end ? (size_t)(end - data) : size;
	struct error err = { 0 };
	enum pushnote_what what;

	memcpy(a.headers, data, headers < sizeof(a.headers) ? headers : sizeof(a.headers) - 1);
	if (end) {
		a.content_len = size - headers - 1;
		if (a.content_len > sizeof(a.content))
			a.content_len = sizeof(a.content);
		memcpy(a.content, end + 1, a.content_len);
	}
	what = engine->judge(&a, &err);
	must(what == PUSHNOTE_SENT || what == PUSHNOTE_REFUSED || what == PUSHNOTE_DROPPED ||
	     what == PUSHNOTE_FAILED);
	must((what == PUSHNOTE_SENT) == !err.code);
	must(what == PUSHNOTE_SENT || strlen(err.text));
	return 0;
}

#endif
