/* What a recording counts, and the profiles that it shows while it goes on. */
#ifndef SAMPLER_RECORDED_STATS_H
#define SAMPLER_RECORDED_STATS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "sampler/account/heldtime.h"
#include "sampler/account/ledger.h"
#include "runtimes/interps.h"
#include "runtimes/merge.h"
#include "runtimes/names.h"

struct profile;

enum recording_end {
	RECORDING_RUNNING,
	RECORDING_TIME_UP,
	RECORDING_STOPPED, /* recording_stop */
	RECORDING_EXITED,  /* the target ended */
	RECORDING_LOST,	   /* the target may no longer be traced, or we failed */
};

struct recording_stats {
	enum recording_end end;
	uint64_t elapsed_ns;
	uint64_t ticks_due, ticks; /* of all CPUs: as many as the rate asked for; those made */
	uint64_t late_ticks,
		kept_out; /* left out: we woke too late; the threads were being listed */
	uint64_t processes, threads_alive, threads_seen;
	uint64_t threads_stopped;      /* at the end: by a signal or a tracer (state T or t) */
	uint64_t refused;	       /* children that we may not trace */
	uint64_t lacking;	       /* processes that could not be opened, */
	char why_lacking[160];	       /* and why the last one */
	uint64_t narrow;	       /* processes that execute 32-bit code: left out */
	uint32_t gone;		       /* processes that had ended before the first tick */
	bool kernel_refused;	       /* kernel stacks were requested and may not be read */
	uint64_t samples;	       /* stacks taken */
	uint64_t stacks;	       /* distinct ones, counted separately for each thread */
	struct ledger_entry walks;     /* how they ended, what found their frames */
	struct ledger_guesses guesses; /* where frames were guessed; set at the end */
	/* No sample: the thread did not wait any more; a signal stopped it first; no slot or
	 * request was free, of a ticker or of ours; its address space was gone. */
	uint64_t waiting, signalled, unserved, late, dropped;
	uint64_t cpu_weight, uncertain; /* of CPU samples; of those whose moment is not certain */
	bool no_realtime;		/* we have no right to real-time priority */
	bool realtime_target;		/* threads have one that ours does not exceed */
	unsigned cpus_refused;		/* on which threads of the target may run, but we may not */
	uint64_t glances;		/* stacks of waiting threads read without a stop */
	uint64_t rests;	 /* of threads whose CPU was taken, the same (sampler/capture/resting.h) */
	uint64_t ran_on; /* not stopped, since another CPU had taken the thread over before */
	uint64_t moved;	 /* of these, left out, since another CPU had taken the thread over */
	uint64_t spared,
		over;	     /* left out to keep the pause budget: of waiting, of running threads */
	uint64_t by_event;   /* samples that the kernel copied, without a stop */
	bool user_only;	     /* the kernel's timer takes no sample of time in the kernel */
	char no_events[512]; /* why there are none; "": there are, or none were wanted */
	char no_rest[512];   /* why threads at rest are stopped; "" as above */
	uint64_t transfers;  /* left out: the thread was in a call that a stop may cut short */
	uint64_t exposed;    /* looks left out since a stop might end a call (exposure.h) */
	uint64_t cut;	     /* calls that a stop failed with EINTR, unrepaired */
	uint64_t withheld;   /* ticks left out to keep the CPU budget */
	double parts;	     /* the part of the threads looked at, summed over ticks */
	uint64_t overdue;    /* threads that did not stop within a second */
	uint64_t stuck;	     /* reads for a sample that did not come back in time */
	uint64_t own_stuck;  /* the same of reads while no thread was held; set at the end */
	uint64_t avoided, unread; /* samples left out, since a read of that process was not back:
				   * before and after the stop */
	uint64_t repaired;	  /* calls entered again */
	uint64_t labels_lost;	  /* samples without labels: the goroutine had dropped them */
	uint64_t labels_unknown;  /* samples without labels: not read in this Go release */
	uint64_t denied;	  /* looks left out: another program traced the thread */
	pid_t tracer;		  /* that program, the last one found; 0: none */
	char tracer_name[64];
	uint64_t execs;		 /* times that the target executed a program */
	uint64_t starved_ns;	 /* its threads have waited for a CPU; set at the end */
	uint64_t target_cpu_ns;	 /* accounted by the kernel during the recording */
	uint64_t own_cpu_ns;	 /* ours: sampling, and after recording_write symbolizing */
	uint64_t ticking_cpu_ns; /* the part of it that the budget has accounted */
	uint64_t own_peak_bytes; /* our peak resident set */
	struct heldtime held;	 /* time that a thread was held for a sample */
	struct interp_counts interpreted[INTERP_LANGUAGES];
	char interpreters
		[INTERP_REMARK];   /* interps_remark of the first process that has one; "": none */
	struct heldtime displaced; /* our CPU time while a thread waited for our CPU */
	uint64_t longest_bytes;	   /* of stack that were copied in the longest hold */
	uint64_t rescues;	   /* times that we got no CPU, or were stopped, while a thread
					 * might be held, and the watchdog helped */
};

/* The state of interim profiles (recording_ask_interim). */
struct recording_interim {
	uint64_t number; /* how many requests have been completed or have failed */
	bool busy;	 /* a requested one is not ready yet */
	int failed;	 /* enum error_code of the last one, `error` has the reason; 0: none */
	struct error error;
	/* The newest ones: since the recording's start, and since the last interim profile.
	 * Borrowed until the next request; NULL: there is none. */
	const struct profile *whole, *window;
	uint64_t cost_ns; /* CPU time of making the last one that looked no names up */
};

#endif
