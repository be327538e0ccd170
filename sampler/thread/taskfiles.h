/* What the files of a thread in /proc/PID/task/TID say (proc(5)). */
#ifndef SAMPLER_THREAD_TASKFILES_H
#define SAMPLER_THREAD_TASKFILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `syscall`: where a thread is in the kernel. If two readings are equal, and the thread has hardly
 * run in between, they show the same call. */
struct call {
	int64_t number; /* of the system call; -1 in a fault or stopped by a signal */
	uint64_t args[6];
	uint64_t sp, pc; /* in user space */
};

/* False when the thread is on a CPU or about to be, or when the text has another form. */
bool call_parse(const char *text, size_t len, struct call *call);

/* `schedstat` (Documentation/scheduler/sched-stats.rst). */
struct schedstat {
	uint64_t cpu_ns, wait_ns; /* on a CPU; waiting for one, finished waits only */
	uint64_t slices;	  /* times it was put on a CPU */
};

/* False if the text has another form, or cannot be read from the open file. */
bool schedstat_parse(const char *text, size_t len, struct schedstat *s);
bool schedstat_read(int fd, struct schedstat *s);

/* `stat` (proc_pid_stat(5)). */
struct thread_stat {
	char name[32];
	char state;
	unsigned flags;
	uint64_t user, system; /* CPU time in user space and in the kernel, in clock ticks */
	int cpu;	       /* on which it was last */
	bool realtime;	       /* of SCHED_FIFO or SCHED_RR */
};

/* Parses the text, which it changes. False if it has another form. */
bool thread_stat_parse(char *text, struct thread_stat *s);

/* `sched`: when a thread last left its CPU, got it, or was accounted on it, by the clock of its
 * CPU's run queue, in ns, from the text, or from as much as fits into THREAD_SCHED_ROOM bytes; 0
 * when the kernel does not tell (no CONFIG_SCHED_DEBUG). */
enum { THREAD_SCHED_ROOM = 512 };
uint64_t exec_start_parse(const char *text);

/* The same of an open file. */
uint64_t exec_start_read(int fd);

#endif
