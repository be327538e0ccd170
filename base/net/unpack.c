/* gzip is inflated only as far as the caller has room. An answer that ends within a member is an
 * error, since a proxy may have cut it. */
#include "base/net/unpack.h"

#include <string.h>

#include "base/error.h"

int unpack_init(struct unpack *u, bool gzip, struct error *err)
{
	memset(u, 0, sizeof(*u));
	u->gzip = gzip;
	return gzip && inflater_init(&u->inflater) ? error_nomem(err) : 0;
}

void unpack_release(struct unpack *u)
{
	inflater_release(&u->inflater);
}

int unpack_bytes(struct unpack *u, const unsigned char **in, size_t *in_len, void *out, size_t len,
		 size_t *got, struct error *err)
{
	const char *msg;
	int rc;

	if (!u->gzip) {
		*got = *in_len < len ? *in_len : len;
		memcpy(out, *in, *got);
		*in += *got;
		*in_len -= *got;
		return 0;
	}
	rc = inflater_read(&u->inflater, in, in_len, out, len, got);
	if (rc != ERR_FORMAT)
		return rc ? error_nomem(err) : 0;
	msg = u->inflater.z.msg;
	return error_set(err, rc, "broken gzip: %s", msg ? msg : "no reason given");
}

int unpack_end(const struct unpack *u, struct error *err)
{
	if (u->inflater.member)
		return error_set(err, ERR_FORMAT, "its gzip is cut off");
	return 0;
}
