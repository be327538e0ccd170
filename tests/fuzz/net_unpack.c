// links: base/net
/* Any bytes as gzip: unpacked in small pieces and at once they must give the same. The first two
 * bytes choose the sizes of the pieces. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "must.h"
#include "base/net/unpack.h"

enum { OUT_MAX = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int unpack_all(const uint8_t *data, size_t size, size_t in, size_t wanted,
		      unsigned char *out, size_t *total)
{
	struct unpack u;
	struct error err;
	int rc = unpack_init(&u, true, &err);

	*total = 0;
	while (!rc && *total < OUT_MAX) {
		size_t offer = size < in ? size : in, left = offer, got;
		const unsigned char *at = data;

		if (wanted > OUT_MAX - *total)
			wanted = OUT_MAX - *total;
		rc = unpack_bytes(&u, &at, &left, out + *total, wanted, &got, &err);
		must(at == data + (offer - left) && got <= wanted && (!rc || !got));
		must(rc || got || !left); /* there is progress */
		data = at;
		size -= offer - left;
		*total += got;
		if (!rc && !got && !size) {
			rc = unpack_end(&u, &err);
			break;
		}
	}
	unpack_release(&u);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned char one[OUT_MAX], other[OUT_MAX];
	size_t one_len, other_len;
	int rc;

	if (size < 2)
		return 0;
	rc = unpack_all(data + 2, size - 2, SIZE_MAX, OUT_MAX, one, &one_len);
	must(rc == unpack_all(data + 2, size - 2, data[0] + 1u, data[1] + 1u, other, &other_len));
	must(one_len == other_len && !memcmp(one, other, one_len));
	return 0;
}
