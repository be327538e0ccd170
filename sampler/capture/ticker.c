/*
 * One thread: it ticks, asks, serves stops, and sleeps until the first of: the next tick, a stop, a
 * request of the round's thread. While no request is out it sleeps in ppoll(2). While one is, it
 * sleeps in waitid(2), which has no timeout: a timer's signal ends that sleep at the next tick.
 *
 * A tick that comes late is left out: by then the kernel may have given the CPU to us because the
 * thread that ran there went to wait. (On a loaded machine late ticks had 10 % of PostgreSQL's time
 * in epoll_wait, those in time 5.5 %, as perf.)
 *
 * Rejected: one thread of ours that changes CPUs for each tick (changing costs 10 µs, and a hundred
 * CPUs have no time for it); a look at the other CPUs from one CPU (the thread goes on until an
 * interrupt arrives there, 8 µs later, and stops at the system call that it meets first: a server
 * whose threads run for 20 µs at a time has half of its samples at the calls in which it waits).
 */
#include "sampler/capture/ticker.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "sampler/account/budget.h"
#include "sampler/capture/preparing.h"
#include "sampler/capture/resting.h"
#include "sampler/capture/roster.h"
#include "sampler/capture/slotring.h"
#include "sampler/capture/slots.h"
#include "sampler/capture/tickplan.h"
#include "sampler/child/priority.h"
#include "sampler/child/watchdog.h"
#include "sampler/member/member.h"
#include "sampler/stop/copier.h"
#include "sampler/stop/stop.h"
#include "sampler/stop/tracee.h"
#include "sampler/stop/waker.h"
#include "sampler/thread/threads.h"

enum {
	LATE_NS = 200000,    /* a tick that comes later is left out */
	PROMPT_NS = 20000,   /* without real-time priority, one that comes later is doubted */
	FRESH_NS = 1000000,  /* so long a process stays one that executes a program */
	CROWD = 16,	     /* more threads that have run are noted before a tick */
	STUCK_NS = 50000000, /* at the end, for copiers that were given up */
	/* At the end: from one look whether it has ended to the next; after so many of these it is
	 * freed from its CPU. */
	JOIN_NS = 200000,
	JOIN_PATIENCE = 50,
};

struct ticker {
	struct ticking *with;
	unsigned cpu;
	pthread_t thread;
	_Atomic pid_t tid;
	atomic_bool sleeps_in_wait; /* a request is out, so a signal must wake it */
	atomic_bool ended, realtime, has_cpu;
	int asked_fd;		   /* eventfd: something was put into the ring, or it is to end */
	struct slotring asked;	   /* the round's thread puts in, the ticker takes out */
	_Atomic unsigned expected; /* slots that it owns */
	_Atomic uint64_t cpu_ns;   /* of its threads that have ended */
	_Atomic pid_t reaped;
	_Atomic int reaped_status;
	/* Used by its threads, one after the other: */
	struct tracer *tracer;
	struct copiers *copiers;
	struct sought sought;
	struct tickplan plan;
	struct tickplan *notes_for;
	const struct process *busy; /* found executing a program */
	uint64_t busy_ns;
	struct error error;
};

/* Requests. */

/* The round's thread collects slots at its own ticks, unless some cannot wait or many are back. */
static void give_back(struct ticker *t, struct slot *slot)
{
	struct ticking *with = t->with;
	bool urgent = !slot->ticked || slot_is_urgent(slot);
	unsigned back;

	slot_set(slot, SLOT_BACK);
	t->expected--;
	back = ++with->back;
	if (urgent || back == with->slots->count / 2)
		eventfd_write(with->back_fd, 1);
}

static int request(struct ticker *t, struct slot *slot)
{
	struct stood stood = { slot->schedstat_fd, slot->slices_then, slot->placed };
	bool has_stood = slot->ticked && stood.schedstat_fd >= 0;
	int rc;

	if (copiers_avoid(t->copiers, slot->process, slot->tid)) {
		t->with->figures.avoided++;
		return ERR_BUSY;
	}
	if (slot->process == t->busy && monotonic_ns() - t->busy_ns < FRESH_NS)
		return ERR_BUSY;
	rc = tracer_ask(t->tracer, slot->process, slot->tid, has_stood ? &stood : NULL, slot,
			slot->ticked ? STOP_HERE : STOP_LATER);
	if (rc == ERR_BUSY) {
		t->busy = slot->process;
		t->busy_ns = monotonic_ns();
	}
	return rc;
}

