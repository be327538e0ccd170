/*
 * A file's modification time is the time of its last use: a reader sets it (futimens(2)). It gives
 * the order of removal, so no index file is needed.
 *
 * A file is written under a temporary name and renamed. There is no fsync: after a crash the file
 * may be short or empty, which its reader must detect anyway.
 */
#include "base/file/cachedir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/pathwalk.h"

enum { FILES_MAX = 65536, FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static const char own_name[] = "sampler", tmp_ending[] = ".tmp";

/* The path of the folder above ours, which the caller frees; NULL: none is named, or no memory. */
static char *base_path(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *path = NULL;

	/* "All paths set in these environment variables must be absolute." (XDG specification) */
	if (xdg && *xdg == '/')
		return strdup(xdg);
	if (home && *home == '/' && asprintf(&path, "%s/.cache", home) < 0)
		return NULL;
	return path;
}

static bool is_ours(int fd, mode_t forbidden)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & forbidden))
		return true;
	errno = EPERM;
	return false;
}

/* Opens the folder `name` in `above`. If missing it is created, if `above` is ours. -1 and
 * errno. */
static int open_folder(int above, const char *name)
{
	int fd = openat(above, name, FOLDER);

	if (fd >= 0 || errno != ENOENT || !is_ours(above, 0))
		return fd;
	if (mkdirat(above, name, 0700) && errno != EEXIST)
		return -1;
	return openat(above, name, FOLDER);
}

/* Opens our folder in the folder `path`. -1 and errno; EPERM: one of the two does not belong to us,
 * or others may write to ours. */
static int open_below(const char *path)
{
	struct walk w;
	int base, fd = -1, saved;

	if (path_walk(&w, AT_FDCWD, path, WALK_TRUSTED_LINKS))
		return -1;
	base = open_folder(w.dir_fd, w.name);
	walk_release(&w);
	if (base < 0)
		return -1;
	if (is_ours(base, 0))
		fd = open_folder(base, own_name);
	saved = errno;
	close(base);
	errno = saved;
	if (fd >= 0 && !is_ours(fd, S_IWGRP | S_IWOTH)) {
		close(fd);
		errno = EPERM;
		return -1;
	}
	return fd;
}

int cachedir_open(int *dir, struct error *err)
{
	char *path = base_path();
	int rc = 0;

	*dir = -1;
	if (!path)
		return error_set(err, ERR_NOTFOUND,
				 "neither XDG_CACHE_HOME nor HOME names a folder");
	*dir = open_below(path);
	if (*dir < 0 && errno == EPERM)
		rc = error_set(err, ERR_PERM, "'%s/%s' is not ours alone", path, own_name);
	else if (*dir < 0)
		rc = error_errno(err, ERR_IO, "cannot open '%s/%s'", path, own_name);
	free(path);
	return rc;
}

int cachedir_open_file(int dir, const char *name, uint64_t *len)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < 0 ||
	    !is_ours(fd, S_IWGRP | S_IWOTH)) {
		close(fd);
		return -1;
	}
	*len = (uint64_t)st.st_size;
	return fd;
}

static bool write_part(int fd, const struct iovec *part)
{
	const char *p = part->iov_base;
	size_t left = part->iov_len;

	while (left) {
		ssize_t n = write(fd, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		left -= (size_t)n;
	}
	return true;
}

int cachedir_write(int dir, const char *name, const struct iovec *parts, int count,
		   struct error *err)
{
	uint64_t random = (uint64_t)getpid();
	bool good = true;
	char tmp[40];
	int fd;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = (uint64_t)getpid();
	snprintf(tmp, sizeof(tmp), "%016lx%s", random, tmp_ending);
	fd = openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_errno(err, ERR_IO, "cannot write");
	for (int i = 0; good && i < count; i++)
		good = write_part(fd, &parts[i]);
	if ((close(fd) == 0) & good && renameat(dir, tmp, dir, name) == 0)
		return 0;
	error_errno(err, ERR_IO, "cannot write");
	unlinkat(dir, tmp, 0);
	return ERR_IO;
}

struct file {
	char name[NAME_MAX + 1];
	struct timespec used;
	uint64_t bytes;
};

/* Is the name of the form that cachedir_write uses? An unfinished file has ".tmp" at its end. */
static bool is_own_file(const char *name)
{
	size_t digits = strspn(name, "0123456789abcdef");

	return digits && (!name[digits] || !strcmp(name + digits, tmp_ending));
}

static int by_use(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

/* Returns the files of the folder, which the caller frees. *count is their number, *total their
 * size in bytes. */
static struct file *list_files(DIR *d, size_t *count, uint64_t *total)
{
	struct file *files = NULL;
	struct dirent *e;
	struct stat st;

	*count = *total = 0;
	while (*count < FILES_MAX && (e = readdir(d))) {
		size_t room = *count ? 2 * *count : 1;
		struct file *more;

		if (!is_own_file(e->d_name) ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		/* The room is a power of two: it is full when the count is one, or 0. */
		more = *count & (*count - 1) ? files : realloc(files, room * sizeof(*files));
		if (!more)
			break;
		files = more;
		files[*count] = (struct file){ .used = st.st_mtim, .bytes = (uint64_t)st.st_size };
		strcpy(files[(*count)++].name, e->d_name);
		*total += (uint64_t)st.st_size;
	}
	return files;
}

void cachedir_trim(int dir, uint64_t bytes)
{
	int own = openat(dir, ".", FOLDER);
	DIR *d = own >= 0 ? fdopendir(own) : NULL;
	struct file *files;
	uint64_t total;
	size_t count;

	if (!d) {
		if (own >= 0)
			close(own);
		return;
	}
	files = list_files(d, &count, &total);
	if (files)
		qsort(files, count, sizeof(*files), by_use);
	for (size_t i = 0; i < count && total > bytes; i++)
		if (unlinkat(dir, files[i].name, 0) == 0)
			total -= files[i].bytes;
	free(files);
	closedir(d);
}
