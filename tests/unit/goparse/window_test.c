/* Inputs that do not fit into the parser's window. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "goparse/goparse.h"
#include "tests/unit/goparse/show.h"

/* The input; a read returns as much of it as there is room for. */
struct input {
	struct buffer bytes;
	size_t at;
};

static int give(void *ctx, void *buf, size_t len, size_t *got, struct error *err)
{
	struct input *in = ctx;
	size_t left = in->bytes.len - in->at;

	(void)err;
	*got = len < left ? len : left;
	memcpy(buf, in->bytes.data + in->at, *got);
	in->at += *got;
	return 0;
}

static int each(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	(void)err;
	return show_goroutine(ctx, g);
}

static struct goparse *parser(void)
{
	struct goparse *p;

	cr_assert(goparse_new(&p, NULL) == 0);
	return p;
}

static void fill(struct input *in, char c, size_t count)
{
	cr_assert(buffer_reserve(&in->bytes, count) == 0);
	memset(in->bytes.data + in->bytes.len, c, count);
	in->bytes.len += count;
}

/* Parses a dump after `len` bytes of other text, so that the window ends anywhere in the dump. */
static void check_behind(size_t len, bool in_lines, const char *before)
{
	static const char dump[] =
		"goroutine 1 [select, 2 minutes]:\nmain.f(0x1)\n\t/x.go:1 +0x2\n"
		"...3 frames elided...\ncreated by main.g\n\t/x.go:2\n[originating from goroutine 7]:\n"
		"main.h(...)\n\t/x.go:3 +0x4\n\ngoroutine 2 [idle]:\n";
	static const char want[] = " 1 [select] 2m| main.f /x.go:1 +0x2| ...3| by main.g /x.go:2"
				   " ^ 7| main.h /x.go:3 +0x4\n";
	struct input in = { 0 };
	struct buffer out = { 0 };
	struct goparse *p = parser();

	fill(&in, 'x', len);
	for (size_t i = 99; in_lines && i < len; i += 100)
		in.bytes.data[i] = '\n';
	cr_assert(buffer_add(&in.bytes, "\n", 1) == 0);
	cr_assert(buffer_add(&in.bytes, before, strlen(before)) == 0);
	cr_assert(buffer_add(&in.bytes, dump, sizeof(dump) - 1) == 0);
	cr_assert(goparse_stream(p, give, &in, each, &out, NULL) == 0);
	cr_assert(buffer_add(&out, "", 1) == 0);
	cr_assert(strstr((char *)out.data, want) && strstr((char *)out.data, " 2 [idle]\n"),
		  "%zu bytes before it: %s", len, (char *)out.data);
	cr_assert(goparse_stats(p)->error_count == 0 && goparse_stats(p)->goroutines == 2);
	cr_assert(goparse_stats(p)->bytes == in.bytes.len);
	goparse_free(p);
	buffer_release(&out);
	buffer_release(&in.bytes);
}

Test(window, ends_anywhere_within_a_goroutine)
{
	for (size_t before = 250; before; before--) {
		check_behind((128 << 10) - before, true, "");
		check_behind((128 << 10) - before, true, "2026/11/28 18:48:53 stacks: ");
	}
}

Test(window, a_line_of_others_is_passed_over_however_long)
{
	check_behind(100, false, "");
	check_behind(10 << 20, false, "");
	for (size_t before = 30; before; before--)
		check_behind((128 << 10) - before, false, "");
}

static void add(struct input *in, const char *text)
{
	cr_assert(buffer_add(&in->bytes, text, strlen(text)) == 0);
}

static const char long_frame[] =
	"main.function_with_a_long_name_that_takes_room(0x1, 0x2)\n"
	"\t/some/folder/that/takes/room/as/well/and/some/more/file.go:1234 +0x5\n";

static void add_frames(struct input *in, size_t bytes)
{
	size_t end = in->bytes.len + bytes;

	while (in->bytes.len < end)
		add(in, long_frame);
}

/* The goroutines passed to a callback. */
struct seen {
	size_t count, cut, frames[8];
	uint64_t ids[8];
};

static int look(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	struct seen *seen = ctx;

	(void)err;
	cr_assert(seen->count < 8);
	seen->frames[seen->count] = g->stack.count;
	seen->ids[seen->count++] = g->stack.id;
	seen->cut += g->cut;
	return 0;
}

