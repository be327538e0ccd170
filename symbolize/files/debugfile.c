/*
 * A file found under the right name can belong to another build: an upgrade changes one file and
 * not yet the other, and a container's files are not the host's. The build ID decides or, if one of
 * the two files has none, the CRC in .gnu_debuglink. gdb computes the CRC in both cases, but it
 * would be useless to read a gigabyte in order to confirm a hash of 160 bits.
 */
#include "symbolize/files/debugfile.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cursor.h"
#include "base/elf/elfsection.h"
#include "base/process/image.h"
#include "base/process/process.h"

enum { PATH_ROOM = 4352, BUILD_ID_HEX_MIN = 4, BUILD_ID_MAX = 64, LINK_MAX = 64 << 10 };

#define DEBUG_ROOT "/usr/lib/debug"

struct debugfile_search {
	const struct process *process;
	char *note;
	size_t room;
};

/* How a file refers to its debug file or alternate file. */
struct debugfile_link {
	char name[PATH_ROOM];
	char build_id[2 * BUILD_ID_MAX + 1]; /* of an alternate file */
	uint32_t crc;			     /* of a debug file */
};

struct image *debugfile_open(const struct process *process, bool ours, const char *path)
{
	struct image *found = NULL;
	struct stat st;
	int fd = -1;

	if (ours)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	else if (process)
		fd = process_open_path(process, path);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return NULL;
	}
	image_open(fd, path, &found, NULL);
	return found;
}

static void debugfile_refuse(const struct debugfile_search *s, struct image *found,
			     const char *path)
{
	snprintf(s->note, s->room, "'%s' belongs to another build and was not used", path);
	image_free(found);
}

/* Starts a cursor at a section's bytes. */
static bool open_section(Elf *elf, const char *name, struct cursor *c)
{
	const Elf_Data *data = elfsection_raw(elf, name, LINK_MAX);

	if (data)
		cursor_init(c, data->d_buf, data->d_size, name);
	return data != NULL;
}

static bool debugfile_read_name(struct cursor *c, struct debugfile_link *link)
{
	size_t len = strnlen((const char *)c->pos, cursor_left(c));

	if (!len || len >= sizeof(link->name) || len == cursor_left(c))
		return false;
	memcpy(link->name, cursor_bytes(c, len + 1), len + 1);
	return true;
}

static bool read_build_id(struct cursor *c, size_t len, struct debugfile_link *link)
{
	const uint8_t *id = len <= BUILD_ID_MAX ? cursor_bytes(c, len) : NULL;

	for (size_t i = 0; id && i < len; i++)
		snprintf(link->build_id + 2 * i, 3, "%02x", id[i]);
	return id != NULL;
}

/* .debug_sup (DWARF 5, section 7.3.6): version; a flag, 1 in the supplementary file and 0 in a file
 * that refers to it; the supplementary file's name, empty if the flag is 1; a checksum with its
 * length. */
static bool read_sup(const struct image *image, uint64_t flag, struct debugfile_link *link)
{
	struct cursor c;

	if (!open_section(image_elf(image), ".debug_sup", &c) || cursor_uint(&c, 2) != 5 ||
	    cursor_uint(&c, 1) != flag)
		return false;
	if (!(flag ? cursor_uint(&c, 1) == 0 : debugfile_read_name(&c, link)))
		return false;
	return read_build_id(&c, cursor_uleb(&c), link) && link->build_id[0];
}

