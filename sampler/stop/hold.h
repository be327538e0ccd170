/*
 * Holds all threads of a process, so that what is read of its memory meanwhile is of one moment.
 *
 *   hold_begin -> read, while !*hold_let_go() -> hold_end
 *
 * Nothing else of sampler does this; it happens only on request (--stop). To the target a hold
 * looks like having no CPU, except for what docs/transparency.md says of every stop. What is done
 * to a thread depends on what it does:
 *
 *   runs, or is about to   stopped (sampler/stop/stop.h says how) until all are released
 *   waits, bears a stop    the same; a call that would fail with EINTR is entered again
 *   waits for another of   not touched: the thread that could wake it is held
 *   its process (futex)
 *   waits otherwise, or    not touched. Its schedstat shows whether it has run meanwhile; if so,
 *   is stopped, or in D    the moment was not exact, and hold_end reports that
 *
 * A thread that is made meanwhile is found: the list of threads is read again until it has no new
 * one. When the bound is over, all threads are released, whether or not the reader has finished. If
 * we are killed, the kernel releases them. If we are stopped, the watchdog continues us, and we
 * release them.
 *
 * One hold at a time in our process. All calls come from one thread, the only one that runs.
 */
#ifndef SAMPLER_STOP_HOLD_H
#define SAMPLER_STOP_HOLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct go_held;
struct hold;
struct process;

enum { HOLD_BOUND_NS = 100000000 }; /* the bound where no other is given */

struct hold_report {
	size_t threads; /* held and watched, without those on the way to their end */
	size_t stopped; /* of these, held in a stop */
	size_t moved;	/* of the others, have run meanwhile, or ended */
	bool cut;	/* the bound was over before hold_end */
	uint64_t ns;	/* from the first request to stop until all were released */
};

/* Holds the process's threads for `bound_ns` at most. SIGINT, SIGTERM, SIGHUP and SIGQUIT are
 * blocked until hold_end. `process` is borrowed until then. On failure no thread is held.
 * ERR_LIMIT: not all have stopped in half of `bound_ns`; ERR_BUSY: the process executes another
 * program; ERR_PERM (diagnosed): a thread may not be traced; ERR_GONE, ERR_IO, ERR_NOMEM. */
int hold_begin(struct hold **h, const struct process *process, uint64_t bound_ns,
	       struct error *err);

/* Where each thread is stopped or waits. A thread has the number of its own PID namespace, as the
 * target itself sees it. Borrowed until hold_end. */
const struct go_held *hold_threads(const struct hold *h, size_t *count);

/* True as soon as a thread may run again. What was read belongs to the moment if this is still
 * false afterwards. Borrowed until hold_end. */
const atomic_bool *hold_let_go(const struct hold *h);

/* Releases all threads that are still held, fills `report` (NULL: not needed), and frees the hold.
 * A hold of NULL is harmless. */
void hold_end(struct hold *h, struct hold_report *report);

#endif
