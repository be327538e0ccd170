#include <criterion/criterion.h>
#include <string.h>

#include "rounds/collect/customname.h"

static char encoded[CUSTOMNAME_MAX + 1];

Test(customname, encoding)
{
	cr_assert(customname_encode("github.com/x/y.a-b_C9", encoded));
	cr_assert_str_eq(encoded, "github.com%2Fx%2Fy.a-b_C9");
	cr_assert(customname_good(encoded));
	cr_assert(customname_encode("a b%\n\xc3\xa4", encoded));
	cr_assert_str_eq(encoded, "a%20b%25%0A%C3%A4");
	cr_assert(customname_good(encoded));
}

Test(customname, what_no_url_can_hold)
{
	static const char *const bad[] = { "",	 ".",	 "..",	"a/../b",     "/a",
					   "a/", "a//b", "./a", "../../etc/x" };
	static const char *const good[] = { "...", "a..b/c", ".a", "a./b", "..a" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_assert_not(customname_encode(bad[i], encoded), "%s", bad[i]);
	cr_assert_str_eq(encoded, "..%2F..%2Fetc%2Fx");
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		cr_assert(customname_encode(good[i], encoded), "%s", good[i]);
}

Test(customname, length)
{
	char name[CUSTOMNAME_MAX + 2];

	memset(name, 'x', sizeof(name));
	name[CUSTOMNAME_MAX] = '\0';
	cr_assert(customname_encode(name, encoded));
	cr_assert_str_eq(encoded, name);
	name[0] = ' ';
	cr_assert_not(customname_encode(name, encoded));
	cr_assert_eq(strlen(encoded), CUSTOMNAME_MAX);
	memset(name, '\n', CUSTOMNAME_MAX);
	cr_assert_not(customname_encode(name, encoded));
	cr_assert_eq(strlen(encoded), CUSTOMNAME_MAX / 3 * 3);
}

Test(customname, what_comes_back)
{
	char name[CUSTOMNAME_MAX + 2];

	cr_assert_not(customname_good(""));
	cr_assert_not(customname_good("a/b"));
	cr_assert_not(customname_good("a\n"));
	cr_assert(customname_good("a%2Fb"));
	memset(name, 'x', sizeof(name));
	name[CUSTOMNAME_MAX + 1] = '\0';
	cr_assert_not(customname_good(name));
}
