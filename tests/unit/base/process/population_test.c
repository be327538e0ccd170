/* What all processes have done since the last look. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/population.h"

static pid_t begun(void (*work)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work();
		_exit(0);
	}
	return pid;
}

static void killed(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static const struct population_process *found(const struct population *r, pid_t pid)
{
	for (size_t i = 0; i < r->now.count; i++)
		if (r->now.processes[i].of.pid == pid)
			return &r->now.processes[i];
	return NULL;
}

static void compute(void)
{
	for (;;)
		;
}

static void *wait_in_thread(void *arg)
{
	pause();
	return arg;
}

static void wait_with_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, wait_in_thread, NULL);
	pause();
}

/* The parent of a vfork is in state D until the child has ended. */
static void wait_for_vfork(void)
{
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
}

/* Two that share a CPU wait for it. */
static void compute_on_one(void)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set)) {
			CPU_ZERO(&set);
			CPU_SET(cpu, &set);
			sched_setaffinity(0, sizeof(set), &set);
			break;
		}
	compute();
}

static void look(struct population *r, unsigned ms)
{
	usleep(ms * 1000);
	cr_assert(population_take(r, NULL) == 0);
}

Test(population, cpu_time_of_the_interval)
{
	struct population r = { 0 };
	pid_t busy = begun(compute), idle = begun(wait_with_threads);
	const struct population_process *p;

	look(&r, 100);
	cr_expect(r.interval_ns == 0 && found(&r, busy)->cpu_ns == 0);
	cr_expect(!found(&r, getpid()));
	look(&r, 300);
	p = found(&r, busy);
	cr_expect(p && p->cpu_ns > 0 && p->cpu_ns <= p->cpu_total_ns, "%lu", p->cpu_ns);
	cr_expect(p->cpu_ns < 2 * r.interval_ns && p->threads == 1 && p->stuck == 0);
	p = found(&r, idle);
	cr_expect(p && p->threads == 4 && p->cpu_ns < r.interval_ns / 2 && p->stuck == 0);
	population_sort(&r);
	for (size_t i = 1; i < r.now.count; i++)
		cr_assert(r.now.processes[i - 1].cpu_ns >= r.now.processes[i].cpu_ns);
	look(&r, 10);
	cr_expect(found(&r, idle) && r.cost_ns > 0, "they are found after they were sorted");
	killed(busy);
	killed(idle);
	look(&r, 10);
	cr_expect(!found(&r, busy) && !found(&r, idle));
	population_release(&r);
}

Test(population, one_that_begins_counts_from_its_start)
{
	struct population r = { 0 };
	pid_t busy;

	look(&r, 0);
	busy = begun(compute);
	look(&r, 200);
	cr_expect(found(&r, busy) && found(&r, busy)->cpu_ns == found(&r, busy)->cpu_total_ns);
	killed(busy);
	population_release(&r);
}

Test(population, threads_that_wait_for_a_cpu)
{
	struct population r = { 0 };
	pid_t one = begun(compute_on_one), other = begun(compute_on_one);
	uint64_t queued = 0;

	look(&r, 100);
	for (int tries = 20; tries && !queued; tries--) {
		look(&r, 200);
		queued = found(&r, one)->queued_ns + found(&r, other)->queued_ns;
	}
	cr_expect(queued > 0);
	killed(one);
	killed(other);
	population_release(&r);
}

Test(population, threads_that_are_stuck)
{
	struct population r = { 0 };
	pid_t stuck = begun(wait_for_vfork);
	uint64_t seen = 0;

	look(&r, 100);
	for (int tries = 50; tries && !seen; tries--) {
		look(&r, 50);
		seen = found(&r, stuck)->stuck;
	}
	cr_expect(seen == 1);
	kill(stuck, SIGKILL);
	waitpid(stuck, NULL, 0);
	population_release(&r);
}
