// links: pprof/wire
/*
 * gzip piece by piece and at once: the same bytes and the same verdict for any pieces, but for what
 * libdeflate reads in one piece and zlib refuses. The first byte chooses the sizes of the pieces.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/wire/gunzip.h"
#include "pprof/wire/gzip.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 20 };

struct pieces {
	const uint8_t *at;
	size_t left, piece;
};

static int give(void *ctx, void *buf, size_t len, size_t *got, struct error *err)
{
	struct pieces *p = ctx;
	size_t n = p->piece < len ? p->piece : len;

	(void)err;
	*got = n < p->left ? n : p->left;
	memcpy(buf, p->at, *got);
	p->at += *got;
	p->left -= *got;
	return 0;
}

/* Returns ERR_LIMIT like gzip_uncompress: bytes beyond MOST are not checked. */
static int read_all(struct pieces *p, size_t room, struct buffer *out)
{
	struct gunzip *g;
	size_t got = 1;
	int rc;

	must(gunzip_new(&g, give, p, NULL) == 0);
	do {
		must(buffer_reserve(out, room) == 0);
		rc = gunzip_read(g, out->data + out->len, room, &got, NULL);
		must(got <= room && (!rc || !got));
		out->len += got;
	} while (!rc && got && out->len <= MOST);
	gunzip_free(g);
	return out->len > MOST ? ERR_LIMIT : rc;
}

/* libdeflate reads symbols that RFC 1951, 3.2.5, reserves (length 286 and 287, distance 30 and 31)
 * as their neighbours, and zlib refuses them. The whole has its checksum all the same. */
static bool reserved_symbols(int whole, int pieces)
{
	return !whole && pieces == ERR_FORMAT;
}

static bool begins_with(const struct buffer *whole, const struct buffer *part)
{
	return part->len <= whole->len &&
	       (!part->len || !memcmp(part->data, whole->data, part->len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer whole = { 0 }, pieces = { 0 };
	struct pieces p = { data + 1, size - 1, 0 };
	int rc, expected;

	if (!size)
		return 0;
	p.piece = data[0] / 16 + 1;
	expected = gzip_uncompress(data + 1, size - 1, MOST, &whole, NULL);
	rc = read_all(&p, data[0] % 16 ? (size_t)(data[0] % 16) * 37 : MOST, &pieces);
	must(rc == expected || reserved_symbols(expected, rc));
	must(expected || begins_with(&whole, &pieces));
	must(expected || rc || pieces.len == whole.len);
	buffer_release(&whole);
	buffer_release(&pieces);
	return 0;
}
