/* A slot's state is atomic and the only thing that passes it from one thread to another. A slot
 * whose copier was given up stays out of use until the copier is back. */
#include "sampler/capture/slots.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/maps.h"
#include "base/process/modmap.h"
#include "base/smallfile.h"
#include "runtimes/interps.h"
#include "sampler/member/member.h"
#include "sampler/stop/copier.h"
#include "sampler/thread/registers.h"

enum {
	STACK_ROOM = (16 << 10) + 256, /* bytes of a slot at first */
	STACK_FIRST = 16 << 10,	       /* bytes copied of a thread that has no sample yet */
	/* On its way to the stop a thread runs for some 3 µs; an interrupt from another CPU takes
	 * 8. */
	STANDS_NS = 8000,
	PAGES_MOST = 64, /* of a stack that are looked at in one go */
};

int slots_init(struct slots *s, unsigned count)
{
	s->all = calloc(count, sizeof(*s->all));
	s->marks = calloc(count, sizeof(*s->marks));
	if (!s->all || !s->marks)
		return ERR_NOMEM;
	s->count = count;
	for (unsigned i = 0; i < count; i++)
		s->all[i].mark = &s->marks[i];
	return 0;
}

int slots_touch(struct slots *s)
{
	for (unsigned i = 0; i < s->count; i++)
		if (slot_state(&s->all[i]) == SLOT_FREE && !s->all[i].stuck &&
		    snapshot_reserve(&s->all[i].snapshot, STACK_ROOM))
			return ERR_NOMEM;
	return 0;
}

void slots_release(struct slots *s)
{
	bool stuck = false;

	for (unsigned i = 0; i < s->count; i++) {
		stuck |= s->all[i].stuck != 0;
		if (!s->all[i].stuck && s->all[i].snapshot.room)
			snapshot_release(&s->all[i].snapshot);
		buffer_release(&s->all[i].kernel);
	}
	if (!stuck) {
		free(s->all);
		free(s->marks);
	}
	*s = (struct slots){ 0 };
}

struct slot *slots_take(struct slots *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		int is = SLOT_FREE;

		if (s->marks[i].state == SLOT_FREE && !s->all[i].stuck &&
		    atomic_compare_exchange_strong(&s->marks[i].state, &is, SLOT_OUT))
			return &s->all[i];
	}
	return NULL;
}

struct slot *slots_first(struct slots *s, enum slot_state state)
{
	struct slot *first = NULL;

	for (unsigned i = 0; i < s->count; i++)
		if (s->marks[i].state == (int)state &&
		    (!first || s->all[i].looked_ns < first->looked_ns))
			first = &s->all[i];
	return first;
}

static bool slots_has(const struct slots *s, pid_t tid, bool also_urgent)
{
	for (unsigned i = 0; i < s->count; i++) {
		int state = s->marks[i].state;

		if (s->marks[i].tid == tid &&
		    (state == SLOT_OUT || (also_urgent && state == SLOT_BACK && s->all[i].urgent)))
			return true;
	}
	return false;
}

bool slots_asked(const struct slots *s, pid_t tid)
{
	return slots_has(s, tid, false);
}

bool slots_pending(const struct slots *s, pid_t tid)
{
	return slots_has(s, tid, true);
}

void slot_set(struct slot *slot, enum slot_state state)
{
	atomic_store_explicit(&slot->mark->state, state, memory_order_release);
}

enum slot_state slot_state(const struct slot *slot)
{
	return (enum slot_state)atomic_load_explicit(&slot->mark->state, memory_order_acquire);
}

static void slots_left(const void *args)
{
	struct slot *slot = ((const struct tracer_copy *)args)->cookie;

	slot->stuck++;
}

static void slots_back(const void *args)
{
	struct slot *slot = ((const struct tracer_copy *)args)->cookie;

	slot->stuck--;
}

const struct copier_loss slot_loss = { slots_left, slots_back };

static size_t bytes_wanted(const struct member *m, const struct thread *thread)
{
	size_t want = thread->copies.want ? thread->copies.want : STACK_FIRST;

	return thread->runtimes.go.m && m->go_stack_want > want ? m->go_stack_want : want;
}

int slot_prepare(struct slot *slot, const struct slot_wants *wants, struct member *m,
		 struct thread *thread, enum thread_state state)
{
	struct snapshot *s = &slot->snapshot;

	slot->tid = thread->tid;
	slot->mark->tid = thread->tid;
	slot->process = &m->process;
	slot->stack_top = thread->copies.top;
	slot->want = bytes_wanted(m, thread);
	slot->wall = wants->wall;
	slot->ticked = slot->remote = slot->at_rest = slot->late = slot->yielded = false;
	slot->schedstat_fd = -1;
	slot->pagemap_fd = m->pagemap_fd;
	slot->absent = &m->absent;
	slot->call_then = CALL_UNKNOWN;
	slot->placed = false;
	slot->rc = 0;
	slot->cpu_ns = 0;
	slot->taken = slot->glanced = slot->by_event = slot->labelled = slot->left_alone = false;
	slot->urgent = interps_compile(m->interps);
	slot->trust = TRUST_FULL;
	slot->stop = (struct stop){ .outcome = STOP_REFUSED };
	slot->call.number = -1;
	slot->kernel.len = 0;
	slot->context = (struct stack_context){ m->index, thread->index, state, .syscall = -1 };
	slot->moment = m->moment;     /* an earlier one is as good: no GC may end between the two */
	slot->waited_ns = UINT64_MAX; /* until slot_fill sets it */
	s->spans = modmap_spans(m->maps);
	s->go.rt = m->has_go ? &m->go : NULL;
	s->go.wants_goid = wants->goid;
	s->place = thread->runtimes.go;
	return snapshot_reserve(s, slot->want + 256) || snapshot_plan(s, &thread->copies.far) ||
			       member_prepare_look(m, thread, s) ?
		       ERR_NOMEM :
		       0;
}

