/* How CPU time is given to samples: threads of few samples share accounts with their like. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <unistd.h>

#include "sampler/member/member.h"
#include "sampler/profile/accounts.h"
#include "sampler/recorded/recorded.h"
#include "sampler/thread/threads.h"

enum { MS = 1000000, THREADS = 40, HALF = THREADS / 2 };

static pthread_barrier_t all_are_read;

static void *wait_for_the_end(void *arg)
{
	pthread_barrier_wait(&all_are_read);
	return arg;
}

/* THREADS threads that have never run, of a member with the test's own. */
static struct thread *some_threads(struct member *m)
{
	pthread_t made[THREADS];
	struct thread *threads;
	size_t count;

	pthread_barrier_init(&all_are_read, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&made[i], NULL, wait_for_the_end, NULL), 0);
	cr_assert_eq(process_open(&m->process, getpid(), NULL), 0);
	cr_assert_eq(threads_new(&m->threads, &m->process, false, NULL), 0);
	pthread_barrier_wait(&all_are_read);
	for (int i = 0; i < THREADS; i++)
		pthread_join(made[i], NULL);
	threads = threads_get(m->threads, &count);
	cr_assert_geq(count, THREADS);
	for (size_t i = 0; i < count; i++)
		threads[i].cpu_ns = threads[i].cpu_first = 0;
	return threads;
}

static void has_run(struct thread *thread, uint64_t cpu_ns, uint64_t samples)
{
	thread->cpu_ns = cpu_ns;
	thread->samples.count = thread->samples.weight = samples;
}

/* The CPU time that the samples of HALF threads get. */
static double given(struct accounts *a, const struct thread *threads)
{
	double sum = 0;

	for (size_t i = 0; i < HALF; i++) {
		const struct account *of = accounts_of(a, 0, threads[i].index);

		if (of->weight)
			sum += (double)of->ns * (double)threads[i].samples.weight /
			       (double)of->weight;
	}
	return sum;
}

static void open_anew(struct accounts *a, const struct recorded *r)
{
	accounts_release(a);
	cr_assert_eq(accounts_open(a, r), 0);
}

/* Half of the threads run for a third of the others' time, and are met on a CPU twelve times less
 * often. */
Test(accounts, threads_of_short_bursts_keep_their_time)
{
	struct member member = { 0 }, *members = &member;
	struct recorded r = { .members = &members, .member_count = 1 };
	struct thread *longer = some_threads(&member), *shorter = longer + HALF;
	struct accounts a = { 0 };

	for (size_t i = 0; i < HALF; i++) {
		has_run(&longer[i], 60 * MS, 3);
		has_run(&shorter[i], 20 * MS, i % 4 == 0);
	}
	open_anew(&a, &r);
	cr_assert_float_eq(given(&a, longer), HALF * 60.0 * MS, 1);
	cr_assert_float_eq(given(&a, shorter), HALF * 20.0 * MS, 1);

	/* Too little time for an account is shared with what is next to it. */
	for (size_t i = 1; i < HALF; i++)
		has_run(&shorter[i], 0, 0);
	open_anew(&a, &r);
	cr_assert_eq(accounts_of(&a, 0, longer->index), accounts_of(&a, 0, shorter->index));
	cr_assert_float_eq(given(&a, longer) + given(&a, shorter), (HALF * 60.0 + 20) * MS, 1);

	/* A thread of many samples has its own. */
	has_run(&shorter[1], 200 * MS, 10);
	open_anew(&a, &r);
	cr_assert_float_eq(given(&a, longer) + given(&a, shorter), (HALF * 60.0 + 220) * MS, 1);
	cr_assert_eq(accounts_of(&a, 0, shorter[1].index)->ns, 200 * MS);

	accounts_release(&a);
	threads_free(member.threads);
	process_close(&member.process);
}

/* By the rate it would have two hundred. Its time is told as not sampled, and not given to another's
 * one sample. */
Test(accounts, a_thread_that_cannot_be_sampled_shares_with_none)
{
	struct member member = { 0 }, *members = &member;
	struct recorded r = { .members = &members,
			      .member_count = 1,
			      .rate = 200,
			      .stats = { .ticks = 400, .ticks_due = 400 } };
	struct thread *threads = some_threads(&member);
	struct accounts a = { 0 };

	has_run(&threads[0], 1000 * MS, 0);
	has_run(&threads[1], 7 * MS, 1);
	open_anew(&a, &r);
	cr_assert_eq(accounts_of(&a, 0, threads[0].index)->weight, 0);
	cr_assert_eq(accounts_of(&a, 0, threads[1].index)->ns, 7 * MS);
	accounts_release(&a);
	threads_free(member.threads);
	process_close(&member.process);
}

/* By the kernel's ticks. Samples stand for the rest alone, and tickers' samples for all. */
Test(accounts, time_in_the_kernel_is_not_given_to_samples_that_do_not_see_it)
{
	struct member member = { .by_events = true }, *members = &member;
	struct recorded r = { .members = &members,
			      .member_count = 1,
			      .rate = 200,
			      .stats = { .ticks = 400, .ticks_due = 400, .user_only = true } };
	struct thread *threads = some_threads(&member);
	struct unsampled unsampled;
	struct accounts a = { 0 };

	has_run(&threads[0], 1000 * MS, 150);
	threads[0].ticks_first = (struct thread_ticks){ 1000, 3000 };
	threads[0].ticks = (struct thread_ticks){ 1075, 3025 };
	open_anew(&a, &r);
	cr_assert_eq(accounts_of(&a, 0, threads[0].index)->ns, 750 * MS);
	cr_assert_eq(accounts_unsampled(&r, &unsampled), 0);
	cr_assert_eq(unsampled.kernel_ns, 250 * MS);
	cr_assert_eq(unsampled_ns(&unsampled), 0);

	r.stats.user_only = false;
	open_anew(&a, &r);
	cr_assert_eq(accounts_of(&a, 0, threads[0].index)->ns, 1000 * MS);
	accounts_release(&a);
	threads_free(member.threads);
	process_close(&member.process);
}
