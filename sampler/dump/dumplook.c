/*
 * The looks of a dump: each thread in turn, until its stack has been taken.
 *
 * - A thread that waits is glanced at, as in a recording (sampler/tick/glance.c): the registers
 *   that the kernel reports and the memory are read. If the thread has not been on a CPU meanwhile,
 *   they give its stack.
 *   Where a walk lacks registers, all of them are read (sampler/atrest/atrest.h).
 * - Any other thread, or one whose registers may not be read so, is stopped (sampler/stop/stop.h)
 *   and walked before it is released. So the stack is whole however deep it is, and also where it
 *   continues on another stack (sigaltstack(2)).
 *
 * A recording copies first and walks after the thread was released, because it learns from sample
 * to sample how much there is to copy. A dump looks once, so it cannot learn that. What walks need
 * is compiled before the first stop, so a walk takes microseconds.
 *
 * Code of a managed runtime is the exception: what tells how to step over it is read from the
 * process as the walk meets it, which takes a millisecond for the first deep stack. So such a
 * thread is released first. It is held for the walk only if COPY_MANAGED was not enough.
 *
 * Rejected: copying all that is mapped above sp, which would take a millisecond where stacks lie in
 * a heap (Go); looking again where the first copy was not enough, which prefers shallow stacks (a
 * signal handler on a stack of its own was shown a third as often as it ran).
 *
 * Threads are stopped one at a time, so a thread that has stopped is served at once. Nothing is
 * printed or symbolized meanwhile.
 */
#include "sampler/dump/dumplook.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/process/modmap.h"
#include "sampler/atrest/atrest.h"
#include "sampler/child/priority.h"
#include "sampler/child/watchdog.h"
#include "runtimes/common/managed.h"
#include "runtimes/interps.h"
#include "sampler/member/member.h"
#include "sampler/stop/reader.h"
#include "sampler/stop/stop.h"
#include "sampler/thread/registers.h"
#include "sampler/thread/interruptible.h"
#include "unwind/unwinder.h"

enum {
	COPY_BYTES = 64 << 10,	  /* of a stack at once */
	COPY_MANAGED = 256 << 10, /* the same, of a thread that is walked after it was released */
	TRIES_MAX = 32,		  /* of one thread */
	PATIENCE_NS = 1500000000, /* the tracer gives up after a second */
	COPY_MOST_NS = 100000000, /* with a walk, in a stop */
	READS_MAX = 4096, /* of an interpreter's memory: nothing is known from looks before */
};

static struct member *member_of(const struct dump *d)
{
	return d->members[d->process];
}

bool dump_looked(const struct dump *d)
{
	return d->process == d->count;
}

/* Maps. */

static bool same_address_space(struct member *m)
{
	if (member_space(m) == SPACE_SAME)
		return true;
	member_read_maps(m);
	return false;
}

static int dumplook_walk(struct dump *d, const struct memory *memory)
{
	struct member *m = member_of(d);
	struct walk_from from = { &d->snapshot.regs, memory, &d->snapshot.stacks,
				  interps_walker(m->interps) };

	return unwinder_walk(d->unwinder, m->maps, &from, &d->walk);
}

/* True if the walk met something that the maps do not explain, and the maps have changed since. */
static bool maps_have_changed(struct dump *d)
{
	struct member *m = member_of(d);
	uint64_t generation = modmap_generation(m->maps);

	if (d->walk.end == STACK_OUTERMOST || d->walk.end == STACK_COPY_EXHAUSTED)
		return false;
	member_read_maps(m);
	return modmap_generation(m->maps) != generation;
}

/* Keeping. */

struct resting {
	const struct threads *threads;
	const struct thread *thread;
	uint64_t slices; /* when it was looked at */
};

static bool still_rests(const void *of)
{
	const struct resting *r = of;

	return thread_rests_since(r->threads, r->thread, r->slices);
}

/* Puts interpreted frames into the walk. Their names are read now: a code object may be freed at
 * any time. `resting`: of a thread that waits; else NULL. */
static int dumplook_merge(struct dump *d, const struct resting *resting)
{
	struct interp_context context = {
		.maps = member_of(d)->maps,
		.stack = &d->livestack.memory,
		.stands_still = resting ? still_rests : NULL,
		.of = resting,
		.names = &d->interpreted,
		.counts = d->counts,
	};

	return interps_merge(member_of(d)->interps, &d->snapshot.interp, &d->walk, &context,
			     &d->merged, &d->has_merged);
}

