/* Traces consist of batches as the runtime writes them, except for their contents (zeros). */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "rounds/source/tracecut.h"

static struct buffer trace;
static struct tracecut cut;

static void begin(const char *header)
{
	buffer_release(&trace);
	cut = (struct tracecut){ 0 };
	cr_assert(!buffer_add(&trace, header, TRACECUT_HEADER));
}

static void add_number(uint64_t v)
{
	do {
		uint8_t byte = (uint8_t)(v & 0x7f) | (v > 0x7f ? 0x80 : 0);

		cr_assert(!buffer_add(&trace, &byte, 1));
	} while (v >>= 7);
}

static void add_batch(uint64_t generation, uint64_t thread, size_t len)
{
	static const uint8_t content[TRACECUT_BATCH];

	add_number(1);
	add_number(generation);
	add_number(thread);
	add_number(123456789);
	add_number(len);
	cr_assert(!buffer_add(&trace, content, len));
}

static int look(void)
{
	return tracecut_look(&cut, trace.data, trace.len, NULL);
}

Test(tracecut, generations_end_where_the_next_begins)
{
	size_t second;

	begin("go 1.22 trace\0\0");
	add_batch(1, 5, 1000);
	add_batch(1, 6, 65536);
	second = trace.len;
	cr_assert(look() == 0 && cut.whole == 0);
	add_batch(2, 5, 10);
	cr_assert(look() == 0 && cut.whole == second);
	cr_assert(tracecut_complete(&cut, trace.len));
	cr_assert_not(tracecut_complete(&cut, trace.len + 1));
}

Test(tracecut, generations_end_where_it_is_said)
{
	size_t first;

	begin("go 1.26 trace\0\0");
	add_batch(7, 5, 1000);
	cr_assert(look() == 0 && cut.whole == 0);
	cr_assert_not(tracecut_complete(&cut, trace.len));
	add_number(52);
	first = trace.len;
	cr_assert(look() == 0 && cut.whole == first);
	cr_assert(tracecut_complete(&cut, trace.len));
	add_batch(8, 5, 1000);
	cr_assert(look() == 0 && cut.whole == first);
	add_batch(9, 5, 1000);
	cr_assert_eq(look(), ERR_FORMAT);
}

/* The result does not depend on the pieces in which the trace arrives. */
Test(tracecut, pieces)
{
	size_t first, second;

	begin("go 1.23 trace\0\0");
	add_batch(1, UINT64_MAX, 300);
	add_number(49);
	cr_assert(!buffer_add(&trace, "\1", 1));
	add_number(1), add_number(3), add_number(4), add_number(2);
	cr_assert(!buffer_add(&trace, "xy", 2));
	first = trace.len;
	add_batch(2, 1, 200);
	second = trace.len;
	add_batch(3, 1, 1);
	for (size_t step = 1; step < 50; step += 7) {
		cut = (struct tracecut){ 0 };
		for (size_t len = 0; len < trace.len; len += step) {
			size_t whole = len < first ? 0 : len < second ? first : second;

			cr_assert_eq(tracecut_look(&cut, trace.data, len, NULL), 0);
			cr_assert(cut.whole == 0 || cut.whole == first || cut.whole == second);
			cr_assert(cut.whole <= whole && cut.at <= len);
		}
		cr_assert(look() == 0 && cut.whole == second && cut.at == trace.len);
	}
}

Test(tracecut, broken)
{
	static const char *const headers[] = { "go 1.x trace\0\0\0", "GO 1.22 trace\0\0",
					       "go 1.22 trace\0x",   "go 1.4 trace\0\0\0",
					       "<!DOCTYPE html><",   "go 1.99999999999" };

	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		begin(headers[i]);
		cr_assert_eq(look(), ERR_FORMAT, "%s", headers[i]);
	}
	begin("go 1.22 trace\0\0");
	add_number(2);
	cr_assert_eq(look(), ERR_FORMAT);
	begin("go 1.22 trace\0\0");
	add_number(52);
	cr_assert_eq(look(), ERR_FORMAT, "there is no such event yet");
	begin("go 1.22 trace\0\0");
	add_batch(0, 1, 1);
	cr_assert_eq(look(), ERR_FORMAT);
	begin("go 1.22 trace\0\0");
	add_number(1), add_number(1), add_number(1), add_number(1), add_number(65537);
	cr_assert_eq(look(), ERR_FORMAT);
	begin("go 1.22 trace\0\0");
	cr_assert(
		!buffer_add(&trace,
			    "\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
			    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
			    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
			    48));
	cr_assert_eq(look(), ERR_FORMAT);
}

Test(tracecut, the_end_that_is_to_come)
{
	begin("go 1.25 trace\0\0");
	look();
	size_t none = tracecut_tail(&cut);

	for (uint64_t thread = 0; thread < 2000; thread++)
		add_batch(1, thread % 10, 1);
	cr_assert(look() == 0);
	cr_assert_eq(cut.thread_count, 10);
	cr_assert_eq(tracecut_tail(&cut), none + 10 * TRACECUT_BATCH);
	for (uint64_t thread = 0; thread < 2000; thread++)
		add_batch(1, 2000 - thread, 1);
	cr_assert(look() == 0);
	cr_assert_eq(cut.thread_count, TRACECUT_THREADS);
	add_batch(2, 1, 1);
	cr_assert(look() == 0 && cut.thread_count == 1);
}

/* A trace of one of these formats is complete if it has a header, whatever follows. */
Test(tracecut, formats_without_cut)
{
	static const char *const headers[] = { "go 1.21 trace\0\0", "go 1.5 trace\0\0\0",
					       "go 1.27 trace\0\0" };

	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		begin(headers[i]);
		cr_assert(!buffer_add(&trace, "anything", 8));
		cr_assert(look() == 0 && cut.whole == 0 && tracecut_tail(&cut) == 0);
		cr_assert(tracecut_complete(&cut, trace.len));
	}
	cut = (struct tracecut){ 0 };
	cr_assert(tracecut_look(&cut, "go 1.2", 6, NULL) == 0);
	cr_assert_not(tracecut_complete(&cut, 6));
}
