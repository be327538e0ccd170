// links: runtimes sampler/thread
/*
 * interpwalk PID[/TID] COUNT step|run [MICROSECONDS]: stops the main thread, or the thread TID, of a
 * runtime's process COUNT times, at each instruction or at random moments, and prints its merged stack each time, one a line:
 * frames from the innermost on, interpreted ones as "function@file:line", native ones as
 * "image+0xaddress", separated by ";". A line begins with "!" if a chain was cut or broken, else with
 * "?" if the innermost interpreted line is marked as uncertain, else with "=". At the end: how long
 * the holds took, the frames that did not fit, and so on, in lines that begin with "#".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "runtimes/interps.h"
#include "runtimes/names.h"
#include "sampler/thread/registers.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/unwinder.h"

static struct process process;
static struct modmap *maps;
static struct unwinder *unwinder;
static struct interps *interps;
static struct interp_names names;
static struct interp_counts counts[INTERP_LANGUAGES];
static struct interp_place place;
static struct interp_look look;
static struct memory_live live;
static unsigned long reads, looks, bytes, pieces;
static double took[1 << 20];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void print(const struct stack *s, char mark)
{
	putchar(mark);
	for (size_t i = 0; i < s->count; i++) {
		const struct frame *f = &s->frames[i];
		const struct interp_function *n = interp_names_find(&names, f->image, f->addr);

		if (n)
			printf(";%s@%s:%u", strset_get(&names.texts, n->name),
			       strset_get(&names.texts, n->file), n->line);
		else
			printf(";%s+0x%lx", f->image ? image_name(f->image) : "nowhere", f->addr);
	}
	printf(";(%s)\n", stack_end_name(s->end));
}

static void look_at(pid_t tid)
{
	static struct stack native, merged;
	struct registers registers = { 0 };
	struct regs regs;
	struct interp_context context = {
		.maps = maps, .stack = &live.memory, .names = &names, .counts = counts
	};
	const struct interp_walk *walk = &look.copy.walk;
	double start;
	bool any;

	if (interps_place(interps, tid, &place) ||
	    interp_look_prepare(&look, interps_set(interps), &place, tid))
		exit(1);
	if (registers_read(tid, &registers))
		exit(3);
	registers_for_walk(&registers, &regs);
	start = now();
	interp_look_alone(&look, tid, registers_tp(&registers), &regs);
	took[looks++ % (1 << 20)] = now() - start;
	reads += look.copy.reads;
	bytes += look.copy.used;
	pieces += look.copy.count;
	if (unwinder_walk(unwinder, maps,
			  &(struct walk_from){ &regs, &live.memory, NULL, interps_walker(interps) },
			  &native) ||
	    interp_place_learn(&place, &look) ||
	    interps_merge(interps, &look, &native, &context, &merged, &any))
		exit(1);
	print(any ? &merged : &native, walk->cut || walk->broken			     ? '!' :
				       walk->count && walk->frames[0].flags & INTERP_INEXACT ? '?' :
											       '=');
}

static bool wait_for(pid_t tid, int *signal)
{
	int status;

	if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		return false;
	*signal = status >> 16 || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	return true;
}

static bool run_for(pid_t tid, long us, int *signal)
{
	if (ptrace(PTRACE_CONT, tid, 0, *signal))
		return false;
	usleep((useconds_t)(us / 2 + random() % us));
	ptrace(PTRACE_INTERRUPT, tid, 0, 0);
	return wait_for(tid, signal);
}

/* On a busy machine the thread may have waited for a CPU all the time. Then it would be met where it
 * was met before, again and again. */
static bool run_until_it_got_on(pid_t tid, long us, int *signal)
{
	struct registers before = { 0 }, now = { 0 };
	int doublings = 0;

	if (registers_read(tid, &before))
		return false;
	do
		if (!run_for(tid, us << doublings, signal) || registers_read(tid, &now))
			return false;
	while (!memcmp(&before.user, &now.user, sizeof(now.user)) && ++doublings < 8);
	return true;
}

static bool step_once(pid_t tid, int *signal)
{
	return !ptrace(PTRACE_SINGLESTEP, tid, 0, *signal) && wait_for(tid, signal);
}

static void run(pid_t tid, long count, bool step, long us)
{
	int signal = 0;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0) || ptrace(PTRACE_INTERRUPT, tid, 0, 0) ||
	    !wait_for(tid, &signal))
		exit(3);
	while (count--) {
		look_at(tid);
		if (!(step ? step_once(tid, &signal) : run_until_it_got_on(tid, us, &signal)))
			return;
		if (!step) /* there may be compiled code in new mappings */
			modmap_refresh(maps, NULL);
	}
	ptrace(PTRACE_DETACH, tid, 0, signal);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The counts of the runtime that was met. */
static const struct interp_counts *counts_met(void)
{
	const struct interp_counts *c = counts;

	while (!*c->version && c < counts + INTERP_LANGUAGES - 1)
		c++;
	return c;
}

int main(int argc, char **argv)
{
	const struct interp_counts *c;
	const char *tid;
	char remark[INTERP_REMARK];

	if (argc < 4 || process_open(&process, atoi(argv[1]), NULL) ||
	    modmap_new(&maps, &process) || modmap_refresh(maps, NULL) || unwinder_new(&unwinder) ||
	    interps_new(&interps, &process) || interps_find(interps, maps) ||
	    interp_names_init(&names, maps))
		return 2;
	if (!interps_any(interps)) {
		printf("# no interpreter; %s\n", interps_remark(interps, remark) ? remark : "");
		return 1;
	}
	unwinder_prepare(unwinder, maps);
	memory_live_init(&live, process.pid);
	tid = strchr(argv[1], '/');
	run(tid ? atoi(tid + 1) : process.pid, atol(argv[2]), !strcmp(argv[3], "step"),
	    argc > 4 ? atol(argv[4]) : 1000);
	if (!looks)
		return 3;
	qsort(took, looks, sizeof(*took), by_value);
	printf("# %lu looks, copy p50 %.1f us, p99 %.1f us; a look has %.2f more reads, %lu bytes, %lu "
	       "pieces\n",
	       looks, took[looks / 2], took[looks * 99 / 100], (double)reads / (double)looks,
	       bytes / looks, pieces / looks);
	c = counts_met();
	printf("# frames %lu, behind %lu, on top %lu, nameless %lu, dropped %lu; cut %lu, broken %lu\n",
	       c->frames, c->behind, c->on_top, c->nameless, c->dropped, c->cut, c->broken);
	return 0;
}
