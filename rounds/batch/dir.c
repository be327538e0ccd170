/* All is done with descriptors and the *at() calls, so that no name is resolved twice. A folder is
 * renamed to a hidden name before its files are removed. */
#include "rounds/batch/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/pathwalk.h"
#include "rounds/batch/lock.h"
#include "rounds/batch/name.h"

enum {
	FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
	TEMPORARY_TRIES = 1000,
	NO_REPLACE = 1, /* RENAME_NOREPLACE */
};

int batchdir_open(const char *path, int *dir, struct error *err)
{
	struct pathwalk w;
	int saved;

	*dir = -1;
	if (path_walk(&w, AT_FDCWD, path, WALK_TRUSTED_LINKS)) {
		if (errno != EPERM)
			return error_errno(err, ERR_IO, "cannot open the folder '%s'", path);
		return error_set(err, ERR_PERM,
				 "cannot open the folder '%s': there is a link on "
				 "the way that another user has put into a folder that all users "
				 "may write to",
				 path);
	}
	if (!mkdirat(w.dir_fd, w.name, 0755) || errno == EEXIST)
		*dir = openat(w.dir_fd, w.name, FOLDER);
	saved = errno;
	walk_release(&w);
	errno = saved;
	return *dir < 0 ? error_errno(err, ERR_IO, "cannot open the folder '%s'", path) : 0;
}

bool batchdir_current(const char *path, int dir)
{
	struct stat held, named;

	return dir >= 0 && !fstat(dir, &held) && held.st_nlink && !stat(path, &named) &&
	       held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

int batchdir_open_batch(int dir, const char *name, uid_t owner)
{
	int fd = openat(dir, name, FOLDER);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && st.st_uid == owner))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

int batchdir_each(int dir, int (*each)(void *ctx, const struct dirent *entry), void *ctx)
{
	int own = openat(dir, ".", FOLDER), rc = 0;
	DIR *d = own >= 0 ? fdopendir(own) : NULL;
	struct dirent *e;

	if (!d) {
		if (own >= 0)
			close(own);
		return ERR_IO;
	}
	while (!rc && (errno = 0, e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			rc = each(ctx, e);
	if (!rc && errno)
		rc = ERR_IO;
	closedir(d);
	return rc;
}

struct measure {
	int dir;
	uint64_t bytes;
};

/* st_blocks counts 512 bytes each, whatever the file system's blocks are (stat(3type)). */
static void dir_measure(struct measure *m, const char *name)
{
	struct stat st;

	if (!fstatat(m->dir, name, &st, AT_SYMLINK_NOFOLLOW))
		m->bytes += (uint64_t)st.st_blocks * 512;
}

static int measure_entry(void *ctx, const struct dirent *entry)
{
	dir_measure(ctx, entry->d_name);
	return 0;
}

int batchdir_bytes(int batch, uint64_t *bytes)
{
	struct measure m = { .dir = batch };
	int rc;

	dir_measure(&m, ".");
	rc = batchdir_each(batch, measure_entry, &m);
	*bytes = m.bytes;
	return rc;
}

/* Called for every batch in every round, and there may be years of batches: a name with a low
 * number is not parsed. */
static int higher(void *ctx, const struct dirent *entry)
{
	uint64_t *highest = ctx;
	struct batch_name n;

	if (strtoull(entry->d_name, NULL, 10) > *highest && batch_name_parse(entry->d_name, &n))
		*highest = n.sequence;
	return 0;
}

uint64_t batchdir_highest(int dir)
{
	uint64_t highest = 0;

	batchdir_each(dir, higher, &highest);
	return highest;
}

static int remove_file(void *ctx, const struct dirent *entry)
{
	unlinkat(*(int *)ctx, entry->d_name, 0);
	return 0;
}

void batchdir_remove(int dir, const char *name, uid_t owner)
{
	int fd = batchdir_open_batch(dir, name, owner);

	if (fd < 0)
		return;
	batchdir_each(fd, remove_file, &fd);
	close(fd);
	unlinkat(dir, name, AT_REMOVEDIR);
}

static int is_no_file(void *ctx, const struct dirent *entry)
{
	struct stat st;

	return fstatat(*(int *)ctx, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
	       !S_ISREG(st.st_mode);
}

/* A system call, since musl has no renameat2(2). On a file system without the flag (NFS, FUSE)
 * rename(2) still refuses to replace a folder that is not empty, and every batch holds a file. */
int batchdir_rename(int dir, const char *from, const char *to)
{
	if (!syscall(SYS_renameat2, dir, from, dir, to, NO_REPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	return renameat(dir, from, dir, to);
}

bool batchdir_taken(int why)
{
	return why == EEXIST || why == ENOTEMPTY || why == ENOTDIR;
}

/* Renames the folder to a free hidden name. */
static bool dir_hide(int dir, const char *name, const char *key_text,
		     char hidden[BATCH_HIDDEN_ROOM])
{
	for (uint64_t n = 0; n < TEMPORARY_TRIES; n++) {
		batch_temporary_name(key_text, n, hidden);
		if (!batchdir_rename(dir, name, hidden))
			return true;
		if (!batchdir_taken(errno))
			break;
	}
	return false;
}

bool batchdir_remove_batch(int dir, const char *name, const char *key_text, uid_t owner)
{
	int fd = batchdir_open_batch(dir, name, owner);
	char hidden[BATCH_HIDDEN_ROOM];
	bool good;

	if (fd < 0)
		return false;
	good = batchdir_each(fd, is_no_file, &fd) == 0;
	close(fd);
	if (!good || !dir_hide(dir, name, key_text, hidden))
		return false;
	batchdir_remove(dir, hidden, owner);
	return true;
}

struct dir_sweep {
	int dir;
	uid_t owner;
	const char *key_text;
};

/* Sweeps an entry of another key, if no sampler holds that key. The lock is held only while the
 * folder is renamed to a name of ours, so that a sampler that starts now is not refused. */
static void sweep_foreign(struct dir_sweep *s, enum batch_hidden kind, const char *name,
			  const char *key_text)
{
	char hidden[BATCH_HIDDEN_ROOM];
	bool ours = false;
	struct batchlock l;

	if (batchlock_take(&l, s->dir, key_text, kind == BATCH_TEMPORARY))
		return;
	if (kind == BATCH_TEMPORARY)
		ours = dir_hide(s->dir, name, s->key_text, hidden);
	batchlock_drop(&l, s->dir, key_text);
	if (ours)
		batchdir_remove(s->dir, hidden, s->owner);
}

static int sweep_one(void *ctx, const struct dirent *entry)
{
	const char *name = entry->d_name;
	enum batch_hidden kind;
	char key_text[BATCH_KEY_ROOM];
	struct dir_sweep *s = ctx;
	struct stat st;

	kind = batch_hidden_parse(name, key_text);
	if (kind == BATCH_VISIBLE || fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    st.st_uid != s->owner)
		return 0;
	if (strcmp(key_text, s->key_text))
		sweep_foreign(s, kind, name, key_text);
	else if (kind == BATCH_TEMPORARY)
		batchdir_remove(s->dir, name, s->owner);
	return 0;
}

void batchdir_sweep(int dir, const char *key_text, uid_t owner)
{
	struct dir_sweep s = { .dir = dir, .owner = owner, .key_text = key_text };

	batchdir_each(dir, sweep_one, &s);
}
