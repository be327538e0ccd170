/* A ticker on a CPU of its own: what it samples, and its end, which releases a thread in a call that
 * was entered again. */
#include <criterion/criterion.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/process.h"
#include "sampler/account/budget.h"
#include "sampler/child/watchdog.h"
#include "sampler/member/member.h"
#include "sampler/recorded/recorded.h"
#include "sampler/thread/threads.h"
#include "sampler/capture/roster.h"
#include "sampler/capture/slots.h"
#include "sampler/capture/ticker.h"
#include "tests/unit/sampler/tick/waits.h"

enum { MS = 1000000, RATE = 99 };

/* A round of one process, without the round's thread. */
struct scene {
	struct recorded recorded;
	struct roster roster;
	struct slots slots;
	struct ticking ticking;
	struct ticker *ticker;
	unsigned cpu;
};

static unsigned any_cpu(void)
{
	cpu_set_t set;
	unsigned cpu = 0;

	sched_getaffinity(0, sizeof(set), &set);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	return cpu;
}

static void stay_on(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void begin(struct scene *s, pid_t child, struct watchdog *dog)
{
	static const struct recording_options options = { .rate = RATE };

	*s = (struct scene){ .cpu = any_cpu() };
	cr_assert_eq(recorded_init(&s->recorded, &child, 1, &options, NULL), 0);
	cr_assert_eq(member_start(s->recorded.members[0], true, NULL), 0);
	cr_assert_eq(roster_init(&s->roster), 0);
	cr_assert_eq(roster_list(&s->roster, s->recorded.members, 1), 0);
	cr_assert_eq(slots_init(&s->slots, 8) || slots_touch(&s->slots), 0);
	s->ticking = (struct ticking){ .roster = &s->roster,
				       .slots = &s->slots,
				       .watchdog = dog,
				       .back_fd = eventfd(0, EFD_NONBLOCK),
				       .pace = { .start_ns = monotonic_ns(),
						 .period_ns = NS_PER_S / RATE,
						 .stride = BUDGET_ONE,
						 .idle_most = 1,
						 .pause_share = 1 } };
	cr_assert_eq(ticker_start(&s->ticker, &s->ticking, s->cpu, NULL), 0);
}

static void end(struct scene *s, pid_t child)
{
	s->ticking.pace.quit = true;
	ticker_free(s->ticker);
	slots_release(&s->slots);
	roster_release(&s->roster);
	recorded_release(&s->recorded);
	close(s->ticking.back_fd);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static struct slot *next_back(struct scene *s)
{
	struct slot *slot;

	while (!(slot = slots_first(&s->slots, SLOT_BACK))) {
		ticker_keep(s->ticker);
		usleep(1000);
	}
	return slot;
}

/* It computes, and only that: whoever is found in a call was asked too late. */
Test(ticker, meets_a_thread_where_it_computes, .timeout = 60)
{
	unsigned cpu = any_cpu(), calls = 0, doubted = 0;
	pid_t child = fork();
	struct scene s;

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		stay_on(cpu);
		for (;;) {
			for (volatile int i = 0; i < 10000; i++)
				;
			syscall(SYS_getppid);
		}
	}
	begin(&s, child, NULL);
	for (int i = 0; i < 100; i++) {
		struct slot *slot = next_back(&s);

		cr_assert_eq(slot->rc, 0);
		calls += slot->taken && slot->call.number >= 0;
		doubted += slot->trust != TRUST_FULL;
		slot_set(slot, SLOT_FREE);
	}
	/* A call takes a hundredth of its time. Without real-time priority, half of them. */
	cr_assert(!ticker_is_realtime(s.ticker) || calls <= 10, "%u of 100 samples in a call",
		  calls);
	cr_assert(!ticker_is_realtime(s.ticker) || doubted <= 10, "%u of 100 not certain", doubted);
	end(&s, child);
}

Test(ticker, does_not_stop_a_thread_that_waits, .timeout = 60)
{
	struct process process;
	pid_t child = fork();
	struct scene s;

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			syscall(SYS_ppoll, NULL, 0, NULL, NULL, 8);
	}
	cr_assert_eq(process_open(&process, child, NULL), 0);
	while (!waits_in(&process, child, SYS_ppoll))
		usleep(1000);
	begin(&s, child, NULL);
	while (s.ticking.figures.ticks < 30)
		usleep(10000);
	cr_assert_null(slots_first(&s.slots, SLOT_BACK));
	process_close(&process);
	end(&s, child);
}

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

/* The ticker's thread ends to release it. Nothing is held after that, though nobody is asked. */
Test(ticker, releases_a_thread_whose_call_was_repaired, .timeout = 60)
{
	struct process process, dogs;
	struct watchdog *dog;
	struct slot *slot;
	struct scene s;
	pid_t child = waiting_child(&process);
	uint64_t until;

	cr_assert_eq(watchdog_start(&dog, NULL), 0);
	cr_assert_eq(process_open(&dogs, watchdog_pid(dog), NULL), 0);
	begin(&s, child, dog);
	slot = slots_take(&s.slots);
	cr_assert_eq(slot_prepare(slot, &s.ticking.wants, s.recorded.members[0],
				  member_thread(s.recorded.members[0], 0), THREAD_RUNNABLE),
		     0);
	cr_assert(ticker_ask(s.ticker, slot));
	cr_assert_eq(next_back(&s), slot);
	cr_assert_eq(slot->rc, 0);
	cr_assert_eq(slot->stop.outcome, STOP_REFUSED); /* without wall time it is no sample */
	until = monotonic_ns() + (uint64_t)WATCH_HUNG_MAX / 2 * MS;
	while (!s.ticking.figures.repaired || !waits_in(&dogs, watchdog_pid(dog), SYS_futex)) {
		cr_assert_lt(monotonic_ns(), until, "the watchdog still sees a thread held");
		ticker_keep(s.ticker);
		usleep(10000);
	}
	cr_assert_eq(s.ticking.figures.repaired, 1);
	for (int i = 0; i < 30000 && !waits_in(&process, child, SYS_epoll_pwait); i++)
		usleep(1000);
	cr_assert(waits_in(&process, child, SYS_epoll_pwait));
	process_close(&dogs);
	process_close(&process);
	end(&s, child);
	watchdog_stop(dog);
}
