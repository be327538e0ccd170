/* The single threads of a hold (sampler/stop/hold.h). All calls but holding_init and
 * holding_release are made in the thread that traces. */
#ifndef SAMPLER_STOP_HOLDING_H
#define SAMPLER_STOP_HOLDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler/stop/tracee.h"
#include "sampler/stop/waker.h"

struct error;
struct go_held;
struct process;
struct thread;
struct threads;
struct watchdog;

enum held_state {
	HELD_UNSEEN,
	HELD_WATCHED, /* it waits and is not touched */
	HELD_TRACED,  /* requested to stop; tracee.state says more */
	HELD_GONE,    /* ended, or released */
};

struct held {
	enum held_state state;
	struct tracee tracee;
	uint64_t slices; /* WATCHED: how often it was put on a CPU */
	uint64_t pc, sp;
	pid_t own_tid; /* in its own PID namespace; 0: not known yet */
};

struct holding {
	const struct process *process;
	struct threads *threads;
	struct watchdog *watchdog;
	struct held *held; /* by thread index */
	size_t room;
	bool same_namespace; /* the process's is ours: numbers are the same */
	struct waker waker;  /* of the thread that traces, initialised there */
	uint64_t refused_ns; /* when a thread could first not be traced; 0: never */
	pid_t refused;
	uint64_t begun_ns, ended_ns; /* first request to stop; all threads released */
};

/* Lists the threads; touches none. `process` is borrowed until holding_release. ERR_GONE,
 * ERR_NOMEM. */
int holding_init(struct holding *h, const struct process *process, struct error *err);
void holding_release(struct holding *h);

/* Returns when all threads are stopped, or watched. Errors as of hold_begin: ERR_LIMIT at the time
 * `until` (CLOCK_MONOTONIC, ns). In any case holding_let_go must follow. */
int holding_gather(struct holding *h, uint64_t until, struct error *err);

/* Of the watched threads, how many have run since, or are gone. */
size_t holding_moved(struct holding *h);

/* How many threads are stopped, or are watched and not on the way to their end; *stopped: how many
 * are stopped. */
size_t holding_count(const struct holding *h, size_t *stopped);

/* Fills an entry for each of these threads; `out` has room for holding_count entries. */
void holding_list(const struct holding *h, struct go_held *out);

/* Releases all threads. A thread whose call was entered again is free when the calling thread has
 * ended. */
void holding_let_go(struct holding *h);

#endif
