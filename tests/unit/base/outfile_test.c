/* There whole or not at all. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/outfile.h"

static char folder[64], path[128];

static void make_folder(void)
{
	strcpy(folder, "/tmp/outfile-test-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/out", folder);
}

static int entries(void)
{
	DIR *d = opendir(folder);
	int n = -2;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void remove_folder(void)
{
	unlink(path);
	cr_assert_eq(rmdir(folder), 0, "litter in %s", folder);
}

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
}

static void assert_holds(const char *text)
{
	char have[64] = "";
	FILE *f = fopen(path, "r");

	cr_assert_not_null(f);
	cr_assert(fgets(have, sizeof(have), f) || !*text);
	fclose(f);
	cr_assert_str_eq(have, text);
}

Test(outfile, appears_at_commit, .init = make_folder, .fini = remove_folder)
{
	struct outfile f;

	cr_assert_eq(outfile_open(&f, path, NULL), 0);
	cr_assert_eq(outfile_write(&f, "hello", 5, NULL), 0);
	cr_assert_eq(access(path, F_OK), -1, "not yet");
	cr_assert_eq(f.written, 5);
	cr_assert_eq(outfile_commit(&f, NULL), 0);
	assert_holds("hello");
	cr_assert_eq(entries(), 1);
}

Test(outfile, replaces_only_at_commit, .init = make_folder, .fini = remove_folder)
{
	struct outfile f;

	write_file("old");
	cr_assert_eq(outfile_open(&f, path, NULL), 0);
	cr_assert_eq(outfile_write(&f, "new", 3, NULL), 0);
	assert_holds("old");
	cr_assert_eq(outfile_commit(&f, NULL), 0);
	assert_holds("new");
}

Test(outfile, abort_leaves_no_trace, .init = make_folder, .fini = remove_folder)
{
	struct outfile f;

	write_file("old");
	cr_assert_eq(outfile_open(&f, path, NULL), 0);
	outfile_write(&f, "new", 3, NULL);
	outfile_abort(&f);
	outfile_abort(&f);
	assert_holds("old");
	cr_assert_eq(entries(), 1);
}

Test(outfile, says_what_cannot_be_written)
{
	struct error err = { 0 };
	struct outfile f;

	cr_assert_eq(outfile_open(&f, "/no/such/folder/x", &err), ERR_IO);
	cr_assert_str_eq(err.text, "cannot write '/no/such/folder/x': No such file or directory");
	cr_assert_eq(outfile_open(&f, "/tmp", &err), ERR_IO);
	cr_assert_str_eq(err.text, "cannot write '/tmp': Is a directory");
	cr_assert_eq(outfile_open(&f, "", &err), ERR_IO);
}

Test(outfile, full_device_is_an_error)
{
	struct error err = { 0 };
	struct outfile f;

	cr_assert_eq(outfile_open(&f, "/dev/full", NULL), 0);
	cr_assert_eq(outfile_write(&f, "x", 1, &err), ERR_IO);
	cr_assert_str_eq(err.text, "cannot write '/dev/full': No space left on device");
	outfile_abort(&f);
}
