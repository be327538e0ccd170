// links: runtimes sampler/thread
/*
 * pynames PID TID COUNTER SAMPLES US: stops one thread of a CPython SAMPLES times, and reads eight
 * bytes at the address COUNTER in the same stop. The thread then runs on for up to US microseconds,
 * and may free the code objects that it ran and use their addresses again, before their names are
 * read as the program reads them (runtimes/codes.h).
 *
 * Prints for each stop the number at COUNTER and its frames, innermost first, as
 * "name|line|first line|file", "?" without a proven name, "-" hidden, separated by tabs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/modmap.h"
#include "base/process/process.h"
#include "runtimes/codes.h"
#include "runtimes/interps.h"
#include "runtimes/names.h"
#include "sampler/thread/registers.h"
#include "unwind/table/regs.h"

static struct process process;
static struct modmap *maps;
static struct interps *interps;
static struct interp_set set;
static struct interp_codes codes;
static struct interp_names names;
static struct interp_place place;
static struct interp_look look;
static struct memory_live live;

static void show(const struct interp_frame *f, uint32_t language)
{
	uint32_t number;
	bool hidden;
	int rc;

	if (!interp_codes_place(&codes, &set.at[0], f, language, &names, &number, &hidden, &rc)) {
		printf("\t?");
	} else if (hidden) {
		printf("\t-");
	} else {
		const struct interp_function *p = &names.places[number];

		printf("\t%s|%u|%u|%s", strset_get(&names.texts, p->name), p->line, p->first_line,
		       strset_get(&names.texts, p->file));
	}
}

/* The thread does not run. */
static uint64_t capture(pid_t tid, uint64_t counter)
{
	struct registers registers;
	struct regs regs;
	uint64_t value;

	if (registers_read(tid, &registers) || memory_read_u64(&live.memory, counter, &value))
		exit(0);
	registers_for_walk(&registers, &regs);
	interp_look_alone(&look, tid, registers_tp(&registers), &regs);
	return value;
}

static bool stop(pid_t tid, int *signal)
{
	int status;

	if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) || waitpid(tid, &status, __WALL) != tid ||
	    !WIFSTOPPED(status))
		return false;
	*signal = status >> 16 || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	return true;
}

static void sample(pid_t tid, uint64_t counter, unsigned us)
{
	const struct interp_walk *walk = &look.copy.walk;
	uint32_t language;
	uint64_t value;
	bool proven;
	int signal;

	usleep(us);
	if (interps_place(interps, tid, &place) || interp_look_prepare(&look, &set, &place, tid) ||
	    !stop(tid, &signal))
		exit(0);
	value = capture(tid, counter);
	if (ptrace(PTRACE_CONT, tid, 0, signal))
		exit(0);
	usleep(us);
	if (interp_place_learn(&place, &look) || !look.any ||
	    interp_codes_prove(&codes, &set.at[0], 0, walk, &look.copy.memory, &live.memory,
			       &proven) ||
	    interp_names_language(&names, set.at[0].ops->mapping, &language))
		return;
	printf("%lu", value);
	for (size_t i = 0; i < walk->count; i++)
		show(&walk->frames[i], language);
	printf("\n");
}

int main(int argc, char **argv)
{
	pid_t tid;

	if (argc != 6 || process_open(&process, atoi(argv[1]), NULL) ||
	    modmap_new(&maps, &process) || modmap_refresh(maps, NULL) ||
	    interps_new(&interps, &process) || interps_find(interps, maps) ||
	    interp_names_init(&names, maps) || !interps_set(interps))
		return 2;
	tid = atoi(argv[2]);
	memory_live_init(&live, process.pid);
	set = *interps_set(interps);
	if (!set.count)
		return 1;
	set.at[0].known = &codes.known;
	if (ptrace(PTRACE_SEIZE, tid, 0, 0))
		return 2;
	for (long n = atol(argv[4]); n; n--)
		sample(tid, strtoull(argv[3], NULL, 0),
		       (unsigned)rand() % (unsigned)(atoi(argv[5]) + 1));
	return 0;
}
