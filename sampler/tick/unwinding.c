/*
 * From slots to stacks: the part of a tick for which no thread is held.
 *
 * A stack must be walked with the maps of the moment at which it was taken. Reading the maps at
 * each tick would take the target's mmap_lock each time. So they are read again when a walk meets
 * an address that they do not explain, and otherwise from time to time, less often the more it
 * costs. Before each batch of walks we check that it is still the same address space, because else
 * every address would be wrong. A descriptor of /proc/PID/maps belongs to the address space it was
 * opened on, and reads as empty when that is gone (proc_mem_open() in fs/proc/base.c).
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/process/modmap.h"
#include "runtimes/common/managed.h"
#include "runtimes/interps.h"
#include "sampler/member/member.h"
#include "sampler/stop/reader.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/collecting.h"
#include "sampler/tick/news.h"
#include "sampler/tick/round.h"
#include "sampler/tick/walltime.h"
#include "unwind/unwinder.h"

enum {
	MAPS_AGE_MIN_NS = 100000000, /* if no walk failed: ten times a second at most, */
	MAPS_COST_FACTOR = 500,	     /* and in a 500th of the time at most */
	MAPS_RETRY_NS = 5000000,     /* if a walk failed */
	STACK_MARGIN = 4096,	     /* room for a signal frame with its vector registers */
	STACK_MAX = 8 << 20,
	COPY_GROWTH = 8,
	TASK_NAME = 256, /* bytes of an asyncio task's name that are kept */
};

/* For its first stack. */
static bool read_late(struct round *r, struct member *m)
{
	uint64_t met_ns = m->space_met_ns;
	int rc = member_read_soon(m);

	r->no_memory |= rc == ERR_NOMEM;
	if (m->space_met_ns != met_ns)
		news_date_space(r, m);
	news_doubt_maps(r, m);
	return !rc;
}

bool round_know_space(struct round *r, struct member *m)
{
	enum member_space space = SPACE_SAME;

	if (!member_is_read(m))
		return !m->leaving && read_late(r, m);
	if (!news_space_holds(r, m))
		space = member_space(m);
	if (space == SPACE_NEW) {
		m->title[0] = '\0'; /* the title of the program before */
		m->title_due_ns = 0;
		r->recorded.stats.execs++;
		r->plan.changed_ns = monotonic_ns();
		m->fit = (struct event_fit){ 0 };
		member_read_maps(m);
		process_read_comm(&m->process);
		news_date_space(r, m);
	}
	return space != SPACE_NONE;
}

static int count_walk(struct recorded *r, const struct slot *slot, const struct stack *walk)
{
	int rc = ledger_count(&r->ledger, walk);

	r->stats.samples += r->wall || !slot->glanced || slot->ticked;
	r->stats.walks = r->ledger.all;
	return rc;
}

/* The length of the longest piece that was copied. */
static size_t bytes_copied(const struct snapshot *s)
{
	size_t most = s->stack.memory.len;

	for (unsigned i = 0; i < SNAPSHOT_OTHERS; i++)
		most = s->others[i].memory.len > most ? s->others[i].memory.len : most;
	return most;
}

/* Learnt for all Go threads, because a goroutine may run on another thread next time. */
static void learn_go_stack_size(struct member *m, size_t want)
{
	if (want > m->go_stack_want)
		m->go_stack_want = want;
	else
		m->go_stack_want -= (m->go_stack_want - want) / 1024;
}

/* Learns what to copy next time: half as much again as this walk used, and a margin, and where else
 * it went. If something was not copied, the walk beyond the copy counts instead, if it led further.
 * Where it did not reach the outermost frame either, and was on one stack, the amount is eight
 * times the copy. It shrinks slowly. A thread that runs Go has no ordinary stack of its own. */
static void learn_stack_size(struct member *m, struct thread *thread, size_t copied,
			     const struct snapshot *s, const struct stack *walk,
			     const struct stack *deeper)
{
	bool short_of = walk->end == STACK_COPY_EXHAUSTED, of_go = s->go.place.m;
	const struct stack *longest = deeper->count > walk->count ? deeper : walk;
	uint64_t used = longest->used;
	bool several = !of_go && stackplan_near(longest, s->spans, &used);
	size_t want = used + used / 2 + STACK_MARGIN;

	if (short_of && deeper->end != STACK_OUTERMOST && !several)
		want = copied * COPY_GROWTH;
	else if (!short_of && ((of_go && walk->switched) || want < thread->copies.want))
		want = thread->copies.want -
		       (thread->copies.want > want) * (thread->copies.want - want) / 256;
	thread->copies.want = want < STACK_MAX ? want : STACK_MAX;
	if (of_go) {
		learn_go_stack_size(m, thread->copies.want);
		return;
	}
	stackplan_learn(&thread->copies.far, longest, s->spans);
	if (walk->end == STACK_OUTERMOST && !walk->switched)
		thread->copies.top = s->regs.r[DWARF_SP] + walk->used;
}

