/* The strings stand behind a magic text in the section .go.buildinfo or, if that was stripped, at
 * an aligned place of a writable segment. */
#include "runtimes/go/find/buildinfo.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/cursor.h"
#include "base/elf/elfsection.h"
#include "base/process/image.h"

enum {
	BYTES = 16 << 20, /* bound; the list of modules is part of it */
	HEAD = 32,
	ALIGN = 16,
	FLAGS = 15,
	INLINE = 2,
};

struct buildinfo_bytes {
	const uint8_t *at;
	size_t len;
};

static bool is_buildinfo(struct buildinfo_bytes b)
{
	return b.len >= HEAD && !memcmp(b.at, "\xff Go buildinf:", 14);
}

static struct buildinfo_bytes of_data(const Elf_Data *data)
{
	if (data && data->d_buf)
		return (struct buildinfo_bytes){ data->d_buf, data->d_size };
	return (struct buildinfo_bytes){ NULL, 0 };
}

static struct buildinfo_bytes find_in(struct buildinfo_bytes b)
{
	for (; b.len >= HEAD; b = (struct buildinfo_bytes){ b.at + ALIGN, b.len - ALIGN })
		if (is_buildinfo(b))
			return b;
	return (struct buildinfo_bytes){ NULL, 0 };
}

/* Finds the build information by its section or, if there is no such section, at the beginning of
 * the writable segments, as debug/buildinfo does. */
static struct buildinfo_bytes buildinfo_find(Elf *elf)
{
	struct buildinfo_bytes b = of_data(elfsection_raw(elf, ".go.buildinfo", BYTES));
	size_t count;
	GElf_Phdr ph;

	if (b.at || elf_getphdrnum(elf, &count))
		return b;
	for (size_t i = 0; !b.at && i < count && gelf_getphdr(elf, (int)i, &ph); i++)
		if (ph.p_type == PT_LOAD && ph.p_flags & PF_W)
			b = find_in(of_data(elf_getdata_rawchunk(
				elf, (int64_t)ph.p_offset,
				ph.p_filesz < BYTES ? ph.p_filesz : BYTES, ELF_T_BYTE)));
	return b;
}

/* The format: a magic text, the size of pointers, flags, and since 1.18 two strings with their
 * lengths before them: the version, and the list of modules and settings. */
static bool buildinfo_read_string(const struct image *image, unsigned which, const uint8_t **text,
				  uint64_t *len)
{
	Elf *elf = image_elf(image);
	struct buildinfo_bytes b = elf ? buildinfo_find(elf) : (struct buildinfo_bytes){ NULL, 0 };
	struct cursor c;

	if (!is_buildinfo(b) || !(b.at[FLAGS] & INLINE))
		return false;
	cursor_init(&c, b.at, b.len, "buildinfo");
	cursor_bytes(&c, HEAD);
	for (unsigned i = 0; i <= which; i++) {
		*len = cursor_uleb(&c);
		*text = cursor_bytes(&c, *len);
	}
	return *text;
}

static void buildinfo_copy(const uint8_t *text, uint64_t len, char *to, size_t room)
{
	if (len > room - 1)
		len = room - 1;
	for (size_t i = 0; i < len; i++)
		to[i] = text[i] < ' ' || text[i] > '~' ? '?' : (char)text[i];
	to[len] = '\0';
}

bool gobuildinfo_version(const struct image *image, char *version, size_t room)
{
	const uint8_t *text;
	uint64_t len;

	if (!buildinfo_read_string(image, 0, &text, &len))
		return false;
	buildinfo_copy(text, len, version, room);
	return true;
}

/* The line is "build\tDefaultGODEBUG=…" (runtime/debug/mod.go, BuildInfo.String). */
bool gobuildinfo_godebug(const struct image *image, char *settings, size_t room)
{
	static const char key[] = "\nbuild\tDefaultGODEBUG=";
	const uint8_t *text, *at, *end;
	uint64_t len;

	if (!buildinfo_read_string(image, 1, &text, &len))
		return false;
	at = memmem(text, len, key, sizeof(key) - 1);
	if (!at)
		return false;
	at += sizeof(key) - 1;
	end = memchr(at, '\n', (size_t)(text + len - at));
	buildinfo_copy(at, (size_t)((end ? end : text + len) - at), settings, room);
	return true;
}
