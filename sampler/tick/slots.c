#include "sampler/tick/slots.h"

#include "base/error.h"
#include "sampler/member/member.h"
#include "sampler/thread/registers.h"
#include "sampler/tick/recorded.h"

enum { STACK_ROOM = (16 << 10) + 256 }; /* bytes of a slot at first */

int slots_init(struct slots *s)
{
	for (int i = 0; i < SLOTS; i++)
		if (snapshot_init(&s->at[i].snapshot, STACK_ROOM))
			return ERR_NOMEM;
	return 0;
}

void slots_release(struct slots *s)
{
	for (int i = 0; i < SLOTS; i++) {
		snapshot_release(&s->at[i].snapshot);
		buffer_release(&s->at[i].kernel);
	}
}

struct slot *slots_free(struct slots *s)
{
	for (int i = 0; i < SLOTS; i++)
		if (!s->at[i].busy)
			return &s->at[i];
	return NULL;
}

bool slot_has_stack(const struct slot *slot)
{
	return slot->busy && !slot->asked && slot->taken;
}

bool slots_asked(const struct slots *s, pid_t tid)
{
	for (int i = 0; i < SLOTS; i++)
		if (s->at[i].asked && s->at[i].about.tid == tid)
			return true;
	return false;
}

/* Called while the thread is held, so it only copies. A thread that was on another CPU than ours
 * and has waited for a CPU since its look was not running at the look. */
bool slot_fill(void *owner, void *cookie, pid_t tid, const struct registers *regs)
{
	struct slot *slot = cookie;
	const struct thread *about = &slot->about;
	struct schedstat now;

	(void)owner;
	if (!thread_counters(slot->threads, about, &now))
		return false;
	slot->waited_ns = now.wait_ns - about->wait_ns;
	slot->slices = now.slices;
	registers_call(regs, &slot->call);
	if (registers_cut_a_wait(regs)) {
		slot->context.state = THREAD_BLOCKED;
		slot->context.syscall = (int32_t)slot->call.number;
	} else if (slot->other_cpu && slot->waited_ns) {
		slot->context.state = THREAD_RUNNABLE;
	}
	if (slot->context.state == THREAD_RUNNABLE ||
	    (slot->context.state == THREAD_BLOCKED && !slot->wall))
		return false;
	snapshot_take(&slot->snapshot, tid, regs, slot->want, about->stack_top);
	slot->taken = true;
	return true;
}

int slot_label(struct recorded *r, struct slot *slot)
{
	const struct gothread_goroutine *goroutine = &slot->snapshot.go.goroutine;
	struct member *m = r->members[slot->context.member];
	int rc = 0;

	if (slot->labelled)
		return 0;
	slot->labelled = true;
	slot->context.labels = 0;
	if (r->goid)
		slot->context.goid = goroutine->goid;
	if (!goroutine->labels)
		return 0;
	if (m->labels) {
		m->live.pid = member_thread(m, slot->context.thread)->tid;
		m->labels_seen = true;
		rc = labelling_read(&r->labelling, m, goroutine, slot->moment,
				    &slot->context.labels);
	}
	if (!m->labels)
		r->stats.labels_unknown++;
	else
		r->stats.labels_lost += rc == ERR_FORMAT;
	slot->labelled = rc != ERR_NOMEM;
	return rc == ERR_NOMEM ? rc : 0;
}

void slots_label(struct recorded *r, struct slots *s)
{
	for (int i = 0; s->unlabelled && i < SLOTS; i++)
		if (slot_has_stack(&s->at[i]))
			slot_label(r, &s->at[i]);
	s->unlabelled = false;
}
