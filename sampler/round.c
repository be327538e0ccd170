/*
 * The tick: look at all threads, ask those that are running, serve them as they
 * stop, and when all are on their way again, unwind.
 *
 * Nothing is unwound while a thread is held or about to stop: a stack waits in
 * its slot, the thread does not wait for us.
 *
 * Ticks stand on a grid of 1/rate with a random offset of up to a quarter each
 * way, so that the rate is exact and lockstep with the target impossible.
 */
#include "sampler/round.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "sampler/clock.h"
#include "sampler/stop.h"
#include "sampler/threads.h"
#include "target/modmap.h"
#include "unwind/unwinder.h"

enum {
	STACK_FIRST = 16 << 10, /* bytes copied of a thread never seen */
	SAME_MOMENT_NS = 20000, /* our own account may have been brought up to date since */
	SERVE_NS = 10000000,	/* how long a tick waits for those it asked */
};

int round_init(struct round *r, pid_t pid, unsigned rate, struct error *err)
{
	int rc;

	memset(r, 0, sizeof(*r));
	r->process = (struct process){ .proc_fd = -1, .pid_fd = -1, .root_fd = -1 };
	r->maps_fd = r->stop_fd = r->child_status = -1;
	r->rate = rate;
	pthread_mutex_init(&r->lock, NULL);
	r->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->stop_fd < 0)
		return error_errno(err, ERR_IO, "cannot make an eventfd");
	if (getrandom(&r->random, sizeof(r->random), 0) < 0 || !r->random)
		r->random = monotonic_ns() | 1;
	rc = process_open(&r->process, pid, err);
	if (rc)
		return rc;
	for (int i = 0; i < SLOTS; i++)
		if (snapshot_init(&r->slots[i].snapshot, STACK_FIRST + 256))
			return error_set(err, ERR_NOMEM, "out of memory");
	if (modmap_new(&r->maps, &r->process) || unwinder_new(&r->unwinder))
		return error_set(err, ERR_NOMEM, "out of memory");
	return 0;
}

void round_release(struct round *r)
{
	for (int i = 0; i < SLOTS; i++)
		snapshot_release(&r->slots[i].snapshot);
	stackset_release(&r->stacks);
	stack_release(&r->walk);
	free(r->walks_in);
	threads_free(r->threads);
	unwinder_free(r->unwinder);
	modmap_free(r->maps);
	process_close(&r->process);
	if (r->maps_fd >= 0)
		close(r->maps_fd);
	if (r->stop_fd >= 0)
		close(r->stop_fd);
	pthread_mutex_destroy(&r->lock);
}

int round_start(struct round *r, uint64_t duration_ns, struct error *err)
{
	int rc = modmap_refresh(r->maps, err);

	if (!rc)
		rc = threads_new(&r->threads, &r->process, err);
	if (rc)
		return rc;
	r->maps_fd = process_openat(&r->process, "maps", O_RDONLY);
	if (process_cpu_ns(&r->process, &r->cpu_start_ns))
		return error_set(err, ERR_GONE, "process %d has ended", r->process.pid);
	r->start_real_ns = clock_ns(CLOCK_REALTIME);
	r->start_ns = r->next_tick_ns = r->maps_read_ns = monotonic_ns();
	r->end_ns = duration_ns ? r->start_ns + duration_ns : 0;
	return 0;
}

static uint64_t next_random(struct round *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return r->random;
}

/* Sets the time of the next tick; ticks that are over already are left out. */
static void plan_tick(struct round *r, uint64_t now)
{
	uint64_t period = NS_PER_S / r->rate;
	uint64_t due = (now - r->start_ns) / period;

	r->tick = r->tick + 1 > due ? r->tick + 1 : due;
	r->next_tick_ns = r->start_ns + r->tick * period + next_random(r) % (period / 2) - period / 4;
}

static struct slot *free_slot(struct round *r)
{
	for (int i = 0; i < SLOTS; i++)
		if (!r->slots[i].busy)
			return &r->slots[i];
	return NULL;
}

/*
 * Was the thread on a CPU when the tick came? It says R at the look, but may only
 * be waiting for a CPU, having been woken or put off; to count it would charge the
 * end of every wait with CPU time.
 *
 * A thread on our own CPU is not running now: we are. If it was, it is we who took
 * the CPU from it, and it left at the moment at which we came; then it stands
 * where it was at the tick. (On a machine whose CPUs are all busy nearly every
 * tick comes this way.) Both moments are in the kernel's account of the run queue.
 * Where the kernel does not tell them, nothing on our CPU is counted.
 */
