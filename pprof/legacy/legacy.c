/*
 * Finds the format by trying each reader in turn, as google/pprof does. A reader that
 * recognises the first line but not the rest sets a message; if no other reader accepts
 * the bytes, the first such message is reported.
 */
#include "pprof/legacy/legacy.h"

#include "base/error.h"
#include "pprof/legacy/build.h"

static legacy_reader *const readers[] = {
	legacy_cpu, legacy_heap, legacy_jemalloc, legacy_count, legacy_contention,
};

static int try_reader(legacy_reader *reader, struct profile *p, const void *data, size_t len,
		      struct error *err)
{
	struct legacy l;
	int rc;

	legacy_init(&l, p, err);
	rc = reader(&l, data, len);
	legacy_release(&l);
	return rc;
}

int legacy_parse(struct profile *p, const void *data, size_t len, struct error *err)
{
	struct error first = { 0 };
	int rc = NOT_THIS;

	for (size_t i = 0; rc == NOT_THIS && i < sizeof(readers) / sizeof(*readers); i++) {
		struct error now = { 0 };

		if (i) {
			profile_release(p);
			if (profile_init(p))
				return error_nomem(err);
		}
		rc = try_reader(readers[i], p, data, len, &now);
		if (now.code && (rc != NOT_THIS || !first.code))
			first = now;
	}
	if (!rc)
		return legacy_frames(p) ? error_nomem(err) : 0;
	if (!first.code)
		return error_set(err, ERR_NOTFOUND, "begins as none of the legacy formats does");
	return error_set(err, rc == NOT_THIS ? ERR_FORMAT : rc, "%s", first.text);
}
