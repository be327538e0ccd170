// links: runtimes sampler/thread
/*
 * pyframes PID TID SAMPLES US [STEP]: captures one thread of a CPython SAMPLES times, US
 * microseconds apart on average; with STEP, one instruction apart. Each capture is a line of fields
 * that tabs divide: letters (C: cut, B: broken, D: a frame was dropped, g: holds the GIL, w: waits
 * for it), then the frames, innermost first, as name|file|line. "--" follows the last frame of each
 * call of the evaluation loop, "!!" if no C frame was found for it. Frames that are hidden, under
 * construction or without a name are in brackets.
 *
 * Lines that begin with '#' tell at the end how many captures were cut, broken and so on, how many
 * system calls a capture took, and for how long the thread was held.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "runtimes/common/copy.h"
#include "runtimes/cpython/cpython.h"
#include "sampler/thread/registers.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/unwinder.h"

enum { CODES = 1 << 16, STACK_BYTES = 256 << 10, HELD_MAX = 1 << 20 };

static const struct interp_ops *const ops = &cpython_ops;
static struct process process;
static struct modmap *maps;
static struct unwinder *unwinder;
static struct memory_live live;
static void *rt;
static struct interp_copy copy;
static struct interp_plan plan;
static struct interp_known known;
static struct interp_thread thread;
static struct arena arena;
static char stack_bytes[STACK_BYTES];
static struct memory_bytes stack_copy;
static struct stack native;
static uint32_t held[HELD_MAX];

static struct {
	unsigned long captures, empty, cut, broken, dropped, lost, reads, gil_held, gil_waits,
		frames;
	unsigned long unanchored, unmerged, pieces, bytes, impossible, other_state;
} counts;

static struct named {
	struct interp_identity identity;
	struct interp_code code;
	bool ok;
} *named[CODES];

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static bool find_python(void)
{
	size_t count;
	const struct mapping *ranges = modmap_ranges(maps, &count);
	struct error why = { 0 };
	bool found = false;

	for (size_t i = 0; i < count && !found; i++) {
		uint64_t before = thread_cpu_ns();
		int rc;

		if (!image_elf(ranges[i].image) || (i && ranges[i].image == ranges[i - 1].image))
			continue;
		rc = ops->find(&rt, ranges[i].image, ranges[i].bias, &live.memory, &why);
		if (!rc)
			printf("# %s in %s\n", (const char *)rt, image_path(ranges[i].image));
		else if (rc != ERR_NOTFOUND)
			printf("# find %s: %d %s\n", image_path(ranges[i].image), rc, why.text);
		if (rc != ERR_NOTFOUND)
			printf("# find took %lu us\n", (thread_cpu_ns() - before) / 1000);
		found = !rc;
	}
	return found;
}

static void find_thread(pid_t own_tid, uint64_t tp)
{
	struct buffer states = { 0 };
	const struct interp_state *s;

	ops->threads(rt, &live.memory, &states);
	s = (const struct interp_state *)states.data;
	thread.state = 0;
	for (size_t n = states.len / sizeof(*s); n; n--, s++)
		if (s->own_tid ? s->own_tid == own_tid : tp && s->tp == tp)
			thread.state = thread.state ? thread.state : s->at;
	buffer_release(&states);
}

/* The name of a code object; proven, because the thread does not run. */
static const struct named *name_of(uint64_t code)
{
	struct interp_identity id = { .code = code };
	size_t at = code / 16 % CODES;

	ops->identify(rt, &live.memory, &id, 1);
	while (named[at] && (named[at]->identity.code != code ||
			     memcmp(&named[at]->identity, &id, sizeof(id)) != 0))
		at = (at + 1) % CODES;
	if (named[at])
		return named[at];
	named[at] = calloc(1, sizeof(**named));
	named[at]->identity = id;
	named[at]->ok = id.valid && !ops->resolve(rt, &live.memory, &id, &arena, &named[at]->code);
	if (named[at]->ok)
		interp_known_add(&known, code);
	return named[at];
}

/* Index of the native frame that holds the address; -1: none. */
static long native_of(uint64_t anchor)
{
	for (size_t i = 0; anchor && i + 1 < native.count; i++)
		if (anchor >= native.sps[i] && anchor < native.sps[i + 1])
			return (long)i;
	return -1;
}

static void show_frame(const struct interp_frame *f)
{
	const struct named *n = name_of(f->code);
	uint32_t line = 0, column = 0;

	if (!n->ok || n->code.hidden || (int64_t)f->at < n->code.begin) {
		printf("\t[%s]", n->ok ? n->code.name : "?");
		return;
	}
	ops->line(rt, &n->code, f->at, &line, &column);
	printf("\t%s|%s|%u", n->code.name, n->code.file, line);
}

static void show(const struct interp_walk *walk)
{
	long before = -1;

	for (size_t i = 0; i < walk->count; i++) {
		const struct interp_frame *f = &walk->frames[i];
		long where;

		show_frame(f);
		if (i + 1 < walk->count && walk->frames[i + 1].anchor == f->anchor)
			continue;
		where = native_of(f->anchor);
		counts.unanchored += !f->anchor;
		counts.unmerged += where < 0;
		counts.impossible += where >= 0 && where < before;
		before = where > before ? where : before;
		printf("\t%s", where < 0 ? "!!" : "--");
	}
	printf("\n");
}

