/*
 * Rejected: repairing a short count. The thread would stay attached until a second call has
 * transferred the rest, and if we were killed meanwhile, it would get the second count only.
 */
#include "sampler/tick/transfers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "sampler/thread/calls.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/member.h"
#include "sampler/tick/round.h"
#include "sampler/tick/walltime.h"

enum { SPARE_FIRST_NS = 100000000 }; /* an estimate of how long bpf(2) verifies */

static const uint64_t SPARE_MAX_NS = 10 * NS_PER_S,
		      USUAL_NS = 10 * NS_PER_S, /* so long a thread counts as doing transfers */
		      STRETCH_NS = 1000000;	/* most CPU time between two waits in a call */

static uint64_t field(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

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

		io->bytes = field(t, "rchar: ") + field(t, "wchar: ");
		io->calls = field(t, "syscr: ") + field(t, "syscw: ");
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
		io->waits = field((const char *)text.data, "\nvoluntary_ctxt_switches:\t");
	buffer_release(&text);
	return there;
}

static bool read_account(const struct member *m, pid_t tid, struct thread_io *io)
{
	return read_calls(m, tid, io) && read_waits(m, tid, io);
}

void transfers_look(const struct member *m, struct thread *thread, bool *wanted)
{
	struct call call;

	*wanted = thread_read_call(m->threads, thread, &call) && call_transfers(&call);
	if (!*wanted && thread->transfer)
		thread->transfer = TRANSFER_USUAL;
}

static void found_amid_one(struct thread *thread)
{
	thread->transfer_ns = monotonic_ns();
	thread->transfer_cpu_ns = thread->cpu_ns;
}

void transfers_note(const struct member *m, struct thread *thread, const struct call *call)
{
	bool transfers = call_transfers(call) && read_account(m, thread->tid, &thread->io);

	if (transfers)
		found_amid_one(thread);
	thread->transfer = transfers ? TRANSFER_UNDER_WAY : TRANSFER_NONE;
}

/* Counts a CPU sample on the thread's newest stack. */
static int count_sample(struct round *r, struct thread *thread)
{
	const struct stackset_entry *from = &r->stacks.entries[thread->stack];
	struct stack_context context = from->context;
	struct stackset_entry *e;

	r->deeper.count = 0;
	for (uint32_t i = 0; i < from->count; i++) {
		const struct frame *f = &r->stacks.frames[from->first + i];

		if (stack_push(&r->deeper, f->image, f->addr, f->kind))
			return ERR_NOMEM;
	}
	context.state = THREAD_RUNNING;
	context.syscall = -1;
	if (stackset_add(&r->stacks, &context, &r->deeper, &thread->stack))
		return ERR_NOMEM;
	e = &r->stacks.entries[thread->stack];
	e->cpu_weight += r->weight;
	thread->cpu_weight += r->weight;
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
 * to no CPU since such a look, it is still in that call; on a busy machine that lasts for several
 * looks. (A stop does not harm long reads of files. So the thread must have been found waiting in a
 * transfer lately.) */
static bool transfers_as_before(const struct round *r, struct thread *thread,
				const struct thread_io *now)
{
	uint64_t calls = now->calls - thread->io.calls, bytes = now->bytes - thread->io.bytes;
	bool recent = r->tick_ns < thread->transfer_ns + USUAL_NS;
	bool amid = calls ? bytes / calls > PIPE_BUF : now->waits != thread->io.waits;
	bool stands = !calls && thread->cpu_ns - thread->transfer_cpu_ns < STRETCH_NS;

	thread->transfer = recent ? TRANSFER_USUAL : TRANSFER_NONE;
	thread->io = *now;
	if (amid)
		thread->transfer_cpu_ns = thread->cpu_ns;
	return recent && (amid || stands);
}

int transfers_spare(struct round *r, const struct member *m, struct thread *thread, bool *spared)
{
	struct thread_io now;

	*spared = r->tick_ns < thread->spare_until_ns;
	if (!*spared && thread->transfer && read_calls(m, thread->tid, &now)) {
		*spared = thread->transfer == TRANSFER_UNDER_WAY && now.calls == thread->io.calls;
		if (*spared)
			return count_sample(r, thread);
		*spared = read_waits(m, thread->tid, &now) && transfers_as_before(r, thread, &now);
	}
	if (*spared)
		thread->spared_weight += r->weight;
	r->stats.transfers += *spared;
	return 0;
}

void transfers_learn(struct round *r, const struct slot *slot, struct thread *thread)
{
	if (slot->in_transfer) {
		thread->transfer = TRANSFER_USUAL;
		found_amid_one(thread);
		read_account(r->members[slot->context.member], thread->tid, &thread->io);
	}
	if (!slot->stop.work_lost) {
		thread->spare_ns = slot->taken ? 0 : thread->spare_ns;
		return;
	}
	thread->spare_ns = thread->spare_ns ? thread->spare_ns * 2 : SPARE_FIRST_NS;
	if (thread->spare_ns > SPARE_MAX_NS)
		thread->spare_ns = SPARE_MAX_NS;
	thread->spare_until_ns = r->tick_ns + thread->spare_ns;
}
