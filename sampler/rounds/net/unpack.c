#include "sampler/rounds/net/unpack.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"

enum { GZIP_ONLY = 16 + MAX_WBITS }; /* inflateInit2's windowBits, zlib.h */

int unpack_init(struct unpack *u, bool gzip, struct error *err)
{
	memset(u, 0, sizeof(*u));
	u->gzip = gzip;
	if (gzip && inflateInit2(&u->z, GZIP_ONLY) != Z_OK)
		return error_nomem(err);
	u->open = gzip;
	return 0;
}

void unpack_release(struct unpack *u)
{
	if (u->open)
		inflateEnd(&u->z);
	u->open = false;
}

static int copy(const unsigned char **in, size_t *in_len, void *out, size_t len, size_t *got)
{
	*got = *in_len < len ? *in_len : len;
	memcpy(out, *in, *got);
	*in += *got;
	*in_len -= *got;
	return 0;
}

/* Bytes that a step has unpacked are returned even if it fails: the next step fails again. */
static int step(struct unpack *u, struct error *err)
{
	unsigned char *before = u->z.next_out;
	int rc;

	if (!u->member && u->z.avail_in) {
		inflateReset(&u->z);
		u->member = true;
	}
	rc = inflate(&u->z, Z_NO_FLUSH);
	if (rc == Z_STREAM_END)
		u->member = false;
	if (rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR || u->z.next_out != before)
		return 0;
	if (rc == Z_MEM_ERROR)
		return error_nomem(err);
	return error_set(err, ERR_FORMAT, "broken gzip: %s", u->z.msg ? u->z.msg : "no reason given");
}

int unpack_bytes(struct unpack *u, const unsigned char **in, size_t *in_len, void *out,
		 size_t len, size_t *got, struct error *err)
{
	uInt room = len < UINT_MAX ? (uInt)len : UINT_MAX;
	uInt most = *in_len < UINT_MAX ? (uInt)*in_len : UINT_MAX;
	int rc = 0;

	if (!u->gzip)
		return copy(in, in_len, out, len, got);
	u->z.next_in = (unsigned char *)*in;
	u->z.avail_in = most;
	u->z.next_out = out;
	u->z.avail_out = room;
	do
		rc = step(u, err);
	while (!rc && u->z.avail_in && u->z.avail_out);
	*in += most - u->z.avail_in;
	*in_len -= most - u->z.avail_in;
	*got = room - u->z.avail_out;
	return *got ? 0 : rc;
}

int unpack_end(const struct unpack *u, struct error *err)
{
	if (u->member)
		return error_set(err, ERR_FORMAT, "its gzip is cut off");
	return 0;
}
