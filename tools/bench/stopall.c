/*
 * stopall PID RATE: looks at a process as py-spy does (remoteprocess, Lock::new).
 * At each tick one thread after the other is seized, interrupted and waited for;
 * when all are held, the registers and 16 KiB of the stack of each are read, then
 * all are detached. Runs until SIGINT or SIGTERM, or until the process ends.
 * stopall PID RATE main: the same with the main thread only: the least that a stack costs.
 *
 * Prints: looks, threads at the last one, and for how long the process was held,
 * p50, p99 and longest in ns, from the first thread's stop to the last one's
 * detaching.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 20000, LOOKS_MAX = 1 << 20, COPY = 16 << 10 };

static pid_t held[THREADS_MAX];
static uint64_t held_ns[LOOKS_MAX];
static char stack[COPY];
static volatile sig_atomic_t over;

static void stop_looking(int sig)
{
	(void)sig;
	over = 1;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Seizes and stops the thread. A signal that comes first is delivered to it. */
static bool hold(pid_t tid)
{
	int status;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0) || ptrace(PTRACE_INTERRUPT, tid, 0, 0))
		return false;
	for (;;) {
		if (waitpid(tid, &status, __WALL) != tid) {
			if (errno == EINTR)
				continue; /* a signal to us: the thread must still be detached */
			return false;
		}
		if (!WIFSTOPPED(status))
			return false;
		if (status >> 16 == PTRACE_EVENT_STOP)
			return true;
		ptrace(PTRACE_CONT, tid, 0, WSTOPSIG(status));
	}
}

static bool is_held(pid_t tid, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (held[i] == tid)
			return true;
	return false;
}

/* Holds the threads of one listing that are not held yet; returns how many are held. */
static size_t hold_listed(const char *path, size_t n)
{
	DIR *dir = opendir(path);
	size_t before = n;
	struct dirent *e;

	while (!over && dir && (e = readdir(dir)) && n < THREADS_MAX) {
		pid_t tid = atoi(e->d_name);

		if (tid > 0 && !is_held(tid, before) && hold(tid))
			held[n++] = tid;
	}
	if (dir)
		closedir(dir);
	return n;
}

static void read_one(pid_t pid, pid_t tid)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, 0, &regs) == 0) {
		struct iovec here = { stack, COPY }, there = { (void *)(uintptr_t)regs.rsp, COPY };

		process_vm_readv(pid, &here, 1, &there, 1, 0);
	}
}

static size_t hold_main(pid_t pid)
{
	held[0] = pid;
	return hold(pid);
}

static size_t hold_all(const char *tasks)
{
	size_t n = 0, before;

	/* Threads may start while they are listed: list them again until there is no new one. */
	do {
		before = n;
		n = hold_listed(tasks, n);
	} while (n > before);
	return n;
}

/* `tasks`: NULL: of the main thread only. Returns how many threads were held. */
static size_t look(pid_t pid, const char *tasks)
{
	size_t n = tasks ? hold_all(tasks) : hold_main(pid);

	for (size_t i = 0; i < n; i++)
		read_one(pid, held[i]);
	for (size_t i = 0; i < n; i++)
		ptrace(PTRACE_DETACH, held[i], 0, 0);
	return n;
}

static void wait_until(uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = stop_looking };
	bool all = argc == 3, main_only = argc == 4 && !strcmp(argv[3], "main");
	pid_t pid = all || main_only ? atoi(argv[1]) : 0;
	double rate = pid ? atof(argv[2]) : 0;
	size_t looks = 0, threads = 1;
	char tasks[64];
	uint64_t due;

	if (pid <= 0 || rate <= 0)
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	snprintf(tasks, sizeof(tasks), "/proc/%d/task", pid);
	due = now_ns();
	while (!over && threads && looks < LOOKS_MAX) {
		uint64_t start = now_ns();

		threads = look(pid, all ? tasks : NULL);
		held_ns[looks++] = now_ns() - start;
		due += (uint64_t)(1e9 / rate);
		if (due < now_ns()) /* fell behind: no catching up */
			due = now_ns();
		wait_until(due);
	}
	qsort(held_ns, looks, sizeof(*held_ns), compare);
	printf("%zu %zu %lu %lu %lu\n", looks, threads, held_ns[looks / 2],
	       held_ns[looks * 99 / 100], looks ? held_ns[looks - 1] : 0);
	return 0;
}
