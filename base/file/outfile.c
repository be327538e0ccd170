/*
 * Follows redis' rdbSave (temporary file, fsync, rename), with O_TMPFILE where the file system has
 * it. linkat(2) cannot replace an existing file, so the unnamed file is linked under a temporary
 * name first and renamed from there. A crash between these two calls leaves the temporary file
 * behind; without O_TMPFILE, any crash before the rename does.
 *
 * The folder is opened once and stays open, so later changes to its path do not matter.
 */
#include "base/file/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/file/pathwalk.h"

enum { NAME_KEPT = NAME_MAX - (int)sizeof("..0123456789abcdef.tmp") };

static int outfile_fail(struct outfile *f, struct error *err, const char *doing)
{
	return error_errno(err, ERR_IO, "cannot %s '%s'", doing, f->path);
}

/* ".name.RANDOM.tmp": hidden, and beside the result so that rename works. In a folder like /tmp
 * another user cannot take a name that cannot be guessed. `name` is cut so that the temporary name
 * is not too long. */
static int make_names(struct outfile *f, const char *name, struct error *err)
{
	uint64_t random;

	if (getentropy(&random, sizeof(random)))
		return error_errno(err, ERR_IO,
				   "cannot get random bytes for the temporary name of '%s'",
				   f->path);
	f->name = strdup(name);
	if (asprintf(&f->tmp, ".%.*s.%016lx.tmp", NAME_KEPT, name, random) < 0)
		f->tmp = NULL;
	return f->name && f->tmp ? 0 : error_nomem(err);
}

static int open_temporary(struct outfile *f, struct error *err)
{
	f->fd = openat(f->dir_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
	if (f->fd >= 0)
		return 0;
	f->fd = openat(f->dir_fd, f->tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		       0644);
	if (f->fd < 0)
		return outfile_fail(f, err, "write");
	f->named = true;
	return 0;
}

static int open_direct(struct outfile *f, int flags, struct error *err)
{
	f->fd = openat(f->dir_fd, f->name, O_WRONLY | O_CLOEXEC | flags);
	close(f->dir_fd);
	f->dir_fd = -1;
	f->direct = true;
	return f->fd < 0 ? outfile_fail(f, err, "write") : 0;
}

/* The new file gets the mode of the one that it replaces. */
static int open_replacement(struct outfile *f, mode_t mode, struct error *err)
{
	int rc = open_temporary(f, err);

	if (!rc && fchmod(f->fd, mode & 0777))
		rc = outfile_fail(f, err, "write");
	return rc;
}

/* If the name cannot be examined (it is too long, or we may not search the folder), a temporary
 * file may still be possible, but the rename would fail. That is reported now, not after the work
 * is done. Links in /dev may lead to whatever the shell redirected our output to, say a pipe. */
static int open_in_folder(struct outfile *f, const struct pathwalk *w, struct error *err)
{
	struct stat st;
	int rc;

	f->dir_fd = w->dir_fd;
	rc = make_names(f, w->name, err);
	if (rc)
		return rc;
	if (w->magic)
		return open_direct(f, 0, err);
	if (fstatat(f->dir_fd, f->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? open_temporary(f, err) : outfile_fail(f, err, "write");
	if (S_ISREG(st.st_mode))
		return open_replacement(f, st.st_mode, err);
	errno = EISDIR;
	return S_ISDIR(st.st_mode) ? outfile_fail(f, err, "write") :
				     open_direct(f, O_NOFOLLOW, err);
}

static int outfile_open_path(struct outfile *f, struct error *err)
{
	struct pathwalk w;

	if (strcmp(f->path, "-") == 0) {
		f->direct = true;
		f->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		return f->fd < 0 ? outfile_fail(f, err, "write") : 0;
	}
	if (path_walk(&w, AT_FDCWD, f->path, WALK_TRUSTED_LINKS) == 0)
		return open_in_folder(f, &w, err);
	if (errno != EPERM)
		return outfile_fail(f, err, "write");
	return error_set(err, ERR_PERM,
			 "cannot write '%s': there is a link on the way that another "
			 "user has put into a folder that all users may write to",
			 f->path);
}

int outfile_open(struct outfile *f, const char *path, struct error *err)
{
	int rc;

	*f = (struct outfile)OUTFILE_NONE;
	f->path = strdup(path);
	if (!f->path)
		return error_nomem(err);
	rc = outfile_open_path(f, err);
	if (rc)
		outfile_abort(f);
	return rc;
}

int outfile_write(struct outfile *f, const void *data, size_t len, struct error *err)
{
	if (!descriptor_write(f->fd, data, len))
		return outfile_fail(f, err, "write");
	f->written += len;
	return 0;
}

/* Gives the unnamed file its temporary name. */
static int give_name(struct outfile *f)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	if (linkat(AT_FDCWD, self, f->dir_fd, f->tmp, AT_SYMLINK_FOLLOW))
		return -1;
	f->named = true;
	return 0;
}

int outfile_commit(struct outfile *f, struct error *err)
{
	int rc = 0;

	if (!f->direct && (fsync(f->fd) || (!f->named && give_name(f)) ||
			   renameat(f->dir_fd, f->tmp, f->dir_fd, f->name)))
		rc = outfile_fail(f, err, "write");
	else
		f->named = false;
	if (close(f->fd) && !rc)
		rc = outfile_fail(f, err, "write");
	f->fd = -1;
	outfile_abort(f);
	return rc;
}

void outfile_abort(struct outfile *f)
{
	descriptor_close(&f->fd);
	if (f->named && f->tmp)
		unlinkat(f->dir_fd, f->tmp, 0);
	descriptor_close(&f->dir_fd);
	free(f->path);
	free(f->name);
	free(f->tmp);
	*f = (struct outfile)OUTFILE_NONE;
}
