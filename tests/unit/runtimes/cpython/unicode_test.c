/* Strings of all kinds, laid out as CPython 3.8, 3.12 and a free-threaded 3.14 have them. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/cpython/layout.h"
#include "runtimes/cpython/unicode.h"

enum { START = 0x10000, ELSEWHERE = 0x10800 };

/* PyASCIIObject.state without `interned` */
enum { ONE = 1, TWO = 2, FOUR = 4, COMPACT = 8, ASCII = 16, READY = 32 };

static struct cpython python;
static struct memory_bytes memory;
static uint8_t bytes[0x10000];

static void use(uint16_t version, bool free_threaded)
{
	uint32_t head = free_threaded ? 32 : 16;

	python.version = version;
	python.free_threaded = free_threaded;
	python.layout.object = (struct cpython_object_layout){
		.text_length = head,
		.text_hash = head + 8,
		.text_state = head + 16,
		.text_ascii = version < CPYTHON_3_12 ? 48 : head + 24,
		.text_compact = version < CPYTHON_3_12 ? 72 : head + 40,
	};
	memset(bytes, 0xee, sizeof(bytes));
	memory_bytes_init(&memory, bytes, START, sizeof(bytes));
}

static void put(size_t at, uint64_t value, unsigned size)
{
	memcpy(bytes + at, &value, size);
}

static void put_head(uint64_t length, unsigned state)
{
	const struct cpython_object_layout *o = &python.layout.object;

	put(o->text_length, length, 8);
	if (python.free_threaded && python.version >= CPYTHON_3_14)
		put(o->text_state, 3 | state << 8, 4);
	else
		put(o->text_state, 0xabcd0000 | 1 | state << 2, 4);
}

static void put_chars(size_t at, const uint32_t *chars, size_t count, unsigned width)
{
	for (size_t i = 0; i < count; i++)
		put(at + i * width, chars[i], width);
}

static void check(const char *expected)
{
	char text[PYUNICODE_MAX + 1];
	int rc = pyunicode_read(&python, &memory.memory, START, text, sizeof(text));

	cr_assert_eq(rc, 0, "%d", rc);
	cr_assert_str_eq(text, expected);
}

static const struct {
	uint16_t version;
	bool free_threaded;
	unsigned state;
} kinds[] = { { CPYTHON_3_8, false, READY },
	      { CPYTHON_3_12, false, 0 },
	      { CPYTHON_3_14, true, 0 } };

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static void use_kind(size_t i, uint64_t length, unsigned state)
{
	use(kinds[i].version, kinds[i].free_threaded);
	put_head(length, state | kinds[i].state);
}

Test(pyunicode, compact_strings_have_1_2_or_4_bytes)
{
	static const uint32_t ascii[] = { 'a', 'b', 'c' }, latin[] = { 'c', 'a', 'f', 0xe9 },
			      greek[] = { 0x394, 'x', 0xffff }, smile[] = { 'y', 0x1f600 };

	for (size_t i = 0; i < KINDS; i++) {
		use_kind(i, 3, ONE | COMPACT | ASCII);
		put_chars(python.layout.object.text_ascii, ascii, 3, 1);
		check("abc");
		use_kind(i, 4, ONE | COMPACT);
		put_chars(python.layout.object.text_compact, latin, 4, 1);
		check("caf\xc3\xa9");
		use_kind(i, 3, TWO | COMPACT);
		put_chars(python.layout.object.text_compact, greek, 3, 2);
		check("\xce\x94x\xef\xbf\xbf");
		use_kind(i, 2, FOUR | COMPACT);
		put_chars(python.layout.object.text_compact, smile, 2, 4);
		check("y\xf0\x9f\x98\x80");
		use_kind(i, 0, ONE | COMPACT | ASCII);
		check("");
	}
}

/* Free-threaded builds of 3.13 have 16 bits of `interned`. */
Test(pyunicode, the_state_of_free_threaded_builds_has_two_forms)
{
	use(CPYTHON_3_14, true);
	put(python.layout.object.text_length, 2, 8);
	put(python.layout.object.text_state, 2 | (ONE | COMPACT | ASCII) << 16, 4);
	memcpy(bytes + python.layout.object.text_ascii, "ok", 2);
	check("ok");
}

Test(pyunicode, strings_that_are_not_compact_have_their_characters_elsewhere)
{
	for (size_t i = 0; i < KINDS; i++) {
		use_kind(i, 5, ONE | ASCII);
		put(python.layout.object.text_compact, ELSEWHERE, 8);
		memcpy(bytes + ELSEWHERE - START, "there", 5);
		check("there");
	}
}

