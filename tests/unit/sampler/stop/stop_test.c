/* The stop of threads of our children, in every state that a thread can be in. */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "sampler/stop/stop.h"
#include "sampler/thread/dispositions.h"
#include "sampler/thread/registers.h"

static int taken;

static bool count_take(void *owner, void *cookie, pid_t tid, const struct registers *regs)
{
	(void)owner;
	(void)cookie;
	cr_assert(tid > 0 && registers_pc(regs));
	if (registers_cut_a_wait(regs))
		return false;
	taken++;
	return true;
}

/* Shared with the child. */
struct shared {
	atomic_int ready, eintr, signals, stop;
};

static struct shared *shared;

static void make_shared(void)
{
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	taken = 0;
}

static void kill_child(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static char state_of(pid_t pid)
{
	char path[64], text[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	cr_assert(f && fgets(text, sizeof(text), f));
	fclose(f);
	return strrchr(text, ')')[2];
}

static void wait_for_state(pid_t pid, char state)
{
	for (int i = 0; i < 30000 && state_of(pid) != state; i++)
		usleep(1000);
	cr_assert_eq(state_of(pid), state);
}

static void wait_for_count(atomic_int *count, int least)
{
	for (int i = 0; i < 30000 && *count < least; i++)
		usleep(1000);
	cr_assert_geq(*count, least);
}

static pid_t spin_child(void)
{
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		shared->ready = 1;
		for (;;)
			;
	}
	wait_for_count(&shared->ready, 1);
	return child;
}

static void on_usr1(int sig)
{
	(void)sig;
	shared->signals++;
}

/* A child that waits in epoll_wait, which the kernel fails with EINTR after any stop. */
static pid_t epoll_child(void)
{
	pid_t child = fork();

	if (!child) {
		struct sigaction sa = { .sa_handler = on_usr1 };
		struct epoll_event ev;
		int ep = epoll_create1(0);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sigaction(SIGUSR1, &sa, NULL);
		shared->ready = 1;
		for (;;)
			if (epoll_wait(ep, &ev, 1, -1) < 0 && errno == EINTR)
				shared->eintr++;
	}
	wait_for_count(&shared->ready, 1);
	wait_for_state(child, 'S');
	return child;
}

static int tracer_pid(pid_t pid)
{
	char path[64], line[256];
	int tracer = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "TracerPid: %d", &tracer);
	if (f)
		fclose(f);
	return tracer;
}

/* Waits until the tracing thread has exited and the call goes on. On a busy machine the thread that
 * was traced may run for a moment before. */
static void wait_until_released(pid_t child)
{
	for (int i = 0; i < 30000 && tracer_pid(child); i++)
		usleep(1000);
	cr_assert_eq(tracer_pid(child), 0);
	wait_for_state(child, 'S');
}

/* Serves requests until none is out, or it is parked; 30 s at most. */
static void serve_the_rest(struct tracer *t)
{
	struct stop stop;

	for (int i = 0; i < 300 && tracer_outstanding(t) && !tracer_wants_baton(t); i++)
		tracer_next(t, monotonic_ns() + NS_PER_S / 10, &stop);
}

/* A request is overdue if the machine stands still for a second. Then it is made again. */
static struct stop ask_and_wait(struct tracer *t, pid_t tid)
{
	struct stop stop = { .outcome = STOP_OVERDUE };

	for (int i = 0; i < 3 && stop.outcome == STOP_OVERDUE; i++) {
		if (i)
			serve_the_rest(t);
		cr_assert_eq(tracer_ask(t, NULL, tid, NULL, shared, STOP_HERE), 0);
		cr_assert_eq(tracer_next(t, monotonic_ns() + 5 * NS_PER_S, &stop), 1);
	}
	cr_assert_eq(stop.tid, tid);
	return stop;
}

