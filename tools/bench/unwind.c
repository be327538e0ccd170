// links: sampler/thread
// libs: -lunwind-ptrace -lunwind-x86_64 -lunwind -ldw -lelf
/*
 * What does unwinding a frame cost? The threads of a process (argument: its PID) are
 * stopped once, and the same stacks are walked by
 *
 *   warm      our unwinder, from the copy of the stack, its pc cache filled
 *   cold      the same with an empty pc cache: each frame searches its table
 *   libdwfl   dwfl_getthread_frames, reading the stopped thread
 *   libunwind unw_step over libunwind-ptrace, its cache on
 *
 * Each of them has done every walk once before it is measured.
 * Prints "NAME frames ns_per_frame" for each, over all threads together.
 */
#include <dirent.h>
#include <elfutils/libdwfl.h>
#include <libunwind-ptrace.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "sampler/thread/registers.h"
#include "sampler/thread/snapshot.h"
#include "unwind/stack.h"
#include "unwind/unwinder.h"

enum { THREADS_MAX = 64, STACK_ROOM = 1 << 20, COLD_WALKS = 200, BATCHES = 41, BATCH_NS = 5000000 };

/* The first address of the upper half, which belongs to the kernel. */
static const uint64_t UNMAPPED = 1ull << 63;

static struct process process;
static struct modmap *maps;
static struct unwinder *unwinder;
static struct stack stack;
static Dwfl *dwfl;
static unw_addr_space_t space;
static pid_t tids[THREADS_MAX];
static struct snapshot snapshots[THREADS_MAX];
static void *libunwind_threads[THREADS_MAX];
static size_t threads;

/* Walks a thread's stack once; returns the number of frames. */
typedef size_t walk(size_t thread);

static size_t walk_ours(size_t i)
{
	if (unwinder_walk(unwinder, maps,
			  &(struct walk_from){ .regs = &snapshots[i].regs,
					       .memory = &snapshots[i].memory },
			  &stack))
		return 0;
	return stack.count;
}

static int count_frame(Dwfl_Frame *frame, void *arg)
{
	Dwarf_Addr pc;

	*(size_t *)arg += dwfl_frame_pc(frame, &pc, NULL);
	return DWARF_CB_OK;
}

static size_t walk_dwfl(size_t i)
{
	size_t frames = 0;

	dwfl_getthread_frames(dwfl, tids[i], count_frame, &frames);
	return frames;
}

static size_t walk_libunwind(size_t i)
{
	unw_cursor_t cursor;
	size_t frames = 1;

	if (unw_init_remote(&cursor, space, libunwind_threads[i]))
		return 0;
	while (unw_step(&cursor) > 0)
		frames++;
	return frames;
}

/* CPU time, so that other processes on this machine do not count. */
static uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Walks all threads `rounds` times; returns ns a frame. */
static double batch(walk *do_walk, size_t rounds, uint64_t *ns, size_t *frames)
{
	uint64_t start = cpu_ns();

	*frames = 0;
	for (size_t n = 0; n < rounds; n++)
		for (size_t i = 0; i < threads; i++)
			*frames += do_walk(i);
	*ns = cpu_ns() - start;
	return *frames ? (double)*ns / (double)*frames : 0;
}

/* Prints the median of batches that are so long that reading the clock costs nothing. */
static void measure(const char *name, walk *do_walk)
{
	double per_frame[BATCHES];
	size_t rounds = 1, frames;
	uint64_t ns;

	batch(do_walk, 1, &ns, &frames);
	while (batch(do_walk, rounds, &ns, &frames), ns < BATCH_NS)
		rounds *= 2;
	for (int i = 0; i < BATCHES; i++)
		per_frame[i] = batch(do_walk, rounds, &ns, &frames);
	qsort(per_frame, BATCHES, sizeof(*per_frame), compare);
	printf("%s %.1f %.1f\n", name, (double)frames / (double)rounds / (double)threads,
	       per_frame[BATCHES / 2]);
}

/* Changes the map by adding a range that no process has, so that the next walk drops
 * the cache. That walk has a single frame and is not measured. */
static bool empty_cache(unsigned nth)
{
	uint64_t start = UNMAPPED + nth;
	struct mapping nowhere = { .start = start,
				   .end = start + 1,
				   .image = image_open_none("[bench]") };
	struct regs unknown = { .unknown = 0 };

	return nowhere.image && modmap_add(maps, &nowhere) == 0 &&
	       unwinder_walk(
		       unwinder, maps,
		       &(struct walk_from){ .regs = &unknown, .memory = &snapshots[0].memory },
		       &stack) == 0;
}

/* Prints the median. In wall time, because a walk is too short for reading CPU time from the
 * kernel. */
static void measure_cold(void)
{
	static double per_frame[COLD_WALKS * THREADS_MAX];
	size_t frames = 0, walks = 0;

	for (unsigned n = 0; n < COLD_WALKS; n++)
		for (size_t i = 0; i < threads; i++) {
			uint64_t start, ns;
			size_t count;

			if (!empty_cache(n * THREADS_MAX + (unsigned)i))
				return;
			start = monotonic_ns();
			count = walk_ours(i);
			ns = monotonic_ns() - start;
			frames += count;
			per_frame[walks++] = count ? (double)ns / (double)count : 0;
		}
	qsort(per_frame, walks, sizeof(*per_frame), compare);
	printf("cold %.1f %.1f\n", (double)frames / (double)walks, per_frame[walks / 2]);
}

/* Stops the thread, keeps it stopped, and takes its snapshot. */
static bool add_thread(pid_t tid)
{
	struct registers regs = { 0 };
	struct snapshot *s = &snapshots[threads];
	int status;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0) || ptrace(PTRACE_INTERRUPT, tid, 0, 0) ||
	    waitpid(tid, &status, __WALL) != tid || registers_read(tid, &regs) ||
	    snapshot_init(s, STACK_ROOM))
		return false;
	snapshot_take(s, tid, &regs, STACK_ROOM, 0);
	libunwind_threads[threads] = _UPT_create(tid);
	tids[threads++] = tid;
	return true;
}

static bool add_threads(void)
{
	char path[64];
	struct dirent *e;
	bool good = true;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", process.pid);
	dir = opendir(path);
	while (dir && good && threads < THREADS_MAX && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			good = add_thread(atoi(e->d_name));
	if (dir)
		closedir(dir);
	return dir && good && threads;
}

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

int main(int argc, char **argv)
{
	struct error err = { 0 };
	pid_t pid = argc == 2 ? atoi(argv[1]) : 0;

	if (pid <= 0)
		return 2;
	if (process_open(&process, pid, &err) || modmap_new(&maps, &process) ||
	    modmap_refresh(maps, &err) || unwinder_new(&unwinder) || !add_threads() ||
	    !open_dwfl(pid)) {
		fprintf(stderr, "unwind: cannot prepare: %s\n", err.text);
		return 1;
	}
	space = unw_create_addr_space(&_UPT_accessors, 0);
	unw_set_caching_policy(space, UNW_CACHE_GLOBAL);
	measure("warm", walk_ours);
	measure_cold();
	measure("libdwfl", walk_dwfl);
	measure("libunwind", walk_libunwind);
	return 0;
}
