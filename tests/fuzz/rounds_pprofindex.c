// links: rounds/collect
/* The index page of net/http/pprof: names are text, none occurs twice, none is empty, and each is
 * in the page unless parts of it were escaped. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rounds/collect/customname.h"
#include "rounds/source/pprofindex.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 5 };

/* Any name is encoded as a valid file name. */
static void check_encoded(const char *name)
{
	char encoded[CUSTOMNAME_MAX + 1];

	if (customname_encode(name, encoded))
		must(customname_good(encoded));
	must(!strchr(encoded, '/') && strlen(encoded) <= CUSTOMNAME_MAX);
}

static void check_names(const struct buffer *names, const uint8_t *page, size_t size)
{
	size_t count = 0;

	must(!names->len || !names->data[names->len - 1]);
	for (size_t at = 0; at < names->len; count++) {
		const char *name = (const char *)names->data + at;

		must(*name && strcmp(name, "heap"));
		if (!strpbrk(name, "&<>'\""))
			must(memmem(page, size, name, strlen(name)) || memchr(page, '&', size));
		for (size_t other = 0; other < at; other += strlen((char *)names->data + other) + 1)
			must(strcmp(name, (char *)names->data + other));
		check_encoded(name);
		at += strlen(name) + 1;
	}
	must(count <= MOST);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer names = { 0 };
	struct pprofindex *index;
	uint64_t count;
	int rc = pprofindex_parse(&index, data, size, NULL);

	must(rc == 0 ? index != NULL : rc == ERR_FORMAT && !index);
	if (rc)
		return 0;
	pprofindex_count(index, "goroutine", &count);
	must(pprofindex_custom(index, MOST, &names) == 0);
	check_names(&names, data, size);
	buffer_release(&names);
	pprofindex_free(index);
	return 0;
}
