/*
 * All threads of a process, held for one moment: so that what is read of its memory in that
 * moment belongs together.
 *
 *   hold_begin -> read, while !*hold_let_go() -> hold_end
 *
 * Nothing else of sampler does this; it is for who asks for it (--stop). The target cannot tell
 * it from having had no CPU, but for what docs/transparency.md says of every stop:
 *
 *   runs, or is about to   stopped (sampler/stop.h says how), and stands until all are let go
 *   waits, bears a stop    the same; a call that would fail with EINTR is entered again
 *   waits for another of   not touched: who could wake it is held
 *   its process (futex)
 *   waits otherwise, or    not touched. That it has not run meanwhile is seen from its schedstat;
 *   is stopped, or in D    if it has, the moment was not exact: hold_end says so
 *
 * A thread that is made meanwhile is found: the list of threads is read again until it has no
 * new one. When the bound is over, all are let go, whether or not the reader has finished. If we
 * are killed, the kernel lets them go; if we are stopped, the watchdog has us let them go.
 *
 * One at a time in a process. All calls from one thread, which is the only one that runs.
 */
#ifndef SAMPLER_HOLD_H
#define SAMPLER_HOLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct go_held;
struct hold;
struct process;

enum { HOLD_BOUND_NS = 100000000 }; /* of a hold for which nobody says another */

struct hold_report {
	size_t threads; /* held and watched */
	size_t stopped; /* of these, held in a stop */
	size_t moved;	/* of the others, have run meanwhile, or been made */
	bool cut;	/* the bound was over before hold_end */
	uint64_t ns;	/* from asking the first until all were let go */
};

/* Holds the process's threads for `bound_ns` at most. ERR_LIMIT: not all have stopped in half of
 * that; ERR_PERM (diagnosed): one may not be traced; then, as on ERR_GONE, ERR_IO and ERR_NOMEM,
 * nobody is held. SIGINT, SIGTERM, SIGHUP and SIGQUIT wait until hold_end. */
int hold_begin(struct hold **h, const struct process *process, uint64_t bound_ns,
	       struct error *err);

/* Where each of them stands, by its number in its own PID namespace, as it knows it itself.
 * Until hold_end. */
const struct go_held *hold_threads(const struct hold *h, size_t *count);

/* True as soon as somebody may run again. What was read before it was seen false is of the
 * moment. Until hold_end. */
const atomic_bool *hold_let_go(const struct hold *h);

/* Lets all go who still stand. Frees it. NULL is harmless. */
void hold_end(struct hold *h, struct hold_report *report);

/* Nobody has moved and nothing was cut. */
bool hold_was_exact(const struct hold_report *report);

#endif
