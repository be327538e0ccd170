/*
 * pprof bytes, gzip'd or not. What decodes must come through the encoder
 * unchanged: encode, decode, encode gives the same bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/decode.h"
#include "pprof/encode.h"
#include "pprof/gzip.h"
#include "pprof/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 1 << 20 };

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void round_trip(const struct profile *p)
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

static void decode(const uint8_t *data, size_t size)
{
	struct error err = { 0 };
	struct profile p;
	int rc;

	must(profile_init(&p) == 0);
	rc = profile_decode(&p, data, size, &err);
	if (!rc)
		round_trip(&p);
	else
		must(rc == ERR_FORMAT && strstr(err.text, " at offset "));
	profile_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer plain = { 0 };

	if (!gzip_detect(data, size))
		decode(data, size);
	else if (gzip_uncompress(data, size, LIMIT, &plain, NULL) == 0)
		decode(plain.data, plain.len);
	buffer_release(&plain);
	return 0;
}
