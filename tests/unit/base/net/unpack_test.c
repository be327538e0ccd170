/* Compressed data is unpacked correctly in pieces of any size. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/net/unpack.h"

static unsigned char plain[40000], packed[50000], out[50000];
static size_t packed_len;

static void fill(void)
{
	unsigned seed = 7;

	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = "goroutine\n"[(seed = seed * 1103515245 + 12345) >> 16 & 7];
}

static void pack(const void *data, size_t len)
{
	z_stream z = { .next_in = (unsigned char *)data,
		       .avail_in = (uInt)len,
		       .next_out = packed + packed_len,
		       .avail_out = (uInt)(sizeof(packed) - packed_len) };

	cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	packed_len += z.total_out;
	deflateEnd(&z);
}

/* Offers `in` bytes at a time and accepts up to `wanted` bytes at a time. */
static int unpack_all(const unsigned char *from, size_t len, bool gzip, size_t in, size_t wanted,
		      size_t *total)
{
	struct unpack u;
	struct error err;
	int rc = unpack_init(&u, gzip, &err);

	*total = 0;
	while (!rc) {
		size_t offer = len < in ? len : in, left = offer, got;
		const unsigned char *at = from;

		rc = unpack_bytes(&u, &at, &left, out + *total,
				  wanted < sizeof(out) - *total ? wanted : sizeof(out) - *total,
				  &got, &err);
		cr_assert_eq((size_t)(at - from), offer - left);
		from = at;
		len -= offer - left;
		*total += rc ? 0 : got;
		if (!rc && !got && !len) {
			rc = unpack_end(&u, &err);
			break;
		}
	}
	unpack_release(&u);
	return rc;
}

Test(unpack, pieces, .init = fill)
{
	static const size_t sizes[] = { 1, 2, 7, 1000, 100000 };
	size_t total;

	pack(plain, 1000);
	pack(plain, 0);
	pack(plain + 1000, sizeof(plain) - 1000);
	for (size_t i = 0; i < 25; i++) {
		size_t in = sizes[i / 5], wanted = sizes[i % 5];

		memset(out, 0, sizeof(out));
		cr_assert_eq(unpack_all(packed, packed_len, true, in, wanted, &total), 0);
		cr_assert_eq(total, sizeof(plain), "%zu, %zu: %zu", in, wanted, total);
		cr_assert_arr_eq(out, plain, sizeof(plain));
		cr_assert_eq(unpack_all(plain, sizeof(plain), false, in, wanted, &total), 0);
		cr_assert_eq(total, sizeof(plain));
		cr_assert_arr_eq(out, plain, sizeof(plain));
	}
}

Test(unpack, cut_off_everywhere, .init = fill)
{
	size_t total;

	pack(plain, 500);
	for (size_t len = 1; len < packed_len; len++) {
		cr_assert_eq(unpack_all(packed, len, true, 64, 64, &total), ERR_FORMAT, "%zu", len);
		cr_assert_arr_eq(out, plain, total);
	}
	cr_assert_eq(unpack_all(packed, 0, true, 64, 64, &total), 0);
	cr_assert_eq(unpack_all(packed, packed_len, true, 64, 64, &total), 0);
	cr_assert_eq(total, 500);
}

Test(unpack, broken, .init = fill)
{
	size_t total;

	pack(plain, 500);
	packed[packed_len - 5] ^= 1; /* of the checksum */
	cr_assert_eq(unpack_all(packed, packed_len, true, 64, 64, &total), ERR_FORMAT);
	cr_assert_eq(total, 500);
	packed[packed_len - 5] ^= 1;
	memcpy(packed + packed_len, "more", 4);
	cr_assert_eq(unpack_all(packed, packed_len + 4, true, 64, 64, &total), ERR_FORMAT);
	cr_assert_eq(total, 500);
	cr_assert_eq(unpack_all(plain, 500, true, 64, 64, &total), ERR_FORMAT);
	cr_assert_eq(total, 0);
}
