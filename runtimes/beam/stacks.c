/*
 * Copies the stack of the Erlang process that a scheduler's thread runs, while the thread is held.
 *
 * While C runs for a process, a BIF or the garbage collector, the thread's own stack is copied, and
 * the process's is somewhere else. So is the end of the thread's stack while Erlang runs. Both are
 * copied through the interface that interpreters' frames are copied by: it predicts what is needed,
 * and reads that with the stack. No frame comes from here.
 *
 * This only decides which bytes are copied. A walk (step_x86_64.c) finds its way by registers
 * alone, and ends where something was not copied. So a wrong guess here makes no wrong frame. There
 * are two: where a scheduler's data (ErtsSchedulerData) have its thread, which is recognized by its
 * struct pthread, and where they have the process that it runs, which is recognized by the heap's
 * bounds in struct process.
 */
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "runtimes/beam/beam.h"
#include "runtimes/beam/runtime.h"
#include "runtimes/common/copy.h"
#include "runtimes/common/pthread.h"
#include "unwind/table/regs.h"

enum {
	DATA_ALIGN = 64,     /* of a scheduler's data */
	DATA_BYTES = 512,    /* of these data that are searched for the thread */
	CURRENT_BYTES = 256, /* of these data that are searched for the process */
	DATA_SPAN = 1 << 16, /* from one scheduler's data to the next, at most */
	SCHEDULERS_MAX = 1024,
	STACK_MAX = 128 << 10, /* bytes of a process's stack */
	TOP_MAX = 4096,	       /* bytes above process_main's frame */
	PID_TAG = 3,
	TAG_BITS = 15,
	HEAP_SHIFT = 16,
	SLACK = 8 << 10, /* bytes copied below the stack pointer in struct process */
};

static const uint64_t SPAN_MAX = 64 << 20; /* of a thread's stack */

/* A process's heap: heap, hend and heap_sz in struct process (erts/emulator/beam/erl_process.h).
 * Their offsets differ by release; the values show which fields they are. */

/* Words of struct process from htop on. */
enum {
	FIRST = 2, /* the first one behind htop and stop */
	SIZE = 3,  /* distance from the word of the heap's start to that of its size */
};

static const uint64_t WORDS_MAX = 1ull << 40;

static bool is_heap(const uint64_t *head, uint32_t i)
{
	return head[i] && head[i + SIZE] && head[i + SIZE] < WORDS_MAX &&
	       head[i + 1] == head[i] + head[i + SIZE] * 8;
}

uint32_t beam_find_heap(const uint64_t *head)
{
	for (uint32_t i = FIRST; i + SIZE < BEAM_HEAD_WORDS; i++)
		if (is_heap(head, i) && head[i] <= head[0] && head[0] <= head[1] &&
		    head[1] <= head[i + 1])
			return i;
	return 0;
}

bool beam_heap_fits(const uint64_t *head)
{
	uint32_t i = FIRST;

	while (i + SIZE < BEAM_HEAD_WORDS && !is_heap(head, i))
		i++;
	return i + SIZE < BEAM_HEAD_WORDS;
}

/* Finding, with the process running. */

static bool is_data(const struct memory *m, const char *data, unsigned thread)
{
	uint64_t registers = memory_word(data, 0), self = memory_word(data, thread), first;

	return registers && registers % DATA_ALIGN == 0 && registers < self &&
	       self - registers < SPAN_MAX && !memory_read_u64(m, self, &first) && first == self;
}

static unsigned stacks_find_thread(const struct memory *m, const char *data)
{
	for (unsigned at = 8; at < DATA_BYTES; at += 8)
		if (is_data(m, data, at))
			return at;
	return 0;
}

static int stacks_add(const struct memory *m, const char *data, uint64_t addr, unsigned thread,
		      struct buffer *states)
{
	struct interp_state state = { .at = addr, .tp = memory_word(data, thread) };

	state.own_tid = pthread_read_tid(m, state.tp);
	return buffer_add(states, &state, sizeof(state));
}

static int stacks_threads(const void *of, const struct memory *m, struct buffer *states)
{
	const struct beam_runtime *rt = of;
	char data[DATA_BYTES];
	unsigned thread = 0, count = 0;
	uint64_t addr, last;
	int rc = 0;

	if (memory_read_u64(m, rt->at.schedulers, &addr))
		return 0;
	for (last = addr; !rc && addr - last < DATA_SPAN && count < SCHEDULERS_MAX;
	     addr += DATA_ALIGN) {
		if (m->read(m, addr, data, sizeof(data)))
			break;
		thread = thread ? thread : stacks_find_thread(m, data);
		if (!thread || !is_data(m, data, thread))
			continue;
		rc = stacks_add(m, data, addr, thread, states);
		last = addr;
		count++;
	}
	return rc;
}

/* Copying, with the thread held. */

/* What is read of struct process. */
struct beam_process {
	uint64_t id;
	uint64_t head[BEAM_HEAD_WORDS]; /* htop, the stack pointer, and what follows */
	uint32_t heap;			/* index in `head` of the heap's start */
};

