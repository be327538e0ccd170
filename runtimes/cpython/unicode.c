/* The object's head tells width, count and place of the characters. They are read in one piece, cut
 * to what the text has room for. */
#include "runtimes/cpython/unicode.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "base/utf8.h"
#include "runtimes/cpython/layout.h"

static const char ELLIPSIS[] = "…";

enum {
	CUT = sizeof(ELLIPSIS) - 1,
	WCHAR_BYTES = 4,     /* sizeof(wchar_t) */
	LENGTH_MAX = 1 << 30 /* characters: a longer string is none */
};

/* PyASCIIObject.state (Include/cpython/unicodeobject.h), without `interned`. */
enum {
	STATE_KIND = 7,
	STATE_COMPACT = 1 << 3,
	STATE_ASCII = 1 << 4,
	STATE_READY = 1 << 5, /* up to 3.11 */
};

/* `interned` has two bits; in free-threaded builds from 3.14 on the whole byte, or 16 bits. There
 * `kind`, which is not 0, tells which. */
static unsigned unicode_state_of(const struct cpython *python, const uint8_t *head)
{
	uint32_t state;

	memcpy(&state, head + python->layout.object.text_state, sizeof(state));
	if (!python->free_threaded || python->version < CPYTHON_3_14)
		return state >> 2 & 0x3f;
	return (state >> 8 & STATE_KIND ? state >> 8 : state >> 16) & 0x1f;
}

/* A string of the old interface that was not converted yet: wchar_t characters at `wstr`, behind
 * the state, as many as wstr_length says, the last word of PyCompactUnicodeObject. */
static void find_wide(const struct cpython_object_layout *o, const uint8_t *head,
		      struct pyunicode_place *place)
{
	*place = (struct pyunicode_place){ memory_word(head, o->text_ascii - 8),
					   memory_word(head, o->text_compact - 8), WCHAR_BYTES };
}

int pyunicode_find(const struct cpython *python, uint64_t addr, const uint8_t *object, size_t len,
		   struct pyunicode_place *place)
{
	const struct cpython_object_layout *o = &python->layout.object;
	unsigned state;

	if (len < o->text_ascii || len < o->text_state + 4 || len < o->text_length + 8)
		return ERR_SHORT;
	state = unicode_state_of(python, object);
	/* A compact string may be shorter than the pointers of one that is not. */
	if (!(state & STATE_COMPACT) && len < o->text_compact + 8)
		return ERR_SHORT;
	place->width = state & STATE_KIND;
	place->count = memory_word(object, o->text_length);
	place->addr = addr + (state & STATE_ASCII ? o->text_ascii : o->text_compact);
	if (python->version < CPYTHON_3_12 && !(state & (STATE_READY | STATE_COMPACT)))
		find_wide(o, object, place);
	else if (!(state & STATE_COMPACT))
		place->addr = memory_word(object, o->text_compact);
	if ((place->width != 1 && place->width != 2 && place->width != 4) ||
	    place->count > LENGTH_MAX)
		return ERR_FORMAT;
	return 0;
}

static int unicode_find(const struct cpython *python, const struct memory *memory, uint64_t addr,
			struct pyunicode_place *place)
{
	const struct cpython_object_layout *o = &python->layout.object;
	uint8_t head[PYUNICODE_HEAD_MAX];
	int rc;

	if (o->text_compact + 8 > sizeof(head) || o->text_ascii > o->text_compact)
		return ERR_FORMAT;
	if (memory->read(memory, addr, head, o->text_ascii))
		return ERR_IO;
	rc = pyunicode_find(python, addr, head, o->text_ascii, place);
	if (rc != ERR_SHORT)
		return rc;
	if (memory->read(memory, addr, head, o->text_compact + 8))
		return ERR_IO;
	return pyunicode_find(python, addr, head, o->text_compact + 8, place);
}

static uint32_t unicode_char_at(const void *chars, size_t i, unsigned width)
{
	uint32_t ch = 0;

	memcpy(&ch, (const char *)chars + i * width, width);
	return ch;
}

/* A character as UTF-8, or as an escape. */
static size_t unicode_put(char text[16], uint32_t ch)
{
	if (!ch)
		return (size_t)snprintf(text, 16, "\\x00");
	if (ch >= 0xd800 && ch < 0xe000)
		return (size_t)snprintf(text, 16, "\\u%04x", ch);
	if (ch > 0x10ffff)
		return (size_t)snprintf(text, 16, "\\U%08x", ch);
	return utf8_put(text, ch);
}

size_t pyunicode_encode(const void *chars, size_t count, unsigned width, bool more, char *text,
			size_t room)
{
	size_t len = 0, whole = 0; /* `whole`: up to where the "…" fits behind it, too */
	char one[16];

	for (size_t i = 0; i < count; i++) {
		size_t size = unicode_put(one, unicode_char_at(chars, i, width));

		if (len + size >= room) {
			more = true;
			break;
		}
		memcpy(text + len, one, size);
		len += size;
		if (len + CUT < room)
			whole = len;
	}
	if (more) {
		memcpy(text + whole, ELLIPSIS, CUT);
		len = whole + CUT;
	}
	text[len] = '\0';
	return len;
}

int pyunicode_read(const struct cpython *python, const struct memory *memory, uint64_t addr,
		   char *text, size_t room)
{
	uint8_t chars[PYUNICODE_MAX * 4];
	struct pyunicode_place place;
	size_t count;
	int rc = unicode_find(python, memory, addr, &place);

	if (rc)
		return rc;
	room = room <= PYUNICODE_MAX ? room : PYUNICODE_MAX + 1;
	count = place.count < room - 1 ? place.count : room - 1;
	if (count && memory->read(memory, place.addr, chars, count * place.width))
		return ERR_IO;
	pyunicode_encode(chars, count, place.width, count < place.count, text, room);
	return 0;
}
