// links: symbolize
/* Demangling any name: the result has no control characters and comes in bounded time. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "symbolize/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *system_name, *name;
	struct names names;
	char *text = malloc(size + 1);

	if (!text || names_init(&names))
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	if (names_function(&names, text, &system_name, &name))
		abort();
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c < 0x20)
			abort();
	names_release(&names);
	free(text);
	return 0;
}
