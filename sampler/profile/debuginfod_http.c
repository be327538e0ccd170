/*
 * GET SERVER/buildid/ID/debuginfo (debuginfod(8), "WEBAPI") from each server in turn, and the cache
 * as debuginfod_find_debuginfo(3) describes it: a file FOLDER/ID/debuginfo for each build, empty if
 * no server had it. Only whole files get that name. What is too old is removed by elfutils' tools
 * where they run; here only an empty file is removed, and asked for again.
 *
 * Rejected: executing debuginfod-find, which does this with all of its variables, but is missing on
 * Alpine, in most containers and on Debian without the server's package, just where a static
 * program is for.
 */
#ifdef SAMPLER_STATIC
#include "sampler/profile/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "base/net/http.h"

enum { PIECE_BYTES = 64 << 10 };

/* Of a file on disk. In memory, without a cache, the smaller default of http.h holds. */
static const uint64_t MAX_BYTES = 8ull << 30;

struct debuginfod {
	debuginfod_progress *progress;
	const char *servers;   /* separated by spaces */
	char folder[PATH_MAX]; /* the cache; "": none */
	char piece[PIECE_BYTES];
};

static void find_cache(struct debuginfod *d)
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *user = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");
	int len = 0;

	if (own && *own)
		len = snprintf(d->folder, sizeof(d->folder), "%s", own);
	else if (user && *user)
		len = snprintf(d->folder, sizeof(d->folder), "%s/debuginfod_client", user);
	else if (home && *home)
		len = snprintf(d->folder, sizeof(d->folder), "%s/.cache/debuginfod_client", home);
	if (len >= (int)sizeof(d->folder))
		d->folder[0] = '\0';
}

struct debuginfod *debuginfod_new(debuginfod_progress *progress, char *why, size_t size)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	struct debuginfod *d = calloc(1, sizeof(*d));

	if (!d || !servers || !servers[strspn(servers, " ")]) {
		snprintf(why, size, "%s", d ? "DEBUGINFOD_URLS names no server" : "out of memory");
		free(d);
		return NULL;
	}
	d->progress = progress;
	d->servers = servers;
	find_cache(d);
	return d;
}

void debuginfod_free(struct debuginfod *d)
{
	free(d);
}

/* Makes the folder and those above it, of which the root exists. */
static bool debuginfod_http_make_folder(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	return !mkdir(path, 0700) || errno == EEXIST;
}

static int open_cached(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size)
		return fd;
	descriptor_close(&fd);
	unlink(path); /* or it would give its mode, which may be 0, to its successor */
	return -1;
}

static int debuginfod_http_read_all(struct debuginfod *d, struct http *h, struct outfile *out,
				    struct error *err)
{
	int64_t done = 0;
	size_t got;
	int rc;

	while (!(rc = http_read(h, d->piece, sizeof(d->piece), &got, err)) && got) {
		rc = outfile_write(out, d->piece, got, err);
		if (rc)
			break;
		d->progress(done += (int64_t)got, 0);
	}
	return rc;
}

static int debuginfod_http_ask(struct debuginfod *d, const char *server, int len,
			       const char *build_id, struct outfile *out, struct error *err)
{
	struct http_request q = { .max_bytes = out->direct ? 0 : MAX_BYTES };
	struct http *h;
	char *url;
	int rc;

	while (len && server[len - 1] == '/')
		len--;
	if (asprintf(&url, "%.*s/buildid/%s/debuginfo", len, server, build_id) < 0)
		return error_nomem(err);
	q.url = url;
	rc = http_open(&h, &q, err);
	if (!rc)
		rc = debuginfod_http_read_all(d, h, out, err);
	http_close(h);
	free(url);
	return rc;
}

/* Without a cache that can be written the file stays in memory. */
static int debuginfod_http_open_output(const struct debuginfod *d, struct outfile *out, char *path,
				       struct error *err)
{
	char *last = strrchr(path, '/');
	bool made;

	*out = (struct outfile)OUTFILE_NONE;
	if (*d->folder) {
		*last = '\0';
		made = debuginfod_http_make_folder(path);
		*last = '/';
		if (made && !outfile_open(out, path, NULL))
			return 0;
	}
	*out = (struct outfile){ .fd = memfd_create("debuginfo", MFD_CLOEXEC),
				 .direct = true,
				 .path = path,
				 .dir_fd = -1 };
	return out->fd >= 0 ? 0 : error_errno(err, ERR_IO, "cannot keep a debug file");
}

/* Asks one server after the other. Of a file that was cut off nothing is kept. */
static int debuginfod_http_fetch(struct debuginfod *d, const char *build_id, char *path,
				 struct error *err)
{
	struct outfile out;
	int rc = 0, fd;

	for (const char *at = d->servers; *(at += strspn(at, " "));) {
		int len = (int)strcspn(at, " ");

		rc = debuginfod_http_open_output(d, &out, path, err);
		if (rc)
			return rc;
		rc = debuginfod_http_ask(d, at, len, build_id, &out, err);
		at += len;
		if (!rc && out.direct && lseek(out.fd, 0, SEEK_SET) == 0)
			return out.fd;
		if (!rc)
			rc = outfile_commit(&out, err);
		fd = rc ? -1 : open_cached(path);
		if (fd >= 0)
			return fd;
		if (out.direct)
			close(out.fd);
		else
			outfile_abort(&out);
	}
	return rc ? rc : error_set(err, ERR_NOTFOUND, "the server sent nothing");
}

int debuginfod_fetch(struct debuginfod *d, const char *build_id, char *why, size_t size)
{
	struct error err = { 0 };
	char path[PATH_MAX + 128];
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s/debuginfo", d->folder, build_id) >=
	    (int)sizeof(path)) {
		snprintf(why, size, "the build ID is too long");
		return -1;
	}
	fd = *d->folder ? open_cached(path) : -1;
	if (fd < 0)
		fd = debuginfod_http_fetch(d, build_id, path, &err);
	if (fd < 0)
		snprintf(why, size, "%s", err.text);
	return fd < 0 ? -1 : fd;
}
#endif
