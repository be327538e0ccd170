/* The owner that the folder must have, and the files that stay in it. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/cachedir.h"

static char home[64];
static struct error err;

static const char *in_home(const char *rest)
{
	static char path[sizeof(home) + 64];

	cr_assert_lt(strlen(rest), 64);
	strcat(strcpy(path, home), rest);
	return path;
}

static void make_home(void)
{
	strcpy(home, "/tmp/cachedir-test-XXXXXX");
	cr_assert_not_null(mkdtemp(home));
	setenv("HOME", home, 1);
	unsetenv("XDG_CACHE_HOME");
	umask(0);
}

static void remove_home(void)
{
	char command[sizeof(home) + 16];

	strcat(strcpy(command, "rm -rf "), home);
	cr_assert_eq(system(command), 0);
}

TestSuite(cachedir, .init = make_home, .fini = remove_home);

static int open_it(void)
{
	int dir;

	cr_assert_eq(cachedir_open(&dir, &err), 0, "%s", err.text);
	return dir;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	cr_assert_eq(lstat(path, &st), 0, "%s", path);
	return st.st_mode & 07777;
}

static void put(int dir, const char *name, const char *text)
{
	struct iovec parts[] = { { (void *)text, 1 }, { (void *)(text + 1), strlen(text) - 1 } };

	cr_assert_eq(cachedir_write(dir, name, parts, 2, &err), 0, "%s", err.text);
}

/* cachedir_open fails with `code` and a message that contains `why`. */
static void assert_refused(int code, const char *why)
{
	int dir;

	cr_assert_eq(cachedir_open(&dir, &err), code, "%s", err.text);
	cr_assert_eq(dir, -1);
	cr_assert_not_null(strstr(err.text, why), "%s", err.text);
}

Test(cachedir, is_made_for_us_alone)
{
	close(open_it());
	cr_assert_eq(mode_of(in_home("/.cache")), 0700);
	cr_assert_eq(mode_of(in_home("/.cache/sampler")), 0700);
	close(open_it());
}

Test(cachedir, xdg_cache_home_comes_first_if_it_is_absolute)
{
	setenv("XDG_CACHE_HOME", in_home("/other"), 1);
	close(open_it());
	cr_assert_eq(mode_of(in_home("/other/sampler")), 0700);
	cr_assert_neq(access(in_home("/.cache"), F_OK), 0);
	setenv("XDG_CACHE_HOME", "relative", 1);
	close(open_it());
	cr_assert_eq(mode_of(in_home("/.cache/sampler")), 0700);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	assert_refused(ERR_NOTFOUND, "neither XDG_CACHE_HOME nor HOME");
}

Test(cachedir, where_others_write_is_none_of_ours)
{
	close(open_it());
	chmod(in_home("/.cache/sampler"), 0770);
	assert_refused(ERR_PERM, "not ours alone");
	chmod(in_home("/.cache/sampler"), 0702);
	assert_refused(ERR_PERM, "not ours alone");
	chmod(in_home("/.cache/sampler"), 0755);
	close(open_it());
}

Test(cachedir, a_link_or_a_file_is_no_folder)
{
	mkdir(in_home("/.cache"), 0700);
	mkdir(in_home("/elsewhere"), 0700);
	cr_assert_eq(symlink("../elsewhere", in_home("/.cache/sampler")), 0);
	assert_refused(ERR_IO, "cannot open");
	unlink(in_home("/.cache/sampler"));
	close(open(in_home("/.cache/sampler"), O_CREAT | O_WRONLY, 0600));
	assert_refused(ERR_IO, "cannot open");
}

/* We are root, and HOME, ~/.cache or ~/.cache/sampler belongs to another user. */
Test(cachedir, another_users_home_is_left_alone)
{
	if (geteuid())
		cr_skip_test("wants root");
	chown(home, 12345, 12345);
	assert_refused(ERR_PERM, "not ours alone");
	cr_assert_neq(access(in_home("/.cache"), F_OK), 0, "nothing was made");
	mkdir(in_home("/.cache"), 0777);
	chown(in_home("/.cache"), 12345, 12345);
	assert_refused(ERR_PERM, "not ours alone");
	cr_assert_neq(access(in_home("/.cache/sampler"), F_OK), 0, "nothing was made");
	chown(in_home("/.cache"), 0, 0);
	mkdir(in_home("/.cache/sampler"), 0700);
	chown(in_home("/.cache/sampler"), 12345, 12345);
	assert_refused(ERR_PERM, "not ours alone");
}

