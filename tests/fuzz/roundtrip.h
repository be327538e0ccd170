/* A profile must pass through encoder and decoder unchanged. */
#ifndef TESTS_FUZZ_ROUNDTRIP_H
#define TESTS_FUZZ_ROUNDTRIP_H

#include <string.h>

#include "base/buffer.h"
#include "pprof/profile.h"
#include "pprof/wire/decode.h"
#include "pprof/wire/encode.h"
#include "tests/fuzz/must.h"

static inline void round_trip(const struct profile *p)
{
	struct buffer one = { 0 }, two = { 0 };
	struct profile q;

	must(profile_init(&q) == 0);
	must(profile_encode(p, &one, NULL) == 0);
	must(profile_decode(&q, one.data, one.len, NULL) == 0);
	must(profile_encode(&q, &two, NULL) == 0);
	must(one.len == two.len && memcmp(one.data, two.data, one.len) == 0);
	profile_release(&q);
	buffer_release(&one);
	buffer_release(&two);
}

#endif
