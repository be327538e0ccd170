/*
 * A tick's looks: which threads deserve a sample, and how it is had.
 *
 *   ask     those that are on a CPU (with wall time: or wait for one) are asked to
 *           stop
 *   serve   they are copied as they stop
 *   glance  with wall time: threads that wait in the kernel are read without being
 *           stopped, after all the others are on their way again
 *
 * A glance: the kernel tells pc and sp of a thread that waits (/proc/…/syscall), its
 * stack can be read at any time, and if the number of times that it was put on a CPU
 * is the same before and after, it stood still in between. Most code can be unwound
 * from pc and sp alone. Where a rule wants another register, the thread is stopped,
 * once in each wait, and what the stop has cut short is repaired (stop.c). A thread
 * in state D cannot stop and is never asked; what the glance gave must do.
 *
 * A thread that has not run since its last sample still stands there, and is not even
 * glanced at. Such threads are looked at more and more seldom, so that all looks
 * together take no more than a fiftieth of a CPU however many threads there are; a
 * few hundred are looked at with every tick.
 */
#include <stdlib.h>
#include <string.h>

#include "sampler/clock.h"
#include "sampler/member.h"
#include "sampler/round.h"
#include "sampler/stop.h"
#include "sampler/threads.h"
#include "sampler/waits.h"
#include "sampler/walltime.h"

enum {
	STACK_FIRST = 16 << 10, /* bytes copied of a thread never seen */
	SAME_MOMENT_NS = 20000, /* our own account may have been brought up to date since */
	SERVE_NS = 1000000,	/* how long a tick waits for those it asked */
	LOOK_COST_NS = 200000,	/* fifty times what a look costs, its caches cold */
	ACCOUNTED_NS = 20000000, /* the kernel's tick has come twice by then */
	BACK_OFF_NS = 2000000000,
	RECENT_PERIODS = 3, /* of a wait, seen in one look and stopped in the next */
	RESTART_SYSCALL = 219,	/* what a timed wait becomes when it was interrupted */
	OWN_SLICES = 5,		/* a stop of ours puts the thread on a CPU so often at most */
	COUNT_TICKS = 16,	/* how often threads without a stack are counted */
	FIRST_GLANCES = 4,	/* of threads not seen before, in a tick, at least */
};

static const double PAUSE_BURST_NS = 1e6; /* so much may always be held */

static struct thread *thread_of(const struct round *r, const struct slot *slot)
{
	struct threads *threads = r->members[slot->context.member]->threads;
	size_t count;

	return &threads_get(threads, &count)[slot->context.thread];
}

static struct slot *free_slot(struct round *r)
{
	for (int i = 0; i < SLOTS; i++)
		if (!r->slots[i].busy)
			return &r->slots[i];
	return NULL;
}

static struct slot *take_slot(struct round *r, const struct member *m,
			      const struct thread *thread, enum thread_state state)
{
	struct slot *slot = free_slot(r);

	if (!slot || snapshot_reserve(&slot->snapshot, thread->stack_want + 256)) {
		r->stats.late++;
		return NULL;
	}
	slot->busy = true;
	slot->taken = slot->glanced = false;
	slot->kernel.len = 0;
	slot->other_cpu = thread->cpu != r->tick_cpu;
	slot->context = (struct stack_context){ m->index, thread->index, state, -1 };
	slot->waited_ns = UINT64_MAX; /* until round_take finds out */
	slot->looked_ns = thread->alive_ns;
	return slot;
}

static size_t bytes_wanted(const struct thread *thread)
{
	return thread->stack_want ? thread->stack_want : STACK_FIRST;
}

/* Ask. */

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
static bool we_took_its_cpu(const struct round *r, const struct member *m, struct thread *thread)
{
	uint64_t left = thread_left_cpu_ns(m->threads, thread);

	return left && left + SAME_MOMENT_NS >= r->got_cpu_ns;
}

