// links: runtimes/go
/*
 * Any bytes as a Go map: the first byte chooses the release, the next ones the sizes of keys and
 * elements. The reported entries lie within the bounds of a map.
 */
#include <stdint.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/go/map.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { START = 0x10000, HEAD = 4, MAX = 40 };

struct told {
	const struct gomap_kind *kind;
	unsigned count, sum;
};

static int tell(void *ctx, const void *key, const void *elem)
{
	struct told *t = ctx;

	for (uint32_t i = 0; i < t->kind->key; i++)
		t->sum += ((const uint8_t *)key)[i];
	for (uint32_t i = 0; i < t->kind->elem; i++)
		t->sum += ((const uint8_t *)elem)[i];
	t->count++;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gomap_kind kind;
	struct told told = { .kind = &kind };
	struct memory_bytes memory;
	int rc;

	if (size < HEAD)
		return 0;
	kind = (struct gomap_kind){ 18u + data[0] % 10, 8u * (data[1] % 18u),
				    8u * (data[2] % 18u) };
	memory_bytes_init(&memory, data + HEAD, START, size - HEAD);
	rc = gomap_each(&memory.memory, START + data[3] * 8u, &kind, MAX, tell, &told);
	must(told.count <= MAX);
	must(!rc || !told.count);
	must(!rc || rc == ERR_FORMAT || rc == ERR_LIMIT);
	return 0;
}