/* No newer maps would make the walk better. */
static bool explained(const struct stack *walk)
{
	return walk->end == STACK_OUTERMOST || walk->end == STACK_COPY_EXHAUSTED ||
	       walk->end == STACK_RUNTIME_IN_DOUBT;
}

/* Reduces the walk to its first frame. A new thread is behind the system call of its maker, but on
 * an empty stack, and CFI there is true for the maker only. (A process made by fork has its maker's
 * stack, and its walk ends well.) */
static void end_newborn(struct stack *walk)
{
	walk->count = 1;
	walk->used = 0;
	walk->switched = false;
	walk->end = STACK_OUTERMOST;
}

/* A thread that was read while it waited, and that has not been put on a CPU since,
 * still has the same stack. */
static bool stands_still(const struct member *m, const struct thread *thread,
			 const struct slot *slot)
{
	return slot->glanced && thread_rests_since(m->threads, thread, slot->slices);
}

struct standing {
	const struct member *member;
	const struct thread *thread;
	const struct slot *slot;
};

static bool standing_still(const void *of)
{
	const struct standing *s = of;

	return stands_still(s->member, s->thread, s->slot);
}

/* Puts interpreted frames into *whole, if there are any. */
static int join_interpreted(struct recorded *r, struct walker *w, const struct slot *slot,
			    const struct thread *thread, const struct stack **whole)
{
	struct member *m = r->members[slot->context.member];
	struct standing standing = { m, thread, slot };
	const struct interp_look *look = &slot->snapshot.interp;
	struct interp_context context = {
		.maps = m->maps,
		.stack = &slot->snapshot.memory,
		.stands_still = standing_still,
		.of = &standing,
		.names = &r->interpreted,
		.counts = r->stats.interpreted,
	};
	bool merged;

	if (interps_merge(m->interps, look, *whole, &context, &w->merged, &merged))
		return ERR_NOMEM;
	*whole = merged ? &w->merged : *whole;
	return 0;
}

static int push_kernel(struct recorded *r, const struct slot *slot, struct stack *to)
{
	return slot->by_event ?
		       kernelstack_push_addresses(&r->kernel, (const uint64_t *)slot->kernel.data,
						  slot->kernel.len / sizeof(uint64_t), to) :
		       kernelstack_push(&r->kernel, &slot->kernel, to);
}

/* Puts the kernel's part before *whole, if there is one. */
static int join_kernel(struct recorded *r, struct walker *w, const struct slot *slot,
		       const struct stack **whole)
{
	const struct stack *user = *whole;

	if (!slot->kernel.len || (slot->context.state != THREAD_BLOCKED && !slot->by_event))
		return 0;
	w->joined.count = 0;
	if (push_kernel(r, slot, &w->joined))
		return ERR_NOMEM;
	for (size_t i = 0; i < user->count; i++)
		if (stack_push(&w->joined, user->frames[i].image, user->frames[i].addr,
			       user->frames[i].kind))
			return ERR_NOMEM;
	*whole = &w->joined;
	return 0;
}

/* Counts the stack of a slot. A thread that ran at the tick gives a CPU sample. A thread that waits
 * has the same stack until it is put on a CPU. */
static int unwinding_keep_stack(struct recorded *r, struct walker *w, const struct slot *slot,
				struct thread *thread)
{
	bool ran = slot->context.state == THREAD_RUNNING;
	const struct stack *whole = &w->walk;
	struct stackset_entry *e;