static int dumplook_keep_frames(struct dump *d, struct dump_thread *to)
{
	const struct stack *stack = d->has_merged ? &d->merged : &d->walk;

	to->frames = arena_alloc(&d->arena, (stack->count + 1) * sizeof(*to->frames));
	if (!to->frames)
		return ERR_NOMEM;
	for (size_t i = 0; i < stack->count; i++) {
		const struct frame *f = &stack->frames[i];

		to->frames[i] = (struct dump_frame){
			.pc = stack->pcs[i], .image = f->image, .addr = f->addr, .kind = f->kind
		};
	}
	to->count = stack->count;
	to->end = d->walk.end;
	to->walked = true;
	d->stats.ends[to->end]++;
	return 0;
}

static void dumplook_name(const struct dump *d, const struct thread *thread, struct dump_thread *to)
{
	struct managed_thread told;

	if (interps_thread(member_of(d)->interps, d->snapshot.interp.own_tid, &told) && *told.name)
		snprintf(to->name, sizeof(to->name), "%s", told.name);
	else
		snprintf(to->name, sizeof(to->name), "%s", thread->name);
}

/* Keeps the current thread as it was seen. 1: done with it; ERR_NOMEM. */
static int dumplook_keep(struct dump *d, const struct thread *thread, bool walked)
{
	struct dump_process *p = &d->processes[d->process];
	struct dump_thread *to = &p->threads[p->count];

	*to = (struct dump_thread){ .tid = thread->tid,
				    .index = thread->index,
				    .state = d->look.state,
				    .syscall = d->look.syscall };
	dumplook_name(d, thread, to);
	if (walked && dumplook_keep_frames(d, to))
		return ERR_NOMEM;
	p->count++;
	return 1;
}

/* Glances. */

/* True if the thread may be stopped to learn its registers. A wait whose timeout would begin anew
 * is left alone: a dump cannot tell that a wait has only just begun (sampler/tick/glance.c can). */
static bool may_ask(const struct dump *d, char state, const struct call *call)
{
	return state == 'S' && !d->look.ask &&
	       wait_kind(call, &member_of(d)->process) == WAIT_BEARS;
}

/* For a look at its interpreters: there will be no second one, so there is room for all. */
static int dumplook_prepare(struct dump *d, struct thread *thread)
{
	thread->runtimes.interp.plan.bytes = INTERP_BYTES_MAX;
	thread->runtimes.interp.plan.frames = INTERP_FRAMES_MAX;
	d->snapshot.interp.copy.reads_max = READS_MAX;
	if (member_place(member_of(d), thread))
		return ERR_NOMEM;
	return member_prepare_look(member_of(d), thread, &d->snapshot);
}

/* For the first walk that lacks registers: that takes 5 ms. */
static bool open_rest(struct dump *d)
{
	struct error why;

	if (d->rest_asked)
		return false;
	d->rest_asked = true;
	return !atrest_open(&d->atrest, 1, &why);
}

/* All of them, where these may be read of a thread that does not run. */
static void read_registers(struct dump *d, const struct thread *thread, const struct call *call)
{
	struct atrest_thread rest;

	if (atrest_is_open(&d->atrest) && atrest_read(&d->atrest, 0, thread->tid, &rest))
		registers_for_walk(&rest.regs, &d->snapshot.regs);
	else
		registers_of_waiting(call, &d->snapshot.regs);
}

/* 1: done; 0: the thread has run, or must be stopped; ERR_NOMEM. */
static int dumplook_glance(struct dump *d, struct thread *thread)
{
	struct member *m = member_of(d);
	struct schedstat before;
	struct resting resting;
	struct call call;
	int rc;

	if (!thread_counters(m->threads, thread, &before))
		return 1;
	if (!thread_read_call(m->threads, thread, &call)) {
		/* It runs, or the kernel does not report its call. */
		if (d->look.tries + 1 < TRIES_MAX && !d->look.ask) {
			d->look.ask = true;
			return 0;
		}
		return dumplook_keep(d, thread, false);
	}
	read_registers(d, thread, &call);
	d->snapshot.stacks.known = false; /* a Go thread's stacks are found only while it is held */
	d->livestack.spans = modmap_spans(m->maps);
	livestack_into(&d->livestack, thread->tid, NULL);
	rc = dumplook_walk(d, &d->livestack.memory);
	if (!rc)
		rc = dumplook_prepare(d, thread);
	if (rc)
		return rc;
	interp_look_alone(&d->snapshot.interp, thread->tid, 0, &d->snapshot.regs);
	if (!thread_rests_since(m->threads, thread, before.slices) || !same_address_space(m) ||
	    maps_have_changed(d))
		return 0;
	if (d->walk.lacked && open_rest(d))
		return 0; /* again, with all registers */
	if (d->walk.lacked && may_ask(d, thread->state, &call)) {
		d->look.ask = true;
		return 0;
	}
	d->look.syscall = call.number;
	d->stats.glances++;
	resting = (struct resting){ m->threads, thread, before.slices };
	if (dumplook_merge(d, &resting))
		return ERR_NOMEM;
	return dumplook_keep(d, thread, true);
}

