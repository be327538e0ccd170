/*
 * The thread that traces: it asks threads to stop, copies them when they stand, and lets
 * them go. It does nothing else, and the looking thread does none of it.
 *
 * So it can be at real-time priority for as long as it lives: it sleeps but for the
 * microseconds of a stop. No thread that is held waits for looks, listings or walks, and
 * however late the looking thread gets a CPU on a busy machine, no thread is held for that.
 *
 * The two hand slots to each other. A slot that was asked belongs to the tracing thread
 * until it comes back. When a thread that was repaired must be let go by its tracer's end
 * (sampler/stop.h), the tracing thread ends and another takes its place.
 */
#ifndef SAMPLER_TRACING_H
#define SAMPLER_TRACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct slot;
struct tracing;
struct watchdog;

/* Starts it. The calling thread is the one that looks; `w` (NULL: none) is told which thread
 * traces. ERR_IO, ERR_NOMEM. */
int tracing_start(struct tracing **t, struct watchdog *w, struct error *err);

/* Ends the thread; the kernel releases the threads that it still had attached. Slots that have not
 * come back are the caller's again. */
void tracing_end(struct tracing *t);

/* The same, and frees *t. NULL is harmless. */
void tracing_free(struct tracing *t);

/* Hands over a slot (round.h tells what of it has to be set). It comes back with `stop` and
 * `rc` filled, when its thread has been let go or could not be asked. 0; ERR_IO when there is
 * no tracing thread any more and none can be made. */
int tracing_ask(struct tracing *t, struct slot *slot);

/* A slot that has come back; NULL: none has. */
struct slot *tracing_returned(struct tracing *t);

/* Waits until one has, or the time `until` (CLOCK_MONOTONIC, ns) has come, or one of `count`
 * other descriptors can be read (-1: none): 1 + the index of that one, else 0. */
enum { TRACING_FDS = 2 };
int tracing_wait(struct tracing *t, uint64_t until, const int *fds, int count);

/* Slots that were handed over and have not come back. */
size_t tracing_expected(const struct tracing *t);

/* How many calls were entered again, and of these how many met a signal, up to the last tracing
 * thread that has ended; CPU time used, in ns, the present thread's included. */
void tracing_figures(const struct tracing *t, uint64_t *repaired, uint64_t *undone,
		     uint64_t *cpu_ns);

/* Has the tracing thread waited for the end of that process, a child of ours? Then waitpid(2)
 * does not tell its status any more; *status is that. */
bool tracing_reaped(const struct tracing *t, pid_t pid, int *status);

#endif