/* Makes the request; a slot whose request cannot be made comes back at once. */
static void ticker_request(struct ticker *t, struct slot *slot)
{
	slot->rc = request(t, slot);
	slot->search_ns = slot->ticked ? monotonic_ns() - slot->woke_ns : 0;
	if (!slot->rc)
		return;
	t->with->figures.unserved += slot->rc == ERR_LIMIT && slot->ticked;
	give_back(t, slot);
}

static void ask_all(struct ticker *t)
{
	struct slot *slot;

	while ((slot = slotring_take(&t->asked)))
		ticker_request(t, slot);
}

/* One event at most. */
static void ticker_serve(struct ticker *t)
{
	struct stop stop;

	if (!tracer_next(t->tracer, 0, &stop))
		return;
	if (stop.reaped) {
		t->reaped_status = stop.exit_status;
		t->reaped = stop.tid;
	}
	if (stop.cookie) {
		struct slot *slot = stop.cookie;

		slot->stop = stop;
		slot->taken = stop.taken;
		give_back(t, slot);
	}
}

/* Ticks. */

/* The thread that was displaced waits for us until we sleep. */
static void ticker_search(struct ticker *t)
{
	struct ticking *with = t->with;
	const struct planned *tick = tickplan_next(&t->plan);
	struct sought *s = &t->sought;
	struct slot *slot = NULL;
	uint64_t woke = monotonic_ns();

	if (!roster_try(with->roster)) {
		t->with->figures.kept_out += tick->ticks;
		return;
	}
	s->due_ns = tick->due_ns;
	s->expects = !t->plan.idle;
	s->noted = tick->noted;
	if (!resting_search(&with->atrest, with->roster, s)) {
		roster_search(with->roster, s);
		resting_read(&with->atrest, s);
	}
	if (s->moved > CROWD)
		t->plan.crowded = true;
	t->plan.idle = s->seat ? 0 : t->plan.idle + 1;
	if (s->seat)
		slot = prepare_sample(with, s, &with->figures);
	roster_unlock(with->roster);
	if (!slot)
		return;
	if (!t->realtime && woke - tick->due_ns > PROMPT_NS)
		slot->late = true;
	slot->weight = tick->stands_for * s->weight * BUDGET_ONE * BUDGET_ONE / s->part;
	slot->looked_ns = tick->due_ns;
	slot->woke_ns = woke;
	t->expected++;
	if (slot->at_rest)
		resting_copy(&with->atrest, t->cpu, t->copiers, slot);
	if (slot->left_alone || slot->taken || slot->at_rest)
		give_back(t, slot);
	else
		ticker_request(t, slot);
}

static void bind(struct ticker *t)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(t->cpu, &set);
	copiers_bind(t->copiers, t->cpu);
	t->has_cpu = t->cpu < CPU_SETSIZE && !sched_setaffinity(0, sizeof(set), &set);
	t->realtime = has_realtime_class(0);
}

static void make_tick(struct ticker *t)
{
	struct ticker_figures *f = &t->with->figures;
	const struct planned *tick = tickplan_next(&t->plan);
	uint64_t late = monotonic_ns() - tick->due_ns;

	f->due += tick->due;
	f->withheld += tick->withheld;
	t->sought.bound = sched_getcpu() == (int)t->cpu;
	if (!t->sought.bound)
		bind(t); /* the CPU was taken away, and may be there again */
	if (t->with->pace.pause)
		return;
	if (late > LATE_NS) {
		f->late += tick->ticks;
		return;
	}
	f->ticks += tick->ticks;
	f->parts += tick->ticks * t->with->roster->part;
	ticker_search(t);
}

/* A moment before the tick of another CPU. On its own CPU it would do harm: our going to sleep
 * makes the kernel choose anew which thread runs there, and one that has just been woken is
 * preferred. It does some harm here, too: what it displaces may not come to the other CPU in time
 * (a ring of eight threads had 40 % of its samples too few). So only crowds are noted, which take
 * more time than that to judge. */
