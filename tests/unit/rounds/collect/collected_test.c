/* Items are written into a file in memory, changed there, and read back. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "rounds/collect/collected.h"

static uint8_t bytes[1 << 16];
static size_t len;
static struct collected got;

static const unsigned ALL = (1U << CAPTURE_TYPES) - 1;

static void write_items(const struct collection_item *items, size_t count, bool end)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	for (size_t i = 0; i < count; i++)
		cr_assert_eq(collected_write(fd, &items[i], NULL), 0);
	if (end)
		cr_assert_eq(collected_write_end(fd, NULL), 0);
	len = (size_t)pread(fd, bytes, sizeof(bytes), 0);
	close(fd);
}

static int read_back(unsigned types)
{
	collected_release(&got);
	return collected_read(&got, bytes, len, types, NULL);
}

static struct collection_item profile(enum capture_type type, const char *name)
{
	return (struct collection_item){ .type = type,
					 .name = name,
					 .data = (const uint8_t *)"data",
					 .len = 4,
					 .time_nanos = -5 };
}

Test(collected, there_and_back)
{
	struct collection_item items[] = { profile(CAPTURE_HEAP, ""),
					   profile(CAPTURE_CUSTOM, "a%2Fb"),
					   { CAPTURE_CUSTOM, "b", .why_not = "no\n\x1b[" },
					   profile(CAPTURE_TRACE, "") };

	items[3].cut = true;
	items[3].note = "cut";
	items[3].len = 0;
	write_items(items, 4, true);
	cr_assert(read_back(ALL) == 0 && got.whole && got.count == 4);
	cr_assert(got.items[0].len == 4 && !memcmp(got.items[0].data, "data", 4));
	cr_assert(got.items[0].time_nanos == -5 && !got.items[0].why_not && !got.items[0].note);
	cr_assert_str_eq(got.items[1].name, "a%2Fb");
	cr_assert(!got.items[2].data && !strcmp(got.items[2].why_not, "no??["));
	cr_assert(got.items[3].data && got.items[3].cut && !strcmp(got.items[3].note, "cut"));
}

Test(collected, what_is_remembered)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	struct collection_item item = profile(CAPTURE_HEAP, "");
	size_t at;

	cr_assert_eq(collected_write(fd, &item, NULL), 0);
	at = (size_t)lseek(fd, 0, SEEK_CUR);
	cr_assert_eq(collected_write_memory(fd, "memory", 6, NULL), 0);
	cr_assert_eq(collected_write_end(fd, NULL), 0);
	len = (size_t)pread(fd, bytes, sizeof(bytes), 0);
	close(fd);
	cr_assert(read_back(ALL) == 0 && got.whole && got.count == 1 && got.memory_len == 6);
	cr_assert(!memcmp(got.memory, "memory", 6));

	memset(bytes + at + 8, 0xff, 8); /* a length larger than the data */
	cr_assert_eq(read_back(ALL), ERR_FORMAT);
	cr_assert(!got.memory && !got.memory_len && got.count == 1 && !got.whole);
	bytes[at + 8] = 0;
	memset(bytes + at + 9, 0, 7);
	len = at + 16;
	memcpy(bytes + len, bytes + at, 16); /* twice */
	len += 16;
	cr_assert_eq(read_back(ALL), ERR_FORMAT);
}

Test(collected, what_came_through)
{
	struct collection_item items[] = { profile(CAPTURE_HEAP, ""), profile(CAPTURE_BLOCK, "") };
	size_t all;

	write_items(items, 2, false);
	cr_assert(read_back(ALL) == 0 && got.count == 2 && !got.whole);
	all = len;
	for (len = 0; len < all; len++) {
		int rc = read_back(ALL);

		cr_assert(got.count == (len < all / 2 ? 0 : 1) && !got.whole);
		cr_assert_eq(rc, len % (all / 2) ? ERR_FORMAT : 0);
	}
	cr_assert_eq(collected_fill(&got, CAPTURE_BIT(CAPTURE_HEAP) | CAPTURE_BIT(CAPTURE_MUTEX),
				    "broken"),
		     0);
	cr_assert(got.count == 2 && got.items[1].type == CAPTURE_MUTEX &&
		  !strcmp(got.items[1].why_not, "broken"));
}

static void must_refuse(struct collection_item second)
{
	struct collection_item items[] = { profile(CAPTURE_HEAP, ""), second };

	write_items(items, 2, true);
	cr_assert_eq(read_back(ALL & ~CAPTURE_BIT(CAPTURE_MUTEX)), ERR_FORMAT);
	cr_assert(got.count == 1 && !got.whole);
}

Test(collected, what_is_refused)
{
	struct collection_item both = profile(CAPTURE_BLOCK, ""),
			       neither = { .type = CAPTURE_BLOCK };

	both.why_not = "why";
	must_refuse(both);
	must_refuse(neither);
	must_refuse(profile(CAPTURE_HEAP, ""));
	must_refuse(profile(CAPTURE_MUTEX, ""));
	must_refuse(profile(CAPTURE_BLOCK, "name"));
	must_refuse(profile(CAPTURE_CUSTOM, ""));
	must_refuse(profile(CAPTURE_CUSTOM, "../x"));
	must_refuse(profile(CAPTURE_TYPES, ""));
}

Test(collected, long_texts_are_cut)
{
	char text[2 * COLLECTED_TEXT];
	struct collection_item item = { .type = CAPTURE_HEAP, .why_not = text };

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	write_items(&item, 1, true);
	cr_assert(read_back(ALL) == 0 && strlen(got.items[0].why_not) == COLLECTED_TEXT - 1);
}

Test(collected, not_more_than_so_many)
{
	static struct collection_item items[COLLECTED_ITEMS + 1];

	for (size_t i = 0; i <= COLLECTED_ITEMS; i++)
		items[i] = profile(CAPTURE_CUSTOM, "a");
	write_items(items, COLLECTED_ITEMS, true);
	cr_assert(read_back(ALL) == 0 && got.count == COLLECTED_ITEMS);
	write_items(items, COLLECTED_ITEMS + 1, true);
	cr_assert(read_back(ALL) == ERR_FORMAT && got.count == COLLECTED_ITEMS);
}
