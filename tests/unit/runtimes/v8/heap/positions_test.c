/* Tables of source positions and of baseline code, put together by hand. */
#include <criterion/criterion.h>

#include "runtimes/v8/heap/positions.h"

struct table {
	uint8_t bytes[256];
	size_t len;
};

static void put_unsigned(struct table *t, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		t->bytes[t->len++] = (uint8_t)(value | 0x80);
	t->bytes[t->len++] = (uint8_t)value;
}

static void put_signed(struct table *t, int64_t value)
{
	put_unsigned(t, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

/* A step of the code offset, of a statement or not, and of the position. */
static void put(struct table *t, int64_t code, bool statement, int64_t position)
{
	put_signed(t, statement ? code : -code - 1);
	put_signed(t, position);
}

static int64_t raw(int32_t offset, int32_t inlining)
{
	return (int64_t)(offset + 1) << 1 | (int64_t)(inlining + 1) << 31;
}

static bool find(const struct table *t, int64_t at, struct v8_position *p)
{
	struct v8_positions table = { t->bytes, t->len, false };

	return v8_position_find(&table, at, p);
}

static void check(const struct table *t, int64_t at, int32_t offset, int32_t inlining)
{
	struct v8_position p = { -2, -2 };

	cr_assert(find(t, at, &p), "%d", (int)at);
	cr_expect_eq(p.offset, offset, "at %d: %d", (int)at, p.offset);
	cr_expect_eq(p.inlining, inlining, "at %d: %d", (int)at, p.inlining);
}

Test(v8_positions, the_last_entry_that_is_not_behind)
{
	struct table t = { .len = 0 };
	struct v8_position p;

	put(&t, 0 + 1, true, raw(100, -1));
	put(&t, 4, false, raw(90, -1) - raw(100, -1));
	put(&t, 300, true, raw(70000, -1) - raw(90, -1));
	cr_expect(!find(&t, -1, &p));
	check(&t, 0, 100, -1);
	check(&t, 3, 100, -1);
	check(&t, 4, 90, -1);
	check(&t, 303, 90, -1);
	check(&t, 304, 70000, -1);
	check(&t, 1 << 20, 70000, -1);
}

Test(v8_positions, a_function_s_entry)
{
	struct table t = { .len = 0 };

	put(&t, 0, false, raw(7, -1)); /* at -1 */
	put(&t, 3, true, raw(9, -1) - raw(7, -1));
	check(&t, -1, 7, -1);
	check(&t, 1, 7, -1);
	check(&t, 2, 9, -1);
}

/* As Node 25 has it for leaf(): at -1: 41; 0: 47, 3: 54, 9: 61, 12: 65. */
Test(v8_positions, code_offsets_with_flags)
{
	static const uint8_t bytes[] = { 2, 0xa8, 1, 7, 24, 14, 28, 26, 28, 15, 16 };
	static const int32_t expected[][2] = { { -1, 41 }, { 0, 47 }, { 2, 47 }, { 3, 54 },
					       { 8, 54 },  { 9, 61 }, { 12, 65 } };
	struct v8_positions table = { bytes, sizeof(bytes), true };
	struct v8_position p;

	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		cr_assert(v8_position_find(&table, expected[i][0], &p));
		cr_expect_eq(p.offset, expected[i][1], "at %d: %d", expected[i][0], p.offset);
	}
}

Test(v8_positions, the_position_of_a_bytecode)
{
	static const uint8_t code[] = { 9, 0, 0, 8, 0, 0, 0, 9, 0 };
	struct v8_positions table;
	struct table t = { .len = 0 };

	put(&t, 1, true, raw(5, -1));		   /* at 0 */
	put(&t, 3, true, raw(7, -1) - raw(5, -1)); /* at 3 */
	put(&t, 3, true, raw(9, -1) - raw(7, -1)); /* at 6, a prefix */
	table = (struct v8_positions){ t.bytes, t.len, false };
	cr_expect(v8_position_is_of(&table, code, sizeof(code), 9, 5));
	cr_expect(!v8_position_is_of(&table, code, sizeof(code), 9, 7));
	cr_expect(v8_position_is_of(&table, code, sizeof(code), 9, 9));
	cr_expect(!v8_position_is_of(&table, code, 6, 9, 9));
	cr_expect(!v8_position_is_of(&table, NULL, 0, 9, 5));
}

Test(v8_positions, inlined_calls)
{
	struct table t = { .len = 0 };

	put(&t, 11, true, raw(5, 3));
	put(&t, 1, true, raw(1 << 29, 65000) - raw(5, 3));
	put(&t, 1, true, raw(6, -1) - raw(1 << 29, 65000));
	check(&t, 10, 5, 3);
	check(&t, 11, 1 << 29, 65000);
	check(&t, 12, 6, -1);
}

Test(v8_positions, those_of_v8_s_own_files_are_left_out)
{
	struct table t = { .len = 0 };

	put(&t, 1, true, raw(5, -1));
	put(&t, 1, true, 1); /* external */
	put(&t, 1, true, raw(8, -1) - raw(5, -1) - 1);
	check(&t, 1, 5, -1);
	check(&t, 2, 8, -1);
}

Test(v8_positions, a_table_that_is_cut_ends_there)
{
	struct table t = { .len = 0 };
	struct v8_position p;

	put(&t, 1, true, raw(5, -1));
	put(&t, 1, true, raw(5000, -1));
	t.len -= 1;
	check(&t, 100, 5, -1);
	t.len = 0;
	cr_expect(!find(&t, 5, &p));
	t.len = sizeof(t.bytes);
	for (size_t i = 0; i < sizeof(t.bytes); i++)
		t.bytes[i] = 0xff;
	cr_expect(!find(&t, 5, &p));
}

Test(v8_positions, an_inlining_position)
{
	uint8_t bytes[V8_INLINING_BYTES] = { 0 };
	uint64_t call = (uint64_t)raw(1234, 7);
	struct v8_inlining in;

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(call >> 8 * i);
	bytes[8] = 42;
	bytes[12] = 0xee; /* not used */
	in = v8_inlining_decode(bytes);
	cr_expect_eq(in.call.offset, 1234);
	cr_expect_eq(in.call.inlining, 7);
	cr_expect_eq(in.function, 42);
	for (unsigned i = 8; i < 12; i++)
		bytes[i] = 0xff;
	cr_expect_eq(v8_inlining_decode(bytes).function, -1);
}

/* Bytecode 4 has one byte of operands, 5 two; 0 and 1 widen them. */
static const struct v8_bytecodes LENGTHS = {
	.sizes = { { 1, 1, 1, 1, 2, 3 }, { 1, 1, 1, 1, 3, 5 }, { 1, 1, 1, 1, 5, 9 } }, .count = 6
};

Test(v8_positions, baseline_code)
{
	static const uint8_t code[] = { 4, 0, 0, 4, 0, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0 };
	struct table t = { .len = 0 };
	const struct {
		uint64_t pc;
		int64_t bytecode;
	} expected[] = { { 0, V8_ENTRY }, { 199, V8_ENTRY }, { 200, 0 },	 { 209, 0 },
			 { 210, 2 },	  { 213, 2 },	     { 214, 6 },	 { 313, 6 },
			 { 314, 16 },	  { 315, 16 },	     { 316, V8_NOWHERE } };

	put_unsigned(&t, 200); /* the prologue */
	put_unsigned(&t, 10);
	put_unsigned(&t, 4);
	put_unsigned(&t, 100);
	put_unsigned(&t, 2);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		int64_t found = v8_baseline_find(&LENGTHS, t.bytes, t.len, code, sizeof(code),
						 expected[i].pc);

		cr_expect_eq(found, expected[i].bytecode, "pc %d: %d", (int)expected[i].pc,
			     (int)found);
	}
}

Test(v8_positions, baseline_code_that_does_not_fit_its_bytecode)
{
	static const uint8_t code[] = { 4, 0, 9 };
	struct table t = { .len = 0 };

	put_unsigned(&t, 1);
	put_unsigned(&t, 1);
	put_unsigned(&t, 1);
	cr_expect_eq(v8_baseline_find(&LENGTHS, t.bytes, t.len, code, sizeof(code), 1), 0);
	cr_expect_eq(v8_baseline_find(&LENGTHS, t.bytes, t.len, code, sizeof(code), 2), V8_NOWHERE);
	cr_expect_eq(v8_baseline_find(&LENGTHS, t.bytes, t.len, code, 2, 2), V8_NOWHERE);
	cr_expect_eq(v8_baseline_find(&LENGTHS, t.bytes, 0, code, 2, 0), V8_NOWHERE);
}
