// links: symbolize/dwarf
/* Any bytes as the index of a package, the first eight as the id that is looked up. If it is
 * found, it occurs in the bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/dwarf/dwpindex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dwp_part parts[DWP_SECTIONS];
	uint64_t id;

	if (size < sizeof(id))
		return 0;
	memcpy(&id, data, sizeof(id));
	if (!dwpindex_find(data + sizeof(id), size - sizeof(id), id, parts)) {
		for (int i = 0; i < DWP_SECTIONS; i++)
			if (parts[i].offset || parts[i].len)
				abort();
	} else if (!memmem(data + sizeof(id) + 16, size - sizeof(id) - 16, &id, sizeof(id))) {
		abort();
	}
	for (int i = 0; i < DWP_SECTIONS; i++)
		if (parts[i].offset > UINT32_MAX || parts[i].len > UINT32_MAX)
			abort();
	return 0;
}