Test(stop, takes_a_running_thread_and_lets_it_go, .init = make_shared)
{
	pid_t child = spin_child();
	struct tracer *t;

	cr_assert_eq(tracer_new(&t, count_take, NULL, NULL), 0);
	for (int i = 0; i < 50; i++) {
		struct stop stop = ask_and_wait(t, child);

		cr_assert_eq(stop.outcome, STOP_TAKEN);
		cr_assert_eq(stop.cookie, shared);
		cr_assert(stop.held_ns > 0);
		cr_assert_eq(tracer_pid(child), 0);
	}
	cr_assert_eq(taken, 50);
	cr_assert_not(tracer_wants_baton(t));
	tracer_free(t);
	kill_child(child);
}

struct repair {
	pid_t child;
	int times;
	int signal;
	int late; /* how often the thread was not in its call again in time */
};

/* Stops a waiting thread once. Runs in a tracing thread of its own, whose exit releases it. */
static void *repair_thread(void *arg)
{
	struct repair *r = arg;
	struct tracer *t;
	struct stop stop;

	cr_assert_eq(tracer_new(&t, count_take, NULL, NULL), 0);
	/* The previous tracing thread may not have exited yet. */
	for (int i = 0; i < 1000 && tracer_ask(t, NULL, r->child, NULL, NULL, STOP_HERE); i++)
		usleep(100);
	cr_assert_eq(tracer_next(t, monotonic_ns() + 5 * NS_PER_S, &stop), 1);
	/* Overdue: the machine stood still. It is repaired then, too, without a report. */
	cr_assert(stop.outcome == STOP_REFUSED || stop.outcome == STOP_OVERDUE);
	serve_the_rest(t);
	cr_assert(tracer_wants_baton(t));
	tracer_free(t);
	return NULL;
}

static void be_on(int cpu, int policy)
{
	struct sched_param param = { .sched_priority = policy == SCHED_FIFO };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	cr_assert_eq(sched_setaffinity(0, sizeof(set), &set), 0);
	if (sched_setscheduler(0, policy, &param))
		cr_skip_test("real-time priority is not to be had");
}

/* A child that takes the CPU from all ordinary threads for `ns`. */
static pid_t hog(int cpu, uint64_t ns)
{
	pid_t child;

	shared->stop = 0;
	child = fork();
	if (!child) {
		uint64_t end;

		be_on(cpu, SCHED_FIFO);
		end = monotonic_ns() + ns;
		shared->stop = 1;
		while (monotonic_ns() < end)
			;
		for (;;) /* its exit would be an event */
			pause();
	}
	while (!shared->stop)
		usleep(100);
	return child;
}

/* Stops a thread that has to wait `hog_ns` for a CPU. */
static struct stop stop_behind(uint64_t hog_ns)
{
	struct stop stop;
	struct tracer *t;
	pid_t child, other;

	be_on(0, SCHED_OTHER);
	child = spin_child();
	be_on(1, SCHED_FIFO);
	cr_assert_eq(tracer_new(&t, count_take, NULL, NULL), 0);
	other = hog(0, hog_ns);
	stop = ask_and_wait(t, child);
	cr_assert_eq(stop.outcome, STOP_TAKEN);
	cr_assert_geq(stop.stood_ns, stop.served_ns);
	tracer_free(t);
	kill_child(child);
	kill_child(other);
	return stop;
}

/* When other threads take our CPU, or the kernel throttles real-time threads, our thread counts as
 * awake meanwhile. A machine where that happens fifty times in a row cannot run this test. */
Test(stop, what_a_thread_waited_for_a_cpu_it_did_not_stand, .init = make_shared)
{
	const uint64_t long_ns = 100000000;
	struct stop stop = { 0 };
	int tries = 0;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		cr_skip_test("it takes two CPUs");
	do
		stop = stop_behind(long_ns);
	while ((stop.held_ns <= long_ns / 2 || stop.stood_ns >= stop.held_ns / 2) && ++tries < 50);
	cr_assert_lt(tries, 50, "%lu of %lu", stop.stood_ns, stop.held_ns);
}

