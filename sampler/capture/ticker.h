/*
 * A ticker: a thread of ours on one CPU, which samples what runs there.
 *
 * It is bound to its CPU and has real-time priority. It sleeps until its tick; its wake-up takes
 * the CPU from whatever ran there. If that is a thread of the round (roster.h), the ticker asks it
 * to stop, and sleeps. The thread gets its CPU again, and stops before its next instruction in user
 * space, at the place where the tick has met it. The ticker copies and releases it, and sleeps
 * until the next tick. No interrupt travels from CPU to CPU, in whose time the thread would go on.
 *
 * So each ticker is a tracer of its own (sampler/stop/stop.h). Requests stay out while the thread
 * waits for its turn, several at a time, and are served as they stop. The round's thread may hand
 * over requests of its own, for threads that wait and whose registers are needed.
 *
 * A ticker does nothing else, and holds no thread while it does anything else: however late the
 * round's thread gets a CPU on a busy machine, no thread is held because of that.
 *
 * When a repaired thread must be released by its tracer's end, the ticker's thread ends, and the
 * round's thread starts another one.
 */
#ifndef SAMPLER_CAPTURE_TICKER_H
#define SAMPLER_CAPTURE_TICKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sampler/capture/ticking.h"

struct error;
struct slot;
struct ticker;

/* Starts the ticker of a CPU. The caller ends it with ticker_free. ERR_IO, ERR_NOMEM. */
int ticker_start(struct ticker **t, struct ticking *with, unsigned cpu, struct error *err);

/* Ends the thread, which releases the threads that it has attached. Slots that it owned are the
 * caller's again. `with->pace.quit` has been set. */
void ticker_join(struct ticker *t);

/* The same, and frees *t. All others have been joined: each notes for another one. NULL is
 * harmless. */
void ticker_free(struct ticker *t);

/* Starts its thread again if it has ended to release threads. ERR_IO: none can be made. */
int ticker_keep(struct ticker *t);

/* Hands over a slot. It comes back when its thread has been released, or could not be asked. False:
 * the ticker has too many. */
bool ticker_ask(struct ticker *t, struct slot *slot);

/* CPU time of its threads, in ns. */
uint64_t ticker_cpu_ns(const struct ticker *t);

/* Has it real-time priority? Is it bound to its CPU? True before it has begun. */
bool ticker_is_realtime(const struct ticker *t);
bool ticker_has_cpu(const struct ticker *t);

/* Sets the ticker that notes the threads' CPU times a moment before a tick of `t`, if that is worth
 * it; NULL: none. It lives as long as `t`. */
void ticker_set_neighbour(struct ticker *t, struct ticker *neighbour);

/* How many slots it owns. */
unsigned ticker_expected(const struct ticker *t);

/* Has it waited for the end of process `pid`, a child of ours? Then waitpid(2) cannot report its
 * status any more, and *status is set to it. */
bool ticker_reaped(const struct ticker *t, pid_t pid, int *status);

#endif
