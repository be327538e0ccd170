/* Secret headers: their form, and how they are masked in texts. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "rounds/push/headers.h"

static struct pushheaders h;

static int add(const char *value)
{
	return pushheaders_add(&h, "Authorization", "Bearer ", value, "TOKEN", NULL);
}

/* RFC 4648, section 10. */
Test(pushheaders, base64)
{
	static const char *const pairs[][2] = {
		{ "", "Og==" },
		{ "f", "Zjo=" },
		{ "fo", "Zm86" },
		{ "foo", "Zm9vOg==" },
		{ "\xff\xfe\xfd", "//79Og==" },
		{ "Aladdin", "QWxhZGRpbjo=" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		cr_assert_eq(pushheaders_basic(&h, pairs[i][0], "", "X", NULL), 0);
		cr_assert_eq(strncmp(h.lines[0], "Authorization: Basic ", 21), 0);
		cr_assert_str_eq(h.lines[0] + 21, pairs[i][1]);
		pushheaders_release(&h);
	}
	cr_assert_eq(pushheaders_basic(&h, "Aladdin", "open sesame", "X", NULL), 0);
	cr_assert_str_eq(h.lines[0], "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
	pushheaders_release(&h);
}

Test(pushheaders, what_would_end_a_line_is_no_header)
{
	struct error err;

	cr_assert_eq(pushheaders_add(&h, "A", "", "secret\r\nB: c", "TOKEN", &err), ERR_USAGE);
	cr_assert_not(strstr(err.text, "secret"));
	cr_assert(strstr(err.text, "TOKEN"));
	cr_assert_eq(add("a\x7f"), ERR_USAGE);
	cr_assert_eq(pushheaders_add(&h, "", "", "x", "X", NULL), ERR_USAGE);
	cr_assert_eq(pushheaders_add(&h, "a b", "", "x", "X", NULL), ERR_USAGE);
	cr_assert_eq(h.count, 0);
	cr_assert_eq(add("\xc3\xa9\tx"), 0);
	pushheaders_release(&h);
}

Test(pushheaders, a_bound)
{
	for (int i = 0; i < PUSHHEADERS_MAX; i++)
		cr_assert_eq(add("x"), 0);
	cr_assert_eq(add("x"), ERR_LIMIT);
	pushheaders_release(&h);
}

Test(pushheaders, names)
{
	cr_assert_eq(add("x"), 0);
	cr_assert(pushheaders_has(&h, "authorization"));
	cr_assert_not(pushheaders_has(&h, "Author"));
	cr_assert_not(pushheaders_has(&h, "Authorizations"));
	pushheaders_release(&h);
}

static void hidden(const char *text, const char *want)
{
	char copy[200];

	strcpy(copy, text);
	pushheaders_hide(&h, copy);
	cr_assert_str_eq(copy, want);
}

Test(pushheaders, secrets_are_hidden)
{
	cr_assert_eq(add("abcdef"), 0);
	cr_assert_eq(pushheaders_add(&h, "X-Short", "", "a b", "X", NULL), 0);
	hidden("", "");
	hidden("no Bearer abcdef here", "no Bearer ****** here");
	hidden("abcdefabcdefabc", "************abc");
	hidden("abcde fabcd", "abcde f****");
	hidden("cut: abcde", "cut: *****");
	hidden("cut: abcd…", "cut: ****…");
	hidden("a b ab", "a b ab");
	pushheaders_release(&h);
}

static int add_list(const char *list)
{
	return pushheaders_list(&h, list, "LIST", NULL);
}

Test(pushheaders, a_list_is_decoded_and_replaces_nothing)
{
	cr_assert_eq(add_list("a=1, b = %41%4a%25 ,,A=2,c="), 0);
	cr_assert_eq(h.count, 3);
	cr_assert_str_eq(h.lines[0], "a: 1");
	cr_assert_str_eq(h.lines[1], "b: AJ%");
	cr_assert_str_eq(h.lines[2], "c: ");
	cr_assert_eq(add_list(""), 0);
	cr_assert_eq(add_list("a"), ERR_USAGE);
	cr_assert_eq(add_list("d=%0a"), ERR_USAGE);
	cr_assert_eq(add_list("d=%"), 0);
	cr_assert_str_eq(h.lines[3], "d: %");
	pushheaders_release(&h);
}
