#include "goparse/text.h"

/* A byte's value as a digit, more than any base for others. A table, because which of an address's
 * digits are letters is nothing that a processor could foretell. */
static const unsigned char digit_and_one[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15,
	['f'] = 16,
};

static inline unsigned digit(char c)
{
	return digit_and_one[(unsigned char)c] - 1u;
}

static bool decimal(const char *s, size_t len, uint64_t *number)
{
	uint64_t n = 0;

	if (!len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (__builtin_mul_overflow(n, (uint64_t)10, &n) ||
		    __builtin_add_overflow(n, digit(s[i]), &n))
			return false;
	*number = n;
	return true;
}

static bool hexadecimal(const char *s, size_t len, uint64_t *number)
{
	uint64_t n = 0;

	if (!len || len > 16)
		return false;
	for (size_t i = 0; i < len; i++)
		n = n << 4 | digit(s[i]);
	*number = n;
	return true;
}

/* How many digits below `base` it begins, or ends, with. */
static inline size_t digits(struct goparse_text t, unsigned base)
{
	size_t len = 0;

	while (len < t.len && digit(t.at[len]) < base)
		len++;
	return len;
}

static inline size_t digits_end(struct goparse_text t, unsigned base)
{
	size_t len = 0;

	while (len < t.len && digit(t.at[t.len - 1 - len]) < base)
		len++;
	return len;
}

bool text_take_number(struct goparse_text *t, uint64_t *number)
{
	size_t len = digits(*t, 10);

	if (!decimal(t->at, len, number))
		return false;
	t->at += len;
	t->len -= len;
	return true;
}

bool text_take_number_end(struct goparse_text *t, uint64_t *number)
{
	size_t len = digits_end(*t, 10);

	if (!decimal(t->at + t->len - len, len, number))
		return false;
	t->len -= len;
	return true;
}

bool text_take_hex(struct goparse_text *t, uint64_t *number)
{
	struct goparse_text rest = *t;
	size_t len;

	if (!text_take(&rest, LITERAL("0x")))
		return false;
	len = digits(rest, 16);
	if (!hexadecimal(rest.at, len, number))
		return false;
	*t = (struct goparse_text){ rest.at + len, rest.len - len };
	return true;
}

bool text_take_hex_end(struct goparse_text *t, uint64_t *number)
{
	struct goparse_text rest = *t;
	size_t len = digits_end(rest, 16);

	rest.len -= len;
	if (!text_take_end(&rest, LITERAL("0x")) || !hexadecimal(rest.at + rest.len + 2, len, number))
		return false;
	*t = rest;
	return true;
}
