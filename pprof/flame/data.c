/*
 * Writes the data of a page, as JSON for pprof/flame/page/:
 *
 *   title, by, type    what is shown at first: enum report_by, and the number of the sample type
 *   profile            the whole profile: profile.proto, gzip'd, in base64
 *
 * The page makes everything else of the profile, so that its data are in it once. Rejected: the
 * tree as arrays beside the profile, which was two to four times as large and could not be
 * filtered.
 */
#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "pprof/flame/flame.h"
#include "pprof/profile.h"
#include "pprof/wire/encode.h"

/* RFC 4648, 4. */
static int add_base64(struct buffer *out, const uint8_t *data, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
		"+/";
	int rc = buffer_reserve(out, len / 3 * 4 + 4);

	for (size_t i = 0; i < len && !rc; i += 3) {
		uint32_t three = (uint32_t)data[i] << 16 |
				 (uint32_t)(i + 1 < len ? data[i + 1] : 0) << 8 |
				 (uint32_t)(i + 2 < len ? data[i + 2] : 0);
		char four[] = { digits[three >> 18], digits[three >> 12 & 63],
				i + 1 < len ? digits[three >> 6 & 63] : '=',
				i + 2 < len ? digits[three & 63] : '=' };

		rc = buffer_add(out, four, sizeof(four));
	}
	return rc;
}

int flame_add_data(const struct profile *p, const struct report_view *v, const char *title,
		   struct buffer *out, struct error *err)
{
	struct json json = { out, 0 };
	struct buffer packed = { 0 };
	int rc = profile_pack(p, &packed, err);

	if (rc)
		return rc;
	json_add(&json, "{\"title\":");
	json_add_text(&json, title);
	json_addf(&json, ",\"by\":%d,\"type\":%zu,\n\"profile\":\"", (int)v->by, v->type);
	json.rc = json.rc ? json.rc : add_base64(out, packed.data, packed.len);
	json_add(&json, "\"}");
	buffer_release(&packed);
	return json.rc ? error_nomem(err) : 0;
}
