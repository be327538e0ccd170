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
	json.rc = json.rc ? json.rc : buffer_add_base64(out, packed.data, packed.len);
	json_add(&json, "\"}");
	buffer_release(&packed);
	return json.rc ? error_nomem(err) : 0;
}
