/* Waits for locks, from labels: the longest first, what has no owner last. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/profile.h"
#include "pprof/report/locks.h"

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

/* A sample of thread `tid`; lock and what follows may be NULL or 0. */
static void add(int64_t tid, const char *lock, int64_t owner, const char *held_at, int64_t value)
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
	cr_assert(!profile_add_sample(&p, NULL, 0, &value, l, n));
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

Test(locks, none_is_an_error)
{
	struct buffer out = { 0 };

	add(1, NULL, 0, NULL, 10);
	cr_assert_eq(show(&out), ERR_NOTFOUND);
	buffer_release(&out);
}
