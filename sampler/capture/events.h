/*
 * The second source of samples: the kernel's own timer on each CPU (a perf event of the software
 * CPU clock, which needs no hardware). In its interrupt the kernel copies registers and stack of
 * whatever thread runs there into a ring that we read later. Nothing is stopped, searched for or
 * woken.
 *
 * The same rings bring news: processes that map code, execute a program, make threads or end. So
 * these need not be asked for.
 *
 * An event of a CPU sees the threads of all processes; the caller drops strangers'. That takes
 * CAP_PERFMON (or CAP_SYS_ADMIN, before Linux 5.8), or kernel.perf_event_paranoid below 1.
 *
 * Where they are refused, events of threads (taskevents.h) do the same for processes that the user
 * may trace. At kernel.perf_event_paranoid 2 they see no time in the kernel. They are second: they
 * take threads times CPUs descriptors, and each begins with a whole period, so that a thread which
 * runs for less than that on a CPU has no sample there.
 *
 * An event of a process that its children inherit tells of processes whose makers have ended
 * (perf_event_init_task() in kernel/events/core.c: it is copied by each fork).
 */
#ifndef SAMPLER_CAPTURE_EVENTS_H
#define SAMPLER_CAPTURE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct counted;
struct error;
struct event;
struct events;

/* Most bytes of a stack that a record can hold: its length has 16 bits. */
enum { EVENTS_STACK_MAX = 64000 };

struct events_wish {
	const struct counted *counted; /* NULL: time in which a CPU is not idle; a constant */
	uint64_t period_ns;	       /* from sample to sample, at least 100,000: of that time, or,
					* of what is counted, on the average */
	size_t stack;		       /* bytes of the user's stack, at most */
	bool kernel;		       /* with the kernel's frames */
	/* Whose threads are sampled where events of CPUs are refused: the process of that number;
	 * -1: it is not; 0: there are no more. It is called whenever events are opened; NULL:
	 * none. */
	pid_t (*process)(void *owner, uint32_t number);
	void *owner;
};

/* Opens and starts an event on each CPU that is online, or of each thread. The caller closes it.
 * ERR_PERM with the reason when the kernel refuses; ERR_NOTFOUND: this processor does not count
 * that; ERR_IO, ERR_NOMEM. */
int events_open(struct events **out, const struct events_wish *wish, struct error *err);
void events_close(struct events *e);

/* The same, for the news alone which tasks begin and end: those that a process of one thread makes
 * from now on, those that these make, and so on. They see no thread that it has already. Permitted
 * for processes that may be traced, unless kernel.perf_event_paranoid is above 2. */
int events_open_lineage(struct events **out, pid_t root, struct error *err);

/* Sets the stack's bytes anew, at least: events are opened again. On errors, as of events_open,
 * there are none any more. */
int events_deepen(struct events *e, size_t stack, struct error *err);
size_t events_depth(const struct events *e);

/* Stops the timers, or lets them go on, as after events_open. They stay as they are when events are
 * opened again. Errors as of events_deepen. */
int events_rest(struct events *e, bool rest, struct error *err);
bool events_are_resting(const struct events *e);

/* Sets how far samples are apart, from now on. Events of threads are opened anew for that; errors
 * as of events_deepen. */
int events_pace(struct events *e, uint64_t period_ns, struct error *err);

/* Are they events of threads? Is time in the kernel without samples? */
bool events_are_of_tasks(const struct events *e);
bool events_see_user_only(const struct events *e);

/* Was the process known when they were opened last, or need not be? Else it is sampled if its maker
 * was. */
bool events_reach(const struct events *e, pid_t pid);

/* For how long the rings hold what comes. */
uint64_t events_hold_ns(const struct events *e);

/* Has each sample wake a thread that waits for events_fd, or none. Opens them anew if that changes;
 * errors as of events_deepen. */
int events_be_prompt(struct events *e, bool prompt, struct error *err);

/* Readable when a sample has come since it was read; -1: events are not prompt. Borrowed until they
 * are opened anew. */
int events_fd(const struct events *e);

/* Opens them anew if CPUs have come or gone. Errors as of events_deepen. */
int events_keep(struct events *e, struct error *err);

/* Is a sample, or news, of a process of interest? All others are passed over, not copied. */
typedef bool events_wanted(void *owner, pid_t pid, bool news);

/* The next record about a wanted process (of a new thread: made by one), valid until the next call,
 * in the order of time. False: there is none of those that had come when this turn began, at the
 * first call after the last false. */
bool events_next(struct events *e, events_wanted *wanted, void *owner, struct event *event);

/* CLOCK_MONOTONIC: since when each news of a wanted process has been, or will be, returned by
 * events_next. Lost records, and events that are opened again, begin anew. UINT64_MAX: none is,
 * since they rest. */
uint64_t events_told_ns(const struct events *e);

/* Does a record that is not read yet tell that the process has executed a program? */
bool events_tell_exec(const struct events *e, pid_t pid);

unsigned events_cpus(const struct events *e);

/* Samples that found no room in their ring. */
uint64_t events_lost(const struct events *e);

#endif