static bool we_took_its_cpu(const struct round *r, struct thread *thread)
{
	uint64_t left = thread_left_cpu_ns(r->threads, thread);

	return left && left + SAME_MOMENT_NS >= r->got_cpu_ns;
}

/* The thread is held: copy and get out. One that was on another CPU and has had to
 * wait for it since the look was not running at the look. */
static bool take(void *owner, void *cookie, pid_t tid, const struct user_regs_struct *regs)
{
	struct round *r = owner;
	struct slot *slot = cookie;
	size_t count;
	struct thread *thread = &threads_get(r->threads, &count)[slot->thread];

	if (thread->cpu != r->tick_cpu && thread_waited_ns(r->threads, thread))
		return false;
	snapshot_take(&slot->snapshot, tid, regs,
		      thread->stack_want ? thread->stack_want : STACK_FIRST, thread->stack_top);
	slot->taken = true;
	return true;
}

static void note_stop(struct round *r, const struct stop *stop)
{
	struct slot *slot = stop->cookie;
	struct recording_stats *s = &r->stats;

	pthread_mutex_lock(&r->lock);
	if (stop->held_ns)
		heldtime_add(&s->held, stop->held_ns);
	s->waiting += stop->outcome == STOP_WAITING;
	s->signalled += stop->outcome == STOP_SIGNALLED;
	pthread_mutex_unlock(&r->lock);
	if (stop->outcome == STOP_GONE && stop->tid == r->process.pid) {
		r->child_status = stop->exit_status;
		r->child_reaped = true;
	}
	if (slot && !slot->taken)
		slot->busy = false;
}

/* Serves whoever stops until nobody asked lately is left, at most until the
 * given time. */
static void serve(struct round *r, struct tracer *t, uint64_t until)
{
	struct stop stop;
	uint64_t now;

	while (tracer_recent(t, now = monotonic_ns()) && now < until)
		if (tracer_next(t, until, &stop))
			note_stop(r, &stop);
}

/* Asks one thread. When enough are out, somebody is served first. */
static void ask(struct round *r, struct tracer *t, uint32_t index)
{
	size_t count;
	struct thread *thread = &threads_get(r->threads, &count)[index];
	struct slot *slot = free_slot(r);
	struct stop stop;
	int rc = ERR_LIMIT;

	if (!slot || snapshot_reserve(&slot->snapshot, thread->stack_want + 256)) {
		r->stats.late++;
		return;
	}
	slot->busy = true;
	slot->taken = false;
	slot->thread = index;
	for (int i = 0; i < 2 && rc == ERR_LIMIT; i++) {
		rc = tracer_ask(t, thread->tid, slot);
		if (rc == ERR_LIMIT && tracer_next(t, monotonic_ns() + SERVE_NS, &stop))
			note_stop(r, &stop);
	}
	if (rc) {
		slot->busy = false;
		r->stats.late += rc == ERR_LIMIT;
	}
}

static int look_at_all(struct round *r, struct tracer *t)
{
	size_t count;
	int rc = threads_refresh(r->threads, &r->error);

	if (rc)
		return rc;
	threads_get(r->threads, &count);
	for (size_t i = 0; i < count; i++) {
		struct thread *thread = &threads_get(r->threads, &count)[i];

		if (!thread_look(r->threads, thread))
			continue;
		if (thread->cpu == r->tick_cpu && !we_took_its_cpu(r, thread)) {
			r->stats.waiting++;
			continue;
		}
		if (!free_slot(r) && (rc = round_unwind(r)))
			return rc;
		ask(r, t, (uint32_t)i);
	}
	return 0;
}

static void publish(struct round *r)
{
	struct recording_stats *s = &r->stats;
	uint64_t cpu_ns, now = monotonic_ns();
	size_t seen;

	threads_get(r->threads, &seen);
	pthread_mutex_lock(&r->lock);
	s->elapsed_ns = now - r->start_ns;
	s->ticks_due = s->elapsed_ns * r->rate / NS_PER_S + 1;
	s->threads_alive = threads_alive(r->threads);
	s->threads_seen = seen;
	s->stacks = r->stacks.count;
	if (process_cpu_ns(&r->process, &cpu_ns) == 0 && cpu_ns >= r->cpu_start_ns)
		s->target_cpu_ns = cpu_ns - r->cpu_start_ns;
	pthread_mutex_unlock(&r->lock);
}

