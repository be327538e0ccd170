// links: pprof/legacy pprof/wire
/*
 * Texts of Go's debug=1. A profile that was read must be valid, pass through the encoder unchanged, and
 * if it can be written as text, be read again from that.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/gotext/gotext.h"
#include "pprof/legacy/legacy.h"
#include "pprof/profile.h"
#include "pprof/validate.h"
#include "pprof/wire/decode.h"
#include "pprof/wire/encode.h"
#include "tests/fuzz/roundtrip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(const struct profile *p)
{
	struct buffer one = { 0 };
	struct profile q;

	must(profile_init(&q) == 0);
	if (legacy_write(p, NULL, &one, NULL) == 0) {
		must(legacy_parse(&q, one.data, one.len, NULL) == 0);
		must(q.sample_count == p->sample_count && q.type_count == p->type_count);
	}
	profile_release(&q);
	buffer_release(&one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { 0 };
	struct profile p;
	int rc;

	must(profile_init(&p) == 0);
	rc = legacy_parse(&p, data, size, &err);
	if (rc) {
		must((rc == ERR_FORMAT || rc == ERR_NOTFOUND) && *err.text);
		must(!strchr(err.text, '\n'));
	} else {
		must(profile_validate(&p, &err) == 0);
		round_trip(&p);
		write_again(&p);
	}
	profile_release(&p);
	return 0;
}