/* The checksum in .debug_sup serves as a build ID. */
static bool has_build_id(const struct image *found, const char *hex)
{
	struct debugfile_link link = { .crc = 0 };

	return !strcmp(image_build_id(found), hex) ||
	       (read_sup(found, 1, &link) && !strcmp(link.build_id, hex));
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

/* Opens a file, in the process's namespace or else in ours, that has the build ID `hex` or, if that
 * is NULL, belongs to the image by its build ID or `crc`. */
static struct image *try_path(const struct debugfile_search *s, const char *path, const char *hex,
			      const struct image *image, uint32_t crc)
{
	for (int ours = 0; ours <= 1; ours++) {
		struct image *found = debugfile_open(s->process, ours, path);

		if (found && (hex ? has_build_id(found, hex) : link_fits(image, found, crc)))
			return found;
		if (found)
			debugfile_refuse(s, found, path);
	}
	return NULL;
}

static struct image *find_by_build_id(const struct debugfile_search *s, const char *hex)
{
	char path[PATH_ROOM];

	if (strlen(hex) < BUILD_ID_HEX_MIN)
		return NULL;
	snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", DEBUG_ROOT, hex, hex + 2);
	return try_path(s, path, hex, NULL, 0);
}

/* A name, padded to four bytes, and a CRC. A path is rejected: only we choose where to look. */
static bool read_debuglink(const struct image *image, struct debugfile_link *link)
{
	struct cursor c;

	if (!open_section(image_elf(image), ".gnu_debuglink", &c) ||
	    !debugfile_read_name(&c, link) || strchr(link->name, '/'))
		return false;
	cursor_bytes(&c, -cursor_offset(&c) & 3);
	link->crc = (uint32_t)cursor_uint(&c, 4);
	return !cursor_error(&c, NULL);
}

/* .gnu_debugaltlink: a name, and a build ID to the end. Else .debug_sup. */
static bool read_alt_link(const struct image *image, struct debugfile_link *link)
{
	struct cursor c;

	if (open_section(image_elf(image), ".gnu_debugaltlink", &c))
		return debugfile_read_name(&c, link) && read_build_id(&c, cursor_left(&c), link);
	return read_sup(image, 0, link);
}

static struct image *find_by_link(const struct debugfile_search *s, const struct image *image)
{
	static const struct {
		const char *root, *sub;
	} places[] = {
		{ "", "/" },
		{ "", "/.debug/" },
		{ DEBUG_ROOT, "/" },
	};
	const char *path = image_path(image), *slash = strrchr(path, '/');
	struct image *found = NULL;
	struct debugfile_link link = { .crc = 0 };

	if (!slash || *path != '/' || !read_debuglink(image, &link))
		return NULL;
	for (size_t i = 0; i < 3 && !found; i++) {
		char candidate[2 * PATH_ROOM];

		/* The first place could be the image itself. */
		snprintf(candidate, sizeof(candidate), "%s%.*s%s%s", places[i].root,
			 (int)(slash - path), path, places[i].sub, link.name);
		if (strcmp(candidate, path))
			found = try_path(s, candidate, NULL, image, link.crc);
	}
	return found;
}

static bool has_section(const struct image *image, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elfsection_next(image_elf(image), scn, name, &shdr)))
		if (shdr.sh_type != SHT_NOBITS)
			return true;
	return false;
}

bool debugfile_has_dwarf(const struct image *image)
{
	return has_section(image, ".debug_info") || has_section(image, ".zdebug_info");
}

struct image *debugfile_find(const struct image *image, const struct process *process, char *note,
			     size_t room)
{
	struct debugfile_search s = { process, note, room };
	struct image *found = find_by_build_id(&s, image_build_id(image));

	return found ? found : find_by_link(&s, image);
}

bool debugfile_exists(const struct image *image, const struct process *process)
{
	char note[256];
	struct image *found;

	if (debugfile_has_dwarf(image))
		return true;
	found = debugfile_find(image, process, note, sizeof(note));
	image_free(found);
	return found != NULL;
}

/* A name that does not begin with '/' is relative to the image's folder. */
static struct image *try_alt(const struct debugfile_search *s, const struct image *image,
			     const struct debugfile_link *link)
{
	const char *path = image_path(image), *slash = strrchr(path, '/');
	char candidate[2 * PATH_ROOM];
	int dir = *link->name == '/' || !slash ? 0 : (int)(slash - path) + 1;

	snprintf(candidate, sizeof(candidate), "%.*s%s", dir, path, link->name);
	return *candidate == '/' ? try_path(s, candidate, link->build_id, NULL, 0) : NULL;
}

struct image *debugfile_find_alt(const struct image *image, const struct process *process,
				 char *note, size_t room)
{
	struct debugfile_search s = { process, note, room };
	struct debugfile_link link = { .crc = 0 };
	struct image *found;

	if (!read_alt_link(image, &link))
		return NULL;
	found = find_by_build_id(&s, link.build_id);
	if (!found)
		found = try_alt(&s, image, &link);
	if (!found && !*note)
		snprintf(note, room, "'%s' is missing", link.name);
	return found;
}
