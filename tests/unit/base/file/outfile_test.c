/* Output files that exist whole or not at all. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/outfile.h"

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

Test(outfile, keeps_the_mode_of_what_it_replaces, .init = make_folder, .fini = remove_folder)
{
	struct outfile f;
	struct stat st;

	write_file("old");
	cr_assert_eq(chmod(path, 0600), 0);
	cr_assert_eq(outfile_open(&f, path, NULL), 0);
	cr_assert_eq(outfile_commit(&f, NULL), 0);
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(st.st_mode & 0777, 0600);
	cr_assert_eq(st.st_size, 0);
}

Test(outfile, writes_where_a_link_leads, .init = make_folder, .fini = remove_folder)
{
	char link[160];
	struct outfile f;
	struct stat st;

	write_file("old");
	snprintf(link, sizeof(link), "%s/link", folder);
	cr_assert_eq(symlink("out", link), 0);
	cr_assert_eq(outfile_open(&f, link, NULL), 0);
	cr_assert_eq(outfile_write(&f, "new", 3, NULL), 0);
	cr_assert_eq(outfile_commit(&f, NULL), 0);
	assert_holds("new");
	cr_assert(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
	cr_assert_eq(unlink(link), 0);
	cr_assert_eq(entries(), 1);
}

/* A link to a file that does not exist stays a link, too. */
Test(outfile, makes_what_a_link_promises, .init = make_folder, .fini = remove_folder)
{
	char link[160];
	struct outfile f;
	struct stat st;

	snprintf(link, sizeof(link), "%s/link", folder);
	cr_assert_eq(symlink("out", link), 0);
	cr_assert_eq(outfile_open(&f, link, NULL), 0);
	cr_assert_eq(outfile_write(&f, "new", 3, NULL), 0);
	cr_assert_eq(outfile_commit(&f, NULL), 0);
	assert_holds("new");
	cr_assert(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
	cr_assert_eq(unlink(link), 0);
}

static int open_links(const char *name, struct error *err)
{
	char way[160];
	struct outfile f;
	int rc;

	snprintf(way, sizeof(way), "%s/%s", folder, name);
	rc = outfile_open(&f, way, err);
	outfile_abort(&f);
	return rc;
}

/* A world-writable folder like /tmp belongs to a second user, the links in it to a third one. */
Test(outfile, follows_no_link_that_another_has_planted, .init = make_folder, .fini = remove_folder)
{
	struct error err = { 0 };
	char file[160], dir[160];

	if (geteuid() != 0)
		cr_skip_test("only root can give a link away");
	write_file("old");
	snprintf(file, sizeof(file), "%s/link", folder);
	snprintf(dir, sizeof(dir), "%s/dir", folder);
	cr_assert(!symlink("out", file) && !symlink(".", dir));
	cr_assert(!chmod(folder, 01777) && !chown(folder, 1, 1));
	cr_assert_eq(open_links("link", NULL), 0, "our own");
	cr_assert(!lchown(file, 65534, 65534) && !lchown(dir, 65534, 65534));
	cr_assert_eq(open_links("link", &err), ERR_PERM);
	cr_assert(strstr(err.text, "/link': there is a link on the way that another user"), "%s",
		  err.text);
	cr_assert_eq(open_links("dir/out", NULL), ERR_PERM);
	cr_assert_eq(open_links("out", NULL), 0);
	cr_assert(!lchown(file, 1, 1) && !open_links("link", NULL), "the folder's owner's");
	cr_assert(!lchown(file, 65534, 65534) && !chmod(folder, 0755));
	cr_assert_eq(open_links("link", NULL), 0, "no other user may write here");
	assert_holds("old");
	cr_assert(!unlink(file) && !unlink(dir));
}

/* A name that is too long, and one so long that the temporary name cannot be longer. */
Test(outfile, long_names, .init = make_folder, .fini = remove_folder)
{
	struct error err = { 0 };
	char name[400];
	struct outfile f;
	int at = snprintf(name, sizeof(name), "%s/", folder);

	memset(name + at, 'n', 256);
	name[at + 256] = '\0';
	cr_assert_eq(outfile_open(&f, name, &err), ERR_IO);
	cr_assert(strstr(err.text, "File name too long"), "%s", err.text);
	name[at + 255] = '\0';
	cr_assert_eq(outfile_open(&f, name, &err), 0, "%s", err.text);
	cr_assert_eq(outfile_commit(&f, &err), 0, "%s", err.text);
	cr_assert_eq(entries(), 1);
	cr_assert_eq(unlink(name), 0);
}

/* On a file system without O_TMPFILE the temporary file has a name until it is removed. */
Test(outfile, named_temporary_file_goes, .init = make_folder, .fini = remove_folder)
{
	struct outfile f;

	cr_assert_eq(outfile_open(&f, path, NULL), 0);
	close(f.fd);
	f.fd = openat(f.dir_fd, f.tmp, O_WRONLY | O_CREAT | O_EXCL, 0644);
	f.named = true;
	cr_assert_eq(entries(), 1);
	outfile_abort(&f);
	cr_assert_eq(entries(), 0);
}

/* Another process cannot block a name that it cannot guess. */
Test(outfile, temporary_names_differ, .init = make_folder, .fini = remove_folder)
{
	struct outfile f, g;

	cr_assert_eq(outfile_open(&f, path, NULL), 0);
	cr_assert_eq(outfile_open(&g, path, NULL), 0);
	cr_assert_str_neq(f.tmp, g.tmp);
	cr_assert_eq(outfile_write(&f, "old", 3, NULL), 0);
	cr_assert_eq(outfile_write(&g, "new", 3, NULL), 0);
	cr_assert_eq(outfile_commit(&f, NULL), 0);
	cr_assert_eq(outfile_commit(&g, NULL), 0);
	assert_holds("new");
	cr_assert_eq(entries(), 1);
}

/* The folder is removed while we write. */
Test(outfile, failed_commit_replaces_nothing, .init = make_folder)
{
	struct error err = { 0 };
	struct outfile f;

	cr_assert_eq(outfile_open(&f, path, NULL), 0);
	cr_assert_eq(rmdir(folder), 0);
	cr_assert_eq(outfile_write(&f, "new", 3, NULL), 0);
	cr_assert_eq(outfile_commit(&f, &err), ERR_IO);
	cr_assert(strstr(err.text, "No such file or directory"), "%s", err.text);
	cr_assert_eq(f.fd, -1);
}

/* Root may write anywhere, so it becomes the user `nobody`. */
Test(outfile, folder_not_writable, .init = make_folder, .fini = remove_folder)
{
	struct error err = { 0 };
	struct outfile f;

	write_file("old");
	cr_assert_eq(chmod(folder, 0555), 0);
	if (geteuid() == 0)
		cr_assert_eq(seteuid(65534), 0);
	cr_assert_eq(outfile_open(&f, path, &err), ERR_IO);
	cr_assert(strstr(err.text, "Permission denied"), "%s", err.text);
	if (getuid() == 0)
		cr_assert_eq(seteuid(0), 0);
	cr_assert_eq(chmod(folder, 0755), 0);
	assert_holds("old");
}

Test(outfile, standard_output_and_pipes)
{
	char have[8] = "";
	struct outfile f;
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
	cr_assert_eq(outfile_open(&f, "-", NULL), 0);
	cr_assert_eq(outfile_write(&f, "one", 3, NULL), 0);
	cr_assert_eq(outfile_commit(&f, NULL), 0);
	cr_assert_eq(outfile_open(&f, "/dev/stdout", NULL), 0);
	cr_assert_eq(outfile_write(&f, "two", 3, NULL), 0);
	cr_assert_eq(outfile_commit(&f, NULL), 0);
	cr_assert_eq(read(ends[0], have, sizeof(have)), 6);
	cr_assert_arr_eq(have, "onetwo", 6);
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
	cr_assert_eq(outfile_open(&f, "/no/", &err), ERR_IO);
	cr_assert_eq(outfile_open(&f, "/etc/passwd/x", &err), ERR_IO);
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
