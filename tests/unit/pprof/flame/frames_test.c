/* The names of a sample's frames, and which frames are different. */
#include <criterion/criterion.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/flame/frames.h"
#include "tests/unit/pprof/report/fixture.h"

/* The names of the first sample, as "outermost < … < innermost". */
static void assert_frames(const struct profile *p, enum report_by by, const char *expected)
{
	struct report_view v = { .by = by };
	struct buffer text = { 0 };
	struct frames *f;
	const uint32_t *ids;
	size_t count;

	cr_assert_eq(frames_new(&f, p, &v, NULL), 0);
	cr_assert_eq(frames_of(f, 0, &ids, &count, NULL), 0);
	for (size_t i = 0; i < count; i++)
		buffer_addf(&text, "%s%s", i ? " < " : "",
			    strset_get(frames_strings(f), frames_get(f, ids[i])->name));
	buffer_add(&text, "", 1);
	cr_assert_str_eq((char *)text.data, expected);
	buffer_release(&text);
	frames_free(f);
}

static void add_sample(struct profile *p, const uint32_t *stack, size_t depth,
		       const struct profile_label *labels, size_t label_count)
{
	int64_t one = 1;

	profile_add_sample(p, stack, depth, &one, labels, label_count);
}

/* start of b.c calls main of a.c; inner is inlined into that at line 20, and calls a function
 * without a name. */
static void init(struct profile *p)
{
	struct profile_label labels[2];
	uint32_t module, stack[3];

	profile_init(p);
	profile_add_type(p, "samples", "count");
	module = add_mapping(p, "/usr/lib/libx.so");
	stack[0] = add_location(p, 0x1234, add_mapping(p, "/bin/prog"), 0, 0);
	stack[1] = add_location(p, 0x20, module, add_function(p, "inner", "/src/a.c"),
				add_function(p, "main", "/src/a.c"));
	stack[2] = add_location(p, 0x30, module, add_function(p, "start", "/src/b.c"), 0);
	labels[0] = string_label(p, "thread", "worker");
	labels[1] = (struct profile_label){ .num = 42 };
	profile_string(p, "tid", &labels[1].key);
	add_sample(p, stack, 3, labels, 2);
}

Test(frames, by_each_granularity)
{
	struct profile p;

	init(&p);
	assert_frames(&p, REPORT_BY_FUNCTION, "start < main < inner < [prog]+0x1234");
	assert_frames(&p, REPORT_BY_LINE,
		      "start /src/b.c:10 < main /src/a.c:20 < inner /src/a.c:10 < [prog]+0x1234");
	assert_frames(&p, REPORT_BY_ADDRESS,
		      "0000000000000030 start /src/b.c:10 < 0000000000000020 main /src/a.c:20 < "
		      "0000000000000020 inner /src/a.c:10 < 0000000000001234 [prog]+0x1234");
	assert_frames(&p, REPORT_BY_FILE, "/src/b.c < /src/a.c < [prog]");
	assert_frames(&p, REPORT_BY_MODULE, "libx.so < prog");
	assert_frames(&p, REPORT_BY_THREAD, "worker (42) < start < main < inner < [prog]+0x1234");
	profile_release(&p);
}

Test(frames, nothing_is_made_up)
{
	struct profile_mapping m = { .start = 0x10000, .limit = 0x20000, .offset = 0x3000 };
	uint32_t id, stack[4];
	struct profile p;

	profile_init(&p);
	profile_add_type(&p, "samples", "count");
	profile_string(&p, "/lib/a.so", &m.filename);
	profile_add_mapping(&p, &m, &id);
	stack[0] = add_location(&p, 0x10010, id, 0, 0); /* an address in the process */
	stack[1] = add_location(&p, 0x44, 0, 0, 0);
	stack[2] = add_location(&p, 0, 0, 0, 0);
	stack[3] = add_location(&p, 0, id, 0, 0);
	add_sample(&p, stack, 4, NULL, 0);
	assert_frames(&p, REPORT_BY_FUNCTION, "[a.so] < <unknown> < 0x44 < [a.so]+0x3010");
	assert_frames(&p, REPORT_BY_MODULE, "a.so < <unknown> < 0x44 < a.so");
	assert_frames(&p, REPORT_BY_THREAD,
		      "[no thread] < [a.so] < <unknown> < 0x44 < [a.so]+0x3010");
	profile_release(&p);
}

Test(frames, functions_of_a_name_are_told_apart_by_file_and_module)
{
	struct report_view v = { .by = REPORT_BY_FUNCTION };
	uint32_t one, two, stack[4];
	const uint32_t *ids;
	struct frames *f;
	struct profile p;
	size_t count;

	profile_init(&p);
	profile_add_type(&p, "samples", "count");
	one = add_mapping(&p, "/lib/one.so");
	two = add_mapping(&p, "/lib/two.so");
	stack[0] = add_location(&p, 1, one, add_function(&p, "init", "a.c"), 0);
	stack[1] = add_location(&p, 2, two, add_function(&p, "init", "a.c"), 0);
	stack[2] = add_location(&p, 3, one, add_function(&p, "init", "b.c"), 0);
	stack[3] = add_location(&p, 4, one, add_function(&p, "init", "a.c"), 0);
	add_sample(&p, stack, 4, NULL, 0);
	cr_assert_eq(frames_new(&f, &p, &v, NULL), 0);
	cr_assert_eq(frames_of(f, 0, &ids, &count, NULL), 0);
	cr_assert_eq(count, 4);
	cr_assert_eq(ids[0], ids[3], "the same function at two addresses");
	cr_assert_neq(ids[0], ids[1]);
	cr_assert_neq(ids[0], ids[2]);
	cr_assert_eq(frames_get(f, ids[0])->line, 5, "where the function begins");
	cr_assert_str_eq(strset_get(frames_strings(f), frames_get(f, ids[2])->module),
			 "/lib/two.so");
	frames_free(f);
	profile_release(&p);
}

/* A location of 1,000 lines, 100,000 times in one stack: 10^8 frames. */
Test(frames, stacks_are_bounded)
{
	enum { LINES = 1000, DEPTH = 100000 };
	struct profile_line *lines = calloc(LINES, sizeof(*lines));
	struct report_view v = { .by = REPORT_BY_FUNCTION };
	uint32_t *stack = calloc(DEPTH, sizeof(*stack));
	struct profile_location l = { .address = 1 };
	struct error err = { 0 };
	const uint32_t *ids;
	struct frames *f;
	struct profile p;
	size_t count;
	uint32_t id;

	profile_init(&p);
	profile_add_type(&p, "samples", "count");
	for (int i = 0; i < LINES; i++)
		lines[i].function = add_function(&p, "f", "a.c");
	profile_add_location(&p, &l, lines, LINES, &id);
	for (int i = 0; i < DEPTH; i++)
		stack[i] = id;
	add_sample(&p, stack, DEPTH, NULL, 0);
	cr_assert_eq(frames_new(&f, &p, &v, NULL), 0);
	cr_assert_eq(frames_of(f, 0, &ids, &count, &err), ERR_LIMIT);
	cr_assert(strstr(err.text, "too many frames"));
	frames_free(f);
	profile_release(&p);
	free(lines);
	free(stack);
}

Test(frames, base_names)
{
	cr_assert_str_eq(frames_base_name("/usr/lib/libc.so.6"), "libc.so.6");
	cr_assert_str_eq(frames_base_name("[vdso]"), "[vdso]");
	cr_assert_str_eq(frames_base_name("/ends/"), "/ends/");
	cr_assert_str_eq(frames_base_name(""), "");
}
