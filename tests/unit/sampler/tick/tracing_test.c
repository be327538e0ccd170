/* The tracing thread's end, which releases a thread in a call that was entered again. */
#include <criterion/criterion.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/process.h"
#include "sampler/child/watchdog.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/slots.h"
#include "sampler/tick/tracing.h"
#include "tests/unit/sampler/tick/waits.h"

enum { MS = 1000000 };

/* A child that waits in epoll_pwait, which the kernel fails with EINTR after any stop. */
static pid_t waiting_child(struct process *process)
{
	pid_t child = fork();
	struct epoll_event event;

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		syscall(SYS_epoll_pwait, epoll_create1(0), &event, 1, -1, NULL, 8);
		_exit(1);
	}
	cr_assert_eq(process_open(process, child, NULL), 0);
	while (!waits_in(process, child, SYS_epoll_pwait))
		usleep(1000);
	return child;
}

static struct slot *until_it_is_back(struct tracing *t)
{
	struct slot *slot;

	while (!(slot = tracing_returned(t)))
		tracing_wait(t, monotonic_ns() + 10 * MS, NULL, 0);
	return slot;
}

/* The target is not asked any more, so no other tracing thread follows. */
Test(tracing, nothing_is_held_after_its_end, .timeout = 60)
{
	static struct slot slot;
	struct process process, dogs;
	struct threads *threads;
	struct watchdog *dog;
	struct tracing *t;
	uint64_t repaired, undone, cpu_ns, end;
	pid_t child = waiting_child(&process);

	cr_assert_eq(threads_new(&threads, &process, false, NULL), 0);
	cr_assert_eq(watchdog_start(&dog, NULL), 0);
	cr_assert_eq(process_open(&dogs, watchdog_pid(dog), NULL), 0);
	cr_assert_eq(tracing_start(&t, dog, NULL), 0);
	slot.about.tid = child;
	slot.process = &process;
	slot.threads = threads;
	slot.patient = true;
	cr_assert_eq(tracing_ask(t, &slot), 0);
	cr_assert_eq(until_it_is_back(t), &slot);
	cr_assert_eq(slot.rc, 0);
	cr_assert_eq(slot.stop.outcome, STOP_REFUSED);
	end = monotonic_ns() + (uint64_t)WATCH_HUNG_MAX / 2 * MS;
	while (!waits_in(&dogs, watchdog_pid(dog), SYS_futex)) {
		cr_assert_lt(monotonic_ns(), end, "the watchdog still sees a thread held");
		tracing_wait(t, monotonic_ns() + 10 * MS, NULL, 0);
		cr_assert_null(tracing_returned(t));
	}
	tracing_figures(t, &repaired, &undone, &cpu_ns);
	cr_assert_eq(repaired, 1);
	for (int i = 0; i < 30000 && !waits_in(&process, child, SYS_epoll_pwait); i++)
		usleep(1000);
	cr_assert(waits_in(&process, child, SYS_epoll_pwait));
	tracing_free(t);
	watchdog_stop(dog);
	threads_free(threads);
	process_close(&dogs);
	process_close(&process);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}
