#include "goruntime/gobuildinfo.h"

#include <stdint.h>
#include <string.h>

#include "base/cursor.h"
#include "target/elfsection.h"
#include "target/image.h"

enum {
	BYTES = 16 << 20, /* it goes on with the list of modules */
	HEAD = 32, FLAGS = 15, INLINE = 2,
};

/* A magic text, the size of pointers, flags, and from 1.18 on two strings with their lengths
 * before them: the version, and what the program is made of. */
static bool read_string(const struct image *image, unsigned which, const uint8_t **text, uint64_t *len)
{
	Elf *elf = image_elf(image);
	Elf_Data *data = elf ? elfsection_raw(elf, ".go.buildinfo", BYTES) : NULL;
	const uint8_t *head = data ? data->d_buf : NULL;
	struct cursor c;

	if (!head || data->d_size < HEAD || memcmp(head, "\xff Go buildinf:", 14) ||
	    !(head[FLAGS] & INLINE))
		return false;
	cursor_init(&c, head, data->d_size, "buildinfo");
	cursor_bytes(&c, HEAD);
	for (unsigned i = 0; i <= which; i++) {
		*len = cursor_uleb(&c);
		*text = cursor_bytes(&c, *len);
	}
	return *text;
}

static void copy(const uint8_t *text, uint64_t len, char *to, size_t room)
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

	if (!read_string(image, 0, &text, &len))
		return false;
	copy(text, len, version, room);
	return true;
}

/* A line "build\tDefaultGODEBUG=…" (runtime/debug/mod.go, BuildInfo.String). */
bool gobuildinfo_godebug(const struct image *image, char *settings, size_t room)
{
	static const char key[] = "\nbuild\tDefaultGODEBUG=";
	const uint8_t *text, *at, *end;
	uint64_t len;

	if (!read_string(image, 1, &text, &len))
		return false;
	at = memmem(text, len, key, sizeof(key) - 1);
	if (!at)
		return false;
	at += sizeof(key) - 1;
	end = memchr(at, '\n', (size_t)(text + len - at));
	copy(at, (size_t)((end ? end : text + len) - at), settings, room);
	return true;
}