/* Stops. */

/* The tracer's callback: the thread is held. One that had no CPU for so long that it was given up
 * may stop when the dump is at another thread, or at its end (tracer_free). */
static bool dumplook_take(void *owner, void *cookie, pid_t tid, const struct registers *regs)
{
	struct dump *d = owner;
	bool waited = registers_cut_a_wait(regs), later;
	struct call call;

	(void)cookie;
	if (tid != d->look.asked)
		return false;
	later = !d->look.deep && interps_compile(member_of(d)->interps);
	if (d->look.state != 'T')
		d->look.state = waited ? 'S' : 'R';
	registers_call(regs, &call);
	d->look.syscall = waited ? call.number : -1;
	d->snapshot.go.rt = member_of(d)->has_go ? &member_of(d)->go : NULL;
	d->snapshot.place = (struct gothread_place){ .m = 0 };
	d->snapshot.spans = d->livestack.spans = modmap_spans(member_of(d)->maps);
	snapshot_take(&d->snapshot, tid, regs, later ? COPY_MANAGED : COPY_BYTES, 0);
	livestack_into(&d->livestack, tid, &d->snapshot.memory);
	d->look.walked = !later;
	d->look.walk_rc = later ? 0 : dumplook_walk(d, &d->livestack.memory);
	return true;
}

/* Stops the thread, has it copied and walked, and releases it. 1: done; 0: not this time;
 * ERR_NOMEM. */
static int dumplook_ask(struct dump *d, struct thread *thread, enum stop_outcome *outcome)
{
	bool here = thread->cpu == sched_getcpu();
	struct stop stop = { 0 };
	uint64_t until = monotonic_ns() + PATIENCE_NS;
	int rc;

	*outcome = STOP_REFUSED;
	rc = dumplook_prepare(d, thread);
	if (!rc && interps_compile(member_of(d)->interps))
		rc = snapshot_reserve(&d->snapshot, COPY_MANAGED);
	if (rc)
		return rc;
	d->look.asked = thread->tid;
	rc = tracer_ask(d->tracer, &member_of(d)->process, thread->tid, NULL, d,
			here ? STOP_HERE : STOP_ELSEWHERE);

	*outcome = rc == ERR_GONE ? STOP_GONE : STOP_REFUSED;
	if (rc)
		return 0;
	while (tracer_outstanding(d->tracer) && monotonic_ns() < until) {
		if (!tracer_next(d->tracer, until, &stop))
			continue;
		if (stop.cookie == d || stop.outcome == STOP_GONE)
			break;
	}
	d->look.asked = 0;
	*outcome = stop.tid == thread->tid ? stop.outcome : STOP_OVERDUE;
	if (*outcome != STOP_TAKEN)
		return 0;
	d->stats.stopped++;
	d->stats.held_sum_ns += stop.served_ns;
	if (stop.served_ns > d->stats.held_max_ns)
		d->stats.held_max_ns = stop.served_ns;
	return 1;
}

static int walk_taken(struct dump *d, struct thread *thread)
{
	if (!d->look.walked)
		d->look.walk_rc = dumplook_walk(d, &d->snapshot.memory);
	if (d->look.walk_rc)
		return d->look.walk_rc;
	d->look.deep = d->walk.end == STACK_COPY_EXHAUSTED;
	if (!d->look.walked && d->look.deep)
		return 0;
	/* A new thread begins right after its creator's system call, on an empty stack. What CFI
	 * says there holds for the creator (sampler/tick/unwinding.c). */
	if (d->snapshot.newborn && thread->cpu_ns < NEWBORN_CPU_NS &&
	    d->walk.end != STACK_OUTERMOST) {
		d->walk.count = 1;
		d->walk.end = STACK_OUTERMOST;
	}
	if (!same_address_space(member_of(d)) || maps_have_changed(d))
		return 0;
	return dumplook_merge(d, NULL) ? ERR_NOMEM : dumplook_keep(d, thread, true);
}

