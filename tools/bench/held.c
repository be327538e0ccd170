// links: sampler/stop
// libs: -ldw -lelf
/*
 * How long is a thread held for one sample?
 *
 * Only the thread itself can measure it. Ours does nothing but read the clock,
 * 35 calls deep, and notes the longest gap between two readings. Around each
 * sample this gap is the pause that the thread felt, with everything in it: the
 * way into the stop, the tracer's wake-up, its work, the way out. The ways of
 * taking a sample alternate, so that a noisy moment affects all of them.
 *
 * Prints, for each way: name, pause felt p50 and p99, round trip of the tracer
 * p50 and p99, all in ns.
 */
#include <elfutils/libdwfl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "sampler/stop/stop.h"
#include "sampler/thread/registers.h"
#include "sampler/thread/snapshot.h"

enum { DEPTH = 35, COPY = 16 << 10, ROUNDS = 2000, WARM = 20, PAUSE_US = 300, PAD = 32 << 10 };

/* Shared by the thread and us. */
struct watch {
	_Atomic uint64_t gap;	/* the longest since it was set to 0 */
	_Atomic uint64_t beats; /* clock readings */
};

struct way {
	const char *name;
	bool (*sample)(pid_t tid);
	uint64_t felt[ROUNDS], trip[ROUNDS];
};

static struct watch *watch;
static struct snapshot snapshot;
static struct tracer *tracer;
static bool copy;
static Dwfl *dwfl;
static int frames_seen;

/* The target. */

__attribute__((noinline)) static void watch_the_clock(void)
{
	uint64_t last = monotonic_ns();

	/* Until the counter is full: for ever. */
	while (atomic_fetch_add_explicit(&watch->beats, 1, memory_order_relaxed) != UINT64_MAX) {
		uint64_t now = monotonic_ns();

		if (now - last > atomic_load_explicit(&watch->gap, memory_order_relaxed))
			atomic_store_explicit(&watch->gap, now - last, memory_order_relaxed);
		last = now;
	}
}

__attribute__((noinline)) static int descend(int depth)
{
	volatile int here = depth;

	if (depth)
		here += descend(depth - 1);
	else
		watch_the_clock();
	return here;
}

/* Binds the process to the nth of our CPUs, counted from 0, unless there is only one. */
static void use_cpu(int nth)
{
	cpu_set_t all, one;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(all), &all) || CPU_COUNT(&all) < 2)
		return;
	for (;; cpu++)
		if (CPU_ISSET(cpu, &all) && nth-- == 0)
			break;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static pid_t start_target(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		/* More stack above the calls than is copied. */
		volatile char pad[PAD];

		pad[0] = pad[PAD - 1] = 1;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		use_cpu(1);
		_exit(descend(DEPTH - 4) +
		      pad[0]); /* and main, watch_the_clock, _start, libc's two */
	}
	return pid;
}

/* Ways to take a sample. */

static bool hold(pid_t tid, struct registers *regs)
{
	int status;

	return ptrace(PTRACE_SEIZE, tid, 0, 0) == 0 && ptrace(PTRACE_INTERRUPT, tid, 0, 0) == 0 &&
	       waitpid(tid, &status, __WALL) == tid && registers_read(tid, regs) == 0;
}

static bool sample_bare(pid_t tid)
{
	struct registers regs = { 0 };

	return hold(tid, &regs) && ptrace(PTRACE_DETACH, tid, 0, 0) == 0;
}

static bool sample_bare_copy(pid_t tid)
{
	struct registers regs = { 0 };

	if (!hold(tid, &regs))
		return false;
	snapshot_take(&snapshot, tid, &regs, COPY - 128, 0);
	return ptrace(PTRACE_DETACH, tid, 0, 0) == 0 && snapshot.stack.memory.len == COPY;
}

static bool take(void *owner, void *cookie, pid_t tid, const struct registers *regs)
{
	(void)owner, (void)cookie;
	if (copy)
		snapshot_take(&snapshot, tid, regs, COPY - 128, 0);
	return true;
}

