/* Frames as the zstd command writes them: one, several, damaged. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/file/zstd.h"

/* "hello", with a checksum. */
static const char frame[] = "\x28\xb5\x2f\xfd\x04\x58\x29\x00\x00"
			    "hello"
			    "\xa3\x6d\x9f\x88";
enum { LEN = sizeof(frame) - 1 };

Test(zstd, is_known_by_its_first_bytes)
{
	cr_assert(zstd_detect(frame, LEN));
	cr_assert_not(zstd_detect(frame, 3));
	cr_assert_not(zstd_detect("\x1f\x8b\x08\x00", 4));
}

#if __has_include(<zstd.h>)

Test(zstd, frames_are_one_text)
{
	struct buffer two = { 0 }, plain = { 0 };
	struct error err = { 0 };

	buffer_add(&two, frame, LEN);
	buffer_add(&two, frame, LEN);
	buffer_add(&plain, "say ", 4);
	cr_assert_eq(zstd_uncompress(two.data, two.len, 10, &plain, &err), 0, "%s", err.text);
	cr_assert_eq(plain.len, 14);
	cr_assert_arr_eq(plain.data, "say hellohello", 14);
	plain.len = 0;
	cr_assert_eq(zstd_uncompress(two.data, two.len, 9, &plain, &err), ERR_LIMIT);
	cr_assert_str_eq(err.text, "more than 9 bytes when uncompressed");
	buffer_release(&two);
	buffer_release(&plain);
}

Test(zstd, sees_damage)
{
	struct buffer plain = { 0 };
	struct error err = { 0 };
	char bad[LEN];

	for (size_t n = 0; n < LEN; n++) {
		char *copy = malloc(n + 1);

		memcpy(copy, frame, n);
		plain.len = 0;
		cr_assert_eq(zstd_uncompress(copy, n, 100, &plain, &err), ERR_FORMAT, "%zu", n);
		cr_assert(strstr(err.text, "zstd data ends too early at offset "), "%s", err.text);
		free(copy);
	}
	memcpy(bad, frame, LEN);
	bad[10] ^= 1;
	plain.len = 0;
	cr_assert_eq(zstd_uncompress(bad, LEN, 100, &plain, &err), ERR_FORMAT);
	cr_assert(strstr(err.text, "broken zstd data at offset "), "%s", err.text);
	buffer_release(&plain);
}

#else

Test(zstd, says_that_it_was_left_out)
{
	struct buffer plain = { 0 };
	struct error err = { 0 };

	cr_assert_eq(zstd_uncompress(frame, LEN, 100, &plain, &err), ERR_FORMAT);
	cr_assert(strstr(err.text, "libzstd"), "%s", err.text);
}

#endif
