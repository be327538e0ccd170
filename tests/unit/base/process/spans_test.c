#include <criterion/criterion.h>

#include "base/process/maps.h"

static struct spans spans;
static struct span span;

static void set(void)
{
	spans_begin(&spans);
	spans_add(&spans, 0x1000, 0x2000, "r-xp");
	spans_add(&spans, 0x2000, 0x4000, "rw-p");
	spans_add(&spans, 0x4000, 0x5000, "rw-p");
	spans_add(&spans, 0x5000, 0x6000, "---p");
	spans_add(&spans, 0x9000, 0xa000, "rw-p");
	spans_end(&spans);
}

TestSuite(spans, .init = set);

Test(spans, writable_mappings_are_found_from_start_to_end)
{
	cr_assert(spans_find(&spans, 0x2000, &span));
	cr_assert(span.start == 0x2000 && span.end == 0x4000);
	cr_assert(spans_find(&spans, 0x4fff, &span));
	cr_assert(span.start == 0x4000 && span.end == 0x5000);
	cr_assert_not(spans_find(&spans, 0x1fff, &span));
	cr_assert_not(spans_find(&spans, 0x5000, &span));
	cr_assert_not(spans_find(&spans, 0xa000, &span));
}

Test(spans, one_is_followed_by_readable_memory_only)
{
	cr_assert(spans_find(&spans, 0x2000, &span) && span.followed);
	cr_assert(spans_find(&spans, 0x4000, &span) && !span.followed);
	cr_assert(spans_find(&spans, 0x9000, &span) && !span.followed);
}

Test(spans, nothing_is_found_while_they_change)
{
	spans_begin(&spans);
	cr_assert_not(spans_find(&spans, 0x2000, &span));
	spans_end(&spans);
	cr_assert_not(spans_find(&spans, 0x2000, &span));
}

Test(spans, there_is_room_for_many)
{
	spans_begin(&spans);
	for (uint64_t i = 1; i <= 5000; i++)
		spans_add(&spans, i << 16, (i << 16) + 4096, "rw-p");
	spans_end(&spans);
	for (uint64_t i = 1; i <= 5000; i++)
		cr_assert(spans_find(&spans, i << 16, &span) && span.start == i << 16);
	spans_release(&spans);
}
