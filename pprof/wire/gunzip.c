#include "pprof/wire/gunzip.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/error.h"

enum { GZIP_WINDOW = 15 + 16, BLOCK = 64 << 10 };

struct gunzip {
	z_stream z;
	gunzip_source *source;
	void *ctx;
	uint64_t offset; /* of the block's end, in the compressed bytes */
	bool between;	 /* a member has just ended: the input may end here */
	uint8_t block[BLOCK];
};

int gunzip_new(struct gunzip **out, gunzip_source *source, void *ctx, struct error *err)
{
	struct gunzip *g = calloc(1, sizeof(*g));

	if (!g || inflateInit2(&g->z, GZIP_WINDOW)) {
		free(g);
		return error_nomem(err);
	}
	g->source = source;
	g->ctx = ctx;
	*out = g;
	return 0;
}

void gunzip_free(struct gunzip *g)
{
	if (!g)
		return;
	inflateEnd(&g->z);
	free(g);
}

static int fill(struct gunzip *g, struct error *err)
{
	size_t got;
	int rc = g->source(g->ctx, g->block, BLOCK, &got, err);

	if (rc)
		return rc;
	g->z.next_in = g->block;
	g->z.avail_in = (uInt)got;
	g->offset += got;
	if (!got && !g->between)
		return error_set(err, ERR_FORMAT, "gzip data ends too early at offset %lu", g->offset);
	return 0;
}

/* Inflates some of the block. Output before an error is returned first: zlib repeats the error in
 * the next call. */
static int inflate_some(struct gunzip *g, struct error *err)
{
	const Bytef *before = g->z.next_out;
	int zrc = inflate(&g->z, Z_NO_FLUSH);

	g->between = zrc == Z_STREAM_END;
	if (g->between)
		inflateReset(&g->z); /* only another member may follow */
	else if (g->z.next_out != before)
		return 0;
	else if (zrc == Z_MEM_ERROR)
		return error_nomem(err);
	else if (zrc != Z_OK && zrc != Z_BUF_ERROR)
		return error_set(err, ERR_FORMAT, "broken gzip data at offset %lu",
				 g->offset - g->z.avail_in);
	return 0;
}

int gunzip_read(struct gunzip *g, void *buf, size_t len, size_t *got, struct error *err)
{
	uInt room = len < UINT32_MAX / 2 ? (uInt)len : UINT32_MAX / 2;
	int rc = 0;

	g->z.next_out = buf;
	g->z.avail_out = room;
	while (!rc && g->z.avail_out == room) {
		if (g->z.avail_in || !g->between)
			rc = inflate_some(g, err); /* it may have output left without input */
		if (rc || g->z.avail_out < room || g->z.avail_in)
			continue;
		rc = fill(g, err);
		if (!g->z.avail_in)
			break;
	}
	*got = rc ? 0 : room - g->z.avail_out;
	return rc;
}
