/* What all tickers of a round share (ticker.h). */
#ifndef SAMPLER_CAPTURE_TICKING_H
#define SAMPLER_CAPTURE_TICKING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sampler/capture/slots.h"
#include "sampler/atrest/atrest.h"

struct roster;
struct watchdog;

/* What the tickers of a round have counted. Ticks are those of one CPU, in periods of the requested
 * rate. */
struct ticker_figures {
	_Atomic uint64_t due;	   /* periods that have passed */
	_Atomic uint64_t ticks;	   /* of these, with a tick, or standing for an idle CPU */
	_Atomic uint64_t withheld; /* left out to keep the budget */
	_Atomic uint64_t late;	   /* left out: the wake-up came too late */
	_Atomic uint64_t kept_out; /* left out: the list of threads was being changed */
	_Atomic uint64_t unserved; /* samples lost: no slot or request was free */
	_Atomic uint64_t avoided;  /* samples left out: a read of the process has not come back */
	_Atomic uint64_t over;	   /* samples left out to hold no thread for too long */
	_Atomic uint64_t exposed;  /* samples left out since a stop might end a call (exposure.h) */
	_Atomic uint64_t parts; /* of `ticks`, the part of the threads looked at, in 1/BUDGET_ONE */
	_Atomic uint64_t repaired; /* calls entered again */
};

/* What all tickers of a round share. The round's thread sets it; tickers read. */
struct pace {
	uint64_t start_ns;	  /* CLOCK_MONOTONIC: periods are counted from here */
	uint64_t period_ns;	  /* of the requested rate */
	_Atomic uint32_t stride;  /* periods from tick to tick, in 1/BUDGET_ONE */
	_Atomic bool quit, pause; /* pause: no thread is to be asked now */
	double pause_share;	  /* largest share of its time that a thread may be held */
	unsigned idle_most;	  /* most strides from tick to tick on a CPU that nothing runs on */
};

struct ticking {
	struct pace pace;
	struct roster *roster;
	struct slots *slots;
	struct slot_wants wants;
	struct watchdog *watchdog; /* NULL: none */
	struct atrest atrest;	   /* not open: threads have to be stopped */
	struct ticker_figures figures;
	int back_fd; /* eventfd, for the round's thread: slots have come back, or a thread ended */
	_Atomic unsigned back; /* slots that have come back and were not collected */
};

#endif
