/*
 * One recording: a process sampled for a while, then a profile of it.
 *
 *   recording_new -> recording_run -> recording_write -> recording_free
 *
 * All calls from one thread, except recording_stop. Nothing here prints.
 */
#ifndef SAMPLER_RECORDING_H
#define SAMPLER_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "sampler/fetching.h"
#include "sampler/heldtime.h"
#include "sampler/ledger.h"
#include "unwind/stack.h"

struct image;
struct modmap;
struct outfile;
struct process;
struct profile;
struct recording;
struct unwinder;

/* Writes a profile into a file, in some form. It runs in a process of its own that can write to
 * that file and do nothing else. */
typedef int recording_writer(const void *ctx, const struct profile *p, struct outfile *file,
			     struct error *err);

struct recording_options {
	const pid_t *pids;	/* the processes to sample; not owned */
	size_t pid_count;	/* or 0 and: */
	char *const *command;	/* a command to start and sample, NULL-terminated */
	uint64_t duration_ns;	/* 0: until the target ends or recording_stop */
	unsigned rate;		/* ticks a second, 1 to 10000 */
	bool children;		/* also samples the processes that they make */
	bool wall;		/* also samples waiting threads, and records wall time */
	bool goid;		/* which goroutine a thread ran, as a label */
	bool kernel;		/* with the kernel's part of waiting threads' stacks */
	bool no_cache;		/* unwind tables are neither kept nor taken from earlier runs */
	double pause_share;	/* largest share of its time that a thread may be held, 0 to 1 */
	double max_cpu;		/* largest share of one CPU that sampling may take, above 0 to 1 */
	recording_writer *write; /* NULL: as pprof */
	const void *write_ctx;	 /* not owned */
};

enum recording_end {
	RECORDING_RUNNING,
	RECORDING_TIME_UP,
	RECORDING_STOPPED,  /* recording_stop */
	RECORDING_EXITED,   /* the target ended */
	RECORDING_LOST,	    /* the target may no longer be traced, or we failed */
};

struct recording_stats {
	enum recording_end end;
	uint64_t elapsed_ns;
	uint64_t ticks_due, ticks;	/* as many as the rate asked for; those that were made */
	uint64_t processes, threads_alive, threads_seen;
	uint64_t refused;		/* children that we may not trace */
	bool kernel_refused;		/* kernel stacks were requested and may not be read */
	uint64_t samples;		/* stacks taken */
	uint64_t stacks;		/* distinct ones, counted separately for each thread */
	struct ledger_entry walks;	/* how they ended, what found their frames */
	struct ledger_guesses guesses;	/* where they were guessed; set at the end */
	/* No sample of a thread in state R: it waited for a CPU or in a call; a signal stopped it first;
	 * no slot or request was free; its address space was gone. */
	uint64_t waiting, signalled, late, dropped;
	uint64_t glances;		/* stacks of waiting threads read without a stop */
	uint64_t spared;		/* looks left out to keep the pause budget */
	uint64_t transfers;		/* looks left out of threads amid a long transfer */
	uint64_t exposed;		/* and since a stop might wake another (exposure.h) */
	uint64_t cut;			/* calls that a stop failed with EINTR, unrepaired */
	uint64_t withheld;		/* ticks left out to keep the CPU budget */
	double parts;			/* the part of the threads looked at, summed over ticks */
	uint64_t overdue;		/* threads that did not stop within a second */
	uint64_t repaired, undone;	/* calls entered again; of these, met by a signal */
	uint64_t labels_lost;		/* samples without labels: the goroutine had dropped them */
	uint64_t labels_unknown;	/* samples without labels: not read in this Go release */
	uint64_t execs;			/* times that the target executed a program */
	uint64_t target_cpu_ns;		/* accounted by the kernel during the recording */
	uint64_t own_cpu_ns;		/* ours: sampling, and after recording_write symbolizing */
	uint64_t own_peak_bytes;	/* our peak resident set */
	struct heldtime held;		/* time that a thread was held for a sample */
	struct heldtime displaced;	/* our CPU time while a thread waited for our CPU */
	uint64_t rescues;		/* times that we got no CPU, or were stopped, while a thread
					 * might be held, and the watchdog helped */
};

/* Finds or starts the target and checks that it may be traced. A command waits before its first
 * instruction. `options` is copied, what it points to is borrowed. The caller frees the recording
 * with recording_free. ERR_GONE, ERR_PERM (the message has the cause), ERR_NOMEM, ERR_IO (a command
 * that cannot be run). */
