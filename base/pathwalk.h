/*
 * A path, walked one name at a time: to the folder that holds its last name.
 *
 * For two wishes that open(2) alone does not grant: a root of one's own, which
 * neither ".." nor a link leaves, with plain openat(2) only (openat2(2) hides its
 * flags from a seccomp filter); and links that somebody else may have planted, in
 * a folder that everybody may write to, not followed, as fs.protected_symlinks
 * does for the last name and only where it is switched on.
 */
#ifndef BASE_PATHWALK_H
#define BASE_PATHWALK_H

#include <limits.h>
#include <stdbool.h>

enum {
	WALK_IN_ROOT = 1,	/* the folder at which it starts is the root */
	WALK_TRUSTED_LINKS = 2, /* links in world-writable folders only if ours or the
				 * folder owner's: else EPERM */
	WALK_LINK_STAYS = 4,	/* the last name may be a link and is not followed */
};

struct walk {
	int dir_fd;		 /* O_PATH; the folder of the last name */
	char name[NAME_MAX + 1]; /* no link; "." when the path ends with a folder */
	bool magic;		 /* a link of /proc that leads to no path, say to a pipe:
				  * open it as it is */
};

/* Walks from the folder `start` (AT_FDCWD is ours); an absolute path begins at our
 * root, or at `start` if that is the root. The last name need not exist. -1 and
 * errno; else walk_release(). */
int path_walk(struct walk *w, int start, const char *path, unsigned flags);
void walk_release(struct walk *w);

#endif
