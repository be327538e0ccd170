/* Holds of a child whose threads count in shared memory. While a hold lasts, nothing is counted, or
 * it reports that a thread has moved. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/process.h"
#include "runtimes/go/stacks/goroutines.h"
#include "sampler/stop/hold.h"

enum {
	SPINNERS = 3,
	SLEEPERS = 3,
	MAKERS = 2,
	COUNTERS = SPINNERS + SLEEPERS + MAKERS,
	HOLDS = 50
};

static atomic_ulong *counts;

static void *spin(void *count)
{
	for (;;)
		atomic_fetch_add((atomic_ulong *)count, 1);
	return NULL;
}

static void *sleep_shortly(void *count)
{
	for (;;) {
		usleep(500);
		atomic_fetch_add((atomic_ulong *)count, 1);
	}
	return NULL;
}

static void *count_once(void *count)
{
	for (int i = 0; i < 1000; i++)
		atomic_fetch_add((atomic_ulong *)count, 1);
	return NULL;
}

/* Makes threads that live for microseconds. */
static void *make_threads(void *count)
{
	pthread_t thread;

	for (;;)
		if (!pthread_create(&thread, NULL, count_once, count))
			pthread_join(thread, NULL);
	return NULL;
}

static void become_child(void)
{
	pthread_t thread;
	int i = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (; i < SPINNERS; i++)
		pthread_create(&thread, NULL, spin, &counts[i]);
	for (; i < SPINNERS + SLEEPERS; i++)
		pthread_create(&thread, NULL, sleep_shortly, &counts[i]);
	for (; i < COUNTERS; i++)
		pthread_create(&thread, NULL, make_threads, &counts[i]);
	for (;;)
		pause();
}

static pid_t make_child(void)
{
	pid_t child;

	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child = fork();
	if (!child)
		become_child();
	for (int i = 0; i < COUNTERS; i++)
		while (!counts[i])
			usleep(100);
	return child;
}

static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* On a busy machine this may take some tries. */
static struct hold *begin(const struct process *p, uint64_t bound_ns)
{
	struct hold *h = NULL;
	struct error err;
	int rc = ERR_LIMIT;

	for (int i = 0; rc == ERR_LIMIT && i < 50; i++)
		rc = hold_begin(&h, p, bound_ns, &err);
	cr_assert_eq(rc, 0, "%s", err.text);
	return h;
}

static void snapshot(unsigned long *to)
{
	for (int i = 0; i < COUNTERS; i++)
		to[i] = counts[i];
}

/* True if all threads that always run have moved. On a busy machine one of them may get a CPU
 * late. */
static bool all_have_moved(const unsigned long *before)
{
	int i = 0;

	while (i < SPINNERS && counts[i] > before[i])
		i++;
	return i == SPINNERS;
}

Test(hold, nothing_moves)
{
	pid_t child = make_child();
	struct process p;
	int exact = 0;

	cr_assert_eq(process_open(&p, child, NULL), 0);
	for (int i = 0; i < 12; i++) {
		unsigned long before[COUNTERS], after[COUNTERS];
		struct hold_report r;
		struct hold *h;
		size_t count;
		bool let_go;

		h = begin(&p, HOLD_BOUND_NS);
		snapshot(before);
		cr_assert_not_null(hold_threads(h, &count));
		usleep(1000);
		snapshot(after);
		let_go = *hold_let_go(h);
		hold_end(h, &r);
		cr_assert_eq(r.threads, count);
		cr_assert_geq(r.stopped, SPINNERS);
		cr_assert_geq(r.threads, 1 + COUNTERS);
		if (r.moved || r.cut || let_go)
			continue;
		exact++;
		for (int k = 0; k < COUNTERS; k++)
			cr_assert_eq(before[k], after[k], "counter %d moved by %lu in hold %d", k,
				     after[k] - before[k], i);
		cr_assert_gt(r.ns, 1000000);
	}
	cr_assert_gt(exact, 2);
	process_close(&p);
	end_child(child);
}

/* Each thread has a pc and a stack pointer; the spinners are in spin(). */
static void check_places(const struct hold *h)
{
	size_t count, spinning = 0;
	const struct go_held *threads = hold_threads(h, &count);

	for (size_t i = 0; i < count; i++) {
		cr_assert(threads[i].thread && threads[i].pc && threads[i].sp);
		spinning += threads[i].pc - (uint64_t)(uintptr_t)spin < 100;
	}
	cr_assert_geq(spinning, SPINNERS);
}

/* Often enough to meet threads on the way to their end. */
Test(hold, says_where_they_stand)
{
	pid_t child = make_child();
	struct process p;

	cr_assert_eq(process_open(&p, child, NULL), 0);
	for (int i = 0; i < HOLDS; i++) {
		struct hold *h = begin(&p, HOLD_BOUND_NS);

		check_places(h);
		hold_end(h, NULL);
	}
	process_close(&p);
	end_child(child);
}

Test(hold, is_over_when_the_bound_is)
{
	pid_t child = make_child();
	unsigned long before[COUNTERS], after[COUNTERS];
	struct hold_report r;
	struct process p;
	struct hold *h;

	cr_assert_eq(process_open(&p, child, NULL), 0);
	h = begin(&p, HOLD_BOUND_NS / 2);
	snapshot(before);
	while (!*hold_let_go(h))
		usleep(1000);
	for (int ms = 0; ms < 20000 && !all_have_moved(before); ms++)
		usleep(1000);
	snapshot(after);
	for (int i = 0; i < SPINNERS; i++)
		cr_assert_lt(before[i], after[i]);
	hold_end(h, &r);
	cr_assert(r.cut);
	process_close(&p);
	end_child(child);
}

Test(hold, of_a_process_that_has_gone)
{
	pid_t child = fork();
	struct process p;
	struct hold *h;
	struct error err;

	if (!child)
		for (;;)
			pause();
	cr_assert_eq(process_open(&p, child, NULL), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	cr_assert_eq(hold_begin(&h, &p, HOLD_BOUND_NS, &err), ERR_GONE, "%s", err.text);
	process_close(&p);
}
