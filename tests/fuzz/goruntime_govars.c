// links: runtimes/go/find
/*
 * Any bytes as the file of a Go program, and as its mapped memory: its version, and the addresses
 * of its variables.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/image.h"
#include "base/process/memory.h"
#include "runtimes/go/find/vars.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_bytes memory;
	struct image *image;
	struct govars v;

	if (image_open_bytes(data, size, "/fuzz", &image, NULL))
		return 0;
	memory_bytes_init(&memory, data, 0, size);
	if (!govars_of_image(&v, image, 0, &memory.memory, NULL) &&
	    (!v.layout || !memchr(v.version, '\0', sizeof(v.version)) ||
	     (v.memstats | v.pacer | v.sched | v.allp | v.allgs) % 8))
		abort();
	image_free(image);
	return 0;
}