	if (join_interpreted(r, w, slot, thread, &whole) || join_kernel(r, w, slot, &whole) ||
	    (r->wall && walltime_account_runnable(r, slot, thread, whole)) ||
	    stackset_add(&r->stacks, &slot->context, whole, &thread->newest.stack))
		return ERR_NOMEM;
	e = &r->stacks.entries[thread->newest.stack];
	e->cpu_weight += ran ? slot->weight : 0;
	thread->samples.weight += ran ? slot->weight : 0;
	thread->samples.count += ran;
	thread->newest = (struct thread_newest){
		.stack = thread->newest.stack,
		.fresh = slot->context.state == THREAD_BLOCKED ||
			 slot->context.state == THREAD_STOPPED,
		.call = slot->call,
		.stopped_slices = slot->glanced ? 0 : slot->slices,
	};
	if (!r->wall)
		e->samples += ran;
	else
		walltime_account(r, thread, slot->looked_ns);
	r->stats.cpu_weight += ran ? slot->weight : 0;
	r->stats.uncertain += ran && slot->trust != TRUST_FULL ? slot->weight : 0;
	r->stats.realtime_target |= slot->yielded;
	r->stats.glances += slot->glanced && !slot->at_rest;
	r->stats.rests += slot->at_rest;
	r->stats.by_event += slot->by_event;
	return 0;
}

static int unwinding_walk(struct walker *w, struct member *m, struct slot *slot, struct stack *out)
{
	const struct snapshot *s = &slot->snapshot;

	struct walk_from from = { &s->regs, &s->memory, &s->stacks, interps_walker(m->interps) };

	return unwinder_walk(w->unwinder, m->maps, &from, out);
}

/* Something was not copied, so it is read from the process. If the thread has not run until then,
 * the longer walk is its stack. Else it only shows what there is to copy, because a deep stack's
 * far end changes little. */
static int walk_beyond_copy(struct walker *w, struct member *m, struct slot *slot,
			    const struct thread *thread)
{
	int rc = snapshot_read_on(&slot->snapshot, thread->tid);

	if (!rc)
		rc = unwinding_walk(w, m, slot, &w->deeper);
	if (!rc && w->deeper.end == STACK_OUTERMOST && stands_still(m, thread, slot)) {
		struct stack swapped = w->walk;

		w->walk = w->deeper;
		w->deeper = swapped;
	}
	return rc;
}

/* Might the walk have led further, if more had been copied? Where nothing was copied there is
 * nothing. Of a thread that runs Go the snapshot finds the other stacks. */
static bool lacked_memory(const struct member *m, const struct slot *slot, const struct stack *walk)
{
	const struct snapshot *s = &slot->snapshot;

	if (walk->end == STACK_COPY_EXHAUSTED)
		return sources_want_deeper(m, slot) && !(s->go.place.m && walk->switched);
	return walk->end == STACK_MEMORY_UNREADABLE && !slot->by_event && !s->go.place.m &&
	       s->stack.memory.len;
}

/* What the interpreter tells of the thread becomes labels. */
static int label_interpreted(struct recorded *r, struct slot *slot, struct thread *thread)
{
	const struct interp_look *look = &slot->snapshot.interp;
	struct interps *interps = r->members[slot->context.member]->interps;
	uint32_t *labels = &slot->context.labels;
	char task[TASK_NAME];
	enum gil_state *gil = &slot->context.gil;
	int rc = 0;

	*gil = look->gil_held ? GIL_HELD : look->gil_waits ? GIL_WAITED_FOR : GIL_NONE;
	if (!look->any)
		return 0;
	if (*gil != GIL_NONE) {
		thread->runtimes.gil = look->gil;
		rc = labelling_add(&r->labelling, "gil", *gil == GIL_HELD ? "held" : "waited for",
				   labels);
	}
	if (!rc && interps_task(interps, look, task, sizeof(task)))
		rc = labelling_add(&r->labelling, "task", task, labels);
	return rc;
}

/* So does what a runtime that compiles tells, and the thread's name in full. */
static int label_managed(struct recorded *r, struct slot *slot, struct thread *thread)
{
	struct interps *interps = r->members[slot->context.member]->interps;
	uint32_t *labels = &slot->context.labels;
	struct managed_thread told;
	int rc = 0;

	if (!interps_thread(interps, slot->snapshot.interp.own_tid, &told))
		return 0;
	if (*told.name)
		memcpy(thread->runtimes.name, told.name, sizeof(thread->runtimes.name));
	if (told.role)
		rc = labelling_add(&r->labelling, "runtime", told.role, labels);
	if (!rc && told.state)
		rc = labelling_add(&r->labelling, "pause", told.state, labels);
	return rc;
}

