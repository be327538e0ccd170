/* What is a process's title, and what is a command line. */
#include <criterion/criterion.h>

#include "sampler/member/title.h"

Test(title, begins_with_a_name_and_a_colon)
{
	cr_expect(title_is_one("postgres: alice shop [local] idle"));
	cr_expect(title_is_one("php-fpm: pool www"));
	cr_expect(title_is_one("nginx: worker process"));
}

Test(title, is_no_command_line)
{
	cr_expect_not(title_is_one(""));
	cr_expect_not(title_is_one("redis-server"));
	cr_expect_not(title_is_one("/opt/a: b/server"));
	cr_expect_not(title_is_one("http://user:word@host/"));
	cr_expect_not(title_is_one("key:value"));
	cr_expect_not(title_is_one(": nameless"));
	cr_expect_not(title_is_one("name: "));
}