static bool copy_head(const struct beam_runtime *rt, struct interp_copy *copy, uint64_t addr,
		      struct beam_process *p)
{
	const char *bytes = interp_copy_need(copy, addr, rt->at.stop - 8 + sizeof(p->head));

	if (!bytes)
		return false;
	memcpy(&p->id, bytes, sizeof(p->id));
	memcpy(p->head, bytes + rt->at.stop - 8, sizeof(p->head));
	return true;
}

static bool stacks_read_process(const struct beam_runtime *rt, struct interp_copy *copy,
				uint64_t addr, struct beam_process *p)
{
	if (!copy_head(rt, copy, addr, p))
		return false;
	p->heap = beam_find_heap(p->head);
	return (p->id & TAG_BITS) == PID_TAG && p->heap;
}

static bool may_be_process(uint64_t word)
{
	return word && word % 8 == 0 && word >> 47 == 0 && word >= 1 << 16;
}

static bool has_on_stack(const struct beam_process *p, uint64_t sp)
{
	return sp >= p->head[p->heap] && sp <= p->head[p->heap + 1];
}

/* Finds the offset in a scheduler's data of the process that it runs: while Erlang runs, rsp is on
 * the stack of that process. The result has the offset in its low bits, beam_process.heap from bit
 * HEAP_SHIFT on; 0: not found. */
static uint32_t find_current(const struct beam_runtime *rt, struct interp_copy *copy, uint64_t at,
			     uint64_t sp)
{
	const char *data = interp_copy_need(copy, at, CURRENT_BYTES);
	uint64_t words[CURRENT_BYTES / 8], maybe[CURRENT_BYTES / 8];
	struct beam_process p;
	size_t count = 0;

	if (!data)
		return 0;
	memcpy(words, data, sizeof(words));
	for (unsigned i = 1; i < CURRENT_BYTES / 8; i++)
		if (may_be_process(words[i]))
			maybe[count++] = words[i];
	interp_copy_need_all(copy, maybe, count, rt->at.stop - 8 + sizeof(p.head));
	for (unsigned i = 1; i < CURRENT_BYTES / 8; i++)
		if (may_be_process(words[i]) && stacks_read_process(rt, copy, words[i], &p) &&
		    has_on_stack(&p, sp))
			return i * 8 | p.heap << HEAP_SHIFT;
	return 0;
}

static void copy_top(const struct beam_runtime *rt, struct interp_copy *copy, uint64_t registers,
		     uint64_t tp)
{
	uint64_t from = registers + rt->at.frame;

	if (registers && tp > from && tp - from < SPAN_MAX)
		interp_copy_need(copy, from, tp - from < TOP_MAX ? tp - from : TOP_MAX);
}

/* The lowest address at which the process's stack pointer may be. The one in struct process is
 * current only where C may look at the stack. Elsewhere it is an older one, and rbp is likely to
 * have the current one. */
static uint64_t lowest(const struct beam_process *p, const struct regs *regs)
{
	uint64_t stop = p->head[1], heap = p->head[p->heap], rbp = regs->r[DWARF_FP], low;

	if (heap > stop || stop - heap > SPAN_MAX)
		return stop;
	low = stop - heap < SLACK ? heap : stop - SLACK;
	return rbp % 8 == 0 && rbp >= heap && rbp < low ? rbp : low;
}

/* While garbage is collected, the heap's end in struct process may be another heap's. */
static void copy_process(const struct beam_runtime *rt, struct interp_copy *copy, uint64_t process,
			 uint32_t heap, const struct regs *regs)
{
	struct beam_process p = { .heap = heap };
	uint64_t low, end;

	if (!copy_head(rt, copy, process, &p) || has_on_stack(&p, regs->r[DWARF_SP]))
		return;
	low = lowest(&p, regs);
	end = p.head[heap + 1];
	if (end < p.head[1] || end - low > STACK_MAX)
		end = low + SLACK;
	interp_copy_need(copy, low, end - low);
}

static void stacks_capture(const void *of, struct interp_copy *copy,
			   const struct interp_thread *thread, struct interp_walk *out)
{
	const struct beam_runtime *rt = of;
	uint32_t current = atomic_load(rt->current), at;
	uint64_t registers, process;

	(void)out;
	if (!current) {
		current = find_current(rt, copy, thread->state, thread->regs->r[DWARF_SP]);
		atomic_store(rt->current, current);
	}
	at = current & ((1u << HEAP_SHIFT) - 1);
	if (interp_copy_word(copy, thread->state, &registers))
		copy_top(rt, copy, registers, thread->tp);
	if (at && interp_copy_word(copy, thread->state + at, &process) && process)
		copy_process(rt, copy, process, current >> HEAP_SHIFT, thread->regs);
}

const struct interp_ops beam_stack_ops = {
	.mapping = "[erlang]",
	.find = beam_find,
	.free = beam_release,
	.threads = stacks_threads,
	.capture = stacks_capture,
};
