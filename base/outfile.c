/*
 * As redis' rdbSave does it (temporary file, fsync, rename), with O_TMPFILE
 * where the file system has it. linkat(2) cannot replace an existing file, so
 * the unnamed file is linked under a temporary name first and renamed from
 * there; only between these two calls could a crash leave that name behind.
 */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { NAME_KEPT = NAME_MAX - (int)sizeof("..4194304.tmp") };

static int fail(struct outfile *f, struct error *err, const char *doing)
{
	return error_errno(err, ERR_IO, "cannot %s '%s'", doing, f->path);
}

/* "dir/.name.PID.tmp": hidden, and beside the result so that rename works. The
 * name is cut so that what is added to it does not make it too long. */
static int make_tmp_name(struct outfile *f)
{
	const char *slash = strrchr(f->path, '/');
	int dirlen = slash ? (int)(slash - f->path + 1) : 0;

	if (asprintf(&f->tmp, "%.*s.%.*s.%d.tmp", dirlen, f->path, NAME_KEPT, f->path + dirlen,
		     (int)getpid()) < 0) {
		f->tmp = NULL;
		return ERR_NOMEM;
	}
	return 0;
}

static int open_unnamed(const struct outfile *f)
{
	const char *slash = strrchr(f->path, '/');
	size_t len = slash ? (size_t)(slash - f->path) + 1 : 0;
	char *dir = len ? strndup(f->path, len) : strdup(".");
	int fd;

	if (!dir)
		return -1;
	fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
	free(dir);
	return fd;
}

static int open_temporary(struct outfile *f, struct error *err)
{
	if (make_tmp_name(f))
		return error_set(err, ERR_NOMEM, "out of memory");
	f->fd = open_unnamed(f);
	if (f->fd >= 0)
		return 0;
	f->fd = open(f->tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (f->fd < 0)
		return fail(f, err, "write");
	f->named = true;
	return 0;
}

static int open_direct(struct outfile *f, struct error *err)
{
	f->direct = true;
	f->fd = strcmp(f->path, "-") ? open(f->path, O_WRONLY | O_CLOEXEC) :
				       fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	return f->fd < 0 ? fail(f, err, "write") : 0;
}

/* What stands there keeps its mode, and a link to it stays a link: in /dev there are
 * some that lead to wherever the shell pointed us. One that leads nowhere is replaced. */
static int open_replacement(struct outfile *f, mode_t mode, struct error *err)
{
	char *real = realpath(f->path, NULL);
	int rc;

	if (!real)
		return fail(f, err, "write");
	free(f->path);
	f->path = real;
	rc = open_temporary(f, err);
	if (!rc && fchmod(f->fd, mode & 0777))
		rc = fail(f, err, "write");
	return rc;
}

/* A path that cannot be looked at, being too long or in a folder closed to us, can
 * have a temporary file beside it and yet no rename to it: found out now, not when
 * the work is done. */
static int open_as_it_is(struct outfile *f, struct error *err)
{
	struct stat st;

	if (strcmp(f->path, "-") == 0)
		return open_direct(f, err);
	if (stat(f->path, &st))
		return errno == ENOENT && *f->path ? open_temporary(f, err) :
						     fail(f, err, "write");
	if (S_ISREG(st.st_mode))
		return open_replacement(f, st.st_mode, err);
	errno = EISDIR;
	return S_ISDIR(st.st_mode) ? fail(f, err, "write") : open_direct(f, err);
}

int outfile_open(struct outfile *f, const char *path, struct error *err)
{
	int rc;

	memset(f, 0, sizeof(*f));
	f->fd = -1;
	f->path = strdup(path);
	if (!f->path)
		return error_set(err, ERR_NOMEM, "out of memory");
	rc = open_as_it_is(f, err);
	if (rc)
		outfile_abort(f);
	return rc;
}

int outfile_write(struct outfile *f, const void *data, size_t len, struct error *err)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(f->fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(f, err, "write");
		p += n;
		len -= (size_t)n;
		f->written += (uint64_t)n;
	}
	return 0;
}

/* Gives the unnamed file its temporary name. A leftover of that name can only
 * be ours from an earlier life with the same PID. */
static int give_name(struct outfile *f)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	if (linkat(AT_FDCWD, self, AT_FDCWD, f->tmp, AT_SYMLINK_FOLLOW) &&
	    (errno != EEXIST || unlink(f->tmp) ||
	     linkat(AT_FDCWD, self, AT_FDCWD, f->tmp, AT_SYMLINK_FOLLOW)))
		return -1;
	f->named = true;
	return 0;
}

int outfile_commit(struct outfile *f, struct error *err)
{
	int rc = 0;

	if (!f->direct &&
	    (fsync(f->fd) || (!f->named && give_name(f)) || rename(f->tmp, f->path)))
		rc = fail(f, err, "write");
	else
		f->named = false;
	if (close(f->fd) && !rc)
		rc = fail(f, err, "write");
	f->fd = -1;
	outfile_abort(f);
	return rc;
}

void outfile_abort(struct outfile *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->named && f->tmp)
		unlink(f->tmp);
	free(f->path);
	free(f->tmp);
	memset(f, 0, sizeof(*f));
	f->fd = -1;
}
