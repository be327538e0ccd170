// links: runtimes sampler/thread
/*
 * managedstep PID/TID STEPS [MICROSECONDS]: lets a thread of a runtime that compiles (runtimes/
 * common/managed.h) execute one instruction at a time, and walks its stack at each. One instruction
 * makes one call, or one return, or leaves all callers as they are: anything else is inconsistent, and
 * at least one of the two walks is wrong, unless the runtime has replaced frames just then.
 *
 * After each 2000 steps the thread runs freely for some MICROSECONDS (3000), so that different code is
 * met. Prints the first inconsistent steps, the functions in which walks were short, and the counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "runtimes/interps.h"
#include "sampler/thread/registers.h"
#include "unwind/managed.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/unwinder.h"

enum { DEPTH_MAX = 4096, IN_A_ROW = 2000, SHOWN = 5 };

/* A frame, by what cannot change while it waits for its callee. */
struct level {
	uint64_t pc;
	uint64_t code; /* of a runtime's frame, else 0 */
};

struct levels {
	struct level at[DEPTH_MAX]; /* innermost first */
	size_t count;
	enum stack_end end;
};

static struct process process;
static struct modmap *maps;
static struct unwinder *unwinder;
static struct interps *interps;
static struct memory_live live;
static struct levels pair[2];
static unsigned long steps, inconsistent, shorts;

static void take(struct levels *l, const struct stack *s)
{
	const struct managed_frame *m = s->managed, *end = m + s->managed_count;

	l->end = s->end;
	for (l->count = 0; l->count < s->count && l->count < DEPTH_MAX; l->count++) {
		bool managed = m < end && m->index == l->count;

		l->at[l->count] = (struct level){ s->pcs[l->count], managed ? m->code : 0 };
		m += managed;
	}
}

/* Are the frames of a from i on those of b from j on? The first may have been deoptimised meanwhile,
 * which changes where it goes on. */
static bool same(const struct levels *a, size_t i, const struct levels *b, size_t j)
{
	if (a->count < i || a->count - i != b->count - j)
		return false;
	for (size_t n = 0; i + n < a->count; n++) {
		const struct level *x = &a->at[i + n], *y = &b->at[j + n];

		if (x->pc != y->pc && (n || !x->code || x->code != y->code))
			return false;
	}
	return true;
}

static bool consistent(const struct levels *before, const struct levels *after)
{
	if (before->count == after->count)
		return same(before, 1, after, 1);
	return after->count == before->count + 1 ?
		       same(before, 1, after, 2) :
		       before->count == after->count + 1 && same(before, 2, after, 1);
}

static void show(const char *when, const struct levels *l)
{
	printf("  %s:", when);
	for (size_t i = 0; i < l->count && i < 6; i++) {
		const struct mapping *at = modmap_find(maps, l->at[i].pc);

		printf(" %s %lx",
		       l->at[i].code ? "managed" :
		       at	     ? image_name(at->image) :
				       "?",
		       l->at[i].pc);
	}
	printf(" … %zu frames, %s\n", l->count, stack_end_name(l->end));
}

static void look_at(pid_t tid, bool follows)
{
	static struct stack stack;
	struct levels *now = &pair[steps % 2], *before = &pair[(steps + 1) % 2];
	struct registers registers = { 0 };
	struct regs regs;

	if (registers_read(tid, &registers))
		exit(3);
	registers_for_walk(&registers, &regs);
	if (unwinder_walk(unwinder, maps,
			  &(struct walk_from){ &regs, &live.memory, NULL, interps_walker(interps) },
			  &stack))
		exit(1);
	take(now, &stack);
	steps++;
	shorts += now->end != STACK_OUTERMOST;
	if (now->end != STACK_OUTERMOST && shorts <= SHOWN)
		show("short", now);
	if (!follows || now->end != STACK_OUTERMOST || before->end != STACK_OUTERMOST ||
	    consistent(before, now))
		return;
	if (++inconsistent <= SHOWN) {
		show("before", before);
		show("after", now);
	}
}

static bool wait_for(pid_t tid, int *signal)
{
	int status;

	if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		return false;
	*signal = status >> 16 || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	return true;
}

static void run(pid_t tid, unsigned long count, long us)
{
	bool follows = false;
	int signal = 0;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0) || ptrace(PTRACE_INTERRUPT, tid, 0, 0) ||
	    !wait_for(tid, &signal))
		exit(3);
	while (steps < count) {
		bool moves = steps % IN_A_ROW == IN_A_ROW - 1;

		look_at(tid, follows);
		follows = !moves && !signal; /* a signal makes two calls */
		if (ptrace(moves ? PTRACE_CONT : PTRACE_SINGLESTEP, tid, 0, signal))
			return;
		if (moves) {
			usleep((useconds_t)us);
			ptrace(PTRACE_INTERRUPT, tid, 0, 0);
		}
		if (!wait_for(tid, &signal))
			return;
		if (moves)
			modmap_refresh(maps, NULL);
	}
	ptrace(PTRACE_DETACH, tid, 0, signal);
}

int main(int argc, char **argv)
{
	const char *tid;
	char remark[INTERP_REMARK];

	if (argc < 3 || process_open(&process, atoi(argv[1]), NULL) ||
	    modmap_new(&maps, &process) || modmap_refresh(maps, NULL) || unwinder_new(&unwinder) ||
	    interps_new(&interps, &process) || interps_find(interps, maps))
		return 2;
	if (!interps_any(interps)) {
		printf("no runtime; %s\n", interps_remark(interps, remark) ? remark : "");
		return 1;
	}
	unwinder_prepare(unwinder, maps);
	memory_live_init(&live, process.pid);
	tid = strchr(argv[1], '/');
	run(tid ? atoi(tid + 1) : process.pid, strtoul(argv[2], NULL, 10),
	    argc > 3 ? atol(argv[3]) : 3000);
	printf("steps %lu inconsistent %lu short %lu\n", steps, inconsistent, shorts);
	return 0;
}