static struct seen stream(struct input *in, struct goparse *p)
{
	struct seen seen = { 0 };

	cr_assert(goparse_stream(p, give, in, look, &seen, NULL) == 0);
	buffer_release(&in->bytes);
	return seen;
}

Test(window, grows_for_a_long_goroutine)
{
	struct input in = { 0 };
	struct goparse *p = parser();
	struct seen seen;

	add(&in, "goroutine 1 [running]:\n");
	add_frames(&in, 900 << 10);
	add(&in, "\ngoroutine 2 [running]:\nmain.f()\n\t/x.go:1\n");
	seen = stream(&in, p);
	cr_expect(seen.count == 2 && !seen.cut && seen.frames[1] == 1 &&
			  seen.frames[0] == (900 << 10) / (sizeof(long_frame) - 1) + 1,
		  "%zu, %zu frames", seen.count, seen.frames[0]);
	cr_expect(goparse_stats(p)->error_count == 0);
	goparse_free(p);
}

Test(window, a_goroutine_beyond_all_measure_is_cut)
{
	struct input in = { 0 };
	struct goparse *p = parser();
	struct seen seen;

	add(&in, "goroutine 1 [running]:\n");
	add_frames(&in, 5 << 20);
	add(&in, "\ngoroutine 2 [running]:\nmain.f()\n\t/x.go:1\n");
	seen = stream(&in, p);
	cr_expect(seen.count == 2 && seen.cut == 1 && seen.ids[1] == 2 && seen.frames[1] == 1);
	cr_expect(seen.frames[0] > 8000 && seen.frames[0] <= GOPARSE_FRAMES_MAX, "%zu",
		  seen.frames[0]);
	cr_expect(goparse_stats(p)->error_count);
	goparse_free(p);
}

Test(window, as_many_frames_as_there_is_room_for)
{
	struct input in = { 0 };
	struct goparse *p = parser();
	struct seen seen;

	add(&in, "goroutine 1 [running]:\n");
	for (int i = 0; i < GOPARSE_FRAMES_MAX + 10; i++)
		add(&in, "f()\n\tx:1\n");
	add(&in, "\ngoroutine 2 [running]:\n");
	seen = stream(&in, p);
	cr_expect(seen.count == 2 && seen.cut == 1 && seen.frames[0] == GOPARSE_FRAMES_MAX);
	cr_expect(goparse_stats(p)->error_count == 1);
	goparse_free(p);
}

Test(window, a_header_without_end)
{
	struct input in = { 0 };
	struct goparse *p = parser();
	struct seen seen;

	add(&in, "goroutine 1 [");
	fill(&in, 'x', 3 << 20);
	add(&in, "]:\nmain.f()\n\t/x.go:1\ngoroutine 2 [running]:\n");
	seen = stream(&in, p);
	cr_expect(seen.count == 1 && seen.ids[0] == 2);
	cr_expect(goparse_stats(p)->error_count == 1 && goparse_stats(p)->errors[0].line == 1);
	cr_expect(goparse_stats(p)->lines == 4, "%lu", goparse_stats(p)->lines);
	goparse_free(p);
}

Test(window, a_frame_without_end_costs_what_is_behind_it)
{
	struct input in = { 0 };
	struct goparse *p = parser();
	struct seen seen;

	add(&in, "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\nmain.");
	fill(&in, 'g', 3 << 20);
	add(&in, "()\n\t/x.go:1\n\ngoroutine 2 [running]:\n");
	seen = stream(&in, p);
	cr_expect(seen.count == 2 && seen.frames[0] == 1 && seen.cut == 1 && seen.ids[1] == 2);
	goparse_free(p);
}

Test(window, a_parser_reads_one_input_after_another)
{
	struct goparse *p = parser();

	for (int i = 0; i < 3; i++) {
		struct input in = { 0 };
		struct seen seen;

		add(&in, "goroutine 1 [running]:\nx\n");
		seen = stream(&in, p);
		cr_expect(seen.count == 1 && goparse_stats(p)->error_count == 1 &&
			  goparse_stats(p)->lines == 2 && goparse_stats(p)->goroutines == 1);
	}
	goparse_free(p);
}
