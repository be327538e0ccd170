/* Waits for locks, from labels: the longest first, what has no owner last. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/profile.h"
#include "pprof/report/reports.h"

static struct profile p;

static void enter(void)
{
	cr_assert(!profile_init(&p) && !profile_add_type(&p, "wall", "milliseconds"));
}

static void leave(void)
{
	profile_release(&p);
}

TestSuite(locks, .init = enter, .fini = leave);

static struct profile_label label(const char *key, const char *str, int64_t num)
{
	struct profile_label l = { .num = num };

	cr_assert(!profile_string(&p, key, &l.key) && !profile_string(&p, str, &l.str));
	return l;
}

/* A location of the function, which was inlined into `caller` unless that is NULL. */
static uint32_t location(const char *name, const char *caller)
{
	struct profile_function f[2] = { { 0 } };
	struct profile_line lines[2] = { { 0 } };
	struct profile_location l = { .address = 0x10 };
	uint32_t id;

	cr_assert(!profile_string(&p, name, &f[0].name));
	cr_assert(!profile_string(&p, caller ? caller : "", &f[1].name));
	for (int i = 0; i < 2; i++)
		cr_assert(!profile_add_function(&p, &f[i], &lines[i].function));
	cr_assert(!profile_add_location(&p, &l, lines, *name ? 1 + !!caller : 0, &id));
	return id;
}

/* A sample of thread `tid`; lock and what follows may be NULL or 0. */
static void add_at(const uint32_t *stack, size_t count, int64_t tid, const char *lock,
		   int64_t owner, const char *held_at, int64_t value)
{
	struct profile_label l[5];
	size_t n = 0;

	l[n++] = label("thread", tid == 7 ? "hol\x1b[2Jder" : "worker", 0);
	l[n++] = label("tid", "", tid);
	if (lock)
		l[n++] = label("lock", lock, 0);
	if (owner)
		l[n++] = label("waits_for", "", owner);
	if (held_at)
		l[n++] = label("held_at", held_at, 0);
	cr_assert(!profile_add_sample(&p, stack, count, &value, l, n));
}

static void add(int64_t tid, const char *lock, int64_t owner, const char *held_at, int64_t value)
{
	add_at(NULL, 0, tid, lock, owner, held_at, value);
}

static int show(struct buffer *out)
{
	struct report_view v = { 0 };
	struct error err;
	int rc = report_locks(&p, &v, out, &err);

	cr_assert(!buffer_add(out, "", 1));
	return rc;
}

Test(locks, by_lock_then_by_holder)
{
	struct buffer out = { 0 };
	const char *text;

	add(1, "semaphore idle", 0, NULL, 500);
	add(1, "mutex small", 0, NULL, 10);
	add(1, "mutex big", 7, "main;work;hold", 200);
	add(2, "mutex big", 7, "main;work;hold", 100);
	add(2, "mutex big", 7, NULL, 40);
	add(7, NULL, 0, NULL, 150);
	cr_assert_eq(show(&out), 0);
	text = strstr((char *)out.data, "Waits for locks\n");
	cr_assert(text, "%s", (char *)out.data);
	cr_expect_str_eq(text,
			 "Waits for locks\n"
			 "     340ms 34.00%  mutex big, 2 threads waited\n"
			 "     300ms 30.00%    held by thread 7 \"hol?[2Jder\", in\n"
			 "                         hold\n"
			 "                         work\n"
			 "                         main\n"
			 "      40ms  4.00%    held by thread 7 \"hol?[2Jder\", its stack was "
			 "not taken\n"
			 "      10ms  1.00%  mutex small, 1 thread waited\n"
			 "      10ms  1.00%    the holder is not known\n"
			 "Waits for what has no owner\n"
			 "     500ms 50.00%  semaphore idle, 1 thread waited\n");
	buffer_release(&out);
}

Test(locks, by_the_stacks_of_waiters)
{
	struct buffer out = { 0 };
	uint32_t take[] = { location("lock", "wait"), location("main", NULL) };
	uint32_t other[] = { location("", NULL) };
	const char *text;

	add_at(take, 2, 1, "mutex m", 7, "main;hold", 60);
	add_at(take, 2, 2, "mutex m", 0, NULL, 30);
	add_at(other, 1, 2, "mutex m", 0, NULL, 10);
	cr_assert_eq(show(&out), 0);
	text = strstr((char *)out.data, "Waits for locks\n");
	cr_assert(text, "%s", (char *)out.data);
	cr_expect_str_eq(text, "Waits for locks\n"
			       "     100ms   100%  mutex m, 2 threads waited\n"
			       "      90ms 90.00%    waited in\n"
			       "                         lock\n"
			       "                         wait\n"
			       "                         main\n"
			       "      10ms 10.00%    waited in\n"
			       "                         0x10\n"
			       "      60ms 60.00%    held by thread 7, in\n"
			       "                         hold\n"
			       "                         main\n"
			       "      40ms 40.00%    the holder is not known\n");
	buffer_release(&out);
}

Test(locks, of_a_pool_are_one)
{
	struct buffer out = { 0 };
	uint32_t idle[] = { location("park", NULL), location("work", NULL) };
	const char *text;

	for (int64_t i = 1; i <= 20; i++) {
		char lock[40];

		snprintf(lock, sizeof(lock), "condition variable 0x%lx", i * 16);
		add_at(idle, 2, i, lock, 0, NULL, 4);
	}
	add_at(idle, 2, 21, "semaphore s", 0, NULL, 20);
	cr_assert_eq(show(&out), 0);
	text = strstr((char *)out.data, "Waits for what");
	cr_assert(text, "%s", (char *)out.data);
	cr_expect_str_eq(text, "Waits for what has no owner\n"
			       "      80ms 80.00%  20 condition variables, 20 threads waited\n"
			       "      80ms 80.00%    waited in\n"
			       "                         park\n"
			       "                         work\n"
			       "      20ms 20.00%  semaphore s, 1 thread waited\n"
			       "      20ms 20.00%    waited in\n"
			       "                         park\n"
			       "                         work\n");
	buffer_release(&out);
}

Test(locks, none_is_an_error)
{
	struct buffer out = { 0 };

	add(1, NULL, 0, NULL, 10);
	cr_assert_eq(show(&out), ERR_NOTFOUND);
	buffer_release(&out);
}
