/*
 * Threads that do not run, as the kernel knows them: all registers, without a stop.
 *
 * When a thread enters the kernel, by a call or an interrupt, its registers in user space are saved
 * at the top of its kernel stack, and stay there until it goes back. ptrace(2) shows them of a
 * stopped thread only. A BPF program, run by our own calls alone (BPF_PROG_TYPE_SYSCALL in bpf(2)),
 * copies them of any thread: of one that waits, and of one whose CPU was taken away. With them come
 * the counters of that moment. It reads nothing else, and the thread is not touched.
 *
 * Of a thread that runs they are those of its last entry. The caller finds out by the counters
 * whether it has run meanwhile.
 *
 * Which thread our wake-up has displaced on this CPU is found in the same call: the one that left
 * it when we came (sampler/capture/roster.h). One call takes 20 µs with cold caches; to read the
 * same in schedstat, sched, stat and stack takes 130.
 *
 * Since Linux 6.10 such a program may look up a thread by its number (bpf_task_from_pid()). Loading
 * it takes CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN.
 *
 * Rejected: the iterator of tasks (since 6.1; 60 µs with cold caches, and 40 more for the search);
 * an event of context switches with registers (perf_event_open(2)): it costs the target an
 * interrupt's work at each switch, and shows nothing of a thread that waits since before.
 */
#ifndef SAMPLER_ATREST_ATREST_H
#define SAMPLER_ATREST_ATREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sampler/thread/registers.h"
#include "sampler/thread/threads.h"

struct error;

enum { ATREST_MOST = 512 }; /* threads that one search compares */

struct atrest {
	int program;  /* a descriptor */
	void *boards; /* NULL: it is not open */
	unsigned count;
};

struct atrest_thread {
	struct registers regs;
	struct schedstat counters;
	char state;	/* R, S or D, as in proc_pid_stat(5) */
	unsigned flags; /* the field of that name in the same file */
};

/* Loads the program, for `count` users at a time; the caller closes it. ERR_PERM, ERR_IO or
 * ERR_FORMAT with the reason: it cannot be had here, and threads have to be stopped. */
int atrest_open(struct atrest *a, unsigned count, struct error *err);
void atrest_close(struct atrest *a);
bool atrest_is_open(const struct atrest *a);

/* Reads a thread. `user` counts from 0; no other thread of ours has the same number meanwhile.
 * False: the thread has ended. */
bool atrest_read(const struct atrest *a, unsigned user, pid_t tid, struct atrest_thread *t);

/* Finds and reads the one of `count` threads (at most ATREST_MOST) that the calling thread has
 * displaced. Returns its index; -1: none. */
int atrest_find_displaced(const struct atrest *a, unsigned user, const pid_t *tids, size_t count,
			  struct atrest_thread *t);

#endif