static struct call call_of(const struct user_regs_struct *regs)
{
	return (struct call){ .number = (int64_t)regs->orig_rax,
			      .args = { regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8,
					regs->r9 },
			      .sp = regs->rsp, .pc = regs->rip };
}

/* The thread is held: copy and get out. One that was on another CPU and has had to
 * wait for it since the look was not running at the look. */
bool round_take(void *round, void *cookie, pid_t tid, const struct user_regs_struct *regs)
{
	struct round *r = round;
	struct slot *slot = cookie;
	struct thread *thread = thread_of(r, slot);
	struct schedstat now;

	if (!thread_counters(r->members[slot->context.member]->threads, thread, &now))
		return false;
	slot->waited_ns = now.wait_ns - thread->wait_ns;
	slot->slices = now.slices;
	if (stop_cut_a_wait(regs)) {
		slot->call = call_of(regs);
		slot->context.state = THREAD_BLOCKED;
		slot->context.syscall = (int32_t)slot->call.number;
	} else if (slot->other_cpu && slot->waited_ns) {
		slot->context.state = THREAD_RUNNABLE;
	}
	if (!r->wall && slot->context.state != THREAD_RUNNING)
		return false;
	snapshot_take(&slot->snapshot, tid, regs, bytes_wanted(thread), thread->stack_top);
	slot->taken = true;
	return true;
}

/* A thread was held from asking to letting go at most, less what it waited for a CPU,
 * which is not our doing (some of it may have been before we asked), and since we
 * learnt of the stop at least. */
static void note_held(struct round *r, const struct stop *stop)
{
	const struct slot *slot = stop->cookie;
	uint64_t held = stop->held_ns;

	if (!held || !slot)
		return;
	held -= slot->waited_ns < held ? slot->waited_ns : held;
	held = held > stop->served_ns ? held : stop->served_ns;
	thread_of(r, slot)->held_ns += held;
	heldtime_add(&r->stats.held, held);
}

static void note_stop(struct round *r, const struct stop *stop)
{
	struct slot *slot = stop->cookie;
	struct recording_stats *s = &r->stats;

	pthread_mutex_lock(&r->lock);
	note_held(r, stop);
	s->waiting += stop->outcome == STOP_REFUSED;
	s->signalled += stop->outcome == STOP_SIGNALLED;
	s->overdue += stop->outcome == STOP_OVERDUE;
	pthread_mutex_unlock(&r->lock);
	if (stop->outcome == STOP_GONE && stop->tid == r->members[0]->process.pid) {
		r->child_status = stop->exit_status;
		r->child_reaped = true;
	}
	if (slot && !slot->taken)
		slot->busy = false;
}

void round_serve_until(struct round *r, uint64_t until)
{
	struct stop stop;
	uint64_t now;

	while (tracer_recent(r->tracer, now = monotonic_ns()) && now < until)
		if (tracer_next(r->tracer, until, &stop))
			note_stop(r, &stop);
}

void round_serve_next(struct round *r, uint64_t until)
{
	struct stop stop;

	if (tracer_next(r->tracer, until, &stop))
		note_stop(r, &stop);
}

void round_serve(struct round *r)
{
	struct stop stop;

	while (tracer_outstanding(r->tracer) && tracer_poll(r->tracer, &stop))
		note_stop(r, &stop);
}

static bool over_budget(struct round *r, const struct thread *thread)
{
	double allowed = r->pause_share * (double)(int64_t)(r->tick_ns - thread->seen_ns);

	if ((double)thread->held_ns <= allowed + PAUSE_BURST_NS)
		return false;
	r->stats.spared++;
	return true;
}

/* When enough are out, somebody is served first. */
static void ask(struct round *r, const struct member *m, struct thread *thread,
		enum thread_state state)
{
	bool at_once = state != THREAD_RUNNABLE && r->asked < r->cpus;
	struct slot *slot;
	int rc;

