/*
 * Walks a path one name at a time, to the folder that holds its last name.
 *
 * It does two things that open(2) alone does not. The first is a root of our choice, which neither
 * ".." nor a link leaves. Only openat(2) is used for this, because openat2(2) hides its flags from
 * a seccomp filter. The second is not to follow links that another user may have planted in a
 * world-writable folder. fs.protected_symlinks protects only the last name, and only where it is
 * switched on.
 */
#ifndef BASE_FILE_PATHWALK_H
#define BASE_FILE_PATHWALK_H

#include <limits.h>
#include <stdbool.h>

enum {
	WALK_IN_ROOT = 1,	/* the folder where the walk starts is the root */
	WALK_TRUSTED_LINKS = 2, /* follow a link in a world-writable folder only if it belongs to us
				 * or to the folder's owner; else EPERM */
	WALK_LINK_STAYS = 4,	/* the last name may be a link and is not followed */
};

struct pathwalk {
	int dir_fd;		 /* O_PATH; the folder of the last name */
	char name[NAME_MAX + 1]; /* "." when the path ends with a folder */
	bool magic;		 /* `name` is a link in /proc that leads to no path, say to a pipe:
				  * open it and follow the link */
};

/* Walks from the folder `start` (AT_FDCWD: our current folder). An absolute path begins at our
 * root, or at `start` with WALK_IN_ROOT. The last name need not exist. Except with `magic` or
 * WALK_LINK_STAYS it is not a link. 0, and the caller calls walk_release(); or -1 and errno. */
int path_walk(struct pathwalk *w, int start, const char *path, unsigned flags);
void walk_release(struct pathwalk *w);

#endif