static void ticker_note(struct ticker *t, struct tickplan *of, struct planned *tick,
			uint64_t note_ns)
{
	uint64_t from = monotonic_ns(), due_ns = tick->due_ns;

	if (!atomic_compare_exchange_strong(&tick->note_ns, &note_ns, 0) || from >= due_ns ||
	    !roster_try(t->with->roster))
		return;
	of->crowded = roster_note(t->with->roster) > CROWD;
	roster_unlock(t->with->roster);
	of->note_took_ns = monotonic_ns() - from;
	if (tick->due_ns == due_ns) /* else it has passed, and this is another one */
		tick->noted = true;
}

/* Does what is due. False: nothing is. */
static bool ticker_tick(struct ticker *t)
{
	uint64_t now = monotonic_ns(), note_ns;
	struct planned *of_other = tickplan_to_note(t->notes_for, &note_ns);

	if (now >= tickplan_next(&t->plan)->due_ns) {
		make_tick(t);
		tickplan_advance(&t->plan, &t->with->pace, &t->sought.random);
		return true;
	}
	if (!of_other || now < note_ns)
		return false;
	ticker_note(t, t->notes_for, of_other, note_ns);
	return true;
}

static uint64_t next_ns(struct ticker *t)
{
	uint64_t note_ns, due_ns = tickplan_next(&t->plan)->due_ns;

	tickplan_to_note(t->notes_for, &note_ns);
	return note_ns < due_ns ? note_ns : due_ns;
}

/* Sleeps until the tick, a request of the round's thread, or the end. */
static void sleep_until_tick(struct ticker *t)
{
	struct pollfd asked = { .fd = t->asked_fd, .events = POLLIN };
	uint64_t now = monotonic_ns(), next = next_ns(t);
	struct timespec left = to_timespec(next > now ? next - now : 0);
	eventfd_t count;

	watchdog_rests(t->with->watchdog, t->cpu % WATCH_POSTS, tickplan_next(&t->plan)->due_ns);
	if (slotring_is_empty(&t->asked) && !t->with->pace.quit &&
	    ppoll(&asked, 1, &left, NULL) > 0)
		eventfd_read(t->asked_fd, &count);
}

/* Sets the ticker's class again, after the watchdog has changed it because it got no CPU. */
static void take_own_class(const struct ticker *t)
{
	if (!watchdog_has_boosted(t->with->watchdog, t->cpu % WATCH_POSTS))
		return;
	set_priority(PRIORITY_ORDINARY);
	set_priority(PRIORITY_HOLDING);
}

static void ticker_run(struct ticker *t)
{
	while (!t->with->pace.quit && !tracer_wants_baton(t->tracer)) {
		take_own_class(t);
		ask_all(t);
		if (ticker_tick(t))
			continue;
		t->sleeps_in_wait = tracer_outstanding(t->tracer) > 0;
		if (t->sleeps_in_wait) {
			tracer_wake_at(t->tracer, next_ns(t));
			ticker_serve(t);
		} else {
			sleep_until_tick(t);
		}
	}
	t->sleeps_in_wait = false;
	t->with->figures.repaired += tracer_repairs(t->tracer);
}

static void *ticker_thread(void *arg)
{
	struct ticker *t = arg;

	t->tid = (pid_t)syscall(SYS_gettid);
	prctl(PR_SET_TIMERSLACK, 1);
	set_priority(PRIORITY_PROMPT); /* the best that can be had without the right to the next */
	set_priority(PRIORITY_HOLDING);
	bind(t);
	t->sought.own_sched_fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	if (!tracer_new(&t->tracer, slot_fill, NULL, &t->error)) {
		tracer_watched_by(t->tracer, t->with->watchdog, t->cpu % WATCH_POSTS);
		tracer_copies_by(t->tracer, t->copiers, 0);
		tracer_copies_itself(t->tracer, slot_comes_back);
		ticker_run(t);
		tracer_free(t->tracer);
	}
	descriptor_close(&t->sought.own_sched_fd);
	t->cpu_ns += thread_cpu_ns();
	t->ended = true;
	eventfd_write(t->with->back_fd, 1);
	return NULL;
}

/* The round's thread. */

