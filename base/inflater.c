/* zlib is given one piece at a time, of at most UINT_MAX bytes. Behind the end of a member it is
 * reset, since a gzip file may have several (RFC 1952, 2.2). */
#include "base/inflater.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"

enum { GZIP_ONLY = 16 + MAX_WBITS }; /* inflateInit2's windowBits, zlib.h */

int inflater_init(struct inflater *f)
{
	memset(f, 0, sizeof(*f));
	f->open = inflateInit2(&f->z, GZIP_ONLY) == Z_OK;
	return f->open ? 0 : ERR_NOMEM;
}

void inflater_release(struct inflater *f)
{
	if (f->open)
		inflateEnd(&f->z);
	f->open = false;
}

/* Calls inflate even without input: zlib may still hold output. */
static int inflater_step(struct inflater *f)
{
	int rc;

	if (!f->member && f->z.avail_in) {
		inflateReset(&f->z); /* only another member may follow */
		f->member = true;
	}
	rc = inflate(&f->z, Z_NO_FLUSH);
	if (rc == Z_STREAM_END)
		f->member = false;
	if (rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR)
		return 0;
	return rc == Z_MEM_ERROR ? ERR_NOMEM : ERR_FORMAT;
}

int inflater_read(struct inflater *f, const uint8_t **in, size_t *in_len, void *out, size_t len,
		  size_t *got)
{
	uInt room = len < UINT_MAX ? (uInt)len : UINT_MAX;
	uInt most = *in_len < UINT_MAX ? (uInt)*in_len : UINT_MAX;
	int rc;

	f->z.next_in = (Bytef *)(uintptr_t)*in;
	f->z.avail_in = most;
	f->z.next_out = out;
	f->z.avail_out = room;
	do
		rc = inflater_step(f);
	while (!rc && f->z.avail_in && f->z.avail_out);
	*in += most - f->z.avail_in;
	*in_len -= most - f->z.avail_in;
	*got = room - f->z.avail_out;
	return *got ? 0 : rc;
}

int inflater_explain(int rc, uint64_t offset, struct error *err)
{
	if (rc == ERR_NOMEM)
		return error_nomem(err);
	return error_set(err, ERR_FORMAT, "%s at offset %lu",
			 rc ? "broken gzip data" : "gzip data ends too early", offset);
}
