// links: rounds/resource
/* Any bytes as an environment, as the list in OTEL_RESOURCE_ATTRIBUTES, and as a passwd file. */
#include <stdint.h>
#include <string.h>

#include "must.h"
#include "rounds/resource/attributes.h"
#include "rounds/resource/environ.h"
#include "rounds/resource/owner.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct attributes *a)
{
	must(a->count <= ATTRIBUTES_MAX);
	for (size_t i = 0; i < a->count; i++) {
		must(attribute_key_ok(a->list[i].key, strlen(a->list[i].key)));
		must(attribute_value_ok(a->list[i].value, strlen(a->list[i].value)));
	}
	attributes_release(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct attributes a = { 0 };
	char name[40];

	must(!environ_read(data, size, &a));
	check(&a);
	must(!environ_pairs((const char *)data, size, &a));
	check(&a);
	owner_name(data, size, 33, name, sizeof(name));
	must(strnlen(name, sizeof(name)) < sizeof(name));
	return 0;
}
