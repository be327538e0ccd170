// links: pprof/file
/* What a file is that is no profile: the message ends within its bounds and keeps the code. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/file/kind.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + !size); /* so that a read behind the end is found */
	struct error err;

	must(copy);
	memcpy(copy, data, size);
	error_set(&err, ERR_FORMAT, "broken");
	must(kind_explain(copy, size, size & 1, ERR_FORMAT, &err) == ERR_FORMAT);
	must(err.code == ERR_FORMAT && *err.text);
	must(kind_explain(copy, size, false, ERR_FORMAT, NULL) == ERR_FORMAT);
	free(copy);
	return 0;
}