	if (over_budget(r, thread) || !(slot = take_slot(r, m, thread, state)))
		return;
	if (thread->must_stop) /* once it has stopped it stands elsewhere */
		kernelstack_read(&r->kernel, m, thread->tid, &slot->kernel);
	rc = tracer_ask(r->tracer, thread->tid, slot, at_once);
	if (rc == ERR_LIMIT && at_once) {
		round_serve_next(r, monotonic_ns() + SERVE_NS);
		rc = tracer_ask(r->tracer, thread->tid, slot, at_once);
	}
	r->asked += !rc;
	if (rc) {
		slot->busy = false;
		r->stats.late += rc == ERR_LIMIT && at_once;
	}
}

static void met_waiting(struct round *r, const struct member *m, struct thread *thread)
{
	r->stats.waiting++;
	if (r->wall)
		ask(r, m, thread, THREAD_RUNNABLE);
}

/*
 * More runnable threads than CPUs: most of them wait, and to ask those would cost them
 * a stop that gives no CPU sample. On each CPU the one that was put there, or was
 * accounted on it, last is the one that is there. One that has not moved for so long
 * that the kernel's tick would have accounted it is not.
 */
static void compete(struct round *r, struct member *m, struct thread *thread)
{
	struct runner *best = &r->runners[thread->cpu], me = { m, thread->index, 0 };
	size_t count;

	if (thread->alive_ns - thread->moved_ns < ACCOUNTED_NS)
		me.since = thread_left_cpu_ns(m->threads, thread);
	if (!me.since) /* the kernel does not tell */
		me.since = thread->moved;
	if (!me.since || me.since < best->since) {
		met_waiting(r, m, thread);
		return;
	}
	if (best->member)
		met_waiting(r, best->member,
			    &threads_get(best->member->threads, &count)[best->thread]);
	*best = me;
}

/* The threads that the competition has left. */
static void ask_runners(struct round *r)
{
	size_t count;

	for (size_t i = 0; i < r->runner_room; i++) {
		struct runner *best = &r->runners[i];

		if (best->member)
			ask(r, best->member,
			    &threads_get(best->member->threads, &count)[best->thread],
			    THREAD_RUNNING);
		best->member = NULL;
		best->since = 0;
	}
}

/* One that has not moved since the last look was not on our CPU just now: its being
 * put off would have been accounted. */
static void look_at_runnable(struct round *r, struct member *m, struct thread *thread)
{
	bool contended = r->runnable_before > r->cpus;

	r->runnable++;
	if (thread->cpu == r->tick_cpu) {
		if (thread->moved && we_took_its_cpu(r, m, thread))
			ask(r, m, thread, THREAD_RUNNING);
		else
			met_waiting(r, m, thread);
	} else if (contended && thread->cpu >= 0 && (size_t)thread->cpu < r->runner_room) {
		compete(r, m, thread);
	} else {
		ask(r, m, thread, THREAD_RUNNING);
	}
}

/* Glance. */

static int want_glance(struct round *r, const struct member *m, const struct thread *thread)
{
	if (r->glance_count == r->glance_room) {
		size_t room = r->glance_room ? r->glance_room * 2 : 64;
		struct stack_context *more = realloc(r->to_glance, room * sizeof(*more));

		if (!more)
			return error_set(&r->error, ERR_NOMEM, "out of memory");
		r->to_glance = more;
		r->glance_room = room;
	}
	r->to_glance[r->glance_count++] =
		(struct stack_context){ .member = m->index, .thread = thread->index };
	return 0;
}

/* Is it still in the call in which we stopped it last? Our stop has put it on a CPU,
 * too, and may have made the kernel restart its wait under another number. */
static bool in_same_call(const struct member *m, struct thread *thread)
{
	const struct call *then = &thread->call;
	struct call now;

	return thread->stopped_slices && thread->slices - thread->stopped_slices <= OWN_SLICES &&
	       thread_read_call(m->threads, thread, &now) && now.sp == then->sp &&
	       now.pc == then->pc && !memcmp(now.args, then->args, sizeof(now.args)) &&
	       (now.number == then->number || now.number == RESTART_SYSCALL);
}