Test(stop, repairs_a_wait_that_would_fail, .init = make_shared)
{
	struct repair r = { .child = epoll_child() };

	for (int i = 0; i < 50; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, repair_thread, &r);
		pthread_join(thread, NULL);
		wait_until_released(r.child);
	}
	cr_assert_eq(taken, 0);
	cr_assert_eq(shared->eintr, 0, "%d calls failed because of us", shared->eintr);
	kill(r.child, SIGUSR1);
	wait_for_count(&shared->eintr, 1);
	wait_for_state(r.child, 'S');
	cr_assert_eq(shared->signals, 1);
	cr_assert_eq(shared->eintr, 1, "a real signal still interrupts");
	kill_child(r.child);
}

Test(stop, hands_on_the_signal_that_comes_first, .init = make_shared)
{
	pid_t child = epoll_child();

	/* In any order of events each signal is handled once and gives at most one EINTR. */
	for (int i = 0; i < 200; i++) {
		struct repair r = { .child = child };
		int before = shared->signals;
		struct tracer *t;
		struct stop stop;

		cr_assert_eq(tracer_new(&t, count_take, NULL, NULL), 0);
		kill(child, SIGUSR1);
		if (tracer_ask(t, NULL, r.child, NULL, NULL, STOP_HERE) == 0)
			tracer_next(t, monotonic_ns() + 5 * NS_PER_S, &stop);
		/* If it is parked until our thread exits, a signal releases it, too. */
		for (int j = 0; j < 300 && tracer_outstanding(t); j++) {
			if (tracer_wants_baton(t))
				kill(child, SIGUSR1);
			tracer_next(t, monotonic_ns() + NS_PER_S / 10, &stop);
		}
		cr_assert_eq(tracer_outstanding(t), 0);
		tracer_free(t);
		wait_for_count(&shared->signals, before + 1);
	}
	wait_for_state(child, 'S');
	cr_assert(shared->eintr <= shared->signals);
	kill_child(child);
}

/* As repair_thread, with a signal right after the request and another one when it is parked. */
static void *repair_ignored_thread(void *arg)
{
	struct repair *r = arg;
	struct tracer *t;
	uint64_t begin;

	cr_assert_eq(tracer_new(&t, count_take, NULL, NULL), 0);
	for (int i = 0; i < 1000 && tracer_ask(t, NULL, r->child, NULL, NULL, STOP_HERE); i++)
		usleep(100);
	kill(r->child, r->signal);
	serve_the_rest(t);
	cr_assert(tracer_wants_baton(t), "repaired, and not handed on");
	kill(r->child, r->signal);
	begin = monotonic_ns();
	tracer_free(t);
	r->late += monotonic_ns() - begin >= THREAD_SETTLES_NS;
	return NULL;
}

/* The kernel drops such signals when they are sent, but a traced thread gets them. */
Test(stop, an_ignored_signal_ends_no_call, .init = make_shared)
{
	static const int ignored[] = { SIGCHLD, SIGURG, SIGWINCH, SIGCONT };
	struct repair r = { .child = epoll_child() };

	for (int i = 0; i < 40; i++) {
		pthread_t thread;

		r.signal = ignored[i % 4];
		pthread_create(&thread, NULL, repair_ignored_thread, &r);
		pthread_join(thread, NULL);
		wait_until_released(r.child);
	}
	cr_assert_eq(taken, 0);
	/* One signal may come between our last look and our exit (docs/transparency.md). */
	cr_assert_lt(r.late, 20, "the thread was seldom in its call again in time");
	cr_assert_leq(shared->eintr, 1 + r.late, "%d calls failed because of us", shared->eintr);
	kill_child(r.child);
}

