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

/* Writes a profile into a file, in some form. It runs in a process of its own, in which it
 * can write to that file and do nothing else. */
typedef int recording_writer(const void *ctx, const struct profile *p, struct outfile *file,
			     struct error *err);

struct recording_options {
	const pid_t *pids;	/* whom to sample; not owned */
	size_t pid_count;	/* or 0 and: */
	char *const *command;	/* what to start and sample, NULL-terminated */
	uint64_t duration_ns;	/* 0: until it ends or recording_stop */
	unsigned rate;		/* looks at each thread a second, 1 to 10000 */
	bool children;		/* and the processes that they make */
	bool wall;		/* waiting threads too, and wall time */
	bool goid;		/* which goroutine a thread ran, as a label */
	bool kernel;		/* with the kernel's part of their stacks */
	bool no_cache;		/* unwind tables are neither kept nor taken from earlier runs */
	double pause_share;	/* of its time that any one thread may be held, 0 to 1 */
	double max_cpu;		/* of one CPU that the sampling may take, above 0 to 1 */
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
	uint64_t ticks_due, ticks;	/* looks at the process that the rate asked for; that were made */
	uint64_t processes, threads_alive, threads_seen;
	uint64_t refused;		/* children that we may not trace */
	bool kernel_refused;		/* kernel stacks were wanted and may not be read */
	uint64_t samples;		/* stacks taken */
	uint64_t stacks;		/* distinct, each thread's counted apart */
	struct ledger_entry walks;	/* how they ended, what found their frames */
	struct ledger_guesses guesses;	/* where they were guessed; set at the end */
	uint64_t waiting, signalled, late, dropped; /* R, yet no sample: waiting for a CPU or in a call;
					 * met a signal; not stopped in time; address space gone */
	uint64_t glances;		/* stacks of waiting threads read without a stop */
	uint64_t spared;		/* looks left out to keep the pause budget */
	uint64_t transfers;		/* looks left out of threads amid a long transfer */
	uint64_t exposed;		/* and of such whose stop might wake another (exposure.h) */
	uint64_t cut;			/* calls that a stop failed with EINTR and nobody could mend */
	uint64_t withheld;		/* ticks left out to keep the CPU budget, */
	double parts;			/* and over all ticks, the part of the threads looked at */
	uint64_t overdue;		/* threads that did not stop within a second */
	uint64_t repaired, undone;	/* calls entered again; of these met a signal */
	uint64_t labels_lost;		/* samples without their goroutine's labels, which it had
					 * given up before they could be read */
	uint64_t labels_unknown;	/* the same, since of its release of Go they are not read */
	uint64_t execs;			/* times the target executed a program meanwhile */
	uint64_t target_cpu_ns;		/* accounted by the kernel during the recording */
	uint64_t own_cpu_ns;		/* ours, for sampling and, when it is done, symbolizing */
	uint64_t own_peak_bytes;	/* our peak resident set */
	struct heldtime held;		/* time that a thread was held for a sample */
	struct heldtime displaced;	/* CPU time of ours while a thread waited for that CPU */
	uint64_t rescues;		/* times that we got no CPU, or were stopped, while a thread
					 * might be held, and the watchdog saw to it (watchdog.h) */
};

/* Finds or starts the target and checks that it may be traced. A command waits
 * before its first instruction. ERR_GONE, ERR_PERM (diagnosed), ERR_NOMEM,
 * ERR_IO (a command that cannot be run). */
int recording_new(struct recording **r, const struct recording_options *options,
		  struct error *err);

/* Before recording_run: another duration than the options'. */
void recording_set_duration(struct recording *r, uint64_t duration_ns);

/* Called about ten times a second while recording_run waits. */
typedef void recording_progress(void *ctx, const struct recording_stats *stats);

/* Samples until time is up, the target ends or recording_stop. What was sampled
 * is kept whatever happens. ERR_NOMEM, ERR_IO, ERR_PERM. */
int recording_run(struct recording *r, recording_progress *progress, void *ctx, struct error *err);

/* Ends recording_run soon. Async-signal-safe. */
void recording_stop(struct recording *r);

/* The figures so far; valid until recording_free. */
const struct recording_stats *recording_stats(const struct recording *r);

/* For a command: waits for its end; its status as waitpid(2) gives it. */
int recording_wait_command(struct recording *r);

/* Before recording_write: asks the network for debug files that are missing here
 * (sampler/fetching.h), for a time at most. `*stats` live as long as the recording.
 * ERR_IO, ERR_NOMEM. */
int recording_fetch(struct recording *r, uint64_t timeout_ns, fetching_progress *progress,
		    void *ctx, const struct fetching_stats **stats, struct error *err);

/* Once, and with no other thread running: symbolizes, and writes the profile to a
 * file, which the caller commits. That happens in a process of its own that can do no
 * harm (sampler/decoding.h). `flags` as in symbolize/symbolizer.h, `command_line` goes
 * into the comments. ERR_NOMEM, ERR_IO. */
int recording_write(struct recording *r, unsigned flags, const char *command_line,
		    struct outfile *file, struct error *err);

/*
 * While it goes on: what was sampled so far. All from the progress callback of
 * recording_run, or after recording_run; never between recording_write and the end.
 */
struct recording_interim {
	uint64_t number; /* how many that were asked for have come to an end */
	bool busy;	 /* one is being made */
	int failed;	 /* enum error_code of the last one, `error` says why; 0 for none */
	struct error error;
	/* The newest: since the start, and since the one before. Valid until the next one is
	 * asked for; NULL: there is none. */
	const struct profile *whole, *window;
	uint64_t cost_ns; /* CPU time that the last one took */
};

/* Asks for one, which is there a moment later: the sampling goes on while a process of
 * its own makes it (sampler/interim.c). Names may be missing at first. With `file`,
 * instead, it is written there, whole, as recording_write does; the caller commits the
 * file once `number` has grown. ERR_LIMIT while one is being made, ERR_NOMEM. */
int recording_ask_interim(struct recording *r, unsigned flags, const char *command_line,
			  struct outfile *file, struct error *err);

/* How far that is; valid as long as the recording. */
const struct recording_interim *recording_interim(const struct recording *r);

/* After recording_run: waits until the one that was asked for is there. */
void recording_await_interim(struct recording *r);

/* After recording_run: is there none that was asked for and is not there yet? Does not wait.
 * The process that makes it is started only if it `may_fork`: while no thread runs. */
bool recording_interim_over(struct recording *r, bool may_fork);

/* Stops this process as SIGTSTP would, soon, when no thread is held; true of _suspending
 * until it has been continued. */
void recording_suspend(struct recording *r);
bool recording_suspending(const struct recording *r);

/* What of the symbols had to be left out and why, a sentence each; NULL after the
 * last. */
const char *recording_warning(const struct recording *r, size_t i);

/* What the recording looked at, for -v. Owned by the recording. The process is the
 * first of several, the map one of those that share the images. */
const struct process *recording_process(const struct recording *r);
const struct modmap *recording_modmap(const struct recording *r);
const struct unwinder *recording_unwinder(const struct recording *r);

/* As symbolizer_note; NULL before recording_write. */
const char *recording_symbol_note(const struct recording *r, const struct image *image);

/* How walks went on from an image (by its id) and ended in it. */
const struct ledger_entry *recording_walks_in(const struct recording *r, uint32_t image_id);

void recording_free(struct recording *r);

#endif
