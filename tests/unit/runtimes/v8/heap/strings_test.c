/* Strings of all kinds in a made-up heap. */
#include "runtimes/v8/heap/strings.h"

#include "base/error.h"
#include "tests/unit/runtimes/v8/heap/made_up.h"

static char text[V8_TEXT_MAX];

static void check(uint64_t string, const char *expected)
{
	cr_assert_eq(v8_string_text(&heap.look, string, text), 0);
	cr_expect_str_eq(text, expected);
}

static void check_none(uint64_t string)
{
	cr_expect_eq(v8_string_text(&heap.look, string, text), ERR_FORMAT);
}

Test(v8_strings, sequential)
{
	static const uint16_t wide[] = { 'a', 0xe9, 0x65e5, 0xd83d, 0xde00 };

	make_heap();
	check(make_string("total"), "total");
	check(make_string(""), "");
	check(make_chars(INTERNALIZED_ONE, "caf\xe9", 4, 1), "café");
	check(make_chars(SEQ_TWO, wide, 5, 2), "aé日😀");
}

Test(v8_strings, half_a_pair_is_no_character)
{
	static const uint16_t first[] = { 0xd83d }, second[] = { 0xde00, 'x' },
			      twice[] = { 0xd83d, 0xd83d, 0xde00 };

	make_heap();
	check(make_chars(SEQ_TWO, first, 1, 2), "\xef\xbf\xbd");
	check(make_chars(SEQ_TWO, second, 2, 2), "\xef\xbf\xbdx");
	check(make_chars(SEQ_TWO, twice, 3, 2), "\xef\xbf\xbd😀");
	check(make_chars(SEQ_ONE, "a\0b", 3, 1), "a\xef\xbf\xbd"
						 "b");
}

Test(v8_strings, thin_sliced_cons_and_external)
{
	static const uint16_t high[] = { 0xd83d }, low[] = { 0xde00 };
	uint64_t whole, slice, cons;

	make_heap();
	whole = make_string("0123456789");
	slice = make_indirect(SLICED_ONE, 4, whole, smi(3));
	check(slice, "3456");
	check(make_indirect(THIN_ONE, 10, whole, 0), "0123456789");
	cons = make_indirect(CONS_ONE, 14, whole, slice);
	check(cons, "01234567893456");
	check(make_indirect(CONS_ONE, 18, cons, slice), "012345678934563456");
	check(make_indirect(SLICED_ONE, 6, cons, smi(8)), "893456");
	check(make_indirect(SLICED_ONE, 2, cons, smi(11)), "45");
	check(make_indirect(CONS_TWO, 2, make_chars(SEQ_TWO, high, 1, 2),
			    make_chars(SEQ_TWO, low, 1, 2)),
	      "😀");
	check(make_indirect(EXTERNAL_ONE, 5, 0, whole - 1 + 16), "01234");
}

Test(v8_strings, a_long_text_is_cut)
{
	uint64_t string;
	uint8_t chars[5000];

	make_heap();
	memset(chars, 'x', sizeof(chars));
	string = make_chars(SEQ_ONE, chars, sizeof(chars), 1);
	cr_assert_eq(v8_string_text(&heap.look, string, text), 0);
	cr_expect_eq(strlen(text), V8_TEXT_MAX - 1);
	cr_expect_str_eq(text + V8_TEXT_MAX - 5, "x…");
	memset(chars, 0xe9, sizeof(chars));
	string = make_chars(SEQ_ONE, chars, sizeof(chars), 1);
	cr_assert_eq(v8_string_text(&heap.look, string, text), 0);
	cr_expect(strlen(text) < (size_t)V8_TEXT_MAX);
	cr_expect_str_eq(text + strlen(text) - 5, "é…");
}

Test(v8_strings, what_is_none)
{
	uint64_t string, cons;

	make_heap();
	check_none(0);
	check_none(smi(5));
	check_none(make(ODDBALL_TYPE, 32));
	check_none(START + HEAP_BYTES + 1);
	string = make_string("abc");
	put(string, 12, (uint64_t)-1, 4);
	check_none(string);
	check_none(make_indirect(UNCACHED_ONE, 3, 0, START));
	check_none(make_indirect(EXTERNAL_ONE, 3, 0, 0));
	check_none(make_indirect(EXTERNAL_ONE, 3, 0, 8)); /* not mapped */
	string = make_string("abc");
	check_none(make_indirect(SLICED_ONE, 3, string, smi(1))); /* longer than what it is of */
	check_none(make_indirect(SLICED_ONE, 3, string, smi(-1)));
	check_none(make_indirect(CONS_ONE, 7, string, string));
	cons = make_indirect(CONS_ONE, 6, string, 0);
	put(cons, 16, cons, 8);
	put(cons, 24, cons, 8);
	check_none(cons); /* a circle */
	put(cons, 0, map_of(THIN_ONE), 8);
	check_none(cons);
}

struct taken {
	uint64_t at[8];
	uint32_t count[8];
	unsigned pieces;
};

static int take(void *own, const struct v8_chars *chars)
{
	struct taken *t = own;

	t->at[t->pieces] = chars->at;
	t->count[t->pieces++] = chars->count;
	return 0;
}

Test(v8_strings, pieces_in_order)
{
	struct taken t = { .pieces = 0 };
	uint64_t a, b;

	make_heap();
	a = make_string("abcdef");
	b = make_string("ghi");
	cr_assert_eq(v8_string_each(&heap.look, make_indirect(CONS_ONE, 9, a, b), 8, take, &t), 0);
	cr_assert_eq(t.pieces, 2);
	cr_expect_eq(t.at[0], a - 1 + 16);
	cr_expect_eq(t.count[0], 6);
	cr_expect_eq(t.at[1], b - 1 + 16);
	cr_expect_eq(t.count[1], 2);
}

/* The look tells that an object has changed since. */
Test(v8_strings, a_look_holds_until_something_moves)
{
	uint64_t string;

	make_heap();
	string = make_string("abc");
	check(string, "abc");
	cr_expect(v8_look_holds(&heap.look));
	put(string, 0, map_of(THIN_ONE), 8);
	cr_expect(!v8_look_holds(&heap.look));
}
