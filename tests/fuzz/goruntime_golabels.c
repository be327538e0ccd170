// links: runtimes/go
/* Any bytes as a set of labels; the first byte chooses the release. */
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/go/labels.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { START = 0x10000, HEAD = 4 };

static void check(const struct golabel *l, size_t count)
{
	must(count <= GO_LABELS_MAX);
	for (size_t i = 0; i < count; i++) {
		must(l[i].key_len <= GO_LABEL_MAX && l[i].value_len <= GO_LABEL_MAX);
		must(!l[i].key[l[i].key_len] && !l[i].value[l[i].value_len]);
		must(!i || memcmp(l[i - 1].key, l[i].key,
				  l[i].key_len < l[i - 1].key_len ? l[i].key_len + 1 :
								    l[i - 1].key_len + 1) <= 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct golabel *labels;
	struct memory_bytes memory;
	struct golabels *l;
	size_t count;

	if (size < HEAD)
		return 0;
	memory_bytes_init(&memory, data + HEAD, START, size - HEAD);
	must(!golabels_new(&l, &memory.memory, 18u + data[0] % 10));
	golabels_remember(l, data[1] & 1);
	for (unsigned i = 0; i < 4; i++) {
		int rc = golabels_read(l, START + data[2 + i % 2] * 8u, &labels, &count);

		must(!rc || rc == ERR_FORMAT);
		if (!rc)
			check(labels, count);
	}
	golabels_free(l);
	return 0;
}
