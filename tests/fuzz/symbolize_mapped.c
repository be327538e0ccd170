// links: symbolize
/*
 * A program's file and its separate debug file, both mapped (symbolize/files/debugelf.h) ->
 * lookups. The first four bytes are the size of the program in bytes; the rest, if any, is the
 * debug file.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/lookups.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzzed", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	return fd;
}

static void look_up_in(struct image *image, const uint8_t *debug, size_t size)
{
	struct symbolizer *s;
	int fd = file_of(debug, size);

	if (symbolizer_new(&s, NULL, 0))
		abort();
	if (size && symbolizer_offer(s, image, fd))
		abort();
	look_up_all(s, image);
	symbolizer_free(s);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image *image;
	uint32_t len;

	if (size < sizeof(len) || size > 1 << 20)
		return 0;
	memcpy(&len, data, sizeof(len));
	data += sizeof(len);
	size -= sizeof(len);
	if (len > size)
		len = (uint32_t)size;
	if (image_open(file_of(data, len), "/fuzzed", &image, NULL))
		return 0;
	look_up_in(image, data + len, size - len);
	image_free(image);
	return 0;
}