Test(stop, leaves_a_stopped_process_stopped, .init = make_shared)
{
	pid_t child = spin_child();
	struct tracer *t;
	int status;

	kill(child, SIGSTOP);
	waitpid(child, &status, WUNTRACED);
	cr_assert(WIFSTOPPED(status));
	cr_assert_eq(tracer_new(&t, count_take, NULL, NULL), 0);
	cr_assert_eq(ask_and_wait(t, child).outcome, STOP_GROUP);
	usleep(10000);
	cr_assert_eq(tracer_pid(child), 0);
	kill(child, SIGCONT);
	cr_assert_eq(ask_and_wait(t, child).outcome, STOP_TAKEN);
	tracer_free(t);
	kill_child(child);
}

Test(stop, reports_threads_that_have_gone, .init = make_shared)
{
	pid_t child = fork();
	struct tracer *t;

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	cr_assert_eq(tracer_new(&t, count_take, NULL, NULL), 0);
	cr_assert_eq(tracer_ask(t, NULL, child, NULL, NULL, STOP_HERE), ERR_GONE);
	cr_assert_eq(tracer_outstanding(t), 0);
	tracer_free(t);
}

static bool kill_it(void *owner, void *cookie, pid_t tid, const struct registers *regs)
{
	(void)cookie, (void)tid, (void)regs;
	kill(*(pid_t *)owner, SIGKILL);
	return true;
}

static void *spin(void *arg)
{
	atomic_store(&shared->ready, (int)syscall(SYS_gettid));
	for (;;)
		;
	return arg;
}

/* When a process is killed while we hold its thread, the thread stays ours until its end was
 * reported to us. Before that the process has not ended for its parent. */
Test(stop, one_that_is_killed_while_it_is_held, .init = make_shared)
{
	struct stop stop = { 0 };
	struct tracer *t;
	pid_t child = fork();
	pthread_t thread;

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&thread, NULL, spin, NULL);
		pause();
	}
	wait_for_count(&shared->ready, 1);
	cr_assert_eq(tracer_new(&t, kill_it, &child, NULL), 0);
	cr_assert_eq(ask_and_wait(t, shared->ready).outcome, STOP_TAKEN);
	cr_assert_eq(tracer_outstanding(t), 1);
	cr_assert_eq(tracer_next(t, monotonic_ns() + 5 * NS_PER_S, &stop), 1);
	cr_assert_eq(stop.outcome, STOP_GONE);
	cr_assert_eq(stop.tid, shared->ready);
	cr_assert_null(stop.cookie);
	cr_assert_eq(tracer_outstanding(t), 0);
	tracer_free(t);
	alarm(10);
	cr_assert_eq(waitpid(child, NULL, 0), child);
}

static struct tracer *of_executing;

/* Meanwhile the held thread's leader executes a program. It waits for the thread's end, whose
 * report we have to take, and holds the lock that PTRACE_SEIZE needs. */
static bool let_leader_execute(void *owner, void *cookie, pid_t tid, const struct registers *regs)
{
	(void)cookie, (void)tid, (void)regs;
	shared->stop = 1;
	wait_for_state(*(pid_t *)owner, 'D'); /* de_thread() in fs/exec.c */
	cr_assert_eq(tracer_ask(of_executing, NULL, *(pid_t *)owner, NULL, NULL, STOP_LATER),
		     ERR_BUSY);
	return true;
}

Test(stop, one_whose_process_executes_a_program, .init = make_shared)
{
	struct stop stop = { 0 };
	pid_t child = fork();
	pthread_t thread;
	int status;

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&thread, NULL, spin, NULL);
		while (!shared->stop)
			usleep(100);
		execl("/bin/sh", "sh", "-c", "exit 42", NULL);
		_exit(1);
	}
	wait_for_count(&shared->ready, 1);
	alarm(10);
	cr_assert_eq(tracer_new(&of_executing, let_leader_execute, &child, NULL), 0);
	cr_assert_eq(ask_and_wait(of_executing, shared->ready).outcome, STOP_TAKEN);
	cr_assert_eq(tracer_next(of_executing, monotonic_ns() + 5 * NS_PER_S, &stop), 1);
	cr_assert_eq(stop.outcome, STOP_GONE);
	tracer_free(of_executing);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

