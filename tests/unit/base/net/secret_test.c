/* What may be secret in URLs and headers is removed, or hidden where it was quoted. */
#include "base/net/secret.h"

#include <criterion/criterion.h>
#include <string.h>

static void check(void bare(char *), const char *from, const char *to)
{
	char text[128];

	memset(text, 0x55, sizeof(text));
	strcpy(text, from);
	bare(text);
	cr_assert_str_eq(text, to, "%s: %s, not %s", from, text, to);
	for (size_t i = strlen(to); i <= strlen(from); i++)
		cr_assert_eq(text[i], '\0', "%s: byte %zu is left", from, i);
}

Test(secret, urls)
{
	static const char *const pairs[][2] = {
		{ "http://h/x", "http://h/x" },
		{ "http://h:6060/x@y", "http://h:6060/x@y" },
		{ "http://[::1]:6060/x", "http://[::1]:6060/x" },
		{ "http://u:p@h:6060/x", "http://h:6060/x" },
		{ "http://u:p@ss@h/x?a@b", "http://h/x" },
		{ "https://u@h", "https://h" },
		{ "https://@h", "https://h" },
		{ "http://h/x?token=t#u@v", "http://h/x" },
		{ "http://h:1/?mail=a@b", "http://h:1/" },
		{ "http://[::1]:6060/?mail=a@b", "http://[::1]:6060/" },
		{ "http://h#f", "http://h" },
		/* No URL: '/', '?' and '#' may be a password's. */
		{ "http://u:p/w@h/x", "http://" },
		{ "http://u:p?w@h/x", "http://" },
		{ "http://u:p#w@h/x", "http://" },
		{ "u:p@h/x?t", "h/x" },
		{ "htp://u:p@h", "htp://h" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		check(secret_bare_url, pairs[i][0], pairs[i][1]);
}

Test(secret, headers)
{
	check(secret_bare_header, "Authorization: Bearer x", "Authorization: *");
	check(secret_bare_header, "A:b", "A:*");
	check(secret_bare_header, "A: b: c", "A: *");
	check(secret_bare_header, "A:", "A:");
	check(secret_bare_header, "A", "A");
}

static void hidden(void hide(char *, const char *), const char *by, const char *from,
		   const char *to)
{
	char text[128];

	strcpy(text, from);
	hide(text, by);
	cr_assert_str_eq(text, to);
}

Test(secret, words_that_a_server_quotes)
{
	hidden(secret_hide_header, "A: Bearer word", "Bearer word, sword", "Bearer ****, s****");
	hidden(secret_hide_header, "A", "A", "A");
	hidden(secret_hide_url, "http://user:pass:word@h/x?a=query&b=c",
	       "pass:word user query a c b", "********* **** ***** a c b");
	hidden(secret_hide_url, "http://h/x@y", "h x y", "h x y");
	hidden(secret_hide_query, "plain;k=t0k3n#none", "plain t0k3n none t0k3…",
	       "***** ***** none ****…");
	hidden(secret_hide_query, "", "as it is", "as it is");
	hidden(secret_hide_query, "&&;==", "as it is", "as it is");
}