Test(cachedir, files_come_back_whole)
{
	int dir = open_it(), fd;
	char have[16] = "";
	uint64_t len = 0;

	cr_assert_lt(cachedir_open_file(dir, "abc0", &len), 0);
	put(dir, "abc0", "first");
	put(dir, "abc0", "second");
	fd = cachedir_open_file(dir, "abc0", &len);
	cr_assert_geq(fd, 0);
	cr_assert_eq(len, 6);
	cr_assert_eq(read(fd, have, sizeof(have)), 6);
	cr_assert_str_eq(have, "second");
	cr_assert_eq(mode_of(in_home("/.cache/sampler/abc0")), 0600);
	close(fd);
	close(dir);
	cr_assert_eq(unlink(in_home("/.cache/sampler/abc0")), 0);
	cr_assert_eq(rmdir(in_home("/.cache/sampler")), 0, "litter");
}

Test(cachedir, what_is_not_our_file_is_not_opened)
{
	int dir = open_it();
	uint64_t len;

	put(dir, "abc0", "text");
	chmod(in_home("/.cache/sampler/abc0"), 0620);
	cr_assert_lt(cachedir_open_file(dir, "abc0", &len), 0, "others may write to it");
	chmod(in_home("/.cache/sampler/abc0"), 0600);
	cr_assert_eq(symlink("abc0", in_home("/.cache/sampler/abc1")), 0);
	cr_assert_lt(cachedir_open_file(dir, "abc1", &len), 0, "a link");
	cr_assert_eq(mkfifo(in_home("/.cache/sampler/abc2"), 0600), 0);
	cr_assert_lt(cachedir_open_file(dir, "abc2", &len), 0, "a pipe, and nobody waits for it");
	mkdir(in_home("/.cache/sampler/abc3"), 0700);
	cr_assert_lt(cachedir_open_file(dir, "abc3", &len), 0, "a folder");
	close(dir);
}

Test(cachedir, without_room_there_is_an_error_and_no_litter)
{
	int dir = open_it();
	struct iovec part = { (void *)"text", 4 };

	cr_assert_eq(rmdir(in_home("/.cache/sampler")), 0);
	cr_assert_eq(cachedir_write(dir, "abc0", &part, 1, &err), ERR_IO);
	cachedir_trim(dir, 0);
	close(dir);
}

static bool is_there(int dir, const char *name)
{
	return faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static void set_age(int dir, const char *name, time_t seconds)
{
	struct timespec times[2] = { { .tv_sec = 1000000000 - seconds },
				     { .tv_sec = 1000000000 - seconds } };

	cr_assert_eq(utimensat(dir, name, times, 0), 0);
}

Test(cachedir, the_longest_unused_goes_first)
{
	int dir = open_it();

	put(dir, "aa", "12345");
	put(dir, "bb", "12345");
	put(dir, "cc", "12345");
	put(dir, "dd.tmp", "12345");
	put(dir, "a stranger's", "12345");
	set_age(dir, "aa", 20);
	set_age(dir, "bb", 40);
	set_age(dir, "cc", 10);
	set_age(dir, "dd.tmp", 30);
	set_age(dir, "a stranger's", 50);
	cachedir_trim(dir, 20);
	cr_assert(is_there(dir, "aa") && is_there(dir, "bb") && is_there(dir, "cc"));
	cachedir_trim(dir, 19);
	cr_assert(is_there(dir, "aa") && !is_there(dir, "bb") && is_there(dir, "dd.tmp"));
	cachedir_trim(dir, 10);
	cr_assert(is_there(dir, "aa") && is_there(dir, "cc") && !is_there(dir, "dd.tmp"));
	cachedir_trim(dir, 0);
	cr_assert(!is_there(dir, "aa") && !is_there(dir, "cc") && is_there(dir, "a stranger's"));
	close(dir);
}
