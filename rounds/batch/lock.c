/* batchlock_drop removes the file, and may do so between another process's open and lock. So
 * after a lock is taken, the file must still have its name. */
#include "rounds/batch/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "rounds/batch/name.h"

enum { TRIES = 16, AGAIN = 1 };

static int batch_lock_give_up(struct batchlock *l, int code)
{
	int saved = errno;

	close(l->fd);
	l->fd = -1;
	errno = saved;
	return code;
}

static bool still_named(int fd, int dir, const char *name)
{
	struct stat held, named;

	return !fstat(fd, &held) && !fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) &&
	       held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

static int lock(struct batchlock *l)
{
	struct flock f = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (!fcntl(l->fd, F_SETLK, &f))
		return 0;
	if (errno != EAGAIN && errno != EACCES)
		return batch_lock_give_up(l, ERR_IO);
	if (fcntl(l->fd, F_GETLK, &f) || f.l_type == F_UNLCK)
		f.l_pid = 0;
	l->holder = f.l_pid > 0 ? f.l_pid : 0;
	return batch_lock_give_up(l, ERR_PERM);
}

static int try_once(struct batchlock *l, int dir, const char *name, bool make)
{
	struct stat st;
	int rc;

	l->fd = openat(dir, name,
		       O_RDWR | (make ? O_CREAT : 0) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
			       O_CLOEXEC,
		       0644);
	if (l->fd < 0)
		return errno == ENOENT && !make ? ERR_NOTFOUND : ERR_IO;
	if (fstat(l->fd, &st))
		return batch_lock_give_up(l, ERR_IO);
	/* No lock file of ours: a pipe, say, or it has a second name elsewhere. */
	if (!S_ISREG(st.st_mode) || st.st_nlink > 1) {
		errno = EEXIST;
		return batch_lock_give_up(l, ERR_IO);
	}
	rc = lock(l);
	if (rc)
		return rc;
	if (!still_named(l->fd, dir, name))
		return batch_lock_give_up(l, AGAIN);
	l->owner = st.st_uid;
	return 0;
}

int batchlock_take(struct batchlock *l, int dir, const char *key_text, bool make)
{
	char name[BATCH_HIDDEN_ROOM];
	int rc = AGAIN;

	*l = (struct batchlock)BATCHLOCK_NONE;
	batch_lock_name(key_text, name);
	for (int i = 0; i < TRIES && rc == AGAIN; i++)
		rc = try_once(l, dir, name, make);
	if (rc == AGAIN)
		errno = EBUSY;
	return rc == AGAIN ? ERR_IO : rc;
}

bool batchlock_held(const struct batchlock *l, int dir, const char *key_text)
{
	char name[BATCH_HIDDEN_ROOM];

	batch_lock_name(key_text, name);
	return l->fd >= 0 && still_named(l->fd, dir, name);
}

void batchlock_drop(struct batchlock *l, int dir, const char *key_text)
{
	char name[BATCH_HIDDEN_ROOM];

	if (l->fd < 0)
		return;
	batch_lock_name(key_text, name);
	if (still_named(l->fd, dir, name))
		unlinkat(dir, name, 0);
	batch_lock_give_up(l, 0);
}
