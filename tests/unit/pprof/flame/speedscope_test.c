/* The file as a whole is checked by tests/profiles/flamegraph.test, which reads JSON. */
#include <criterion/criterion.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/flame/reports.h"
#include "tests/unit/pprof/report/fixture.h"

static char *write_it(const struct profile *p, struct buffer *text)
{
	struct report_view v = { 0 };

	cr_assert_eq(report_speedscope(p, &v, text, NULL), 0);
	buffer_add(text, "", 1);
	return strstr((char *)text->data, "\"shared\"");
}

static void init(struct profile *p, const char *unit)
{
	profile_init(p);
	profile_add_type(p, "cpu", unit);
}

Test(speedscope, one_profile_without_threads)
{
	struct buffer text = { 0 };
	int64_t five = 5, two = 2;
	uint32_t stack[2];
	struct profile p;

	init(&p, "nanoseconds");
	stack[1] = add_frame(&p, "main");
	stack[0] = add_frame(&p, "a\"b");
	profile_add_sample(&p, stack, 2, &five, NULL, 0);
	profile_add_sample(&p, stack + 1, 1, &two, NULL, 0);
	profile_add_sample(&p, stack, 2, &five, NULL, 0);
	cr_assert_str_eq(write_it(&p, &text),
			 "\"shared\":{\"frames\":[\n"
			 "{\"name\":\"main\",\"file\":\"a.c\",\"line\":5},\n"
			 "{\"name\":\"a\\\"b\",\"file\":\"a.c\",\"line\":5}]},\n"
			 "\"profiles\":[\n"
			 "{\"type\":\"sampled\",\"name\":\"cpu\",\"unit\":\"nanoseconds\","
			 "\"startValue\":0,\"endValue\":12,\n"
			 "\"samples\":[[0],\n[0,1]],\n"
			 "\"weights\":[2,10]}]}\n");
	buffer_release(&text);
	profile_release(&p);
}

Test(speedscope, a_profile_for_each_thread_and_side)
{
	struct profile_label thread;
	struct buffer text = { 0 };
	int64_t five = 5, less = -2;
	struct profile p;
	uint32_t a;

	init(&p, "apples");
	a = add_frame(&p, "a");
	thread = string_label(&p, "thread", "io");
	profile_add_sample(&p, &a, 1, &five, &thread, 1);
	profile_add_sample(&p, &a, 1, &less, &thread, 1);
	write_it(&p, &text);
	cr_assert(strstr((char *)text.data,
			 "\"name\":\"new: io\",\"unit\":\"none\",\"startValue\":0,"
			 "\"endValue\":5,\n\"samples\":[[0]],\n\"weights\":[5]}"));
	cr_assert(strstr((char *)text.data,
			 "\"name\":\"base: io\",\"unit\":\"none\",\"startValue\":0,"
			 "\"endValue\":2,\n\"samples\":[[0]],\n\"weights\":[2]}"));
	buffer_release(&text);
	profile_release(&p);
}
