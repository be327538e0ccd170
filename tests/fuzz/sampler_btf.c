// links: sampler/atrest
/* Any bytes as the kernel's description of its types. What is found has a place in it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sampler/atrest/btf.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct btf_wanted w[] = { { .function = "f" },
				  { .structure = "s", .member = "m" },
				  { .function = "g", .optional = true } };
	uint8_t *bytes = malloc(size + !size); /* so that a read behind the end is found */
	struct error err = { 0 };
	int rc;

	must(bytes);
	if (size)
		memcpy(bytes, data, size);
	rc = btf_find(bytes, size, w, 3, &err);
	must(rc == 0 || (rc == ERR_FORMAT && *err.text));
	if (!rc) {
		must(w[0].found && w[0].value && w[0].value <= size);
		must(w[1].found && w[1].value <= 0xffffff / 8);
	}
	free(bytes);
	return 0;
}
