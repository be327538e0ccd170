/*
 * Compresses with libdeflate, level 6, if its header exists at build time; else with zlib,
 * level 5. Best of 3 runs, one core, libdeflate 1.14 and zlib 1.2.13:
 *
 *	                                 zlib 4     5     6   libdeflate 4     5     6     7
 *	Go allocation profile, 3.4 MB: go/types over net/http and others
 *	ms                                 19.8  24.7  35.3           12.2  13.9  17.0  24.7
 *	of size, %                         15.4  14.7  14.3           15.2  14.7  14.4  14.2
 *	tools/bench/pprof.c's heap profile, 9 MB
 *	ms                                 90.4   106   146           46.5  54.2  62.4  84.7
 *	of size, %                         37.5  37.3  37.0           37.4  37.1  36.9  36.8
 *	tools/bench/pprof.c's CPU profile, 9 MB
 *	ms                                 84.8  95.6   114           45.1  50.8  55.0  66.2
 *	of size, %                         34.7  34.6  34.6           34.6  34.6  34.5  34.4
 *
 * libdeflate works on whole buffers. It reports neither the offset of broken data nor the end
 * of a member that fills its output buffer. So it uncompresses the usual case only: a single
 * member whose last 4 bytes give its true length. zlib uncompresses everything else. libdeflate
 * takes reserved symbols (RFC 1951, 3.2.5) for their neighbours where zlib refuses them; no
 * compressor writes them, and the checksum must match.
 */
#include "pprof/wire/gzip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#if __has_include(<libdeflate.h>)
#include <libdeflate.h>
#define HAVE_LIBDEFLATE 1
#else
#define HAVE_LIBDEFLATE 0
#endif

#include "base/buffer.h"
#include "base/error.h"
#include "base/inflater.h"

/* The header's operating system: 3, Unix, which is zlib's default here; set so that the bytes do
 * not depend on the library. */
enum { UNIX = 3 };

enum { BLOCK = 64 << 10 };

/* Piece by piece: the same stream is reset for each file (deflateReset), which saves its 256 KiB of
 * tables. The sink gets whole blocks. */

enum { GZIP_WINDOW = 15 + 16 };

struct gzip_stream {
	z_stream z;
	gz_header header;
	gzip_sink *sink;
	void *ctx;
	uint8_t block[BLOCK];
};

int gzip_stream_new(struct gzip_stream **out, int level, struct error *err)
{
	struct gzip_stream *s = calloc(1, sizeof(*s));

	if (!s || deflateInit2(&s->z, level, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY)) {
		free(s);
		return error_nomem(err);
	}
	s->header.os = UNIX;
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

static int gzip_drain(struct gzip_stream *s, int flush, struct error *err)
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
		rc = gzip_drain(s, Z_NO_FLUSH, err);
	} while (!rc && len);
	return rc;
}

int gzip_stream_end(struct gzip_stream *s, struct error *err)
{
	s->z.next_in = NULL;
	s->z.avail_in = 0;
	return gzip_drain(s, Z_FINISH, err);
}

/* In memory. */

#if HAVE_LIBDEFLATE

enum { LEVEL = 6, SYSTEM_AT = 9 };

int gzip_compress(const void *data, size_t len, gzip_sink *sink, void *ctx, struct error *err)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);
	struct buffer out = { 0 };
	int rc = ERR_NOMEM;

	if (c && buffer_reserve(&out, libdeflate_gzip_compress_bound(c, len)) == 0) {
		out.len = libdeflate_gzip_compress(c, data, len, out.data, out.room);
		out.data[SYSTEM_AT] = UNIX;
		rc = sink(ctx, out.data, out.len, err);
	} else {
		error_nomem(err);
	}
	libdeflate_free_compressor(c);
	buffer_release(&out);
	return rc;
}

/* Uncompresses data that are a single member with its true length at the end. False for all
 * other data and for broken data; the contents of `out` are unchanged then. */
static bool inflate_whole(const uint8_t *data, size_t len, size_t max, struct buffer *out)
{
	enum { SHORTEST = 18, MOST_SHRUNK = 1032 }; /* bytes; most output per byte of input */
	struct libdeflate_decompressor *d;
	size_t in = 0, got = 0;
	uint32_t size;
	bool ok;

	if (len < SHORTEST)
		return false;
	memcpy(&size, data + len - sizeof(size), sizeof(size));
	if (size > max || size / MOST_SHRUNK > len || buffer_reserve(out, (size_t)size + 1))
		return false;
	d = libdeflate_alloc_decompressor();
	ok = d &&
	     libdeflate_gzip_decompress_ex(d, data, len, out->data + out->len, size, &in, &got) ==
		     LIBDEFLATE_SUCCESS &&
	     in == len && got == size;
	libdeflate_free_decompressor(d);
	if (ok)
		out->len += size;
	return ok;
}

#else

enum { LEVEL = 5 };

int gzip_compress(const void *data, size_t len, gzip_sink *sink, void *ctx, struct error *err)
{
	struct gzip_stream *s;
	int rc = gzip_stream_new(&s, LEVEL, err);

	if (rc)
		return rc;
	gzip_stream_begin(s, sink, ctx);
	rc = gzip_stream_write(s, data, len, err);
	rc = rc ? rc : gzip_stream_end(s, err);
	gzip_stream_free(s);
	return rc;
}

static bool inflate_whole(const uint8_t *data, size_t len, size_t max, struct buffer *out)
{
	(void)data;
	(void)len;
	(void)max;
	(void)out;
	return false;
}

#endif

bool gzip_detect(const void *data, size_t len)
{
	return len >= 2 && memcmp(data, "\x1f\x8b", 2) == 0;
}

int gzip_uncompress(const void *data, size_t len, size_t max, struct buffer *out, struct error *err)
{
	const uint8_t *in = data;
	size_t left = len, before = out->len, got;
	struct inflater f;
	int rc;

	if (inflate_whole(data, len, max, out))
		return 0;
	rc = inflater_init(&f);
	f.member = true;
	do {
		got = 0;
		rc = rc ? rc : buffer_reserve(out, BLOCK);
		if (!rc)
			rc = inflater_read(&f, &in, &left, out->data + out->len, BLOCK, &got);
		out->len += got;
	} while ((got || left) && !rc && out->len - before <= max);
	inflater_release(&f);
	if (out->len - before > max)
		return error_set(err, ERR_LIMIT, "more than %zu bytes when uncompressed", max);
	return rc || f.member ? inflater_explain(rc, len - left, err) : 0;
}
