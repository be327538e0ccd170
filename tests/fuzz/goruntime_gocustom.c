// links: runtimes/go/numbers
/*
 * Any bytes as a program's custom profiles, and as its list of threads: the first byte chooses
 * the release, the next two where both begin.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"
#include "runtimes/go/numbers/custom.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { START = 0x10000, HEAD = 4, STACK_ROOM = 32 };

static char name[2000];

static int tell_name(void *ctx, const char *text, size_t len, struct error *err)
{
	(void)err;
	must(len && len < sizeof(name));
	memcpy(name, text, len);
	name[len] = '\0';
	++*(unsigned *)ctx;
	return 0;
}

static int tell_stack(void *ctx, const uint64_t *pcs, size_t count, struct error *err)
{
	(void)err;
	must(count <= STACK_ROOM);
	for (size_t i = 0; i < count; i++)
		must(pcs[i]);
	++*(unsigned *)ctx;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_bytes memory;
	struct golive live;
	struct error err;
	unsigned count = 0;
	char version[16];
	int rc;

	if (size < HEAD)
		return 0;
	memset(&live, 0, sizeof(live));
	snprintf(version, sizeof(version), "go1.%u", 18u + data[0] % 9);
	memory_bytes_init(&memory, data + HEAD, START, size - HEAD);
	live.memory = &memory.memory;
	live.vars.layout = golayout_of(version);
	live.fields.profile.bytes = 48;
	live.fields.profile.stacks = 24;
	live.fields.profile.write = 40;
	live.fields.m.all_link = 16;
	live.fields.m.create_stack = 24;
	live.fields.g.m = 8;
	live.places.profiles = START + data[1] * 8u;
	live.places.all_ms = START + data[2] * 8u;
	strcpy(name, "things");
	rc = gocustom_names(&live, tell_name, &count, &err);
	must(count <= GO_CUSTOM_MAX + 8);
	must(!rc || rc == ERR_FORMAT || rc == ERR_GONE);
	rc = gocustom_stacks(&live, name, tell_stack, &count, &err);
	must(!rc || rc == ERR_FORMAT || rc == ERR_GONE || rc == ERR_NOTFOUND);
	rc = gocustom_threads(&live, tell_stack, &count, &err);
	must(!rc || rc == ERR_FORMAT || rc == ERR_GONE);
	return 0;
}