Test(pyunicode, strings_of_the_old_interface_have_wide_characters)
{
	static const uint32_t wide[] = { 'w', 0x394, 0x1f600 };

	use(CPYTHON_3_8, false);
	put_head(0, 0);
	put(40, ELSEWHERE, 8);
	put(64, 3, 8);
	put_chars(ELSEWHERE - START, wide, 3, 4);
	check("w\xce\x94\xf0\x9f\x98\x80");
}

/* os.fsdecode(b"caf\xe9.py") is "caf\udce9.py". */
Test(pyunicode, what_utf8_has_no_bytes_for_is_escaped)
{
	static const uint32_t chars[] = { 'f', 0xdce9, 0xd800, 0xdfff, 0xe000, 0, 'z' };
	static const uint32_t none[] = { 0x110000, 0xffffffff };

	use_kind(1, 7, TWO | COMPACT);
	put_chars(python.layout.object.text_compact, chars, 7, 2);
	check("f\\udce9\\ud800\\udfff\xee\x80\x80\\x00z");
	use_kind(1, 2, FOUR | COMPACT);
	put_chars(python.layout.object.text_compact, none, 2, 4);
	check("\\U00110000\\Uffffffff");
}

static void check_long(uint64_t length, unsigned width, uint32_t ch, size_t size, bool cut)
{
	const struct cpython_object_layout *o = &python.layout.object;
	char text[PYUNICODE_MAX + 1];
	size_t len;

	use_kind(1, length, COMPACT | (width == 1 ? ONE | ASCII : TWO));
	for (size_t i = 0; i < 5000; i++)
		put((width == 1 ? o->text_ascii : o->text_compact) + i * width, ch, width);
	cr_assert_eq(pyunicode_read(&python, &memory.memory, START, text, sizeof(text)), 0);
	len = strlen(text);
	cr_assert_eq(len, size, "%zu bytes", len);
	cr_assert_eq(!strcmp(text + len - 3, "…"), cut);
}

Test(pyunicode, long_strings_are_cut_visibly_and_between_characters)
{
	check_long(PYUNICODE_MAX, 1, 'a', PYUNICODE_MAX, false);
	check_long(PYUNICODE_MAX + 1, 1, 'a', PYUNICODE_MAX, true);
	check_long(1 << 30, 1, 'a', PYUNICODE_MAX, true);
	check_long(2048, 2, 0x3b1, PYUNICODE_MAX, false);
	check_long(2049, 2, 0x3b1, PYUNICODE_MAX - 1, true);
	check_long(1365, 2, 0x4e00, PYUNICODE_MAX - 1, false);
	check_long(1366, 2, 0x4e00, PYUNICODE_MAX - 1, true);
	check_long(700, 2, 0xdc80, 682 * 6 + 3, true);
}

Test(pyunicode, little_room_cuts_as_well)
{
	char text[8];

	cr_assert_eq(pyunicode_encode("abcdefg", 7, 1, false, text, 8), 7);
	cr_assert_str_eq(text, "abcdefg");
	cr_assert_eq(pyunicode_encode("abcdefgh", 8, 1, false, text, 8), 7);
	cr_assert_str_eq(text, "abcd…");
	cr_assert_eq(pyunicode_encode("ab", 2, 1, true, text, 8), 5);
	cr_assert_str_eq(text, "ab…");
	cr_assert_eq(pyunicode_encode("abcd", 4, 1, false, text, 4), 3);
	cr_assert_str_eq(text, "…");
}

static void check_fails(int expected)
{
	char text[100];
	int rc = pyunicode_read(&python, &memory.memory, START, text, sizeof(text));

	cr_assert_eq(rc, expected, "%d", rc);
}

Test(pyunicode, what_is_no_string_is_an_error)
{
	for (size_t i = 0; i < KINDS; i++) {
		for (unsigned kind = 0; kind < 8; kind++) {
			use_kind(i, 1, kind | COMPACT);
			if (kind == 1 || kind == 2 || kind == 4)
				check(kind == 1 ? "\xc3\xae" :
				      kind == 2 ? "\xee\xbb\xae" :
						  "\\Ueeeeeeee");
			else
				check_fails(ERR_FORMAT);
		}
		use_kind(i, (1ull << 30) + 1, ONE | COMPACT);
		check_fails(ERR_FORMAT);
		use_kind(i, UINT64_MAX, ONE | COMPACT);
		check_fails(ERR_FORMAT);
		use_kind(i, 10, ONE); /* the pointer leads nowhere */
		check_fails(ERR_IO);
		memory.memory.len = python.layout.object.text_ascii - 1;
		check_fails(ERR_IO);
	}
	use(CPYTHON_3_12, false);
	python.layout.object.text_compact = PYUNICODE_HEAD_MAX;
	check_fails(ERR_FORMAT);
}
