/* Reads a file and uncompresses it if necessary. A profile is read whole, because everything
 * refers to its string table, which may be at its end. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/file/kind.h"
#include "pprof/file/read.h"
#include "pprof/file/zstd.h"
#include "pprof/legacy/legacy.h"
#include "pprof/profile.h"
#include "pprof/wire/decode.h"
#include "pprof/wire/gzip.h"

enum { MAX_SIZE = 1 << 30, TABLES_MIN = 256 << 20, CHUNK = 64 << 10 };

/* A file's length is only a hint: the file may be a pipe, or grow. */
static size_t length_hint(int fd, size_t max)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 || (size_t)st.st_size > max)
		return CHUNK;
	return (size_t)st.st_size + 1;
}

static int pprof_read_all(int fd, size_t max, struct buffer *out, struct error *err)
{
	size_t most = max < SIZE_MAX ? max + 1 : max;
	int rc = buffer_reserve(out, length_hint(fd, max));

	do
		rc = rc == ERR_NOMEM ? rc : buffer_read(out, fd, most - out->len);
	while (rc == ERR_IO && errno == EINTR);
	if (rc)
		return rc == ERR_NOMEM ? error_nomem(err) : error_errno(err, ERR_IO, "cannot read");
	return out->len > max ? error_set(err, ERR_LIMIT, "more than %zu bytes", max) : 0;
}

/* Tries profile.proto first and then Go's texts, whose first bytes never decode as a message. Of
 * data in none of these formats, the error says what they are (kind.h), also if only their first
 * line is as Go's; if that is not known either, they are reported as a broken message. */
static int read_decode(struct profile *p, const void *data, size_t len, bool packed, size_t max,
		       struct error *err)
{
	struct error legacy = { 0 };
	size_t max_memory = max > TABLES_MIN / 4 ? max * 4 : TABLES_MIN;
	int rc = profile_decode_within(p, data, len, max_memory, err), old;

	if (rc != ERR_FORMAT)
		return rc;
	profile_release(p);
	if (profile_init(p))
		return error_nomem(err);
	old = legacy_parse(p, data, len, &legacy);
	if (old == ERR_NOTFOUND || (old == ERR_FORMAT && kind_of(data, len)))
		return kind_explain(data, len, packed, rc, err);
	return old ? error_set(err, old, "%s", legacy.text) : 0;
}

static bool is_compressed(const void *data, size_t len)
{
	return gzip_detect(data, len) || zstd_detect(data, len);
}

static int read_uncompress(const void *data, size_t len, size_t max, struct buffer *plain,
			   struct error *err)
{
	if (gzip_detect(data, len))
		return gzip_uncompress(data, len, max, plain, err);
	return zstd_uncompress(data, len, max, plain, err);
}

int profile_parse(struct profile *p, const void *data, size_t len, size_t max_size,
		  struct error *err)
{
	size_t max = max_size ? max_size : MAX_SIZE;
	struct buffer plain = { 0 };
	int rc;

	if (len > max)
		return error_set(err, ERR_LIMIT, "more than %zu bytes", max);
	if (!is_compressed(data, len))
		return read_decode(p, data, len, false, max, err);
	rc = read_uncompress(data, len, max, &plain, err);
	if (!rc)
		rc = read_decode(p, plain.data, plain.len, true, max, err);
	buffer_release(&plain);
	return rc;
}

int profile_load(struct buffer *bytes, const char *path, size_t max_size, struct error *err)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return error_errno(err, ERR_IO, "cannot read '%s'", path);
	rc = pprof_read_all(fd, max_size ? max_size : MAX_SIZE, bytes, err);
	if (!standard)
		close(fd);
	if (rc)
		error_prefix(err, "'%s'", path);
	return rc;
}

/* The compressed bytes are released before the contents are decoded. */
static int decode_file(struct profile *p, struct buffer *bytes, size_t max, struct error *err)
{
	struct buffer plain = { 0 };
	bool packed = is_compressed(bytes->data, bytes->len);
	int rc = 0;

	if (packed) {
		rc = read_uncompress(bytes->data, bytes->len, max, &plain, err);
		buffer_release(bytes);
		*bytes = plain;
	}
	return rc ? rc : read_decode(p, bytes->data, bytes->len, packed, max, err);
}

int profile_read(struct profile *p, const char *path, size_t max_size, struct error *err)
{
	struct buffer bytes = { 0 };
	int rc = profile_load(&bytes, path, max_size, err);

	if (!rc) {
		rc = decode_file(p, &bytes, max_size ? max_size : MAX_SIZE, err);
		if (rc)
			error_prefix(err, "'%s'", path);
	}
	buffer_release(&bytes);
	return rc;
}
