/*
 * The thread that traces: it asks threads to stop, copies them when they have stopped, and releases
 * them. It does nothing else, and the looking thread does none of that.
 *
 * So it can be at real-time priority for as long as it lives: it sleeps except for the microseconds
 * of a stop. No held thread waits for looks, listings or walks. However late the looking thread
 * gets a CPU on a busy machine, no thread is held because of that.
 *
 * The two hand slots to each other. A slot belongs to the tracing thread from tracing_ask until it
 * comes back. When a repaired thread must be released by its tracer's end (sampler/stop/stop.h),
 * the tracing thread ends and another one takes its place.
 */
#ifndef SAMPLER_TICK_TRACING_H
#define SAMPLER_TICK_TRACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct slot;
struct tracing;
struct watchdog;

/* Starts the tracing thread. The calling thread is the one that looks. `w` (NULL: none) is told
 * which thread traces. The caller ends it with tracing_free. ERR_IO, ERR_NOMEM. */
int tracing_start(struct tracing **t, struct watchdog *w, struct error *err);

/* Ends the thread; the kernel releases the threads that it still had attached. Slots that have not
 * come back are the caller's again. */
void tracing_end(struct tracing *t);

/* The same, and frees *t. NULL is harmless. */
void tracing_free(struct tracing *t);

/* Hands over a slot with its input fields set (slots.h). It comes back with `rc` set, and `stop` if
 * rc is 0, when its thread has been released or could not be asked. 0; ERR_IO when there is no
 * tracing thread any more and none can be made. */
int tracing_ask(struct tracing *t, struct slot *slot);

/* A slot that has come back; NULL: none has. When the tracing thread has ended, it also tells the
 * watchdog that no thread is held, so it is to be called after each tracing_wait. */
struct slot *tracing_returned(struct tracing *t);

/* Waits until a slot has come back, or the time `until` (CLOCK_MONOTONIC, ns) has come, or one of
 * `count` other descriptors (TRACING_FDS at most; -1 is ignored) can be read. Returns 1 + the index
 * of that descriptor, else 0. */
enum { TRACING_FDS = 2 };
int tracing_wait(struct tracing *t, uint64_t until, const int *fds, int count);

/* How many slots were handed over and have not come back. */
size_t tracing_expected(const struct tracing *t);

/* How many calls were entered again, and how many of these met a signal (undone), by tracing
 * threads that have ended; the CPU time in ns of all tracing threads. */
void tracing_figures(const struct tracing *t, uint64_t *repaired, uint64_t *undone,
		     uint64_t *cpu_ns);

/* Has the tracing thread waited for the end of process `pid`, a child of ours? Then waitpid(2)
 * cannot report its status any more, and *status is set to it. */
bool tracing_reaped(const struct tracing *t, pid_t pid, int *status);

#endif
