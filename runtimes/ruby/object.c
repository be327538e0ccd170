/*
 * Ruby's strings, arrays and symbols, read from outside (include/ruby/internal/core/rstring.h and
 * rarray.h, symbol.c).
 */
#include <string.h>

#include "base/process/elfsymbol.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "runtimes/common/text.h"
#include "runtimes/ruby/object.h"

enum {
	TEXT_MAX = 4093, /* bytes of a name or a path that are shown, besides "…" */

	ELSEWHERE = 1 << 13, /* RSTRING_NOEMBED */
	INSIDE = 1 << 13,    /* RARRAY_EMBED_FLAG */
	STRING_LEN_SHIFT = 14,
	STRING_LEN_MASK = 0x1f,
	ARRAY_LEN_SHIFT = 15,
	ARRAY_LEN_MASK = 0x7f,
	LEN = 16,
	STRING_PTR = 24,
	ARRAY_INSIDE = 16,
	ARRAY_PTR = 32,

	/* rb_symbols_t: the last serial number, a table, and an array of arrays (symbol.c). */
	SYMBOLS_IDS = 16,
	SYMBOLS_BYTES = 24,
	ENTRY_UNIT = 512, /* IDs of one inner array; for each, its string and its symbol */
	ENTRY_SIZE = 2,
	ID_SERIAL_SHIFT = 4,
	OPERATORS = 256, /* IDs below are tokens of the parser, and have no such shift */
	SERIALS_MAX = 1 << 28,
	DATA_MAX = 16 << 20, /* bytes of an image's data */
	DATA_PIECE = 64 << 10,
};

bool ruby_string_text(const struct ruby_runtime *rt, uint64_t addr, const void *object,
		      struct ruby_text *text)
{
	uint64_t flags = memory_word(object, 0);

	if (ruby_type(flags) != T_STRING)
		return false;
	text->len = memory_word(object, LEN);
	text->at = memory_word(object, STRING_PTR);
	if (!(flags & ELSEWHERE)) {
		text->at = addr + rt->layout->embed;
		if (rt->layout->embed == LEN) /* the length is in the flags */
			text->len = flags >> STRING_LEN_SHIFT & STRING_LEN_MASK;
	}
	return text->len < INT64_MAX;
}

uint64_t ruby_array_element(uint64_t addr, const void *object, uint64_t i)
{
	uint64_t flags = memory_word(object, 0), len = memory_word(object, LEN);

	if (ruby_type(flags) != T_ARRAY)
		return 0;
	if (flags & INSIDE)
		len = flags >> ARRAY_LEN_SHIFT & ARRAY_LEN_MASK;
	if (i >= len || i >= SERIALS_MAX)
		return 0;
	return (flags & INSIDE ? addr + ARRAY_INSIDE : memory_word(object, ARRAY_PTR)) + 8 * i;
}

bool ruby_read_object(const struct memory *memory, uint64_t addr, void *object)
{
	return ruby_is_object(addr) && !memory->read(memory, addr, object, OBJECT_BYTES);
}

const char *ruby_read_string(const struct ruby_runtime *rt, const struct memory *memory,
			     uint64_t addr, struct arena *arena, bool *nomem)
{
	char object[OBJECT_BYTES], bytes[TEXT_MAX];
	struct ruby_text text;
	const char *copy;
	size_t len;

	if (!ruby_read_object(memory, addr, object) || !ruby_string_text(rt, addr, object, &text))
		return NULL;
	len = text.len < TEXT_MAX ? text.len : TEXT_MAX;
	if (len && memory->read(memory, text.at, bytes, len))
		return NULL;
	copy = text_copy_utf8(arena, bytes, len, text.len > len);
	*nomem |= !copy;
	return copy;
}

static uint64_t element(const struct memory *memory, uint64_t addr, uint64_t i)
{
	char object[OBJECT_BYTES];
	uint64_t at, value;

	if (!ruby_read_object(memory, addr, object))
		return 0;
	at = ruby_array_element(addr, object, i);
	return at && !memory_read_u64(memory, at, &value) ? value : 0;
}

static uint64_t string_of_serial(const struct memory *memory, uint64_t ids, uint64_t serial)
{
	return element(memory, element(memory, ids, serial / ENTRY_UNIT),
		       serial % ENTRY_UNIT * ENTRY_SIZE);
}

const char *ruby_read_id(const struct ruby_runtime *rt, const struct memory *memory, uint64_t id,
			 struct arena *arena, bool *nomem)
{
	uint64_t serial = id < OPERATORS ? id : id >> ID_SERIAL_SHIFT;
	char symbols[SYMBOLS_BYTES];

	if (!rt->symbols || memory->read(memory, rt->symbols, symbols, sizeof(symbols)))
		return NULL;
	if (!serial || serial > memory_u32(symbols, 0))
		return NULL;
	return ruby_read_string(rt, memory,
				string_of_serial(memory, memory_word(symbols, SYMBOLS_IDS), serial),
				arena, nomem);
}

/* In the table, '+' is the ID of "+", and so on (symbol.c, Init_op_tbl()). */
static bool is_symbols(const struct ruby_runtime *rt, const struct memory *memory,
		       const char *bytes)
{
	static const char operators[] = "+-*/<";
	uint64_t ids = memory_word(bytes, SYMBOLS_IDS);

	if (memory_word(bytes, 0) < OPERATORS || memory_word(bytes, 0) >= SERIALS_MAX ||
	    !ruby_is_object(memory_word(bytes, 8)) || !ruby_is_object(ids))
		return false;
	for (const char *c = operators; *c; c++) {
		uint64_t string = string_of_serial(memory, ids, (unsigned char)*c);
		char object[OBJECT_BYTES], is;
		struct ruby_text text;

		if (!ruby_read_object(memory, string, object) ||
		    !ruby_string_text(rt, string, object, &text) || text.len != 1 ||
		    memory->read(memory, text.at, &is, 1) || is != *c)
			return false;
	}
	return true;
}

static uint64_t ruby_object_search(const struct ruby_runtime *rt, const struct memory *memory,
				   uint64_t addr, uint64_t end)
{
	char bytes[DATA_PIECE];

	for (; end - addr >= SYMBOLS_BYTES; addr += sizeof(bytes) - SYMBOLS_BYTES) {
		size_t len = end - addr < sizeof(bytes) ? end - addr : sizeof(bytes);

		if (memory->read(memory, addr, bytes, len))
			return 0;
		for (size_t i = 0; i + SYMBOLS_BYTES <= len; i += 8)
			if (is_symbols(rt, memory, bytes + i))
				return addr + i;
		if (len < sizeof(bytes))
			break;
	}
	return 0;
}

uint64_t ruby_find_symbols(const struct ruby_runtime *rt, const struct image *image, uint64_t bias,
			   const struct memory *memory)
{
	struct elfsymbol s = { .name = "ruby_global_symbols" };
	static const char *const sections[] = { ".data", ".bss" };
	uint64_t addr, size, found = 0;

	if (elfsymbol_find(image, &s, 1))
		return bias + s.addr;
	for (size_t i = 0; !found && i < sizeof(sections) / sizeof(*sections); i++)
		if (elfsymbol_section(image, sections[i], &addr, &size) && size <= DATA_MAX)
			found = ruby_object_search(rt, memory, bias + addr, bias + addr + size);
	return found;
}
