/* Found objects are kept in a table by address without chains. A scan reads backwards, first a few
 * kilobytes and then more, up to what a function's code may take. */
#include "runtimes/v8/heap/codes.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/v8/heap/runtime.h"

enum {
	SCAN_BYTES = 1 << 20, /* a function's instructions */
	SCAN_FIRST = 4096,    /* bytes that are read at once: a power of two, and then more */
	SCAN_MORE = 1 << 16,
	CODE_BYTES_MAX = 1 << 20,
	KNOWN = 1 << 12, /* a power of two */
	KNOWN_SHIFT = 6,
	CODE_ALIGNMENT = 32, /* of the first instruction; later releases have 64 */
	MOVE_SPAN = 1 << 29, /* a code range has at most 512 MiB */
	MAPS = 4,
};

struct v8_codes {
	uint64_t known[KNOWN]; /* addresses of objects with instructions */
	uint64_t maps[MAPS];   /* of such objects, seen so far */
	unsigned map_count;
	uint8_t *bytes; /* of a code object; owned */
	size_t room;
	uint8_t scanned[SCAN_MORE];
};

int v8_codes_new(struct v8_codes **c)
{
	*c = calloc(1, sizeof(**c));
	return *c ? 0 : ERR_NOMEM;
}

void v8_codes_free(struct v8_codes *c)
{
	if (c)
		free(c->bytes);
	free(c);
}

/* Is it an object with instructions, by its map? Its map is immortal. */
static bool is_stream(struct v8_runtime *rt, uint64_t map, uint64_t stream)
{
	struct v8_codes *cs = rt->codes;

	for (unsigned i = 0; i < cs->map_count; i++)
		if (cs->maps[i] == map)
			return true;
	if (!v8_is_object(map) || v8_type(rt, stream) != rt->t.stream_type)
		return false;
	if (cs->map_count < MAPS)
		cs->maps[cs->map_count++] = map;
	return true;
}

/* While the collector moves code, Code names the place that its instructions had, or will have.
 * There is an object of the same Code, too, or a reference to this one. */
static bool was_moved(struct v8_runtime *rt, const struct v8_code *c, uint64_t other)
{
	uint64_t word;

	if (!v8_is_object(other) || !v8_word(rt, other - 1, &word))
		return false;
	return word == c->stream - 1 || (is_stream(rt, word, other) &&
					 v8_load_moved(rt, other, rt->t.stream_code) == c->code);
}

/* Do Code and the object with the instructions belong together? */
static bool heap_codes_agrees(struct v8_runtime *rt, const struct v8_code *c)
{
	const struct v8_tables *t = &rt->t;
	uint64_t stream, start;

	if (!t->code_stream)
		return true;
	stream = memory_word(c->head, t->code_stream);
	start = memory_word(c->head, t->code_start);
	return (start == c->start || start == v8_field(stream, t->instructions)) &&
	       (stream == c->stream || was_moved(rt, c, stream));
}

/* Reads the object with instructions at `stream`, a tagged address. */
static bool heap_codes_read_code(struct v8_runtime *rt, uint64_t stream, struct v8_code *c)
{
	const struct v8_tables *t = &rt->t;

	c->stream = c->code = stream;
	c->start = v8_field(stream, t->instructions);
	if (t->stream_code)
		c->code = v8_load_moved(rt, stream, t->stream_code);
	if (!v8_is_object(c->code) || v8_type(rt, c->code) != t->code_type ||
	    !v8_bytes(rt, c->code - 1, c->head, sizeof(c->head)) || !heap_codes_agrees(rt, c))
		return false;
	c->size = memory_u32(c->head, t->code_size);
	c->kind = (uint8_t)(memory_u32(c->head, t->code_flags) & V8_KIND_MASK);
	return true;
}

static bool heap_codes_holds(const struct v8_code *c, uint64_t pc)
{
	return pc - c->start < c->size;
}

/* While the collector moves code, the object that was there has, in the place of its map, the
 * address of what it has become. */
static bool is_moved(struct v8_runtime *rt, uint64_t word, uint64_t addr)
{
	uint64_t map;

	return word % 8 == 0 && word - addr + MOVE_SPAN < 2 * MOVE_SPAN && word != addr &&
	       v8_word(rt, word, &map) && is_stream(rt, map, word + 1);
}

/* Is there an object with instructions at this address, or was there one? */
static bool heap_codes_look_at(struct v8_runtime *rt, uint64_t word, uint64_t addr,
			       struct v8_code *c)
{
	if (v8_is_object(word) && is_stream(rt, word, addr + 1))
		return heap_codes_read_code(rt, addr + 1, c);
	if (!is_moved(rt, word, addr) || !heap_codes_read_code(rt, word + 1, c))
		return false;
	c->start = addr + (uint64_t)rt->t.instructions;
	return true;
}

/* Looks through the bytes before an address, from the last word on. 1: found; -1: what was found
 * does not hold it, so nothing does; 0: nothing there. */
static int look_through(struct v8_runtime *rt, uint64_t from, const uint8_t *bytes, size_t len,
			uint64_t pc, struct v8_code *c)
{
	for (size_t at = len; at >= 8;) {
		at -= 8;
		if ((from + at + (uint64_t)rt->t.instructions) % CODE_ALIGNMENT == 0 &&
		    heap_codes_look_at(rt, memory_word(bytes, (int32_t)at), from + at, c))
			return heap_codes_holds(c, pc) ? 1 : -1;
	}
	return 0;
}

static bool heap_codes_scan(struct v8_runtime *rt, uint64_t pc, struct v8_code *c)
{
	uint8_t *bytes = rt->codes->scanned;
	uint64_t end = (pc | 7) + 1;

	for (uint64_t done = 0; done < SCAN_BYTES;) {
		uint64_t step = done < 2 * SCAN_FIRST ? SCAN_FIRST : SCAN_MORE,
			 from = (end - 1) & ~(step - 1);
		size_t len = (size_t)(end - from);
		int found;

		/* A mapping may begin at any page. */
		if (rt->live->read(rt->live, from, bytes, len)) {
			from = (end - 1) & ~(uint64_t)(SCAN_FIRST - 1);
			len = (size_t)(end - from);
			if (step == SCAN_FIRST || rt->live->read(rt->live, from, bytes, len))
				return false;
		}
		found = look_through(rt, from, bytes, len, pc, c);
		if (found)
			return found > 0;
		done += len;
		end = from;
	}
	return false;
}

bool v8_code_find(struct v8_runtime *rt, uint64_t pc, struct v8_code *c)
{
	uint64_t *known = &rt->codes->known[pc >> KNOWN_SHIFT & (KNOWN - 1)], word;

	if (*known && pc - *known < SCAN_BYTES && v8_word(rt, *known, &word) &&
	    heap_codes_look_at(rt, word, *known, c) && heap_codes_holds(c, pc))
		return true;
	if (!heap_codes_scan(rt, pc, c))
		return false;
	*known = c->start - (uint64_t)rt->t.instructions;
	return true;
}

const uint8_t *v8_code_bytes(struct v8_runtime *rt, const struct v8_code *code)
{
	struct v8_codes *cs = rt->codes;

	if (code->size > CODE_BYTES_MAX)
		return NULL;
	if (code->size > cs->room) {
		uint8_t *bytes = realloc(cs->bytes, code->size);

		if (!bytes)
			return NULL;
		cs->bytes = bytes;
		cs->room = code->size;
	}
	return !rt->live->read(rt->live, code->start, cs->bytes, code->size) ? cs->bytes : NULL;
}
