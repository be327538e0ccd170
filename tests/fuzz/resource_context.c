// links: rounds/resource
/* Any bytes as a ProcessContext, and as memory with a mapping at its begin that publishes one. */
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "must.h"
#include "rounds/resource/attributes.h"
#include "rounds/resource/context.h"

enum { AT = 0x10000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct attributes *a)
{
	must(a->count <= ATTRIBUTES_MAX);
	for (size_t i = 0; i < a->count; i++) {
		must(attribute_key_ok(a->list[i].key, strlen(a->list[i].key)));
		must(attribute_value_ok(a->list[i].value, strlen(a->list[i].value)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct attributes a = { 0 };
	struct context c = { .at = AT };
	struct memory_bytes memory;
	int rc = context_decode(data, size, &a);

	must(!rc || rc == ERR_FORMAT);
	check(&a);
	attributes_release(&a);
	memory_bytes_init(&memory, data, AT, size);
	rc = context_read(&c, &memory.memory);
	must(!rc || rc == ERR_FORMAT || rc == ERR_NOTFOUND);
	must(rc ? !c.attributes.count : c.at == AT);
	check(&c.attributes);
	must(context_read(&c, &memory.memory) == rc);
	context_release(&c);
	return 0;
}
