/* A string is read in pieces that lie within a page: the next page may be missing. */
#include "runtimes/common/text.h"

#include <string.h>

#include "base/arena.h"
#include "base/process/memory.h"
#include "base/utf8.h"

enum { PIECE = 32 }; /* bytes; a power of two */

bool text_read(const struct memory *memory, uint64_t addr, char *text, size_t room)
{
	memset(text, 0, room);
	for (size_t len = 0, some; len + 1 < room; len += some) {
		some = PIECE - (addr + len) % PIECE;
		if (some > room - 1 - len)
			some = room - 1 - len;
		if (memory->read(memory, addr + len, text + len, some))
			some = 1;
		if (some == 1 && memory->read(memory, addr + len, text + len, 1))
			return false;
		if (memchr(text + len, '\0', some))
			return true;
	}
	return false;
}

char *text_copy_utf8(struct arena *arena, const char *bytes, size_t len, bool cut)
{
	char *copy = arena_alloc(arena, 3 * len + sizeof("…")), *to = copy;
	size_t taken;

	for (; copy && len && *bytes; bytes += taken, len -= taken)
		to += utf8_put(to, utf8_next(bytes, len, &taken));
	if (copy && cut)
		memcpy(to, "…", sizeof("…"));
	return copy;
}
