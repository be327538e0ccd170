/* Blocks have 16 KiB and are found by their number in an array. A read at an image address is
 * translated by the program headers first. */
#include "base/process/lazyfile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/image.h"

enum {
	BLOCK = 16 << 10,
	KEPT_MAX = (64 << 20) / BLOCK, /* blocks */
};

static const uint64_t FILE_MAX = 1ull << 36; /* the index of blocks stays below 32 MiB */

struct lazyfile {
	const struct image *image;
	const char *bytes; /* the whole file, if made from bytes; owned by the image */
	uint64_t size;
	char **blocks;
	size_t block_count, kept;
};

int lazyfile_open(const struct image *image, struct lazyfile **out)
{
	struct lazyfile *f;
	struct stat st;
	size_t len = 0;

	if (!image_elf(image))
		return ERR_NOTFOUND;
	f = calloc(1, sizeof(*f));
	if (!f)
		return ERR_NOMEM;
	f->image = image;
	if (image_fd(image) < 0) {
		f->bytes = elf_rawfile(image_elf(image), &len);
		f->size = f->bytes ? len : 0;
	} else if (fstat(image_fd(image), &st) || (uint64_t)st.st_size > FILE_MAX) {
		free(f);
		return ERR_IO;
	} else {
		f->size = (uint64_t)st.st_size;
		f->block_count = f->size / BLOCK + 1;
		f->blocks = calloc(f->block_count, sizeof(*f->blocks));
		if (!f->blocks) {
			free(f);
			return ERR_NOMEM;
		}
	}
	*out = f;
	return 0;
}

static void give_up_blocks(struct lazyfile *f)
{
	for (size_t i = 0; i < f->block_count; i++) {
		free(f->blocks[i]);
		f->blocks[i] = NULL;
	}
	f->kept = 0;
}

void lazyfile_close(struct lazyfile *f)
{
	if (!f)
		return;
	give_up_blocks(f);
	free(f->blocks);
	free(f);
}

static const char *block(struct lazyfile *f, size_t i)
{
	uint64_t start = (uint64_t)i * BLOCK;
	size_t len = f->size - start < BLOCK ? (size_t)(f->size - start) : BLOCK;
	char *b;

	if (f->blocks[i])
		return f->blocks[i];
	if (f->kept == KEPT_MAX)
		give_up_blocks(f);
	b = malloc(BLOCK);
	if (!b || pread(image_fd(f->image), b, len, (off_t)start) != (ssize_t)len) {
		free(b);
		return NULL;
	}
	f->kept++;
	return f->blocks[i] = b;
}

static bool lazyfile_read_file(struct lazyfile *f, uint64_t offset, void *buf, size_t len)
{
	char *to = buf;

	if (offset > f->size || len > f->size - offset)
		return false;
	if (f->bytes) {
		memcpy(buf, f->bytes + offset, len);
		return true;
	}
	while (len) {
		size_t into = offset % BLOCK, part = BLOCK - into < len ? BLOCK - into : len;
		const char *b = block(f, offset / BLOCK);

		if (!b)
			return false;
		memcpy(to, b + into, part);
		to += part;
		offset += part;
		len -= part;
	}
	return true;
}

bool lazyfile_read_at(struct lazyfile *f, uint64_t addr, void *buf, size_t len)
{
	uint64_t offset, left;

	return image_offset(f->image, addr, &offset, &left) && len <= left &&
	       lazyfile_read_file(f, offset, buf, len);
}
