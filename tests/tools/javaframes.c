// links: runtimes/hotspot sampler/thread
/*
 * javaframes PID/TID COUNT [MICROSECONDS]: stops a thread of a HotSpot VM at random moments and prints
 * its stack each time, one a line: Java's methods from the innermost on, as
 * "CLASS.METHOD DESCRIPTOR BCI", separated by tabs, with "-" for each run of other frames between them
 * and "!" for a frame that could not be read. BCI is -1 in front of the first bytecode, -2 if it is not
 * known. The line ends with why the walk ended.
 *
 * For a check of call edges: the caller's bytecode calls a method with the callee's name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "runtimes/hotspot/hotspot.h"
#include "runtimes/hotspot/names.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "sampler/thread/registers.h"
#include "unwind/managed.h"
#include "unwind/stack.h"
#include "unwind/unwinder.h"

static struct process process;
static struct modmap *maps;
static struct unwinder *unwinder;
static struct memory_live live;
static struct hotspot *hs;

static int step(struct managed_walker *m, struct walk *w, enum frame_kind *kind,
		struct managed_frame *frame)
{
	(void)m;
	return hotspot_ops.step(hs, w, kind, frame);
}

static struct managed_walker walker = { step };

static bool find(void)
{
	const struct mapping *ranges;
	size_t count;
	void *rt;

	ranges = modmap_ranges(maps, &count);
	for (size_t i = 0; i < count; i++)
		if (image_elf(ranges[i].image) &&
		    !hotspot_ops.find(&rt, ranges[i].image, ranges[i].bias, &live.memory, NULL)) {
			hs = rt;
			return true;
		}
	return false;
}

static bool print_place(const struct hotspot_place *place)
{
	const struct hotspot_parts *now;
	struct hotspot_parts p;
	struct arena arena = { 0 };
	uint8_t *text[3];
	size_t len[3];
	bool ok = !hotspot_parts_read(hs, hs->memory, place->method, &now);

	if (ok) {
		p = *now;
		ok = !hotspot_symbol_read(hs, p.class_symbol, &arena, &text[0], &len[0]) &&
		     !hotspot_symbol_read(hs, p.name_symbol, &arena, &text[1], &len[1]) &&
		     !hotspot_symbol_read(hs, p.signature_symbol, &arena, &text[2], &len[2]);
	}
	if (ok)
		printf("%.*s.%.*s %.*s %d\t", (int)len[0], (char *)text[0], (int)len[1],
		       (char *)text[1], (int)len[2], (char *)text[2], place->bci);
	arena_release(&arena);
	return ok;
}

static void print(const struct stack *s)
{
	const struct managed_frame *f = s->managed, *end = f + s->managed_count;
	bool gap = false;

	for (size_t i = 0; i < s->count; i++) {
		struct hotspot_place places[MANAGED_NAMES_MAX];
		size_t count = 0;

		if (f < end && f->index == i && hotspot_places(hs, f++, places, &count)) {
			printf("!\t");
			continue;
		}
		if (!count && !gap)
			printf("-\t");
		gap = !count;
		for (size_t k = 0; k < count; k++)
			if (!print_place(&places[k]))
				printf("!\t");
	}
	printf("(%s)\n", stack_end_name(s->end));
}

static void look_at(pid_t tid)
{
	static struct stack stack;
	struct registers registers = { 0 };
	struct regs regs;

	if (registers_read(tid, &registers))
		exit(3);
	registers_for_walk(&registers, &regs);
	hotspot_ops.begin(hs);
	if (unwinder_walk(unwinder, maps, &(struct walk_from){ &regs, &live.memory, NULL, &walker },
			  &stack))
		exit(1);
	print(&stack);
}

static bool wait_for(pid_t tid, int *signal)
{
	int status;

	if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		return false;
	*signal = status >> 16 || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	return true;
}

static void run(pid_t tid, long count, long us)
{
	int signal = 0;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0) || ptrace(PTRACE_INTERRUPT, tid, 0, 0) ||
	    !wait_for(tid, &signal))
		exit(3);
	while (count--) {
		look_at(tid);
		if (ptrace(PTRACE_CONT, tid, 0, signal))
			return;
		usleep((useconds_t)(us / 2 + random() % us));
		ptrace(PTRACE_INTERRUPT, tid, 0, 0);
		if (!wait_for(tid, &signal))
			return;
		if (count % 100 == 0)
			modmap_refresh(maps, NULL);
	}
	ptrace(PTRACE_DETACH, tid, 0, signal);
}

int main(int argc, char **argv)
{
	const char *tid;

	if (argc < 3 || process_open(&process, atoi(argv[1]), NULL) ||
	    modmap_new(&maps, &process) || modmap_refresh(maps, NULL) || unwinder_new(&unwinder))
		return 2;
	memory_live_init(&live, process.pid);
	unwinder_prepare(unwinder, maps);
	if (!find())
		return 1;
	tid = strchr(argv[1], '/');
	run(tid ? atoi(tid + 1) : process.pid, atol(argv[2]), argc > 3 ? atol(argv[3]) : 1000);
	return 0;
}
