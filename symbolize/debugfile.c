#include "symbolize/debugfile.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "target/image.h"
#include "target/process.h"

enum { PATH_ROOM = 4352, BUILD_ID_HEX_MIN = 4 };

#define DEBUG_ROOT "/usr/lib/debug"

/* Opens a path in the target's view; `ours` asks for our own view instead. */
static int open_in(const struct process *process, bool ours, const char *path)
{
	if (ours)
		return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (!process) {
		errno = ENOENT;
		return -1;
	}
	return process_open_path(process, path);
}

static struct image *open_regular(const struct process *process, bool ours, const char *path)
{
	struct image *found = NULL;
	struct stat st;
	int fd = open_in(process, ours, path);

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return NULL;
	}
	image_open(fd, path, &found, NULL);
	return found;
}

/* The file by its build ID, which must then be its own build ID. */
static struct image *find_by_build_id(const char *hex, const struct process *process, char *note,
				      size_t room)
{
	char path[PATH_ROOM];

	if (strlen(hex) < BUILD_ID_HEX_MIN)
		return NULL;
	snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", DEBUG_ROOT, hex, hex + 2);
	for (int ours = 0; ours <= 1; ours++) {
		struct image *found = open_regular(process, ours, path);

		if (found && !strcmp(image_build_id(found), hex))
			return found;
		if (found)
			snprintf(note, room, "'%s' has another build ID and was not used", path);
		image_free(found);
	}
	return NULL;
}

/* The CRC of .gnu_debuglink is that of zlib and gzip. */
static bool crc_fits(const struct image *file, uint32_t want)
{
	uint8_t chunk[1 << 16];
	uLong crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t n;

	while ((n = pread(image_fd(file), chunk, sizeof(chunk), at)) > 0) {
		crc = crc32(crc, chunk, (uInt)n);
		at += n;
	}
	return n == 0 && crc == want;
}

static bool link_fits(const struct image *image, const struct image *file, uint32_t crc)
{
	if (image_build_id(image)[0] && image_build_id(file)[0])
		return !strcmp(image_build_id(image), image_build_id(file));
	return crc_fits(file, crc);
}

static struct image *try_link(const struct image *image, const struct process *process,
			      const char *path, uint32_t crc, char *note, size_t room)
{
	for (int ours = 0; ours <= 1; ours++) {
		struct image *found = open_regular(process, ours, path);

		if (found && link_fits(image, found, crc))
			return found;
		if (found)
			snprintf(note, room, "'%s' belongs to another build and was not used", path);
		image_free(found);
	}
	return NULL;
}

static struct image *find_by_link(const struct image *image, const struct process *process,
				  char *note, size_t room)
{
	static const struct { const char *root, *sub; } places[] = {
		{ "", "/" }, { "", "/.debug/" }, { DEBUG_ROOT, "/" },
	};
	const char *path = image_path(image), *slash = strrchr(path, '/'), *name;
	struct image *found = NULL;
	GElf_Word crc;

	name = dwelf_elf_gnu_debuglink(image_elf(image), &crc);
	if (!name || !*name || strchr(name, '/') || !slash)
		return NULL;
	for (int i = 0; i < 3 && !found; i++) {
		char candidate[PATH_ROOM];
		int len = (int)(slash - path);

		/* The first place could be the image itself: its own link. */
		snprintf(candidate, sizeof(candidate), "%s%.*s%s%s", places[i].root, len, path,
			 places[i].sub, name);
		if (strcmp(candidate, path))
			found = try_link(image, process, candidate, crc, note, room);
	}
	return found;
}

struct image *debugfile_find(const struct image *image, const struct process *process, char *note,
			     size_t room)
{
	struct image *found = find_by_build_id(image_build_id(image), process, note, room);

	return found ? found : find_by_link(image, process, note, room);
}

struct image *debugfile_find_alt(Dwarf *dwarf, const struct process *process)
{
	const char *name;
	const void *id;
	ssize_t len = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);
	char hex[2 * 64 + 1] = "";

	if (len <= 0 || len > 64)
		return NULL;
	for (ssize_t i = 0; i < len; i++)
		sprintf(hex + 2 * i, "%02x", ((const uint8_t *)id)[i]);
	for (int ours = 0; ours <= 1 && *name == '/'; ours++) {
		struct image *found = open_regular(process, ours, name);

		if (found && !strcmp(image_build_id(found), hex))
			return found;
		image_free(found);
	}
	return find_by_build_id(hex, process, hex, 0);
}
