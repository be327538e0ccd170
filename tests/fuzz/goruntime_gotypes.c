// links: runtimes/go/find
/*
 * Any bytes as Go's type descriptors. The first byte chooses how the lengths of names are encoded.
 * In every descriptor that is found fields are looked up, by names that exist and that do not.
 */
#include <stdint.h>

#include "base/error.h"
#include "base/process/gomodule.h"
#include "base/process/memory.h"
#include "runtimes/go/find/types.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TYPES = 0x5000, BIAS = 0x10000 };

struct found {
	uint32_t id, status, within, none;
};

static const struct gotypes_want wants[] = {
	{ offsetof(struct found, id), "goid", NULL, false },
	{ offsetof(struct found, status), "atomicstatus", NULL, true },
	{ offsetof(struct found, within), "sp", "sched", true },
	{ offsetof(struct found, none), "no such field", NULL, true },
};

static void ask(struct gotypes *t, uint64_t address)
{
	struct found found;
	uint32_t offset;
	uint64_t type;

	gotypes_size(t, address);
	if (gotypes_field(t, address, "sched", &offset, &type))
		gotypes_size(t, type);
	gotypes_fields(t, address, wants, sizeof(wants) / sizeof(*wants), &found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "runtime.g", "runtime.m", "runtime.mutex", "" };
	struct gomodule module = { .types = TYPES };
	struct memory_bytes memory;
	struct gotypes types = { 0 };
	int rc;

	if (!size)
		return 0;
	module.etypes = TYPES + size - 1;
	memory_bytes_init(&memory, data + 1, BIAS + TYPES, size - 1);
	rc = gotypes_load(&types, &module, BIAS, &memory.memory);
	must(!rc || rc == ERR_NOTFOUND || rc == ERR_LIMIT || rc == ERR_IO);
	if (rc)
		return 0;
	types.old_names = data[0] & 1;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		ask(&types, gotypes_struct(&types, names[i]));
	gotypes_learn_shift(&types, gotypes_struct(&types, "runtime.g"));
	for (uint64_t at = 0; at < size && at < 4096; at += 8)
		ask(&types, BIAS + TYPES + at);
	ask(&types, UINT64_MAX);
	gotypes_release(&types);
	return 0;
}
