/*
 * The folders on the way stay open on a stack. With WALK_IN_ROOT, ".." only closes the last one, so
 * a folder that is moved meanwhile does not lead out of the root.
 *
 * Each name is examined and opened without following links (AT_SYMLINK_NOFOLLOW, O_NOFOLLOW): if a
 * folder is replaced by a link in between, that is an error, and the link is not followed.
 */
#include "base/file/pathwalk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { DEPTH_MAX = 128, LINKS_MAX = 40, FOLDER = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

struct way {
	int folders[DEPTH_MAX]; /* owned; the last is the current folder */
	int depth;
	int links;
	unsigned flags;
	char left[2 * PATH_MAX]; /* the part of the path still to be walked */
};

static int fail(int why)
{
	errno = why;
	return -1;
}

static int here(const struct way *way)
{
	return way->folders[way->depth - 1];
}

static int enter(struct way *way, int fd)
{
	if (fd < 0)
		return -1;
	if (way->depth == DEPTH_MAX) {
		close(fd);
		return fail(ENAMETOOLONG);
	}
	way->folders[way->depth++] = fd;
	return 0;
}

static void leave(struct way *way, int depth)
{
	int saved = errno;

	while (way->depth > depth)
		close(way->folders[--way->depth]);
	errno = saved;
}

/* Goes back to the root: our own, or with WALK_IN_ROOT the folder where the walk started. */
static int enter_root(struct way *way)
{
	if (way->flags & WALK_IN_ROOT) {
		leave(way, 1);
		return 0;
	}
	leave(way, 0);
	return enter(way, open("/", FOLDER));
}

static int go_up(struct way *way)
{
	int up;

	if (way->depth > 1) {
		leave(way, way->depth - 1);
		return 0;
	}
	if (way->flags & WALK_IN_ROOT)
		return 0;
	up = openat(here(way), "..", FOLDER);
	leave(way, 0);
	return enter(way, up);
}

/* Cuts the next name off the path. False at its end, or if the name is too long. */
static bool next_name(struct way *way, char name[NAME_MAX + 1], bool *last)
{
	size_t skip = strspn(way->left, "/"), len = strcspn(way->left + skip, "/");

	if (!len || len > NAME_MAX)
		return false;
	memcpy(name, way->left + skip, len);
	name[len] = '\0';
	memmove(way->left, way->left + skip + len, strlen(way->left + skip + len) + 1);
	*last = !*way->left;
	return true;
}

static bool trusted(const struct way *way, const struct stat *link)
{
	struct stat folder;

	if (!(way->flags & WALK_TRUSTED_LINKS))
		return true;
	if (fstat(here(way), &folder))
		return false;
	return !(folder.st_mode & S_IWOTH) || link->st_uid == geteuid() ||
	       link->st_uid == folder.st_uid;
}

/* The text of a link in /proc/PID/fd is the path of the open file, or the path it once had. True if
 * that path cannot be followed: the link leads to a deleted file or to something else, say a
 * pipe. */
static bool is_magic(const struct way *way, const char *name)
{
	struct statfs fs;
	struct stat st;

	return !(way->flags & WALK_IN_ROOT) && fstatfs(here(way), &fs) == 0 &&
	       fs.f_type == PROC_SUPER_MAGIC && fstatat(here(way), name, &st, 0) == 0 &&
	       ((!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) || !st.st_nlink);
}

/* Inserts the link's text before the rest of the path. */
static int follow(struct way *way, const char *name, const struct stat *link)
{
	char text[2 * PATH_MAX];
	ssize_t len = readlinkat(here(way), name, text, PATH_MAX);

	if (len < 0)
		return -1;
	if (!trusted(way, link))
		return fail(EPERM);
	if (++way->links > LINKS_MAX)
		return fail(ELOOP);
	if (len == 0 || (size_t)len + strlen(way->left) >= sizeof(text))
		return fail(len ? ENAMETOOLONG : ENOENT);
	strcpy(text + len, way->left);
	strcpy(way->left, text);
	return *text == '/' ? enter_root(way) : 0;
}

/* Hands the current folder and the name to the caller. */
static int arrive(struct way *way, struct walk *w, const char *name, bool magic)
{
	strcpy(w->name, name);
	w->magic = magic;
	w->dir_fd = way->folders[--way->depth];
	return 1;
}

/* 1: arrived; 0: continue; -1 and errno. */
static int step(struct way *way, struct walk *w, const char *name, bool last)
{
	struct stat st;

	if (!strcmp(name, "."))
		return 0;
	if (!strcmp(name, ".."))
		return go_up(way);
	if (fstatat(here(way), name, &st, AT_SYMLINK_NOFOLLOW)) {
		return last && errno == ENOENT ? arrive(way, w, name, false) : -1;
	}
	if (S_ISLNK(st.st_mode) && !(last && way->flags & WALK_LINK_STAYS)) {
		if (last && is_magic(way, name))
			return trusted(way, &st) ? arrive(way, w, name, true) : fail(EPERM);
		return follow(way, name, &st);
	}
	if (last && !S_ISDIR(st.st_mode))
		return arrive(way, w, name, false);
	return enter(way, openat(here(way), name, FOLDER));
}

static int walk_on(struct way *way, struct walk *w)
{
	char name[NAME_MAX + 1];
	bool last;
	int rc = 0;

	while (!rc && next_name(way, name, &last))
		rc = step(way, w, name, last);
	if (!rc && way->left[strspn(way->left, "/")])
		return fail(ENAMETOOLONG);
	return rc ? rc : arrive(way, w, ".", false);
}

int path_walk(struct walk *w, int start, const char *path, unsigned flags)
{
	struct way way = { .flags = flags };
	bool absolute = *path == '/' && !(flags & WALK_IN_ROOT);
	int rc;

	w->dir_fd = -1;
	if (!*path)
		return fail(ENOENT);
	if (strlen(path) >= PATH_MAX)
		return fail(ENAMETOOLONG);
	strcpy(way.left, path);
	rc = enter(&way, absolute ? open("/", FOLDER) : openat(start, ".", FOLDER & ~O_NOFOLLOW));
	if (!rc)
		rc = walk_on(&way, w);
	leave(&way, 0);
	return rc < 0 ? -1 : 0;
}

void walk_release(struct walk *w)
{
	if (w->dir_fd >= 0)
		close(w->dir_fd);
	w->dir_fd = -1;
}
