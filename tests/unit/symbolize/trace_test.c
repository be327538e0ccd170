/* A trace shows at which image a symbolizer is; an image that was left out is not read. */
#include <criterion/criterion.h>
#include <fcntl.h>

#include "base/process/image.h"
#include "symbolize/symbolizer.h"

static struct image *image;
static struct symbolizer *s;
static struct symbol symbol;

static void open_ourselves(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	cr_assert_eq(image_open(fd, "/the/program", &image, NULL), 0);
	image_set_id(image, 40);
	cr_assert_eq(symbolizer_new(&s, NULL, 0), 0);
}

static void close_all(void)
{
	symbolizer_free(s);
	image_free(image);
}

TestSuite(trace, .init = open_ourselves, .fini = close_all);

/* Returns an address in executable code that has a symbol. */
static uint64_t an_address(void)
{
	size_t count;
	const struct image_segment *segments = image_segments(image, &count);

	for (size_t i = 0; i < count; i++)
		for (uint64_t a = 0; segments[i].flags & 1 && a < segments[i].memsz; a += 16) {
			symbolizer_lookup(s, image, segments[i].vaddr + a, &symbol);
			if (symbol.count)
				return segments[i].vaddr + a;
		}
	cr_assert(false, "no symbol at all");
	return 0;
}

Test(trace, counts_lookups_and_is_clear_between_them)
{
	struct symbolizer_trace trace = { 0 };

	symbolizer_trace_to(s, &trace);
	an_address();
	cr_assert_eq(trace.image, 0);
	cr_assert(trace.lookups > 0);
}

Test(trace, what_is_left_out_stays_unread)
{
	struct symbolizer *other;
	uint64_t addr = an_address();

	cr_assert_eq(symbolizer_new(&other, NULL, 0), 0);
	cr_assert_eq(symbolizer_leave_out(other, image, "for a reason"), 0);
	cr_assert_eq(symbolizer_lookup(other, image, addr, &symbol), 0);
	cr_assert_eq(symbol.count, 0);
	cr_assert_str_eq(symbolizer_note(other, image), "for a reason");
	cr_assert_not(symbolizer_has_lines(other, image));
	symbolizer_free(other);
}

Test(trace, so_does_a_perf_map)
{
	struct image *anon = image_open_none("[anon]");

	image_set_id(anon, 3);
	cr_assert_eq(symbolizer_leave_out(s, anon, "for a reason"), 0);
	cr_assert_eq(symbolizer_lookup(s, anon, 0x1000, &symbol), 0);
	cr_assert_eq(symbol.count, 0);
	cr_assert_str_eq(symbolizer_note(s, anon), "for a reason");
	image_free(anon);
}
