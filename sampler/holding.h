/* The threads of a hold (sampler/hold.h), one by one. In the thread that traces them. */
#ifndef SAMPLER_HOLDING_H
#define SAMPLER_HOLDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler/registers.h"
#include "sampler/waker.h"

struct error;
struct go_held;
struct process;
struct thread;
struct threads;
struct watchdog;

enum held_state {
	HELD_UNSEEN,
	HELD_WATCHED,	/* it waits and is not touched */
	HELD_ASKED,	/* seized and interrupted */
	HELD_STANDS,	/* in its stop */
	HELD_REENTERING, HELD_PARKED, /* as in stop.c */
	HELD_GONE,	/* ended, or let go */
};

struct held {
	enum held_state state;
	int status;	 /* of its stop, as waitpid(2) gives it */
	uint64_t slices; /* WATCHED: how often it was put on a CPU */
	uint64_t pc, sp;
	pid_t own_tid;	 /* in its own namespace; 0: not known yet */
	struct registers regs;
};

struct holding {
	const struct process *process;
	struct threads *threads;
	struct watchdog *watchdog;
	struct held *held; /* by thread index */
	size_t room;
	bool same_namespace; /* as ours: numbers are the same */
	struct waker waker; /* of the thread that traces, initialised there */
	uint64_t refused_ns; /* when one could first not be traced; 0: never */
	pid_t refused;
	uint64_t begun_ns, ended_ns; /* the first was asked; all were let go */
};

/* Lists the threads there are; touches nobody. ERR_GONE, ERR_NOMEM. */
int holding_init(struct holding *h, const struct process *process, struct error *err);
void holding_release(struct holding *h);

/* Until all stand, or are watched. What hold_begin says, and all have to be let go. */
int holding_gather(struct holding *h, uint64_t until, struct error *err);

/* Of those watched, how many have run since; and 1 for others that were made. */
size_t holding_moved(struct holding *h);

/* How many there are; how many of them stand. */
size_t holding_count(const struct holding *h, size_t *stopped);

/* An entry for each, into room for holding_count of them. */
void holding_list(const struct holding *h, struct go_held *out);

/* All run on. Whose call was entered again is free when the calling thread has ended. */
void holding_let_go(struct holding *h);

#endif
