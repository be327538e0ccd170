/* Digits are found through a table of 256 entries, which is also the inline functions' in
 * text.h. */
#include "goparse/text.h"

const unsigned char text_digit_and_one[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

static size_t text_digits(struct goparse_text t, unsigned base)
{
	size_t len = 0;

	while (len < t.len && text_digit(t.at[len]) < base)
		len++;
	return len;
}

bool text_take_number(struct goparse_text *t, uint64_t *number)
{
	size_t len = text_digits(*t, 10);

	if (!text_decimal(t->at, len, number))
		return false;
	t->at += len;
	t->len -= len;
	return true;
}

bool text_take_hex(struct goparse_text *t, uint64_t *number)
{
	struct goparse_text rest = *t;
	size_t len;

	if (!text_take(&rest, LITERAL("0x")))
		return false;
	len = text_digits(rest, 16);
	if (!text_hexadecimal(rest.at, len, number))
		return false;
	*t = (struct goparse_text){ rest.at + len, rest.len - len };
	return true;
}
