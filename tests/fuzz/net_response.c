// links: base/net
/* Any bytes as the head of a response, passed in lines as libcurl does. */
#include <stdint.h>
#include <string.h>

#include "must.h"
#include "base/net/response.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_be_printable(const char *text, size_t room)
{
	must(memchr(text, '\0', room));
	for (; *text; text++)
		must((unsigned char)*text >= ' ' && *text != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct response r = { .keep = size % 2 ? "a" : NULL };
	const char *at = (const char *)data, *end = at + size;
	char small[9];

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = newline ? (size_t)(newline + 1 - at) : (size_t)(end - at);

		if (!response_line(&r, at, len))
			break;
		at += len;
	}
	must(r.bytes <= RESPONSE_HEAD_BYTES);
	must(!r.complete || (r.status >= 200 && r.status < 1000));
	must(memchr(r.location, '\0', sizeof(r.location)));
	must(memchr(r.kept, '\0', sizeof(r.kept)) && (r.keep || !*r.kept));
	must_be_printable(r.reason, sizeof(r.reason));
	must_be_printable(r.type, sizeof(r.type));
	must_be_printable(r.coded, sizeof(r.coded));
	response_text(small, sizeof(small), (const char *)data, size);
	must_be_printable(small, sizeof(small));
	return 0;
}
