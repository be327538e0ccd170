/* The same stream is reset for each file (deflateReset), which saves its 256 KiB of tables. The
 * sink gets whole blocks. */
#include "pprof/wire/gzipstream.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/error.h"

/* Level 6, like Go's gzip.DefaultCompression: the speed of deltas is compared with Go's profiler
 * at the same size (docs/delta.md). */
enum { LEVEL = 6, GZIP_WINDOW = 15 + 16, BLOCK = 64 << 10 };

struct gzip_stream {
	z_stream z;
	gz_header header;
	gzip_sink *sink;
	void *ctx;
	uint8_t block[BLOCK];
};

int gzip_stream_new(struct gzip_stream **out, struct error *err)
{
	struct gzip_stream *s = calloc(1, sizeof(*s));

	if (!s || deflateInit2(&s->z, LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY)) {
		free(s);
		return error_nomem(err);
	}
	s->header.os = 3; /* Unix: the bytes do not depend on zlib's build */
	*out = s;
	return 0;
}

void gzip_stream_free(struct gzip_stream *s)
{
	if (!s)
		return;
	deflateEnd(&s->z);
	free(s);
}

void gzip_stream_begin(struct gzip_stream *s, gzip_sink *sink, void *ctx)
{
	s->sink = sink;
	s->ctx = ctx;
	deflateReset(&s->z);
	deflateSetHeader(&s->z, &s->header);
	s->z.next_out = s->block;
	s->z.avail_out = BLOCK;
}

static int gzipstream_drain(struct gzip_stream *s, int flush, struct error *err)
{
	for (;;) {
		bool ended = deflate(&s->z, flush) == Z_STREAM_END;
		int rc = 0;

		if (s->z.avail_out && flush != Z_FINISH)
			return 0;
		rc = s->sink(s->ctx, s->block, BLOCK - s->z.avail_out, err);
		if (rc)
			return rc;
		s->z.next_out = s->block;
		s->z.avail_out = BLOCK;
		if (ended)
			return 0;
	}
}

int gzip_stream_write(struct gzip_stream *s, const void *data, size_t len, struct error *err)
{
	int rc = 0;

	s->z.next_in = (Bytef *)(uintptr_t)data;
	do {
		s->z.avail_in = len > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)len;
		len -= s->z.avail_in;
		rc = gzipstream_drain(s, Z_NO_FLUSH, err);
	} while (!rc && len);
	return rc;
}

int gzip_stream_end(struct gzip_stream *s, struct error *err)
{
	s->z.next_in = NULL;
	s->z.avail_in = 0;
	return gzipstream_drain(s, Z_FINISH, err);
}