static bool sample_ours(pid_t tid)
{
	struct stop stop;

	return tracer_ask(tracer, NULL, tid, NULL, NULL, STOP_ELSEWHERE) == 0 &&
	       tracer_next(tracer, monotonic_ns() + NS_PER_S, &stop) == 1 &&
	       stop.outcome == STOP_TAKEN;
}

static bool sample_regs(pid_t tid)
{
	copy = false;
	return sample_ours(tid);
}

static bool sample_copy(pid_t tid)
{
	copy = true;
	return sample_ours(tid);
}

static int count_frame(Dwfl_Frame *frame, void *arg)
{
	Dwarf_Addr pc;

	(void)arg;
	frames_seen += dwfl_frame_pc(frame, &pc, NULL);
	return DWARF_CB_OK;
}

static bool sample_dwfl(pid_t tid)
{
	struct registers regs = { 0 };

	if (!hold(tid, &regs))
		return false;
	frames_seen = 0;
	dwfl_getthread_frames(dwfl, tid, count_frame, NULL);
	return ptrace(PTRACE_DETACH, tid, 0, 0) == 0;
}

static struct way ways[] = {
	{ .name = "bare", .sample = sample_bare },
	{ .name = "bare+copy", .sample = sample_bare_copy },
	{ .name = "sampler", .sample = sample_regs },
	{ .name = "sampler+copy", .sample = sample_copy },
	{ .name = "libdwfl", .sample = sample_dwfl },
};
enum { WAYS = sizeof(ways) / sizeof(*ways) };

static bool open_dwfl(pid_t pid)
{
	static char *debuginfo_path;
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &debuginfo_path,
	};

	unsetenv("DEBUGINFOD_URLS");
	dwfl = dwfl_begin(&callbacks);
	return dwfl && dwfl_linux_proc_report(dwfl, pid) == 0 &&
	       dwfl_report_end(dwfl, NULL, NULL) == 0 &&
	       dwfl_linux_proc_attach(dwfl, pid, true) == 0;
}

/* Measuring. */

static void wait_for_beats(void)
{
	uint64_t until = atomic_load(&watch->beats) + 3;

	while (atomic_load(&watch->beats) < until)
		sched_yield();
}

static bool measure(struct way *way, pid_t tid, int round)
{
	uint64_t start, end;
	bool good;

	usleep(PAUSE_US);
	wait_for_beats();
	atomic_store(&watch->gap, 0);
	start = monotonic_ns();
	good = way->sample(tid);
	end = monotonic_ns();
	wait_for_beats();
	if (round >= 0) {
		way->felt[round] = atomic_load(&watch->gap);
		way->trip[round] = end - start;
	}
	return good;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void print(struct way *way)
{
	qsort(way->felt, ROUNDS, sizeof(*way->felt), compare);
	qsort(way->trip, ROUNDS, sizeof(*way->trip), compare);
	printf("%s %lu %lu %lu %lu\n", way->name, way->felt[ROUNDS / 2],
	       way->felt[ROUNDS * 99 / 100], way->trip[ROUNDS / 2], way->trip[ROUNDS * 99 / 100]);
}

int main(void)
{
	struct error err;
	pid_t pid;

	watch = mmap(NULL, sizeof(*watch), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (watch == MAP_FAILED || (pid = start_target()) < 0)
		return 1;
	usleep(100000);
	use_cpu(0);
	if (snapshot_init(&snapshot, COPY) || tracer_new(&tracer, take, NULL, &err) ||
	    !open_dwfl(pid)) {
		fprintf(stderr, "held: cannot prepare\n");
		return 1;
	}
	for (int round = -WARM; round < ROUNDS; round++)
		for (int i = 0; i < WAYS; i++)
			if (!measure(&ways[i], pid, round)) {
				fprintf(stderr, "held: '%s' failed\n", ways[i].name);
				return 1;
			}
	for (int i = 0; i < WAYS; i++)
		print(&ways[i]);
	printf("frames %d\n", frames_seen);
	kill(pid, SIGKILL);
	return 0;
}
