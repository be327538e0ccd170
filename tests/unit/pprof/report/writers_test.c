/* What google/pprof's reports do not have: a line width, colours, protection from hostile names. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/report/reports.h"
#include "tests/unit/pprof/report/fixture.h"

static struct profile p;
static struct buffer out;

static void setup(void)
{
	uint32_t stack[2];
	int64_t value = 5;

	profile_init(&p);
	profile_add_type(&p, "cpu", "nanoseconds");
	stack[0] = add_frame(&p, "evil\x1b[2J\nname");
	stack[1] = add_frame(&p, "a_name_that_is_longer_than_any_terminal_is_wide_would_you_"
				 "believe_it_and_still_goes_on_and_on_and_on_and_on_and_on");
	profile_add_sample(&p, stack, 2, &value, NULL, 0);
}

static void teardown(void)
{
	profile_release(&p);
	buffer_release(&out);
}

TestSuite(writers, .init = setup, .fini = teardown);

static const char *text(report_writer *write, struct report_view v)
{
	out.len = 0;
	cr_assert_eq(write(&p, &v, &out, NULL), 0);
	cr_assert_eq(buffer_add(&out, "", 1), 0);
	return (const char *)out.data;
}

Test(writers, hostile_names_are_tamed_everywhere)
{
	static report_writer *const all[] = { report_top, report_tree, report_calls, report_traces,
					      report_raw };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const char *t = text(all[i], (struct report_view){ 0 });

		cr_assert(strstr(t, "evil?[2J?name"), "%zu:\n%s", i, t);
		cr_assert_not(strchr(t, '\x1b'), "%zu", i);
	}
}

static size_t widest(const char *t)
{
	size_t most = 0, columns = 0;

	for (; *t; t++) {
		columns = *t == '\n' ? 0 : columns + (((unsigned char)*t & 0xc0) != 0x80);
		most = columns > most ? columns : most;
	}
	return most;
}

Test(writers, lines_fit)
{
	cr_assert_gt(widest(text(report_top, (struct report_view){ 0 })), 100);
	cr_assert_leq(widest(text(report_top, (struct report_view){ .width = 90 })), 90);
	cr_assert(strstr((const char *)out.data, "…"));
	cr_assert_leq(widest(text(report_tree, (struct report_view){ .width = 90 })), 90);
	cr_assert_leq(widest(text(report_traces, (struct report_view){ .width = 90 })), 90);
	cr_assert_leq(widest(text(report_calls, (struct report_view){ .width = 90 })), 90);
}

Test(writers, colour_only_where_it_is_asked_for)
{
	const char *t = text(report_top, (struct report_view){ .colour = true });

	cr_assert(strstr(t, "\x1b[31m       5ns   100%"), "%s", t);
	cr_assert(strstr(t, "\x1b[1m      flat"));
	cr_assert(strstr(t, "        0     0%   100%        5ns   100%  a_name"),
		  "what costs nothing itself has no colour");
}

Test(writers, filters_are_named_and_the_total_is_of_all)
{
	static const char *const filters[] = { "focus=x", NULL };
	const char *t = text(report_top, (struct report_view){ .filters = filters, .total = 10 });

	cr_assert(strstr(t, "Active filters:\n   focus=x\nShowing nodes accounting for 5ns, 50.00% "
			    "of 10ns total\n"),
		  "%s", t);
}

/* The rest is for v->verbose (tests/oracle/report.test). */
Test(writers, three_lines_say_what_it_is)
{
	static const char head[] = "File: server, Type: cpu, Time: 2023-11-14 22:13:20 UTC\n"
				   "Duration: 10ns, Total samples = 5ns (50.00%)\n"
				   "Showing nodes accounting for 5ns, 100% of 5ns total\n"
				   "      flat  flat%";

	add_mapping(&p, "/usr/bin/server");
	cr_assert_eq(profile_add_comment(&p, "sampler -p 7"), 0);
	p.time_nanos = 1700000000000000000;
	p.duration_nanos = 10;
	setenv("TZ", "UTC", 1);
	cr_assert_eq(strncmp(text(report_top, (struct report_view){ 0 }), head, strlen(head)), 0,
		     "%s", (char *)out.data);
	cr_assert(strstr(text(report_top, (struct report_view){ .verbose = true }),
			 "File: server\nsampler -p 7\nType: cpu\nTime: 2023-"),
		  "%s", (char *)out.data);
	cr_assert(strstr(text(report_traces, (struct report_view){ 0 }), "Type: cpu, Time"));
}

Test(writers, threads_have_traces_of_one_line)
{
	const char *t = text(report_traces, (struct report_view){ .by = REPORT_BY_THREAD });

	cr_assert(strstr(t, "       5ns   <unknown>\n-----------+"), "%s", t);
}
