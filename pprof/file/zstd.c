/* libzstd itself bounds the decoder's window to 128 MiB. It rejects larger windows, which
 * need an option when compressing. */
#include "pprof/file/zstd.h"

#include <string.h>
#if __has_include(<zstd.h>)
#include <zstd.h>
#define HAVE_ZSTD 1
#else
#define HAVE_ZSTD 0
#endif

#include "base/buffer.h"
#include "base/error.h"

bool zstd_detect(const void *data, size_t len)
{
	return len >= 4 && memcmp(data, "\x28\xb5\x2f\xfd", 4) == 0;
}

#if HAVE_ZSTD

enum { CHUNK = 128 << 10 };

static int decompress(ZSTD_DStream *stream, ZSTD_inBuffer *in, size_t max, struct buffer *out,
		      struct error *err)
{
	size_t before = out->len, had;
	size_t rc; /* 0 at a frame's end, an error (see ZSTD_isError), or another number */
	ZSTD_outBuffer to;

	do {
		if (buffer_reserve(out, CHUNK))
			return error_nomem(err);
		had = out->len + in->pos;
		to = (ZSTD_outBuffer){ out->data + out->len, CHUNK, 0 };
		rc = ZSTD_decompressStream(stream, &to, in);
		out->len += to.pos;
		if (ZSTD_isError(rc))
			return error_set(err, ERR_FORMAT, "broken zstd data at offset %zu: %s",
					 in->pos, ZSTD_getErrorName(rc));
		if (out->len - before > max)
			return error_set(err, ERR_LIMIT, "more than %zu bytes when uncompressed",
					 max);
	} while (rc ? out->len + in->pos > had : in->pos < in->size);
	if (rc)
		return error_set(err, ERR_FORMAT, "zstd data ends too early at offset %zu",
				 in->pos);
	return 0;
}

int zstd_uncompress(const void *data, size_t len, size_t max, struct buffer *out, struct error *err)
{
	ZSTD_inBuffer in = { data, len, 0 };
	ZSTD_DStream *stream = ZSTD_createDStream();
	int rc = stream ? decompress(stream, &in, max, out, err) : error_nomem(err);

	ZSTD_freeDStream(stream);
	return rc;
}

#else

int zstd_uncompress(const void *data, size_t len, size_t max, struct buffer *out, struct error *err)
{
	(void)data;
	(void)len;
	(void)max;
	(void)out;
	return error_set(err, ERR_FORMAT,
			 "compressed with zstd, which this build cannot read: "
			 "libzstd's header was missing");
}

#endif
