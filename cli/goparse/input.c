/* The source's first bytes are peeked at to detect gzip. The first 4 KiB of text are kept, so that
 * an input without goroutines can be recognized by what it is instead. */
#include "cli/goparse/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "pprof/file/kind.h"
#include "pprof/file/zstd.h"
#include "pprof/wire/gunzip.h"
#include "pprof/wire/gzip.h"
#include "cli/common/httpoptions.h"
#include "cli/goparse/url.h"

enum { PEEK = 512, HEAD = 4096 };

struct goinput {
	const char *name;
	struct http *http;	    /* NULL: not a URL */
	int fd;			    /* -1: a URL */
	bool standard;		    /* fd is the standard input, which is not closed */
	struct gunzip *gunzip;	    /* NULL: not compressed */
	unsigned char peeked[PEEK]; /* the first bytes of the source */
	size_t peek_len, peek_used; /* how many there are, and how many read_raw has returned */
	unsigned char head[HEAD];   /* the first bytes, uncompressed */
	size_t head_len;
	bool failed;
};

static int read_source(struct goinput *in, void *buf, size_t len, size_t *got, struct error *err)
{
	ssize_t n;

	*got = 0;
	if (in->http)
		return http_read(in->http, buf, len, got, err);
	do
		n = read(in->fd, buf, len);
	while (n < 0 && errno == EINTR);
	*got = n > 0 ? (size_t)n : 0;
	return n < 0 ? error_errno(err, ERR_IO, "cannot read") : 0;
}

/* Returns the peeked bytes first, then those of the source. */
static int read_raw(void *ctx, void *buf, size_t len, size_t *got, struct error *err)
{
	struct goinput *in = ctx;
	size_t left = in->peek_len - in->peek_used;

	if (!left)
		return read_source(in, buf, len, got, err);
	*got = left < len ? left : len;
	memcpy(buf, in->peeked + in->peek_used, *got);
	in->peek_used += *got;
	return 0;
}

/* The first two bytes tell whether the input is compressed; a pipe may deliver them one by one. */
static int input_peek(struct goinput *in, struct error *err)
{
	size_t got = 1;
	int rc = 0;

	while (!rc && got && in->peek_len < 2) {
		rc = read_source(in, in->peeked + in->peek_len, PEEK - in->peek_len, &got, err);
		in->peek_len += got;
	}
	if (!rc && gzip_detect(in->peeked, in->peek_len))
		rc = gunzip_new(&in->gunzip, read_raw, in, err);
	return rc;
}

static int open_url(struct goinput *in, const char *url, const struct httpoptions *http,
		    struct error *err)
{
	char *whole = goparse_url(url);
	int rc = whole ? httpoptions_open(http, whole, &in->http, err) : error_nomem(err);

	free(whole);
	return rc;
}

static int input_open_file(struct goinput *in, const char *path, struct error *err)
{
	in->standard = !strcmp(path, "-");
	in->fd = in->standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	return in->fd < 0 ? error_errno(err, ERR_IO, "cannot read '%s'", in->name) : 0;
}

/* Adds the name of the input to an error. Errors of base/net/http.h already contain the
 * URL. */
static int name_it(const struct goinput *in, int rc, struct error *err)
{
	if (rc && !in->http)
		error_prefix(err, "'%s'", in->name);
	return rc;
}

int goinput_open(struct goinput **out, const char *path, const char *name,
		 const struct httpoptions *http, struct error *err)
{
	struct goinput *in = calloc(1, sizeof(*in));
	int rc;

	if (!in)
		return error_nomem(err);
	in->name = name;
	in->fd = -1;
	rc = http_is_url(path) ? open_url(in, path, http, err) : input_open_file(in, path, err);
	if (!rc)
		rc = name_it(in, input_peek(in, err), err);
	if (rc)
		goinput_close(in);
	*out = rc ? NULL : in;
	return rc;
}

void goinput_close(struct goinput *in)
{
	if (!in)
		return;
	gunzip_free(in->gunzip);
	http_close(in->http);
	if (!in->standard && in->fd >= 0)
		close(in->fd);
	free(in);
}

int goinput_read(void *ctx, void *buf, size_t len, size_t *got, struct error *err)
{
	struct goinput *in = ctx;
	int rc = in->gunzip ? gunzip_read(in->gunzip, buf, len, got, err) :
			      read_raw(in, buf, len, got, err);
	size_t kept;

	if (rc) {
		in->failed = true;
		return name_it(in, rc, err);
	}
	kept = *got < HEAD - in->head_len ? *got : HEAD - in->head_len;
	memcpy(in->head + in->head_len, buf, kept);
	in->head_len += kept;
	return 0;
}

bool goinput_failed(const struct goinput *in)
{
	return in->failed;
}

int64_t goinput_time(const struct goinput *in)
{
	struct timespec when;
	struct stat st;

	clock_gettime(CLOCK_REALTIME, &when);
	if (in->http && http_response(in->http)->date)
		when = (struct timespec){ .tv_sec = http_response(in->http)->date };
	if (in->fd >= 0 && !in->standard && !fstat(in->fd, &st) && S_ISREG(st.st_mode))
		when = st.st_mtim;
	return when.tv_sec * 1000000000 + when.tv_nsec;
}

static bool input_begins(const struct goinput *in, const char *with, size_t len)
{
	return in->head_len >= len && !memcmp(in->head, with, len);
}

const char *goinput_hint(const struct goinput *in)
{
	static const char legacy[] = "goroutine profile: total";
	const char *kind;

	if (!in->head_len)
		return "there is nothing in it";
	if (input_begins(in, legacy, sizeof(legacy) - 1))
		return "this is what debug=1 prints, without waits; 'sampler convert' and "
		       "'sampler report' read it, and debug=2 prints goroutines";
	if (zstd_detect(in->head, in->head_len))
		return "zstd has compressed it; 'zstdcat' gives what can be read";
	/* profile.proto: sample_type (field 1), a message that begins with its field `type` (1). */
	if (in->head_len > 2 && in->head[0] == 0x0a && in->head[1] < 0x20 && in->head[2] == 0x08)
		return "this is a pprof profile; 'sampler report' reads it";
	/* What goparse is named for was tried already. */
	kind = kind_of(in->head, in->head_len);
	return kind && !strstr(kind, "sampler goparse") ? kind : NULL;
}
