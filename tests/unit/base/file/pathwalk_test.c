/* A walk never leaves its root; links are followed or not. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/pathwalk.h"

static char folder[64];
static int root;

/* The files in/deep/file and in/top, and links. */
static void make_tree(void)
{
	strcpy(folder, "/tmp/pathwalk-test-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	root = open(folder, O_PATH | O_DIRECTORY);
	cr_assert(!mkdirat(root, "in", 0755) && !mkdirat(root, "in/deep", 0755));
	close(openat(root, "in/deep/file", O_WRONLY | O_CREAT, 0644));
	close(openat(root, "in/top", O_WRONLY | O_CREAT, 0644));
	cr_assert(!symlinkat("/in", root, "absolute") &&
		  !symlinkat("../../../in/top", root, "in/up"));
	cr_assert(!symlinkat("loop", root, "loop") && !symlinkat("nowhere/x", root, "lost"));
}

static void remove_tree(void)
{
	char command[96];

	close(root);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
}

TestSuite(pathwalk, .init = make_tree, .fini = remove_tree);

/* A walk within the tree's root ends at `want_name` in the folder `want_folder`. */
static void assert_ends(const char *path, const char *want_folder, const char *want_name)
{
	struct stat have, want;
	struct pathwalk w;

	cr_assert_eq(path_walk(&w, root, path, WALK_IN_ROOT), 0, "%s: %s", path, strerror(errno));
	cr_assert_str_eq(w.name, want_name);
	cr_assert(!fstat(w.dir_fd, &have) && !fstatat(root, want_folder, &want, 0));
	cr_assert_eq(have.st_ino, want.st_ino, "%s is not in %s", path, want_folder);
	walk_release(&w);
	walk_release(&w);
}

static void assert_fails(const char *path, unsigned flags, int why)
{
	struct pathwalk w;

	cr_assert_eq(path_walk(&w, root, path, flags), -1, "%s", path);
	cr_assert_eq(errno, why, "%s: %s", path, strerror(errno));
	cr_assert_eq(w.dir_fd, -1);
}

Test(pathwalk, finds_the_folder_of_the_last_name)
{
	assert_ends("/in/deep/file", "in/deep", "file");
	assert_ends("in//deep/./file", "in/deep", "file");
	assert_ends("in/deep/new", "in/deep", "new");
	assert_ends("in/deep/", "in/deep", ".");
	assert_ends("/", ".", ".");
	assert_ends("in/deep/..", "in", ".");
}

Test(pathwalk, never_leaves_the_root)
{
	assert_ends("../../../../../in/top", "in", "top");
	assert_ends("/in/../../in/deep/../../../in/top", "in", "top");
	assert_ends("absolute/deep/file", "in/deep", "file");
	assert_ends("in/up", "in", "top");
	assert_ends("absolute/up", "in", "top");
}

Test(pathwalk, a_folder_that_is_moved_away_does_not_let_out)
{
	struct pathwalk w;
	int deep = openat(root, "in/deep", O_PATH | O_DIRECTORY);

	cr_assert_eq(path_walk(&w, deep, "..", WALK_IN_ROOT), 0);
	walk_release(&w);
	cr_assert_eq(path_walk(&w, deep, "../top", WALK_IN_ROOT), 0);
	cr_assert_eq(faccessat(w.dir_fd, w.name, F_OK, 0), -1, "it is not in this root");
	walk_release(&w);
	close(deep);
}

Test(pathwalk, fails_as_open_does)
{
	assert_fails("", WALK_IN_ROOT, ENOENT);
	assert_fails("no/file", WALK_IN_ROOT, ENOENT);
	assert_fails("new/", WALK_IN_ROOT, ENOENT);
	assert_fails("lost", WALK_IN_ROOT, ENOENT);
	assert_fails("in/top/x", WALK_IN_ROOT, ENOTDIR);
	assert_fails("loop", WALK_IN_ROOT, ELOOP);
}

Test(pathwalk, bounds)
{
	char path[PATH_MAX + 2];

	memset(path, 'n', NAME_MAX + 1);
	path[NAME_MAX + 1] = '\0';
	assert_fails(path, 0, ENAMETOOLONG);
	memset(path, '/', PATH_MAX);
	path[PATH_MAX] = '\0';
	assert_fails(path, 0, ENAMETOOLONG);
	path[PATH_MAX - 1] = '\0';
	assert_ends(path, ".", ".");
	for (int i = 0; i < PATH_MAX - 4; i += 2)
		memcpy(path + i, "./", 3);
	assert_ends(path, ".", ".");
}

Test(pathwalk, leaves_the_last_link_where_asked)
{
	struct pathwalk w;

	cr_assert_eq(path_walk(&w, root, "in/up", WALK_IN_ROOT | WALK_LINK_STAYS), 0);
	cr_assert_str_eq(w.name, "up");
	walk_release(&w);
	cr_assert_eq(path_walk(&w, root, "absolute/up", WALK_IN_ROOT | WALK_LINK_STAYS), 0);
	cr_assert_str_eq(w.name, "up");
	walk_release(&w);
}

Test(pathwalk, without_a_root_it_goes_where_the_kernel_goes)
{
	char path[128];
	struct stat want, have;
	struct pathwalk w;

	snprintf(path, sizeof(path), "../..%s/in/top", folder);
	cr_assert_eq(path_walk(&w, root, path, 0), 0);
	cr_assert(!fstatat(root, path, &want, 0) && !fstatat(w.dir_fd, w.name, &have, 0));
	cr_assert_eq(want.st_ino, have.st_ino);
	walk_release(&w);
}
