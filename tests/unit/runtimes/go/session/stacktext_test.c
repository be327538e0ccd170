/* Stacks as text: columns, hidden frames, names as they are printed. */
#include <criterion/criterion.h>

#include "base/buffer.h"
#include "runtimes/go/session/stacktext.h"
#include "tests/unit/runtimes/go/profile/made_up.h"

static const char *text(unsigned minor, const uint64_t *pcs, size_t count, bool all)
{
	static char copy[1024];
	struct buffer out = { 0 };
	struct pcframes frames;

	made_up_init(&frames, minor);
	cr_assert_eq(stacktext_frames(&out, &frames, pcs, count, all), 0);
	cr_assert_lt(out.len, sizeof(copy));
	memcpy(copy, out.data, out.len);
	copy[out.len] = '\0';
	buffer_release(&out);
	pcframes_release(&frames);
	return copy;
}

#define TEXT(minor, all, ...) \
	text(minor, (const uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, all)

/* Go's output for these cells. At least one tab follows the widest cell of a column. */
Test(stacktext, columns)
{
	cr_assert_str_eq(TEXT(22, false, INNER, MIDDLE, OUTER, MAIN, EXIT),
			 "#\t0x1010\tmain.inner+0x10\t\t/src/a.go:11\n"
			 "#\t0x1020\tmain.middle+0x20\t/src/a.go:21\n"
			 "#\t0x1030\tmain.outer+0x30\t\t/src/a.go:31\n"
			 "#\t0x2040\tmain.main+0x40\t\t/src/main.go:41\n\n");
}

Test(stacktext, the_runtimes_first_frames_are_hidden)
{
	const char *shown = TEXT(24, false, MAPS, MALLOC, MAIN, MALLOC);

	cr_assert_null(strstr(shown, "maps.grow"));
	cr_assert_str_eq(shown, "#\t0x2040\tmain.main+0x40\t\t/src/main.go:41\n"
				"#\t0x4060\truntime.mallocgc+0x60\t/go/malloc.go:61\n\n");
	cr_assert_not_null(strstr(TEXT(23, false, MAPS, MALLOC, MAIN), "maps.grow"));
	cr_assert_not_null(strstr(TEXT(24, true, MAPS, MALLOC, MAIN), "maps.grow"));
	cr_assert_not_null(strstr(TEXT(24, false, MAPS, MALLOC), "maps.grow"), "all of it");
}

Test(stacktext, nothing_to_show)
{
	cr_assert_str_eq(TEXT(22, false, EXIT), "\n");
	cr_assert_str_eq(text(22, NULL, 0, false), "#\t0x0\n\n");
	cr_assert_str_eq(TEXT(22, false, FOREIGN), "#\t0x0\n\n", "no pc is Go's");
	cr_assert_str_eq(TEXT(22, false, FOREIGN, MAIN),
			 "#\t0x2040\tmain.main+0x40\t/src/main.go:41\n\n");
}

Test(stacktext, type_arguments_are_left_out)
{
	cr_assert_str_eq(TEXT(21, false, GENERIC), "#\t0x7090\tmain.F[...]+0x90\t/src/g.go:92\n\n");
	cr_assert_not_null(strstr(TEXT(20, false, GENERIC), "main.F[go.shape.int]+0x90"),
			   "the linker did it, so what stands there stands there");
}

Test(stacktext, pcs)
{
	static const uint64_t pcs[] = { 0x47f3e1, 0, UINT64_MAX };
	struct buffer out = { 0 };

	cr_assert_eq(stacktext_pcs(&out, pcs, 3), 0);
	cr_assert_eq(buffer_add(&out, "", 1), 0);
	cr_assert_str_eq((char *)out.data, " 0x47f3e1 0x0 0xffffffffffffffff");
	buffer_release(&out);
}
