/* The file is opened without following a link, through the process's root, and checked by its
 * descriptor, so that what was checked is what is read. */
#include "symbolize/jit/jitfile.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/process.h"

enum { FILE_MAX = 256 << 20 };

static int check_file(int fd, int64_t uid, const char *path, size_t *size, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return error_errno(err, ERR_IO, "cannot look at '%s'", path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERR_PERM, "'%s' is not a regular file", path);
	if (st.st_uid != 0 && (int64_t)st.st_uid != uid)
		return error_set(err, ERR_PERM,
				 "'%s' belongs to neither the process's user nor root", path);
	if (st.st_size > FILE_MAX)
		return error_set(err, ERR_LIMIT, "'%s' is larger than 256 MiB", path);
	*size = (size_t)st.st_size;
	return 0;
}

static int jitfile_read_all(int fd, size_t size, struct buffer *out, const char *path,
			    struct error *err)
{
	if (buffer_reserve(out, size + 1))
		return error_nomem(err);
	if (buffer_read(out, fd, size))
		return error_errno(err, ERR_IO, "cannot read '%s'", path);
	return 0;
}

int jitfile_read(const struct process *p, const char *path, struct buffer *out, struct error *err)
{
	int fd = process_open_no_link(p, path), rc;
	size_t size = 0;

	if (fd < 0 && errno == ELOOP)
		return error_set(err, ERR_PERM, "'%s' is a link", path);
	if (fd < 0)
		return error_set(err, ERR_NOTFOUND, "no '%s'", path);
	rc = check_file(fd, p->uid, path, &size, err);
	if (!rc)
		rc = jitfile_read_all(fd, size, out, path, err);
	close(fd);
	return rc;
}
