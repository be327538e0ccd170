/* Times whose owner has no stack yet are queued in `waiting`. At the tick's end each gets its
 * context with the owner's newest stack, or without one. */
#include "sampler/tick/waiting.h"

#include "base/error.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "base/room.h"
#include "sampler/member/member.h"
#include "sampler/recorded/recorded.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/walltime.h"

/* In another PID namespace each thread is asked for its number there, once. */
static struct thread *waiting_thread_numbered(struct member *m, pid_t own_tid)
{
	size_t count;
	struct thread *threads = threads_get(m->threads, &count);

	if (!m->own_numbers)
		return threads_find(m->threads, own_tid);
	for (size_t i = 0; i < count; i++) {
		if (!threads[i].own_tid && !threads[i].ended)
			threads[i].own_tid = process_own_tid(&m->process, threads[i].tid);
		if (threads[i].own_tid == own_tid && !threads[i].ended)
			return &threads[i];
	}
	return NULL;
}

/* An owner counts if it is a thread of the process, and another than the one that waits, unless
 * that can be. */
static void waiting_find_owners(struct member *m, const struct thread *thread,
				struct lockset_entry *e)
{
	for (int i = 0; i < LOCK_KINDS; i++) {
		struct lock_reading *r = &e->wait.as[i];
		const struct thread *owner = r->owner ? waiting_thread_numbered(m, r->owner) : NULL;

		r->lives = owner && (owner != thread || r->relocks);
		e->owners[i] = r->lives ? owner->index + 1 : 0;
	}
}

int waiting_look(struct recorded *r, struct member *m, const struct thread *thread,
		 const struct call *call, uint32_t *lock)
{
	struct lockset_entry e = { .member = m->index };

	*lock = 0;
	if (!lock_look(thread->tid, call, &e.wait))
		return 0;
	waiting_find_owners(m, thread, &e);
	e.image = modmap_variable(m->maps, e.wait.futex, &e.at);
	return lockset_add(&r->locks, &e, lock);
}

int waiting_look_again(struct recorded *r, struct member *m, struct thread *thread)
{
	struct stack_context context = r->stacks.entries[thread->newest.stack].context;
	uint32_t lock;
	int rc;

	if (!context.lock || !lock_may_have_owner(&lockset_get(&r->locks, context.lock)->wait))
		return 0;
	rc = waiting_look(r, m, thread, &thread->newest.call, &lock);
	if (rc || !lock || lock == context.lock ||
	    !thread_rests_since(m->threads, thread, thread->slices))
		return rc;
	context.lock = lock;
	context.owner_stack = 0;
	return stackset_in_context(&r->stacks, thread->newest.stack, &context,
				   &thread->newest.stack);
}

bool waiting_defer(struct recorded *r, const struct thread *thread, uint64_t ns)
{
	uint32_t stack = thread->newest.stack, lock = r->stacks.entries[stack].context.lock;
	struct waiting *w = &r->waiting;

	if (!lock || !lockset_owner(lockset_get(&r->locks, lock)) ||
	    room_for((void **)&w->times, &w->room, w->count + 1, sizeof(*w->times)))
		return false;
	w->times[w->count++] = (struct waiting_time){ stack, ns };
	return true;
}

static int waiting_settle_time(struct recorded *r, const struct waiting_time *t, uint64_t tick_ns)
{
	struct stack_context context = r->stacks.entries[t->stack].context;
	struct member *m = r->members[context.member];
	uint32_t owner_index = lockset_owner(lockset_get(&r->locks, context.lock)) - 1;
	const struct thread *owner = member_thread(m, owner_index);
	struct thread *thread = member_thread(m, context.thread);
	bool seen = owner->newest.stack != NO_STACK && owner->wall.from >= tick_ns;
	uint32_t stack;

	context.owner_stack = seen ? r->stacks.entries[owner->newest.stack].origin + 1 : 0;
	if (stackset_in_context(&r->stacks, t->stack, &context, &stack))
		return ERR_NOMEM;
	walltime_give(r, stack, t->ns);
	if (thread->newest.stack == t->stack)
		thread->newest.stack = stack;
	return 0;
}

int waiting_settle(struct recorded *r, uint64_t tick_ns)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < r->waiting.count; i++)
		rc = waiting_settle_time(r, &r->waiting.times[i], tick_ns);
	r->waiting.count = 0;
	return rc;
}
