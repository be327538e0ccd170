/* The tickers of a round (ticker.h): one for each CPU on which a thread of the round may run. */
#ifndef SAMPLER_CAPTURE_TICKERS_H
#define SAMPLER_CAPTURE_TICKERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct slot;
struct ticker;
struct ticking;

struct tickers {
	struct ticker **of; /* by CPU; NULL: none */
	unsigned cpus;	    /* how many there can be */
	unsigned count;
	uint64_t due_ns; /* when to look again which CPUs are needed */
	uint64_t cpu_ns; /* CPU time of those that have ended */
};

/* Starts what is needed. The caller calls tickers_end in any case. ERR_IO, ERR_NOMEM. */
int tickers_start(struct tickers *t, struct ticking *with, struct error *err);

/* Starts tickers again that have ended to release threads, and new ones where threads may run on
 * other CPUs now. Errors as of tickers_start. */
int tickers_keep(struct tickers *t, struct ticking *with, struct error *err);

/* Ends all. Slots that they owned are the caller's again. */
void tickers_end(struct tickers *t, struct ticking *with);

/* Hands a slot to the ticker of that CPU, or to another one. False: none can take it. */
bool tickers_ask(struct tickers *t, unsigned cpu, struct slot *slot);

/* How many slots they own. */
unsigned tickers_expected(const struct tickers *t);

/* CPU time of all, in ns, since the first one began. */
uint64_t tickers_cpu_ns(const struct tickers *t);

/* Have all of them real-time priority? Sets *refused to the number of those that may not run on
 * their CPU. */
bool tickers_are_realtime(const struct tickers *t, unsigned *refused);

#endif