/* A copy did not come back in time. What it uses is left to it, and its process is not read
 * again. */
static int dumplook_give_up(struct dump *d)
{
	d->stuck = true;
	d->left_alone = d->process + 1;
	d->prepared = 0;
	d->walk = (struct stack){ 0 };
	d->unwinder = NULL;
	return unwinder_new(&d->unwinder) || livestack_init(&d->livestack) ||
			       snapshot_init(&d->snapshot, LIVESTACK_PIECE + 256) ?
		       ERR_NOMEM :
		       0;
}

static int stop_and_walk(struct dump *d, struct thread *thread)
{
	const struct modmap *maps = member_of(d)->maps;
	enum stop_outcome outcome;
	int taken;

	if (d->prepared != modmap_generation(maps)) {
		unwinder_prepare(d->unwinder, maps);
		d->prepared = modmap_generation(maps);
	}
	set_priority(PRIORITY_HOLDING);
	taken = dumplook_ask(d, thread, &outcome);
	set_priority(PRIORITY_ORDINARY);
	if (taken < 0)
		return taken;
	if (taken)
		return walk_taken(d, thread);
	if (outcome == STOP_GONE)
		return 1;
	if (outcome == STOP_STUCK)
		return dumplook_give_up(d) ? ERR_NOMEM : dumplook_keep(d, thread, false);
	/* If a signal came first, try again. Otherwise the thread cannot be stopped now. */
	return outcome == STOP_SIGNALLED ? 0 : dumplook_glance(d, thread);
}

/* One try. 1: done with this thread; 0: try again; ERR_NOMEM. */
static int dumplook_look_at(struct dump *d, struct thread *thread)
{
	enum look look = thread_look(member_of(d)->threads, thread);

	if (look == LOOK_ENDED)
		return 1;
	d->look.state = thread->state;
	d->look.syscall = -1;
	if (strchr("ZX", thread->state) || d->left_alone == d->process + 1)
		return dumplook_keep(d, thread, false);
	if (look == LOOK_RUNNABLE || thread->state == 'T' || d->look.ask)
		return stop_and_walk(d, thread);
	return dumplook_glance(d, thread);
}

/* Goes on to the next process if this one has no more threads. */
static void skip_finished(struct dump *d)
{
	size_t count = 0;

	while (!dump_looked(d)) {
		if (member_of(d)->threads)
			threads_get(member_of(d)->threads, &count);
		if (d->thread < count)
			break;
		d->process++;
		d->thread = 0;
		count = 0;
	}
}

void dump_look_begin(struct dump *d)
{
	d->process = d->thread = 0;
	skip_finished(d);
}

static void dumplook_next(struct dump *d)
{
	d->look = (struct dump_look){ 0 };
	d->thread++;
	skip_finished(d);
}

/* One try. A thread that changes at each try is kept as it was at the last one, without a stack. */
static int look_once(struct dump *d)
{
	struct thread *thread = member_thread(member_of(d), d->thread);
	int rc = dumplook_look_at(d, thread);

	if (!rc && ++d->look.tries == TRIES_MAX)
		rc = dumplook_keep(d, thread, false);
	return rc;
}

static int dumplook_begin(struct dump *d)
{
	if (tracer_new(&d->tracer, dumplook_take, d, &d->error))
		return -1;
	tracer_watched_by(d->tracer, d->watchdog, 0);
	tracer_takes_stopped(d->tracer);
	set_priority(PRIORITY_HOLDING); /* the copier has it from us */
	tracer_copies_by(d->tracer, d->copiers, COPY_MOST_NS);
	set_priority(PRIORITY_ORDINARY);
	reader_use(d->reader);
	return 0;
}

void dump_look(struct dump *d)
{
	int rc = dumplook_begin(d);

	while (!rc && !dump_looked(d) && !d->stop && !tracer_wants_baton(d->tracer) &&
	       !watchdog_wants_stop(d->watchdog)) {
		rc = look_once(d);
		if (rc > 0)
			dumplook_next(d);
		rc = rc < 0 ? error_nomem(&d->error) : 0;
	}
	tracer_free(d->tracer);
	d->tracer = NULL;
}