static bool slots_read_counters(const struct slot *slot, struct schedstat *now)
{
	char path[48], text[96];
	ssize_t len;

	if (slot->schedstat_fd >= 0)
		return schedstat_read(slot->schedstat_fd, now);
	snprintf(path, sizeof(path), "/proc/%d/schedstat", slot->tid);
	len = smallfile_read(AT_FDCWD, path, text, sizeof(text));
	return len > 0 && schedstat_parse(text, (size_t)len, now);
}

/* A thread that was displaced by our ticker goes on only to stop, unless another CPU takes it over
 * before we have asked. Then it stops up to an interrupt's way later, perhaps at its next system
 * call. Where its call at the tick is known, it must be the same now; else it must hardly have
 * run. */
static enum slot_trust trust_in(const struct slot *slot, const struct schedstat *now)
{
	if (slot->remote || slot->late || slot->yielded)
		return TRUST_NONE;
	if (slot->call_then == CALL_OVER)
		return slot->call.number >= 0 ? TRUST_FULL : TRUST_NONE;
	if (slot->call_then != CALL_UNKNOWN)
		return slot->call_then == slot->call.number ? TRUST_FULL : TRUST_NONE;
	return now->cpu_ns - slot->ran_ns < STANDS_NS ? TRUST_FULL : TRUST_NONE;
}

/* A thread that was to be stopped because it waits gives a sample only if it still did. */
static bool still_waited(struct slot *slot, const struct registers *regs)
{
	if (!registers_cut_a_wait(regs) || !slot->wall)
		return false;
	slot->context.state = THREAD_BLOCKED;
	slot->context.syscall = (int32_t)slot->call.number;
	return true;
}

/* Called while the thread is held, so it only copies. */
bool slot_fill(void *owner, void *cookie, pid_t tid, const struct registers *regs)
{
	struct slot *slot = cookie;
	struct schedstat now;

	(void)owner;
	if (!slots_read_counters(slot, &now))
		return false;
	slot->slices = now.slices;
	slot->cpu_ns = now.cpu_ns;
	registers_call(regs, &slot->call);
	if (slot->ticked) {
		slot->waited_ns = now.wait_ns - slot->waited_from_ns;
		slot->trust = trust_in(slot, &now);
	} else if (!still_waited(slot, regs)) {
		return false;
	}
	snapshot_take(&slot->snapshot, tid, regs, slot->want, slot->stack_top);
	return true;
}

bool slot_fill_at_rest(void *owner, void *cookie, pid_t tid, const struct registers *regs)
{
	struct slot *slot = cookie;

	(void)owner;
	registers_call(regs, &slot->call);
	slot->trust = slot->late || slot->yielded ? TRUST_NONE : TRUST_FULL;
	snapshot_take(&slot->snapshot, tid, regs, slot->want, slot->stack_top);
	return true;
}

/* How many bytes of the stack are read, at most. */
static size_t slots_span_of(const struct slot *slot, uint64_t from)
{
	size_t len = slot->want + RED_ZONE;
	struct span span;

	if (!spans_find(slot->snapshot.spans, from, &span))
		return 0;
	return span.end - from < len ? span.end - from : len;
}

static bool are_present(int pagemap_fd, uint64_t from, uint64_t to, uint64_t page)
{
	uint64_t words[PAGES_MOST];
	size_t count = (to - 1) / page - from / page + 1;
	ssize_t len = (ssize_t)(count * sizeof(*words));
	bool present = true;

	if (count > PAGES_MOST ||
	    pread(pagemap_fd, words, (size_t)len, (off_t)(from / page * sizeof(*words))) != len)
		return false;
	for (size_t i = 0; i < count; i++)
		present &= words[i] >> 63; /* Documentation/admin-guide/mm/pagemap.rst */
	return present;
}

bool slot_comes_back(void *owner, void *cookie, const struct registers *regs)
{
	struct slot *slot = cookie;
	uint64_t sp = registers_sp(regs), from = sp - RED_ZONE;
	size_t len;

	(void)owner;
	if (!slot->ticked || slot->pagemap_fd < 0 || *slot->absent || slot->snapshot.interp.any ||
	    slot->snapshot.go.rt || !slot->snapshot.spans || slot->snapshot.far.count ||
	    snapshot_is_elsewhere(&slot->snapshot, sp, slot->stack_top))
		return false;
	len = slots_span_of(slot, from);
	if (!len)
		return false;
	if (are_present(slot->pagemap_fd, from, from + len, (uint64_t)sysconf(_SC_PAGESIZE)))
		return true;
	*slot->absent = true;
	return false;
}

bool slot_is_urgent(const struct slot *slot)
{
	return slot->taken &&
	       (slot->urgent || slot->snapshot.interp.any || slot->snapshot.go.goroutine.labels);
}
