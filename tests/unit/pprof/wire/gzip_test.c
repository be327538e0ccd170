/* gzip members byte by byte, several of them, damaged ones, and bombs. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/wire/gzip.h"

static int into_buffer(void *ctx, const void *data, size_t len, struct error *err)
{
	(void)err;
	return buffer_add(ctx, data, len);
}

static int refuse(void *ctx, const void *data, size_t len, struct error *err)
{
	(void)data;
	(void)len;
	++*(int *)ctx;
	return error_set(err, ERR_IO, "no room");
}

Test(gzip, writes_the_same_header_always)
{
	struct buffer zipped = { 0 };

	cr_assert_eq(gzip_compress("hello", 5, into_buffer, &zipped, NULL), 0);
	cr_assert_gt(zipped.len, 18);
	cr_assert_arr_eq(zipped.data, "\x1f\x8b\x08\0\0\0\0\0\0\x03", 10,
			 "deflate, no flags, mtime 0, no extra flags, Unix");
	cr_assert_arr_eq(zipped.data + zipped.len - 8, "\x86\xa6\x10\x36\x05\0\0\0", 8,
			 "CRC-32 and length");
	cr_assert(gzip_detect(zipped.data, zipped.len));
	cr_assert_not(gzip_detect(zipped.data, 1));
	buffer_release(&zipped);
}

Test(gzip, members_are_one_text)
{
	struct buffer zipped = { 0 }, plain = { 0 };

	gzip_compress("hello", 5, into_buffer, &zipped, NULL);
	gzip_compress("", 0, into_buffer, &zipped, NULL);
	gzip_compress(" world", 6, into_buffer, &zipped, NULL);
	cr_assert_eq(gzip_uncompress(zipped.data, zipped.len, 11, &plain, NULL), 0);
	cr_assert_eq(plain.len, 11);
	cr_assert_arr_eq(plain.data, "hello world", 11);
	buffer_release(&zipped);
	buffer_release(&plain);
}

/* Takes more than one chunk in each direction. */
Test(gzip, gives_back_what_it_got)
{
	enum { LEN = 5000000 };
	struct buffer zipped = { 0 }, plain = { 0 };
	uint32_t *data = malloc(LEN), seed = 1;

	for (size_t i = 0; i < LEN / 4; i++) {
		seed = seed * 1103515245 + 12345;
		data[i] = i % 3 ? seed : 0;
	}
	cr_assert_eq(gzip_compress(data, LEN, into_buffer, &zipped, NULL), 0);
	cr_assert_eq(gzip_uncompress(zipped.data, zipped.len, LEN, &plain, NULL), 0);
	cr_assert_eq(plain.len, LEN);
	cr_assert_eq(memcmp(plain.data, data, LEN), 0);
	free(data);
	buffer_release(&zipped);
	buffer_release(&plain);
}

Test(gzip, sees_damage_anywhere)
{
	struct buffer zipped = { 0 }, plain = { 0 };
	struct error err = { 0 };

	gzip_compress("hello", 5, into_buffer, &zipped, NULL);
	for (size_t n = 0; n < zipped.len; n++) {
		uint8_t *copy = malloc(n + 1);

		memcpy(copy, zipped.data, n);
		plain.len = 0;
		cr_assert_eq(gzip_uncompress(copy, n, 100, &plain, &err), ERR_FORMAT, "%zu", n);
		cr_assert(strstr(err.text, " at offset "), "%s", err.text);
		free(copy);
	}
	/* Some bits are padding: their change is no error. */
	for (size_t n = 10; n < zipped.len; n++) {
		int rc;

		zipped.data[n] ^= 0x10;
		plain.len = 0;
		rc = gzip_uncompress(zipped.data, zipped.len, 100, &plain, &err);
		cr_assert(rc || (plain.len == 5 && !memcmp(plain.data, "hello", 5)), "%zu", n);
		zipped.data[n] ^= 0x10;
	}
	buffer_add(&zipped, "junk", 4);
	plain.len = 0;
	cr_assert_eq(gzip_uncompress(zipped.data, zipped.len, 100, &plain, &err), ERR_FORMAT);
	buffer_release(&zipped);
	buffer_release(&plain);
}

Test(gzip, bombs_stop_at_the_limit)
{
	enum { LEN = 100000000, LIMIT = 1000000 };
	struct buffer zipped = { 0 }, plain = { 0 };
	char *zeros = calloc(1, LEN);
	struct error err = { 0 };

	cr_assert_eq(gzip_compress(zeros, LEN, into_buffer, &zipped, NULL), 0);
	cr_assert(zipped.len < LIMIT / 2);
	cr_assert_eq(gzip_uncompress(zipped.data, zipped.len, LIMIT, &plain, &err), ERR_LIMIT);
	cr_assert_str_eq(err.text, "more than 1000000 bytes when uncompressed");
	cr_assert(plain.room < 4 * LIMIT, "%zu bytes", plain.room);
	plain.len = 0;
	cr_assert_eq(gzip_uncompress(zipped.data, zipped.len, LEN, &plain, &err), 0);
	free(zeros);
	buffer_release(&zipped);
	buffer_release(&plain);
}

/* A wrong length at a member's end is an error, and does not cause large allocations. */
Test(gzip, lengths_that_lie)
{
	struct buffer zipped = { 0 }, plain = { 0 };
	static const uint32_t lies[] = { 0, 4, 6, 18 * 1032, UINT32_MAX };
	struct error err = { 0 };

	gzip_compress("hello", 5, into_buffer, &zipped, NULL);
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		memcpy(zipped.data + zipped.len - 4, &lies[i], 4);
		plain.len = 0;
		cr_assert_eq(gzip_uncompress(zipped.data, zipped.len, UINT32_MAX, &plain, &err),
			     ERR_FORMAT);
		cr_assert(strstr(err.text, "broken gzip data at offset "), "%s", err.text);
		cr_assert_lt(plain.room, 1 << 20);
	}
	buffer_release(&zipped);
	buffer_release(&plain);
}

/* The limit applies to the bytes that a call appends. */
Test(gzip, appends_to_what_is_there)
{
	struct buffer zipped = { 0 }, plain = { 0 };

	gzip_compress("hello", 5, into_buffer, &zipped, NULL);
	buffer_add(&plain, "say ", 4);
	cr_assert_eq(gzip_uncompress(zipped.data, zipped.len, 5, &plain, NULL), 0);
	cr_assert_eq(plain.len, 9);
	plain.len = 4;
	cr_assert_eq(gzip_uncompress(zipped.data, zipped.len, 4, &plain, NULL), ERR_LIMIT);
	buffer_release(&zipped);
	buffer_release(&plain);
}

Test(gzip, ends_when_the_sink_fails)
{
	enum { LEN = 1000000 };
	uint32_t *noise = malloc(LEN), seed = 7;
	struct error err = { 0 };
	int calls = 0;

	for (size_t i = 0; i < LEN / 4; i++)
		noise[i] = seed = seed * 1664525 + 1013904223;
	cr_assert_eq(gzip_compress(noise, LEN, refuse, &calls, &err), ERR_IO);
	cr_assert_str_eq(err.text, "no room");
	cr_assert_eq(calls, 1);
	free(noise);
}
