/* An entry is two running sums, decoded one after the other: a table has no index. Sums are
 * unsigned, because those of made-up numbers overflow. */
#include "runtimes/v8/heap/positions.h"

#include "base/cursor.h"

enum {
	EXTERNAL = 1, /* position of a file of V8's own */
	OFFSET_SHIFT = 1,
	OFFSET_BITS = 30,
	INLINING_SHIFT = 31,
	INLINING_BITS = 16,
	FLAGS = 2,    /* bits */
	PREFIXES = 4, /* bytecodes that widen the next one: Wide, ExtraWide, and a debugger's */
};

/* Zigzag; as an unsigned number, because sums of made-up ones overflow. */
static uint64_t read_signed(struct cursor *c)
{
	uint64_t value = cursor_uleb(c);

	return value >> 1 ^ -(value & 1);
}

static int32_t positions_field(uint64_t raw, unsigned shift, unsigned bits)
{
	return (int32_t)(raw >> shift & ((1u << bits) - 1)) - 1;
}

static struct v8_position positions_decode(uint64_t raw)
{
	return (struct v8_position){ positions_field(raw, OFFSET_SHIFT, OFFSET_BITS),
				     positions_field(raw, INLINING_SHIFT, INLINING_BITS) };
}

/* The next entry: the running sums of both. False: there is none. */
static bool positions_next(struct cursor *c, bool flagged, uint64_t *code, uint64_t *raw)
{
	uint64_t delta;

	if (!cursor_left(c))
		return false;
	delta = flagged ? cursor_uleb(c) >> FLAGS : read_signed(c);
	*code += delta >> 63 ? ~delta : delta;
	*raw += read_signed(c);
	return !c->failed;
}

enum { ENTRY = -1 }; /* where code offsets count from: the function's entry */

bool v8_position_find(const struct v8_positions *table, int64_t offset,
		      struct v8_position *position)
{
	uint64_t code = (uint64_t)ENTRY, raw = 0;
	bool found = false;
	struct cursor c;

	cursor_init(&c, table->bytes, table->len, "source positions");
	while (positions_next(&c, table->flagged, &code, &raw) && (int64_t)code <= offset) {
		if (raw & EXTERNAL)
			continue;
		*position = positions_decode(raw);
		found = true;
	}
	return found;
}

bool v8_position_is_of(const struct v8_positions *table, const uint8_t *bytecodes, size_t count,
		       uint8_t opcode, int32_t offset)
{
	uint64_t code = (uint64_t)ENTRY, raw = 0;
	struct cursor c;

	cursor_init(&c, table->bytes, table->len, "source positions");
	while (positions_next(&c, table->flagged, &code, &raw)) {
		uint64_t at = code;

		if (at < count && bytecodes[at] < PREFIXES)
			at++;
		if (at < count && bytecodes[at] == opcode && !(raw & EXTERNAL) &&
		    positions_decode(raw).offset == offset)
			return true;
	}
	return false;
}

struct v8_inlining v8_inlining_decode(const uint8_t bytes[V8_INLINING_BYTES])
{
	struct cursor c;
	struct v8_inlining inlining;

	cursor_init(&c, bytes, V8_INLINING_BYTES, "inlined calls");
	inlining.call = positions_decode(cursor_uint(&c, 8));
	inlining.function = (int32_t)cursor_uint(&c, 4);
	return inlining;
}

/* The length of the bytecode at `at`, with a prefix; 0: there is none. */
static size_t bytecode_size(const struct v8_bytecodes *b, const uint8_t *bytecodes, size_t count,
			    size_t at)
{
	unsigned scale = at < count && bytecodes[at] < PREFIXES ? 1 + bytecodes[at] % 2 : 0;
	size_t code = at + (scale > 0);

	if (code >= count || bytecodes[code] >= b->count)
		return 0;
	return (scale > 0) + b->sizes[scale][bytecodes[code]];
}

int64_t v8_baseline_find(const struct v8_bytecodes *b, const uint8_t *table, size_t len,
			 const uint8_t *bytecodes, size_t count, uint64_t pc)
{
	uint64_t end;
	size_t at = 0;
	struct cursor c;

	cursor_init(&c, table, len, "bytecode offsets");
	end = cursor_uleb(&c);
	if (!c.failed && pc < end)
		return V8_ENTRY;
	while (cursor_left(&c)) {
		uint64_t size = cursor_uleb(&c);
		size_t step = bytecode_size(b, bytecodes, count, at);

		if (c.failed || !step || size > UINT64_MAX - end)
			break;
		end += size;
		if (pc < end)
			return (int64_t)at;
		at += step;
	}
	return V8_NOWHERE;
}
