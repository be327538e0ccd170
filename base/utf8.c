#include "base/utf8.h"

static int is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* The second byte tells overlong forms, surrogates and what is beyond U+10FFFF from the
 * rest (The Unicode Standard, table 3-7). */
size_t utf8_length(const unsigned char *s, size_t left)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
		     s[0] < 0xf5 ? 4 : 0;

	if (len > left)
		return 0;
	for (size_t i = 1; i < len; i++)
		if (!is_continuation(s[i]))
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}
