// links: base/process
/* The text of /proc/PID/stat, in which the process chooses its name; and its auxiliary vector,
 * which it may set (prctl(2), PR_SET_MM_AUXV). */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/process.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + !size); /* so that a read behind the end is found */
	uint64_t fields[STAT_FIELDS];

	must(copy);
	memcpy(copy, data, size);
	if (process_stat_parse(copy, size, STAT_STARTSTACK, fields) ||
	    process_stat_parse(copy, size, STAT_CSTIME, fields))
		must(memchr(copy, ')', size));
	must(width_of_auxv(copy, size) % 32 == 0);
	free(copy);
	return 0;
}