static int walk_slot(struct round *r, struct member *m, struct slot *slot)
{
	struct walker *w = &r->walker;
	struct thread *thread = member_thread(m, slot->context.thread);
	size_t copied = bytes_copied(&slot->snapshot);
	int rc = slot_label(&r->recorded, slot);

	if (!rc)
		rc = label_interpreted(&r->recorded, slot, thread);
	if (!rc)
		rc = label_managed(&r->recorded, slot, thread);
	if (!rc)
		rc = unwinding_walk(w, m, slot, &w->walk);
	if (!rc && !explained(&w->walk) && monotonic_ns() - m->maps_read_ns > MAPS_RETRY_NS) {
		uint64_t generation = modmap_generation(m->maps);

		member_read_maps(m);
		if (news_doubt_maps(r, m)) {
			r->recorded.stats.dropped++;
			return 0;
		}
		if (modmap_generation(m->maps) != generation)
			rc = unwinding_walk(w, m, slot, &w->walk);
	}
	if (rc)
		return rc;
	w->deeper.end = STACK_COPY_EXHAUSTED;
	w->deeper.count = 0;
	if (lacked_memory(m, slot, &w->walk) && walk_beyond_copy(w, m, slot, thread))
		return ERR_NOMEM;
	if (slot->snapshot.newborn && thread->newest.stack == NO_STACK &&
	    thread->cpu_ns < NEWBORN_CPU_NS && w->walk.end != STACK_OUTERMOST)
		end_newborn(&w->walk);
	roster_lock(&r->roster);
	sources_learn(m, slot, &w->walk, &w->deeper);
	if (!slot->by_event || w->walk.end != STACK_COPY_EXHAUSTED ||
	    w->deeper.end == STACK_OUTERMOST)
		learn_stack_size(m, thread, copied, &slot->snapshot, &w->walk, &w->deeper);
	rc = interp_place_learn(&thread->runtimes.interp, &slot->snapshot.interp);
	rc = rc ? rc : member_place(m, thread);
	roster_unlock(&r->roster);
	if (rc)
		return ERR_NOMEM;
	if (slot->glanced && w->walk.lacked && thread->state == 'S' &&
	    round_may_interrupt(r, m, thread, &slot->call)) {
		thread->newest.must_stop = true;
		return 0;
	}
	if (w->walk.end == STACK_MEMORY_UNREADABLE && snapshot_left_out(&slot->snapshot))
		w->walk.end = STACK_COPY_EXHAUSTED;
	slot->context.cut = stack_end_is_cut(w->walk.end);
	if (unwinding_keep_stack(&r->recorded, w, slot, thread))
		return ERR_NOMEM;
	return count_walk(&r->recorded, slot, &w->walk);
}

/* The maps of all processes together take a part of the time. */
static void read_old_maps(const struct round *r, struct member *m)
{
	uint64_t age = monotonic_ns() - m->maps_read_ns;

	if (news_maps_hold(r, m))
		return;
	if (age > MAPS_AGE_MIN_NS &&
	    age / r->recorded.living_count > m->maps_cost_ns * MAPS_COST_FACTOR) {
		member_read_maps(m);
		news_doubt_maps(r, m);
	}
}

/* The runtimes of the process may have changed; tickers use what is known of them. */
static int find_runtimes(struct round *r, struct member *m)
{
	int rc;

	roster_lock(&r->roster);
	rc = member_find_go(m);
	rc = rc ? rc : member_find_interps(m);
	roster_unlock(&r->roster);
	return rc;
}

/* Walks the stack of a slot; *asked is the member whose address space was checked last. */
static int unwind_slot(struct round *r, struct slot *slot, struct member **asked, bool *same)
{
	struct member *m = r->recorded.members[slot->context.member];
	int rc = 0;

	reader_reads(r->reader, m);
	if (m != *asked) {
		*asked = m;
		*same = round_know_space(r, m);
		read_old_maps(r, m);
		rc = find_runtimes(r, m);
	}
	if (!*same || slot->looked_ns < m->space_ns || member_is_narrow(m))
		r->recorded.stats.dropped++;
	else if (slot->by_event && !sources_suffice(r, m)) /* a runtime's frames are missing */
		r->ticking.figures.unserved++;
	else if (!rc)
		rc = walk_slot(r, m, slot);
	return rc;
}

int round_unwind(struct round *r)
{
	struct member *asked = NULL;
	struct slot *slot;
	bool same = true;
	int rc = 0;

	while ((slot = slots_first(&r->slots, SLOT_FULL))) {
		if (!rc)
			rc = unwind_slot(r, slot, &asked, &same);
		slot->taken = false;
		slot_set(slot, SLOT_FREE);
	}
	return rc ? error_nomem(&r->error) : 0;
}