static int start_thread(struct ticker *t)
{
	int rc;

	t->ended = false;
	t->sleeps_in_wait = false;
	t->tid = 0;
	rc = pthread_create(&t->thread, NULL, ticker_thread, t);
	if (rc) {
		t->thread = 0;
		t->ended = true; /* else only the thread sets it, which may have ended already */
	}
	return rc;
}

int ticker_start(struct ticker **out, struct ticking *with, unsigned cpu, struct error *err)
{
	struct ticker *t = calloc(1, sizeof(*t));

	if (!t)
		return error_nomem(err);
	t->with = with;
	t->cpu = cpu;
	t->sought.cpu = (int)cpu;
	t->realtime = t->has_cpu = true;
	if (getrandom(&t->sought.random, sizeof(t->sought.random), 0) < 0 || !t->sought.random)
		t->sought.random = monotonic_ns() | 1;
	tickplan_start(&t->plan, &with->pace, &t->sought.random);
	t->asked_fd = eventfd(0, EFD_CLOEXEC);
	if (copiers_new(&t->copiers, &slot_loss, err)) {
		ticker_free(t);
		return ERR_NOMEM;
	}
	if (t->asked_fd < 0 || (errno = start_thread(t))) {
		error_errno(err, ERR_IO, "cannot start a thread");
		ticker_free(t);
		return ERR_IO;
	}
	*out = t;
	return 0;
}

/* The thread, if there was one, has ended or is about to. If it has ended to release parked
 * threads, its last word to the watchdog was that these are held. */
static void bury(struct ticker *t)
{
	if (!t->thread)
		return;
	tracer_join(t->thread, t->tid);
	t->thread = 0;
	watchdog_none_held(t->with->watchdog, t->cpu % WATCH_POSTS);
}

static void ticker_wake(struct ticker *t)
{
	eventfd_write(t->asked_fd, 1);
	if (t->sleeps_in_wait)
		waker_wake(t->tid);
}

/* A thread of the same real-time priority may never leave the CPU that it is bound to. */
static void free_from_its_cpu(const struct ticker *t)
{
	struct sched_param most = { .sched_priority = sched_get_priority_max(SCHED_FIFO) };
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(t->tid, sizeof(all), &all);
	sched_setscheduler(t->tid, SCHED_FIFO, &most);
}

void ticker_join(struct ticker *t)
{
	static const struct timespec moment = { 0, JOIN_NS };

	if (!t->thread)
		return;
	ticker_wake(t);
	for (unsigned i = 1; !t->ended; i++) {
		nanosleep(&moment, NULL);
		if (i % JOIN_PATIENCE == 0 && t->tid)
			free_from_its_cpu(t);
	}
	bury(t);
}

void ticker_free(struct ticker *t)
{
	if (!t)
		return;
	ticker_join(t);
	if (t->copiers) { /* one that is late, but in no sleep that lasts, is back soon */
		copiers_await(t->copiers, STUCK_NS);
		copiers_free(t->copiers);
	}
	descriptor_close(&t->asked_fd);
	free(t);
}

void ticker_set_neighbour(struct ticker *t, struct ticker *neighbour)
{
	if (neighbour)
		neighbour->notes_for = &t->plan;
}

int ticker_keep(struct ticker *t)
{
	if (!t->ended)
		return 0;
	bury(t);
	return t->error.code || start_thread(t) ? ERR_IO : 0;
}

bool ticker_ask(struct ticker *t, struct slot *slot)
{
	if (t->ended || slotring_is_full(&t->asked))
		return false;
	t->expected++;
	slotring_put(&t->asked, slot);
	ticker_wake(t);
	return true;
}

uint64_t ticker_cpu_ns(const struct ticker *t)
{
	uint64_t ns = t->cpu_ns + copiers_cpu_ns(t->copiers);
	clockid_t clock;

	if (t->thread && !t->ended && !pthread_getcpuclockid(t->thread, &clock))
		ns += clock_ns(clock);
	return ns;
}

bool ticker_is_realtime(const struct ticker *t)
{
	return t->realtime;
}

bool ticker_has_cpu(const struct ticker *t)
{
	return t->has_cpu;
}

unsigned ticker_expected(const struct ticker *t)
{
	return t->expected;
}

bool ticker_reaped(const struct ticker *t, pid_t pid, int *status)
{
	if (t->reaped != pid)
		return false;
	*status = t->reaped_status;
	return true;
}