/* A timeout that begins anew must have begun only just now. */
bool round_may_interrupt(const struct round *r, const struct member *m,
			 const struct thread *thread, const struct call *call)
{
	uint64_t recent = RECENT_PERIODS * NS_PER_S / r->rate;

	switch (wait_kind(call, m->process.pid_fd)) {
	case WAIT_BEARS:
		return true;
	case WAIT_BEGINS_ANEW:
		return thread->waits_from && r->tick_ns < thread->waits_from + recent;
	default:
		return false;
	}
}

/* It may wait in another call by now, or for too long. */
static bool may_still_interrupt(const struct round *r, const struct member *m,
				struct thread *thread)
{
	struct call now;

	return thread_read_call(m->threads, thread, &now) &&
	       round_may_interrupt(r, m, thread, &now);
}

static int look_at_waiting(struct round *r, const struct member *m, struct thread *thread,
			   bool moved)
{
	if (thread->state == 't' && tracer_has(r->tracer, thread->tid))
		return 0; /* it is we who hold it: its stop is about to be served */
	if (moved && thread->fresh)
		thread->fresh = in_same_call(m, thread);
	if (thread->fresh) {
		walltime_account(r, thread, thread->alive_ns);
		return 0;
	}
	if (moved)
		thread->must_stop = false;
	if (thread->must_stop && may_still_interrupt(r, m, thread)) {
		ask(r, m, thread, THREAD_RUNNABLE);
		return 0;
	}
	if (thread->stack == NO_STACK) {
		if (!r->first_glances)
			return 0;
		r->first_glances--;
	}
	return want_glance(r, m, thread);
}

static void glance(struct round *r, const struct member *m, struct thread *thread)
{
	struct slot *slot = take_slot(r, m, thread, THREAD_BLOCKED);
	struct schedstat before, after;

	if (!slot)
		return;
	slot->busy = false;
	if (!thread_counters(m->threads, thread, &before) ||
	    !thread_read_call(m->threads, thread, &slot->call))
		return;
	snapshot_glance(&slot->snapshot, thread->tid, slot->call.pc, slot->call.sp,
			bytes_wanted(thread), thread->stack_top);
	kernelstack_read(&r->kernel, m, thread->tid, &slot->kernel);
	if (!thread_counters(m->threads, thread, &after) || after.slices != before.slices)
		return;
	if (thread->state == 'T' || thread->state == 't')
		slot->context.state = THREAD_STOPPED;
	else
		slot->context.syscall = (int32_t)slot->call.number;
	thread->slices = slot->slices = after.slices;
	slot->busy = slot->taken = slot->glanced = true;
}

static int glance_all(struct round *r)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < r->glance_count; i++) {
		const struct stack_context *c = &r->to_glance[i];
		struct member *m = r->members[c->member];
		size_t count;

		if (!free_slot(r))
			rc = round_unwind(r);
		if (!rc)
			glance(r, m, &threads_get(m->threads, &count)[c->thread]);
		round_serve(r);
	}
	return rc;
}

/* The looks. */

/* Not all at the same tick: somewhere in the second half of the time. */
static void set_due(struct round *r, struct thread *thread, uint64_t *due, bool unmoved)
{
	uint64_t wait = r->back_off_ticks, half;

	thread->unmoved = unmoved ? thread->unmoved + 1 : 0;
	if (thread->unmoved < 32 && 1ull << thread->unmoved < wait)
		wait = 1ull << thread->unmoved;
	half = wait / 2;
	*due = r->tick + wait - half + (half ? round_random(r) % (half + 1) : 0);
}

/* Of a multitude that sleeps when we come, not all are looked at in the first tick. */
static bool may_wait_for_first_look(struct round *r, const struct thread *thread, uint64_t *due)
{
	if (r->tick || thread->state == 'R' || r->back_off_ticks == 1)
		return false;
	*due = round_random(r) % r->back_off_ticks;
	return *due != 0;
}

