/*
 * Rejected: repairing a short count. The thread would stay attached until a second call has
 * transferred the rest, and if we were killed meanwhile, it would get the second count only.
 */
#include "sampler/tick/transfers.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process/process.h"
#include "sampler/thread/calls.h"
#include "sampler/thread/threads.h"
#include "sampler/member/member.h"
#include "sampler/tick/round.h"
#include "sampler/tick/walltime.h"

enum { SPARE_FIRST_NS = 100000000 }; /* an estimate of how long bpf(2) verifies */

static const uint64_t SPARE_MAX_NS = 10 * NS_PER_S,
		      USUAL_NS = 10 * NS_PER_S, /* so long a thread counts as doing transfers */
	STRETCH_NS = 1000000;			/* most CPU time between two waits in a call */

static bool read_text(const struct member *m, pid_t tid, const char *file, struct buffer *text)
{
	char name[48];

	snprintf(name, sizeof(name), "task/%d/%s", tid, file);
	return !process_read(&m->process, name, text, NULL) && !buffer_add(text, "", 1);
}

/* Reads what add_wchar() and inc_syscw() count (fs/read_write.c). */
static bool read_calls(const struct member *m, pid_t tid, struct thread_io *io)
{
	struct buffer text = { 0 };
	bool there = read_text(m, tid, "io", &text);

	if (there) {
		const char *t = (const char *)text.data;

		io->bytes = process_field(t, "rchar: ", 10) + process_field(t, "wchar: ", 10);
		io->calls = process_field(t, "syscr: ", 10) + process_field(t, "syscw: ", 10);
	}
	buffer_release(&text);
	return there;
}

/* Reads what __schedule() counts (kernel/sched/core.c). */
static bool read_waits(const struct member *m, pid_t tid, struct thread_io *io)
{
	struct buffer text = { 0 };
	bool there = read_text(m, tid, "status", &text);

	if (there)
		io->waits = process_field((const char *)text.data, "\nvoluntary_ctxt_switches:\t",
					  10);
	buffer_release(&text);
	return there;
}

static bool read_account(const struct member *m, pid_t tid, struct thread_io *io)
{
	return read_calls(m, tid, io) && read_waits(m, tid, io);
}

static bool may_be_cut(const struct member *m, const struct call *call)
{
	return call_transfers(call) && !call_is_never_cut(call, &m->process);
}

void transfers_look(const struct member *m, struct thread *thread, bool *wanted)
{
	struct call call;

	*wanted = thread_read_call(m->threads, thread, &call) && may_be_cut(m, &call);
	if (!*wanted && thread->transfer.kind)
		thread->transfer.kind = TRANSFER_USUAL;
}

static void found_amid_one(struct thread *thread)
{
	thread->transfer.found_ns = monotonic_ns();
	thread->transfer.cpu_ns = thread->cpu_ns;
}

void transfers_note(const struct member *m, struct thread *thread, const struct call *call)
{
	bool transfers = may_be_cut(m, call) && read_account(m, thread->tid, &thread->transfer.io);

	if (transfers)
		found_amid_one(thread);
	thread->transfer.kind = transfers ? TRANSFER_UNDER_WAY : TRANSFER_NONE;
}

/* Counts a CPU sample on the thread's newest stack. */
static int count_sample(struct recorded *r, struct stack *scratch, struct thread *thread)
{
	const struct stackset_entry *from = &r->stacks.entries[thread->newest.stack];
	struct stack_context context = from->context;
	struct stackset_entry *e;

	scratch->count = 0;
	for (uint32_t i = 0; i < from->count; i++) {
		const struct frame *f = &r->stacks.frames[from->first + i];

		if (stack_push(scratch, f->image, f->addr, f->kind))
			return ERR_NOMEM;
	}
	context.state = THREAD_RUNNING;
	context.syscall = -1;
	if (stackset_add(&r->stacks, &context, scratch, &thread->newest.stack))
		return ERR_NOMEM;
	e = &r->stacks.entries[thread->newest.stack];
	e->cpu_weight += thread->weight;
	thread->cpu_weight += thread->weight;
	thread->cpu_samples++;
	r->stats.samples++;
	if (r->wall)
		walltime_account(r, thread, thread->alive_ns);
	else
		e->samples++;
	return 0;
}

/* May the thread be in a transfer now? If the calls that have ended since the last look were long,
 * the present one may be long, too. If none has ended and the thread has waited meanwhile, it is in
 * a call: a thread that only computes does not wait. If none has ended and the thread has got next
 * to no CPU since a look that found it in a call, it is still in that call; on a busy machine that
 * lasts for several looks. (A stop does not harm long reads of files. So the thread must have been
 * found waiting in a transfer lately.) */
static bool transfers_as_before(struct thread *thread, const struct thread_io *now,
				uint64_t tick_ns)
{
	struct thread_transfer *t = &thread->transfer;
	uint64_t calls = now->calls - t->io.calls, bytes = now->bytes - t->io.bytes;
	bool recent = tick_ns < t->found_ns + USUAL_NS;
	bool amid = calls ? bytes / calls > PIPE_BUF : now->waits != t->io.waits;
	bool stands = !calls && thread->cpu_ns - t->cpu_ns < STRETCH_NS;

	t->kind = recent ? TRANSFER_USUAL : TRANSFER_NONE;
	t->io = *now;
	if (amid)
		t->cpu_ns = thread->cpu_ns;
	return recent && (amid || stands);
}

int transfers_spare(struct round *r, const struct member *m, struct thread *thread, bool *spared)
{
	const struct thread_transfer *t = &thread->transfer;
	struct thread_io now;

	*spared = r->plan.tick_ns < t->spare_until_ns;
	if (!*spared && t->kind && read_calls(m, thread->tid, &now)) {
		*spared = t->kind == TRANSFER_UNDER_WAY && now.calls == t->io.calls;
		if (*spared)
			return count_sample(&r->recorded, &r->walker.deeper, thread);
		*spared = read_waits(m, thread->tid, &now) &&
			  transfers_as_before(thread, &now, r->plan.tick_ns);
	}
	if (*spared)
		thread->spared_weight += thread->weight;
	r->recorded.stats.transfers += *spared;
	return 0;
}

void transfers_learn(const struct member *m, const struct slot *slot, struct thread *thread,
		     uint64_t tick_ns)
{
	struct thread_transfer *t = &thread->transfer;

	if (may_be_cut(m, &slot->call)) {
		t->kind = TRANSFER_USUAL;
		found_amid_one(thread);
		read_account(m, thread->tid, &t->io);
	} else if (slot->taken) {
		t->io.waits++; /* the stop, which the kernel counts as a wait */
	}
	if (!slot->stop.work_lost) {
		t->spare_ns = slot->taken ? 0 : t->spare_ns;
		return;
	}
	t->spare_ns = t->spare_ns ? t->spare_ns * 2 : SPARE_FIRST_NS;
	if (t->spare_ns > SPARE_MAX_NS)
		t->spare_ns = SPARE_MAX_NS;
	t->spare_until_ns = tick_ns + t->spare_ns;
}
