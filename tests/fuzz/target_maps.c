// links: base/process
/* The parser of /proc/PID/maps on any bytes. */
#include <stdint.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/process/maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct maps_line line;
	struct error err;
	struct cursor c;

	cursor_init(&c, data, size, "maps");
	while (maps_next(&c, &line, &err) > 0) {
		if (line.end <= line.start || line.path_len > size)
			abort();
		for (size_t i = 0; i < line.path_len; i++)
			if (line.path[i] == '\n')
				abort();
	}
	return 0;
}