/* Executes a program, and so takes its leader's number. The copying before takes so long that the
 * thread is asked meanwhile; the freeing after takes so long that it stops late. */
static void *execute_slowly(void *arg)
{
	enum { ROOM = 512 << 20, WORDS = 60, WORD = 30000 };
	const char *words[WORDS + 5] = { "sh", "-c", "trap 'echo went on' USR1; kill -USR1 $$",
					 "sh" };
	char *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(room, ROOM, MADV_NOHUGEPAGE);
	memset(room, 'x', ROOM);
	room[WORD] = '\0';
	for (int i = 0; i < WORDS; i++)
		words[i + 4] = room;
	atomic_store(&shared->ready, (int)syscall(SYS_gettid));
	execv("/bin/sh", (char **)words);
	_exit(1);
	return arg;
}

/* As the tracing thread: ends when no request is out and the tracer requests the baton. */
static void *trace_until_told_to_end(void *arg)
{
	struct stop stop;
	struct tracer *t;

	cr_assert_eq(tracer_new(&t, count_take, NULL, NULL), 0);
	while (!shared->ready)
		;
	if (!tracer_ask(t, NULL, shared->ready, NULL, NULL, STOP_ELSEWHERE))
		while (tracer_outstanding(t))
			tracer_next(t, 0, &stop);
	while (!tracer_wants_baton(t) && !shared->stop)
		usleep(100);
	tracer_free(t);
	return arg;
}

/* It is asked under its old number, and reported under its new one, if at all. */
Test(stop, one_that_executes_a_program_under_its_leaders_number, .init = make_shared)
{
	pthread_t thread;
	pid_t child;
	int out[2];
	char byte;

	cr_assert_eq(pipe(out), 0);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(out[1], STDOUT_FILENO);
		pthread_create(&thread, NULL, execute_slowly, NULL);
		pause();
	}
	alarm(20);
	pthread_create(&thread, NULL, trace_until_told_to_end, NULL);
	cr_assert_eq(read(out[0], &byte, 1), 1); /* the program has handled its signal */
	shared->stop = 1;
	pthread_join(thread, NULL);
	kill_child(child);
}

Test(stop, refuses_a_second_tracer, .init = make_shared)
{
	pid_t child = spin_child();
	struct tracer *t;

	cr_assert_eq(tracer_new(&t, count_take, NULL, NULL), 0);
	cr_assert_eq(ptrace(PTRACE_SEIZE, child, 0, 0), 0);
	cr_assert_eq(tracer_ask(t, NULL, child, NULL, NULL, STOP_HERE), ERR_PERM);
	tracer_free(t);
	kill_child(child);
}

/* A thread that job control has stopped before is shown only if that is wanted, and is still
 * stopped afterwards. */
Test(stop, a_thread_that_job_control_has_stopped, .init = make_shared)
{
	for (int wanted = 0; wanted < 2; wanted++) {
		pid_t child = spin_child();
		struct tracer *t;

		kill(child, SIGSTOP);
		wait_for_state(child, 'T');
		taken = 0;
		cr_assert_eq(tracer_new(&t, count_take, NULL, NULL), 0);
		if (wanted)
			tracer_takes_stopped(t);
		for (int i = 0; i < 5; i++) {
			struct stop stop = ask_and_wait(t, child);

			cr_assert_eq(stop.outcome, wanted ? STOP_TAKEN : STOP_GROUP);
			wait_for_state(child, 'T');
			cr_assert_eq(tracer_pid(child), 0);
		}
		cr_assert_eq(taken, wanted ? 5 : 0);
		tracer_free(t);
		kill_child(child);
		shared->ready = 0;
	}
}