static void end_with(struct round *r, enum recording_end end)
{
	if (r->end == RECORDING_RUNNING)
		r->end = end;
}

/*
 * Ticks must come on time. A thread of ordinary priority gets a busy CPU when
 * somebody leaves it, which is the very moment at which that one is not running:
 * on an overloaded machine it would look when there is little to see, and might
 * lose the CPU while it holds a thread. So ticks run as the lowest of the
 * real-time priorities where that is permitted, and unwinding, which can take
 * milliseconds when it meets a large library, does not. (With 11 runnable threads
 * on two cores redis was caught 175 times of 199 expected, and 15 to 116 times
 * without.)
 */
static void set_urgent(bool urgent)
{
	struct sched_param param = { .sched_priority = urgent };

	sched_setscheduler(0, urgent ? SCHED_FIFO : SCHED_OTHER, &param);
}

static void tick(struct round *r, struct tracer *t)
{
	int rc;

	r->got_cpu_ns = own_got_cpu_ns(r->own_sched_fd);
	r->tick_cpu = sched_getcpu();
	rc = look_at_all(r, t);
	if (!rc) {
		serve(r, t, monotonic_ns() + SERVE_NS);
		set_urgent(false);
		rc = round_unwind(r);
		set_urgent(true);
	}
	r->stats.ticks++;
	publish(r);
	if (rc == ERR_GONE)
		end_with(r, RECORDING_EXITED);
	else if (rc)
		end_with(r, RECORDING_LOST);
}

/* Sleeps until the tick, the target's end or the wish to stop. */
static void sleep_until(struct round *r, uint64_t until)
{
	struct pollfd pf[2] = { { .fd = r->stop_fd, .events = POLLIN },
				{ .fd = r->process.pid_fd, .events = POLLIN } };
	uint64_t now = monotonic_ns();
	struct timespec ts = to_timespec(until > now ? until - now : 0);

	if (ppoll(pf, 2, &ts, NULL) <= 0)
		return;
	if (pf[0].revents)
		end_with(r, RECORDING_STOPPED);
	else if (pf[1].revents)
		end_with(r, RECORDING_EXITED);
}

/* Between ticks: threads that were asked and have not stopped yet (they sleep in
 * the kernel, or wait for a CPU) are served as soon as they do. */
static void wait_for_tick(struct round *r, struct tracer *t)
{
	uint64_t until = r->next_tick_ns;
	struct stop stop;

	if (r->end_ns && until > r->end_ns)
		until = r->end_ns;
	while (tracer_outstanding(t) && !tracer_wants_baton(t) && monotonic_ns() < until)
		if (tracer_next(t, until, &stop))
			note_stop(r, &stop);
	if (!tracer_wants_baton(t))
		sleep_until(r, until);
	if (r->end_ns && monotonic_ns() >= r->end_ns)
		end_with(r, RECORDING_TIME_UP);
}

static void collect_repairs(struct round *r, const struct tracer *t)
{
	uint64_t repaired, undone;

	tracer_repairs(t, &repaired, &undone);
	pthread_mutex_lock(&r->lock);
	r->stats.repaired += repaired;
	r->stats.undone += undone;
	pthread_mutex_unlock(&r->lock);
}

void round_sample(struct round *r)
{
	struct tracer *t;

	prctl(PR_SET_TIMERSLACK, 1);
	set_urgent(true);
	r->own_sched_fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	if (tracer_new(&t, take, r, &r->error)) {
		end_with(r, RECORDING_LOST);
		return;
	}
	while (r->end == RECORDING_RUNNING && !tracer_wants_baton(t)) {
		wait_for_tick(r, t);
		if (r->end == RECORDING_RUNNING && monotonic_ns() >= r->next_tick_ns) {
			tick(r, t);
			plan_tick(r, monotonic_ns());
		}
	}
	serve(r, t, monotonic_ns() + 10 * SERVE_NS);
	if (round_unwind(r))
		end_with(r, RECORDING_LOST);
	for (int i = 0; i < SLOTS; i++)
		r->slots[i].busy = false;
	collect_repairs(r, t);
	tracer_free(t);
	if (r->own_sched_fd >= 0)
		close(r->own_sched_fd);
}

void round_finish(struct round *r)
{
	size_t count = 0;
	struct thread *threads = threads_get(r->threads, &count);

	for (size_t i = 0; i < count; i++)
		thread_look(r->threads, &threads[i]);
	publish(r);
	if (r->stats.ticks_due < r->stats.ticks)
		r->stats.ticks_due = r->stats.ticks;
}
