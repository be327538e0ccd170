/* Made-up label sets: the map of Go up to 1.23, the slice of 1.24 and later. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "runtimes/go/labels.h"
#include "tests/unit/runtimes/go/gomaps.h"

static struct gomem mem;
static struct golabels *reader;
static const struct golabel *labels;
static size_t count;

static void leave(void)
{
	golabels_free(reader);
	reader = NULL;
}

TestSuite(golabels, .fini = leave);

static void begin(unsigned minor)
{
	gomem_init(&mem);
	cr_assert_eq(golabels_new(&reader, &mem.memory.memory, minor), 0);
}

static int read_set(uint64_t at)
{
	return golabels_read(reader, at, &labels, &count);
}

static void put_string(uint64_t at, const char *text)
{
	gomem_put(&mem, at, *text ? gomem_text(&mem, text) : 0, 8);
	gomem_put(&mem, at + 8, strlen(text), 8);
}

static const char *const texts[][2] = { { "user", "5" }, { "path", "/a" }, { "pa", "" } };

static uint64_t slice(size_t n)
{
	uint64_t at = gomem_alloc(&mem, 24), pairs = gomem_alloc(&mem, n * 32);

	gomem_put(&mem, at, pairs, 8);
	gomem_put(&mem, at + 8, n, 8);
	gomem_put(&mem, at + 16, n, 8);
	for (size_t i = 0; i < n && i < 3; i++) {
		put_string(pairs + 32 * i, texts[i][0]);
		put_string(pairs + 32 * i + 16, texts[i][1]);
	}
	return at;
}

static uint64_t hmap_of_three(void)
{
	uint64_t map = gomem_hmap(&mem, 3, 0, 32), at = gomem_alloc(&mem, 8), bucket;

	gomem_put(&mem, at, map, 8);
	memcpy(&bucket, gomem_at(&mem, map + 16), 8);
	for (unsigned i = 0; i < 3; i++) {
		gomem_put(&mem, bucket + i, 9, 1);
		put_string(bucket + 8 + 16 * i, texts[i][0]);
		put_string(bucket + 8 + 8 * 16 + 16 * i, texts[i][1]);
	}
	return at;
}

static void check_three(uint64_t at)
{
	cr_assert_eq(read_set(at), 0);
	cr_assert_eq(count, 3);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_str_eq(labels[i].key, texts[2 - i][0]);
		cr_assert_str_eq(labels[i].value, texts[2 - i][1]);
		cr_assert_eq(labels[i].key_len, strlen(labels[i].key));
		cr_assert_eq(labels[i].value_len, strlen(labels[i].value));
	}
}

Test(golabels, a_slice)
{
	begin(27);
	check_three(slice(3));
	cr_assert_eq(read_set(slice(0)), 0);
	cr_assert_eq(count, 0);
}

Test(golabels, a_map)
{
	begin(18);
	check_three(hmap_of_three());
	cr_assert_eq(read_set(gomem_alloc(&mem, 8)), 0); /* a nil map */
	cr_assert_eq(count, 0);
}

Test(golabels, what_is_none_is_refused)
{
	uint64_t at;

	begin(24);
	cr_assert_eq(read_set(24), ERR_FORMAT);
	at = slice(3);
	gomem_put(&mem, at + 8, 4, 8); /* more than there is room for */
	cr_assert_eq(read_set(at), ERR_FORMAT);
	gomem_put(&mem, at + 8, GO_LABELS_MAX + 1, 8);
	gomem_put(&mem, at + 16, UINT64_MAX, 8);
	cr_assert_eq(read_set(at), ERR_FORMAT);
	at = slice(3);
	gomem_put(&mem, at, 24, 8);
	cr_assert_eq(read_set(at), ERR_FORMAT);
	at = slice(3);
	gomem_put(&mem, at + 24 + 8, UINT64_MAX, 8); /* the first key */
	cr_assert_eq(read_set(at), ERR_FORMAT);
	gomem_put(&mem, at + 24 + 8, GO_LABEL_MAX, 8);
	cr_assert_eq(read_set(at), 0);
	gomem_put(&mem, at + 24, GO_START + GO_ROOM - 3, 8);
	cr_assert_eq(read_set(at), ERR_FORMAT);
	check_three(slice(3));
}

Test(golabels, long_ones_are_cut)
{
	uint64_t at, text;

	begin(24);
	text = gomem_alloc(&mem, 10000);
	memset(gomem_at(&mem, text), 'x', 10000);
	at = slice(1);
	gomem_put(&mem, at + 24 + 16, text, 8);
	gomem_put(&mem, at + 24 + 24, 10000, 8);
	cr_assert_eq(read_set(at), 0);
	cr_assert_eq(labels[0].value_len, GO_LABEL_MAX);
	cr_assert_eq(strlen(labels[0].value), GO_LABEL_MAX);
}

Test(golabels, only_what_was_read_is_remembered)
{
	uint64_t at, other;

	begin(24);
	at = slice(3);
	other = slice(1);
	check_three(at);
	gomem_put(&mem, at + 8, 1, 8);
	cr_assert_eq(read_set(at), 0);
	cr_assert_eq(count, 1);
	golabels_remember(reader, true);
	gomem_put(&mem, at + 8, 3, 8);
	check_three(at);
	gomem_put(&mem, at + 8, 1, 8);
	cr_assert_eq(read_set(other), 0);
	cr_assert_eq(count, 1);
	check_three(at);
	golabels_remember(reader, true);
	cr_assert_eq(read_set(at), 0);
	cr_assert_eq(count, 1);
}
