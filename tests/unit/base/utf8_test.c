/* Every character, and bytes that are not a character. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/utf8.h"

static size_t encode(uint32_t r, char *text)
{
	if (r < 0x80)
		return text[0] = (char)r, 1;
	if (r < 0x800)
		return text[0] = (char)(0xc0 | r >> 6), text[1] = (char)(0x80 | (r & 0x3f)), 2;
	if (r < 0x10000)
		return text[0] = (char)(0xe0 | r >> 12), text[1] = (char)(0x80 | (r >> 6 & 0x3f)),
		       text[2] = (char)(0x80 | (r & 0x3f)), 3;
	text[0] = (char)(0xf0 | r >> 18);
	text[1] = (char)(0x80 | (r >> 12 & 0x3f));
	text[2] = (char)(0x80 | (r >> 6 & 0x3f));
	text[3] = (char)(0x80 | (r & 0x3f));
	return 4;
}

Test(utf8, every_character)
{
	char text[4];

	for (uint32_t r = 0; r < 0x110800; r++) {
		size_t size = encode(r, text), len, cut;
		uint32_t got = utf8_next(text, size, &len);

		if ((r >= 0xd800 && r < 0xe000) || r > 0x10ffff) {
			cr_assert(got == UTF8_REPLACEMENT && len == 1, "U+%X", r);
			continue;
		}
		cr_assert(got == r && len == size, "U+%X", r);
		if (size > 1)
			cr_assert(utf8_next(text, size - 1, &cut) == UTF8_REPLACEMENT && cut == 1);
	}
}

Test(utf8, put_is_the_inverse)
{
	char text[4];
	size_t len;

	for (uint32_t r = 0; r < 0x110100; r++) {
		uint32_t expected = (r >= 0xd800 && r < 0xe000) || r > 0x10ffff ? UTF8_REPLACEMENT :
										  r;
		size_t put = utf8_put(text, r);

		cr_assert(utf8_next(text, put, &len) == expected && len == put, "U+%X", r);
	}
}

Test(utf8, what_is_none)
{
	static const char *const wrong[] = { "\x80",
					     "\xc0\x80",
					     "\xc1\xbf",
					     "\xe0\x9f\xbf",
					     "\xf0\x8f\xbf\xbf",
					     "\xf5\x80\x80\x80",
					     "\xff",
					     "\xc3(",
					     "\xe2\x82(",
					     "\xf0\x9f\x92(" };
	size_t len;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		cr_expect_eq(utf8_next(wrong[i], strlen(wrong[i]), &len), UTF8_REPLACEMENT);
		cr_expect_eq(len, 1);
	}
}

Test(utf8, whole_characters_fit)
{
	static const char text[] = "aé…😀";

	cr_assert_eq(utf8_fit(text, 10, 10), 10);
	cr_assert_eq(utf8_fit(text, 10, 20), 10);
	for (size_t room = 6; room < 10; room++)
		cr_assert_eq(utf8_fit(text, 10, room), 6);
	for (size_t room = 3; room < 6; room++)
		cr_assert_eq(utf8_fit(text, 10, room), 3);
	cr_assert_eq(utf8_fit(text, 10, 2), 1);
	cr_assert_eq(utf8_fit(text, 10, 0), 0);
}