int recording_new(struct recording **r, const struct recording_options *options,
		  struct error *err);

/* Before recording_run: replaces the duration of the options. */
void recording_set_duration(struct recording *r, uint64_t duration_ns);

/* Called about ten times a second while recording_run waits, and once at its end. */
typedef void recording_progress(void *ctx, const struct recording_stats *stats);

/* Samples until time is up, the target ends or recording_stop is called. What was sampled is kept
 * in any case. `progress` may be NULL. ERR_GONE, ERR_NOMEM, ERR_IO, ERR_PERM. */
int recording_run(struct recording *r, recording_progress *progress, void *ctx, struct error *err);

/* Ends recording_run soon. Async-signal-safe. */
void recording_stop(struct recording *r);

/* The figures so far; valid until recording_free. */
const struct recording_stats *recording_stats(const struct recording *r);

/* Waits for the command's end. Returns its status as waitpid(2) gives it. */
int recording_wait_command(struct recording *r);

/* Before recording_write: fetches debug files that are missing here from the network
 * (sampler/fetching.h), for `timeout_ns` at most. *stats is borrowed until recording_free; NULL:
 * nothing was requested. ERR_IO, ERR_NOMEM. */
int recording_fetch(struct recording *r, uint64_t timeout_ns, fetching_progress *progress,
		    void *ctx, const struct fetching_stats **stats, struct error *err);

/* Symbolizes, and writes the profile to `file`, which the caller commits. Called once, with no
 * other thread running. The work is done in a process of its own that can do no harm
 * (sampler/decoding.h). `flags`: see symbolize/symbolizer.h. `command_line` is written into the
 * comments. ERR_NOMEM, ERR_IO. */
int recording_write(struct recording *r, unsigned flags, const char *command_line,
		    struct outfile *file, struct error *err);

/*
 * Interim profiles: what was sampled so far, while the recording goes on. These functions are
 * called from the progress callback of recording_run or after recording_run, and not after
 * recording_write.
 */
struct recording_interim {
	uint64_t number; /* how many requests have been completed or have failed */
	bool busy;	 /* a requested one is not ready yet */
	int failed;	 /* enum error_code of the last one, `error` has the reason; 0: none */
	struct error error;
	/* The newest ones: since the recording's start, and since the last interim profile.
	 * Borrowed until the next request; NULL: there is none. */
	const struct profile *whole, *window;
	uint64_t cost_ns; /* CPU time of making the last one */
};

/* Requests an interim profile. A process of its own makes it while the sampling goes on
 * (sampler/interim.c). Names may be missing at first. With `file`, the profile is written there
 * instead, with all names, as by recording_write; the caller commits the file once `number` has
 * grown. ERR_LIMIT while one is being made, ERR_NOMEM. */
int recording_ask_interim(struct recording *r, unsigned flags, const char *command_line,
			  struct outfile *file, struct error *err);

/* The state of interim profiles, borrowed until recording_free. */
const struct recording_interim *recording_interim(const struct recording *r);

/* After recording_run: waits until a requested profile is ready. */
void recording_await_interim(struct recording *r);

/* After recording_run: true if no requested profile is still to come. Does not wait. `may_fork`: no
 * other thread runs, so the process that makes the profile may be started. */
bool recording_interim_over(struct recording *r, bool may_fork);

/* _suspend stops this process as SIGTSTP would, as soon as no thread is held. _suspending is true
 * from then until the process has been continued. */
void recording_suspend(struct recording *r);
bool recording_suspending(const struct recording *r);

/* The i-th sentence on symbols that had to be left out, and why; NULL after the last. */
const char *recording_warning(const struct recording *r, size_t i);

/* What the recording looked at, for -v; borrowed until recording_free. Of several processes these
 * are the first one and its map; all maps share the images. */
const struct process *recording_process(const struct recording *r);
const struct modmap *recording_modmap(const struct recording *r);
const struct unwinder *recording_unwinder(const struct recording *r);

/* As symbolizer_note; NULL before recording_write. */
const char *recording_symbol_note(const struct recording *r, const struct image *image);

/* How walks went on from the image with that id, and ended in it (ledger_of). */
const struct ledger_entry *recording_walks_in(const struct recording *r, uint32_t image_id);

void recording_free(struct recording *r);

#endif
