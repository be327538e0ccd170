/* gzip data read in pieces of any size: the same as at once; and errors. */
#include "pprof/wire/gunzip.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/wire/gzip.h"

/* A source that gives `piece` bytes at a time. */
struct pieces {
	const uint8_t *at;
	size_t left, piece;
	int fail; /* the error at their end */
};

static int give(void *ctx, void *buf, size_t len, size_t *got, struct error *err)
{
	struct pieces *p = ctx;
	size_t n = p->piece < len ? p->piece : len;

	*got = n < p->left ? n : p->left;
	memcpy(buf, p->at, *got);
	p->at += *got;
	p->left -= *got;
	return !*got && p->fail ? error_set(err, p->fail, "the source") : 0;
}

static int append(void *ctx, const void *data, size_t len, struct error *err)
{
	(void)err;
	return buffer_add(ctx, data, len);
}

/* Reads `room` bytes at a time to the end. */
static int read_all(struct pieces *p, size_t room, struct buffer *out, struct error *err)
{
	struct gunzip *g;
	char buf[4096];
	size_t got = 1;
	int rc = gunzip_new(&g, give, p, err);

	cr_assert_eq(rc, 0);
	while (!rc && got) {
		rc = gunzip_read(g, buf, room, &got, err);
		if (rc)
			cr_assert_eq(got, 0);
		buffer_add(out, buf, got);
	}
	gunzip_free(g);
	return rc;
}

static void compress(struct buffer *out, const char *text)
{
	cr_assert_eq(gzip_compress(text, strlen(text), append, out, NULL), 0);
}

Test(gunzip, pieces_of_any_length)
{
	static const size_t sizes[] = { 1, 2, 7, 4096 };
	struct buffer data = { 0 };

	compress(&data, "one member, ");
	compress(&data, "");
	compress(&data, "and another");
	for (size_t i = 0; i < 16; i++) {
		struct pieces p = { data.data, data.len, sizes[i % 4], 0 };
		struct buffer out = { 0 };

		cr_assert_eq(read_all(&p, sizes[i / 4], &out, NULL), 0);
		cr_assert(out.len == 23 && !memcmp(out.data, "one member, and another", 23));
		buffer_release(&out);
	}
	buffer_release(&data);
}

/* All that can be unpacked is returned, the same amount for pieces of any size. */
Test(gunzip, cut_off_anywhere)
{
	static const char text[] =
		"some text that is long enough, long enough to be cut off off off off";
	struct buffer data = { 0 };
	struct error err;

	compress(&data, text);
	for (size_t len = 1; len < data.len; len++) {
		size_t had = SIZE_MAX;

		for (size_t room = 1; room < 100; room += 33) {
			struct pieces p = { data.data, len, room, 0 };
			struct buffer out = { 0 };

			cr_assert_eq(read_all(&p, room, &out, &err), ERR_FORMAT, "%zu", len);
			cr_assert(strstr(err.text, "ends too early"), "%s", err.text);
			cr_assert(!out.len || !memcmp(out.data, text, out.len));
			cr_assert(had == SIZE_MAX || had == out.len, "%zu: %zu, %zu", len, had,
				  out.len);
			had = out.len;
			buffer_release(&out);
		}
		cr_assert(len < data.len - 8 || had == strlen(text), "all but its end is there");
	}
	buffer_release(&data);
}

Test(gunzip, broken)
{
	struct buffer data = { 0 }, out = { 0 };
	struct error err;

	compress(&data, "some text");
	data.data[data.len - 8] ^= 1; /* of its checksum */
	cr_assert_eq(read_all(&(struct pieces){ data.data, data.len, 3, 0 }, 100, &out, &err),
		     ERR_FORMAT);
	cr_assert(strstr(err.text, "broken gzip data at offset"), "%s", err.text);
	data.data[data.len - 8] ^= 1;
	cr_assert_eq(buffer_add(&data, "rest", 4), 0);
	cr_assert_eq(read_all(&(struct pieces){ data.data, data.len, 9, 0 }, 100, &out, &err),
		     ERR_FORMAT, "what follows is no member");
	buffer_release(&data);
	buffer_release(&out);
}

Test(gunzip, errors_of_the_source_are_handed_on)
{
	struct buffer data = { 0 }, out = { 0 };
	struct error err;

	compress(&data, "some text");
	cr_assert_eq(read_all(&(struct pieces){ data.data, 12, 100, ERR_IO }, 100, &out, &err),
		     ERR_IO);
	cr_assert_str_eq(err.text, "the source");
	buffer_release(&data);
	buffer_release(&out);
}
