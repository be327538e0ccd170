/* A file's bytes, uncompressed when they need it. A profile is read whole: its
 * string table may stand at its end, and everything refers to that. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/decode.h"
#include "pprof/gzip.h"

enum { MAX_SIZE = 1 << 30, CHUNK = 64 << 10 };

static int read_all(int fd, size_t max, struct buffer *out, struct error *err)
{
	ssize_t n;

	do {
		if (buffer_reserve(out, CHUNK))
			return error_set(err, ERR_NOMEM, "out of memory");
		n = read(fd, out->data + out->len, CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(err, ERR_IO, "cannot read");
		out->len += (size_t)n;
		if (out->len > max)
			return error_set(err, ERR_LIMIT, "more than %zu bytes", max);
	} while (n);
	return 0;
}

static int decode_zipped(struct profile *p, const struct buffer *zipped, size_t max,
			 struct error *err)
{
	struct buffer plain = { 0 };
	int rc = gzip_uncompress(zipped->data, zipped->len, max, &plain, err);

	if (!rc)
		rc = profile_decode(p, plain.data, plain.len, err);
	buffer_release(&plain);
	return rc;
}

static int decode_bytes(struct profile *p, const struct buffer *bytes, size_t max,
			struct error *err)
{
	return gzip_detect(bytes->data, bytes->len) ?
		       decode_zipped(p, bytes, max, err) :
		       profile_decode(p, bytes->data, bytes->len, err);
}

int profile_load(struct buffer *bytes, const char *path, size_t max_size, struct error *err)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return error_errno(err, ERR_IO, "cannot read '%s'", path);
	rc = read_all(fd, max_size ? max_size : MAX_SIZE, bytes, err);
	if (!standard)
		close(fd);
	if (rc)
		error_prefix(err, "'%s'", path);
	return rc;
}

int profile_read(struct profile *p, const char *path, size_t max_size, struct error *err)
{
	struct buffer bytes = { 0 };
	int rc = profile_load(&bytes, path, max_size, err);

	if (!rc) {
		rc = decode_bytes(p, &bytes, max_size ? max_size : MAX_SIZE, err);
		if (rc)
			error_prefix(err, "'%s'", path);
	}
	buffer_release(&bytes);
	return rc;
}
