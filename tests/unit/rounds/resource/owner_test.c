/* The user's name in a passwd file. */
#include <criterion/criterion.h>
#include <string.h>

#include "rounds/resource/owner.h"

static const char *named(const char *text, int64_t uid)
{
	static char name[32];

	owner_name(text, strlen(text), uid, name, sizeof(name));
	return name;
}

Test(owner, has_the_first_name_of_its_number)
{
	static const char text[] = "# users\nroot:x:0:0:root:/root:/bin/sh\n\n"
				   "broken\nweb:x:33\nbad:x:x3:1::/:\nhigh:x:-1:1::/:\n"
				   "www-data:x:33:33:a:b:c\nwww:x:33:33::/:/bin/sh\n"
				   "nobody:*:65534:65534::/:";

	cr_expect_str_eq(named(text, 0), "root");
	cr_expect_str_eq(named(text, 33), "www-data");
	cr_expect_str_eq(named(text, 65534), "nobody");
	cr_expect_str_eq(named(text, 3), "");
	cr_expect_str_eq(named(text, -1), "");
	cr_expect_str_eq(named("", 0), "");
}

Test(owner, of_a_name_without_room_has_none)
{
	cr_expect_str_eq(named("a123456789012345678901234567890:x:1:", 1),
			 "a123456789012345678901234567890");
	cr_expect_str_eq(named("a1234567890123456789012345678901:x:1:", 1), "");
}