static void capture(pid_t tid, uint64_t since)
{
	struct memory_piece pieces[INTERP_RANGES + 1];
	struct registers registers;
	struct interp_walk *out = &copy.walk;
	struct regs regs;
	uint64_t sp;
	size_t count, got, before = 0;

	if (registers_read(tid, &registers))
		exit(0);
	registers_for_walk(&registers, &regs);
	thread.regs = &regs;
	thread.tp = registers_tp(&registers);
	if (!thread.state)
		find_thread(thread.own_tid, thread.tp);
	sp = registers_sp(&registers);
	count = interp_copy_pieces(&copy, pieces);
	for (size_t i = 0; i < count; i++)
		before += pieces[i].len;
	counts.pieces += count;
	counts.bytes += before;
	pieces[count++] = (struct memory_piece){ sp - 128, stack_bytes, STACK_BYTES };
	got = memory_live_gather(tid, pieces, count);
	if (got > before)
		memory_bytes_init(&stack_copy, stack_bytes, sp - 128, got - before);
	else
		memory_bytes_init(&stack_copy, stack_bytes, sp - 128,
				  memory_live_gather(tid, &pieces[count - 1], 1));
	copy.known = &known;
	interp_copy_filled(&copy, got, tid, &stack_copy.memory);
	ops->capture(rt, &copy, &thread, out);
	interp_copy_end(&copy);
	if (counts.captures < HELD_MAX)
		held[counts.captures] = (uint32_t)(monotonic_ns() - since);
	counts.captures++;
	counts.empty += !out->count;
	counts.frames += out->count;
	counts.cut += out->cut;
	counts.broken += out->broken;
	counts.dropped += out->dropped;
	counts.lost += out->lost;
	counts.reads += copy.reads;
	counts.gil_held += out->gil_held;
	counts.gil_waits += out->gil_waits;
	counts.other_state += out->state != 0;
	if (out->state || out->lost)
		thread.state = out->state;
	unwinder_walk(unwinder, maps,
		      &(struct walk_from){ .regs = &regs, .memory = &stack_copy.memory }, &native);
	if (ops->anchor)
		ops->anchor(rt, maps, &native, &stack_copy.memory, out->frames, out->count);
	printf("%s%s%s%s%s", out->cut ? "C" : "", out->broken ? "B" : "", out->dropped ? "D" : "",
	       out->gil_held ? "g" : "", out->gil_waits ? "w" : "");
	show(out);
	interp_plan_learn(&plan, &copy);
}

static bool prepare(void)
{
	if (interp_copy_reserve(&copy, &plan))
		return false;
	interp_copy_begin(&copy, &plan);
	return true;
}

static void run(pid_t tid, long samples, long us, bool step)
{
	bool stopped = false;
	int status, signal = 0;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0))
		exit(2);
	while (samples-- && prepare()) {
		uint64_t since;

		if (!stopped)
			usleep((useconds_t)(rand() % (2 * us + 1)));
		since = monotonic_ns();
		if (!stopped && (ptrace(PTRACE_INTERRUPT, tid, 0, 0) ||
				 waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status)))
			return;
		signal = status >> 16 || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		capture(tid, since);
		stopped = step;
		if (ptrace(step ? PTRACE_SINGLESTEP : PTRACE_CONT, tid, 0, signal))
			return;
		if (step && (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status)))
			return;
	}
	if (stopped)
		ptrace(PTRACE_DETACH, tid, 0, 0);
}

int main(int argc, char **argv)
{
	pid_t tid;

	if (argc < 5 || process_open(&process, atoi(argv[1]), NULL) ||
	    modmap_new(&maps, &process) || modmap_refresh(maps, NULL) || unwinder_new(&unwinder))
		return 2;
	tid = atoi(argv[2]);
	memory_live_init(&live, process.pid);
	if (!find_python())
		return 1;
	unwinder_prepare(unwinder, maps);
	thread.own_tid = tid;
	run(tid, atol(argv[3]), atol(argv[4]), argc > 5);
	qsort(held, counts.captures < HELD_MAX ? counts.captures : HELD_MAX, sizeof(*held),
	      compare);
	if (!counts.captures)
		return 1;
	printf("# captures %lu empty %lu cut %lu broken %lu dropped %lu lost %lu other_state %lu\n",
	       counts.captures, counts.empty, counts.cut, counts.broken, counts.dropped,
	       counts.lost, counts.other_state);
	printf("# frames %lu unanchored runs %lu unmerged runs %lu impossible order %lu\n",
	       counts.frames, counts.unanchored, counts.unmerged, counts.impossible);
	printf("# gil held %lu waits %lu\n", counts.gil_held, counts.gil_waits);
	printf("# a capture: reads %.3f pieces %.1f bytes %lu; held us p50 %u p99 %u max %u\n",
	       (double)counts.reads / (double)counts.captures,
	       (double)counts.pieces / (double)counts.captures, counts.bytes / counts.captures,
	       held[counts.captures / 2] / 1000, held[counts.captures * 99 / 100] / 1000,
	       held[counts.captures - 1] / 1000);
	return 0;
}
