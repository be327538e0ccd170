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

#include "base/descriptor.h"

enum { DEPTH_MAX = 128, LINKS_MAX = 40, FOLDER = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

struct pathwalk_way {
	int folders[DEPTH_MAX]; /* owned; the last is the current folder */
	int depth;
	int links;
	unsigned flags;
	char left[2 * PATH_MAX]; /* the part of the path still to be walked */
};

static int pathwalk_fail(int why)
{
	errno = why;
	return -1;
}

static int here(const struct pathwalk_way *way)
{
	return way->folders[way->depth - 1];
}

static int pathwalk_enter(struct pathwalk_way *way, int fd)
{
	if (fd < 0)
		return -1;
	if (way->depth == DEPTH_MAX) {
		close(fd);
		return pathwalk_fail(ENAMETOOLONG);
	}
	way->folders[way->depth++] = fd;
	return 0;
}

static void pathwalk_leave(struct pathwalk_way *way, int depth)
{
	int saved = errno;

	while (way->depth > depth)
		close(way->folders[--way->depth]);
	errno = saved;
}

/* Goes back to the root: our own, or with WALK_IN_ROOT the folder where the walk started. */
static int enter_root(struct pathwalk_way *way)
{
	if (way->flags & WALK_IN_ROOT) {
		pathwalk_leave(way, 1);
		return 0;
	}
	pathwalk_leave(way, 0);
	return pathwalk_enter(way, open("/", FOLDER));
}

static int pathwalk_go_up(struct pathwalk_way *way)
{
	int up;

	if (way->depth > 1) {
		pathwalk_leave(way, way->depth - 1);
		return 0;
	}
	if (way->flags & WALK_IN_ROOT)
		return 0;
	up = openat(here(way), "..", FOLDER);
	pathwalk_leave(way, 0);
	return pathwalk_enter(way, up);
}

/* Cuts the next name off the path. False at its end, or if the name is too long. */
static bool next_name(struct pathwalk_way *way, char name[NAME_MAX + 1], bool *last)
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

static bool trusted(const struct pathwalk_way *way, const struct stat *link)
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
static bool is_magic(const struct pathwalk_way *way, const char *name)
{
	struct statfs fs;
	struct stat st;

	return !(way->flags & WALK_IN_ROOT) && fstatfs(here(way), &fs) == 0 &&
	       fs.f_type == PROC_SUPER_MAGIC && fstatat(here(way), name, &st, 0) == 0 &&
	       ((!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) || !st.st_nlink);
}

/* Inserts the link's text before the rest of the path. */
static int pathwalk_follow(struct pathwalk_way *way, const char *name, const struct stat *link)
{
	char text[2 * PATH_MAX];
	ssize_t len = readlinkat(here(way), name, text, PATH_MAX);

	if (len < 0)
		return -1;
	if (!trusted(way, link))
		return pathwalk_fail(EPERM);
	if (++way->links > LINKS_MAX)
		return pathwalk_fail(ELOOP);
	if (len == 0 || (size_t)len + strlen(way->left) >= sizeof(text))
		return pathwalk_fail(len ? ENAMETOOLONG : ENOENT);
	strcpy(text + len, way->left);
	strcpy(way->left, text);
	return *text == '/' ? enter_root(way) : 0;
}

/* Hands the current folder and the name to the caller. */
static int pathwalk_arrive(struct pathwalk_way *way, struct pathwalk *w, const char *name,
			   bool magic)
{
	strcpy(w->name, name);
	w->magic = magic;
	w->dir_fd = way->folders[--way->depth];
	return 1;
}

/* 1: arrived; 0: continue; -1 and errno. */
static int pathwalk_step(struct pathwalk_way *way, struct pathwalk *w, const char *name, bool last)
{
	struct stat st;

	if (!strcmp(name, "."))
		return 0;
	if (!strcmp(name, ".."))
		return pathwalk_go_up(way);
	if (fstatat(here(way), name, &st, AT_SYMLINK_NOFOLLOW)) {
		return last && errno == ENOENT ? pathwalk_arrive(way, w, name, false) : -1;
	}
	if (S_ISLNK(st.st_mode) && !(last && way->flags & WALK_LINK_STAYS)) {
		if (last && is_magic(way, name))
			return trusted(way, &st) ? pathwalk_arrive(way, w, name, true) :
						   pathwalk_fail(EPERM);
		return pathwalk_follow(way, name, &st);
	}
	if (last && !S_ISDIR(st.st_mode))
		return pathwalk_arrive(way, w, name, false);
	return pathwalk_enter(way, openat(here(way), name, FOLDER));
}

static int walk_on(struct pathwalk_way *way, struct pathwalk *w)
{
	char name[NAME_MAX + 1];
	bool last;
	int rc = 0;

	while (!rc && next_name(way, name, &last))
		rc = pathwalk_step(way, w, name, last);
	if (!rc && way->left[strspn(way->left, "/")])
		return pathwalk_fail(ENAMETOOLONG);
	return rc ? rc : pathwalk_arrive(way, w, ".", false);
}

int path_walk(struct pathwalk *w, int start, const char *path, unsigned flags)
{
	struct pathwalk_way way = { .flags = flags };
	bool absolute = *path == '/' && !(flags & WALK_IN_ROOT);
	int rc;

	w->dir_fd = -1;
	if (!*path)
		return pathwalk_fail(ENOENT);
	if (strlen(path) >= PATH_MAX)
		return pathwalk_fail(ENAMETOOLONG);
	strcpy(way.left, path);
	rc = pathwalk_enter(&way, absolute ? open("/", FOLDER) :
					     openat(start, ".", FOLDER & ~O_NOFOLLOW));
	if (!rc)
		rc = walk_on(&way, w);
	pathwalk_leave(&way, 0);
	return rc < 0 ? -1 : 0;
}

void walk_release(struct pathwalk *w)
{
	descriptor_close(&w->dir_fd);
}