static int look_at(struct round *r, struct member *m, struct thread *thread, uint64_t *due)
{
	enum look look;

	if (may_wait_for_first_look(r, thread, due))
		return 0;
	look = thread_look(m->threads, thread);
	if (look != LOOK_ENDED)
		set_due(r, thread, due, look == LOOK_UNMOVED);
	if (look == LOOK_RUNNABLE) {
		thread->fresh = thread->must_stop = false;
		look_at_runnable(r, m, thread);
		return 0;
	}
	if (look == LOOK_ENDED || !r->wall)
		return 0;
	return look_at_waiting(r, m, thread, look == LOOK_OFF_CPU);
}

static void count_without_stack(struct round *r)
{
	r->without_stack = 0;
	for (uint32_t i = 0; i < r->member_count; i++) {
		size_t count;
		const struct thread *threads = threads_get(r->members[i]->threads, &count);

		for (size_t j = 0; j < count; j++)
			r->without_stack += threads[j].stack == NO_STACK && !threads[j].ended;
	}
}

/* All looks at idle threads together take a fiftieth of a CPU at most; threads not
 * seen before get their stack by the middle of the round. */
static void plan_looks(struct round *r)
{
	uint64_t period = NS_PER_S / r->rate, cost = 0;
	uint64_t left = r->end_ns > r->tick_ns ? (r->end_ns - r->tick_ns) / period : 30ull * r->rate;

	for (uint32_t i = 0; i < r->member_count; i++)
		cost += threads_alive(r->members[i]->threads) * LOOK_COST_NS;
	r->back_off_ticks = (cost < BACK_OFF_NS ? cost : BACK_OFF_NS) / period + 1;
	if (r->wall && r->tick % COUNT_TICKS == 0)
		count_without_stack(r);
	r->first_glances = FIRST_GLANCES + r->without_stack / (left / 2 + 1);
	r->asked = 0;
	r->runnable_before = r->runnable;
	r->runnable = 0;
	r->glance_count = 0;
}

static int look_at_member(struct round *r, struct member *m)
{
	size_t count;
	struct thread *threads = threads_get(m->threads, &count);
	uint64_t *due = threads_due(m->threads);
	int rc = 0;

	for (size_t i = 0, at = r->tick * 61 % (count + !count); !rc && i < count; i++) {
		if (due[at] <= r->tick) {
			if (!free_slot(r))
				rc = round_unwind(r);
			if (!rc)
				rc = look_at(r, m, &threads[at], &due[at]);
			round_serve(r); /* whoever has stopped does not wait for the rest */
		}
		at = at + 1 < count ? at + 1 : 0; /* not always the same ones first */
	}
	return rc;
}

/* ERR_GONE when all processes have ended. */
static int refresh_members(struct round *r)
{
	bool alive = false;

	for (uint32_t i = 0; i < r->member_count; i++) {
		struct member *m = r->members[i];
		int rc = m->ended ? ERR_GONE : threads_refresh(m->threads, &r->error);

		if (rc && rc != ERR_GONE)
			return rc;
		/* Its threads stay listed while nobody has waited for it. */
		m->ended |= rc == ERR_GONE || !process_alive(&m->process);
		alive |= !m->ended;
	}
	return alive ? 0 : ERR_GONE;
}

int round_look(struct round *r)
{
	int rc = refresh_members(r);

	if (!rc && r->children && round_find_children(r))
		rc = error_set(&r->error, ERR_NOMEM, "out of memory");
	if (rc)
		return rc;
	plan_looks(r);
	for (uint32_t i = 0; !rc && i < r->member_count; i++) {
		struct member *m = r->members[(i + r->tick) % r->member_count];

		if (!m->ended)
			rc = look_at_member(r, m);
	}
	ask_runners(r);
	round_serve_until(r, monotonic_ns() + SERVE_NS);
	return rc ? rc : glance_all(r);
}
