/*
 * One recording: a process sampled for a while, then a profile of it. Inside, the sampling is a
 * round (sampler/tick/round.h), and what it gathers is the recorded (sampler/recorded/recorded.h).
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
#include "sampler/gil.h"
#include "sampler/member/offspring.h"
#include "sampler/profile/accounts.h"
#include "sampler/profile/fetching.h"
#include "sampler/recorded/options.h"
#include "sampler/recorded/stats.h"

struct image;
struct modmap;
struct outfile;
struct process;
struct profile;
struct recording;
struct unwinder;

/* Finds or starts the target and checks that it may be traced. A command waits before its first
 * instruction. `options` is copied, what it points to is borrowed. The caller frees the recording
 * with recording_free. ERR_GONE, ERR_PERM (the message has the cause), ERR_NOMEM, ERR_IO; for a
 * command also ERR_NOTFOUND (there is none) and ERR_FORMAT (it cannot be executed). */
int recording_new(struct recording **r, const struct recording_options *options, struct error *err);

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

/* What is known at the end, beside the samples. */
struct recording_accounts {
	struct unsampled unsampled; /* the CPU time that no sample stands for, and why */
	struct gil_account gil;	    /* how the threads shared their interpreter's lock */
	/* Of processes that were sampled alone: the CPU time that their children have used
	 * meanwhile (0: none, or not known), and how many of these live. */
	struct offspring children;
	/* CPU time of a command's processes that ended before they were found. */
	uint64_t missed_ns;
};

/* After recording_run; borrowed until recording_free. */
const struct recording_accounts *recording_accounts(const struct recording *r);

/* Is there a command that has not ended? */
bool recording_command_runs(const struct recording *r);

/* Waits for the command's end. Returns its status as waitpid(2) gives it. */
int recording_wait_command(struct recording *r);

/* Before recording_write: fetches debug files that are missing here from the network
 * (sampler/profile/fetching.h), for `timeout_ns` at most. *stats is borrowed until recording_free;
 * NULL: nothing was requested. ERR_IO, ERR_NOMEM. */
int recording_fetch(struct recording *r, uint64_t timeout_ns, fetching_progress *progress,
		    void *ctx, const struct fetching_stats **stats, struct error *err);

/* Symbolizes, and writes the profile to `file`, which the caller commits. Called once, with no
 * other thread running. The work is done in a process of its own that can do no harm
 * (sampler/child/decoding.h). `flags`: see symbolize/symbolizer.h. `command_line` is written into
 * the comments. ERR_NOMEM, ERR_IO. */
int recording_write(struct recording *r, unsigned flags, const char *command_line,
		    struct outfile *file, struct error *err);

/*
 * Interim profiles: what was sampled so far, while the recording goes on. These functions are
 * called from the progress callback of recording_run or after recording_run, and not after
 * recording_write.
 */

/* Requests an interim profile. A process of its own makes it while the sampling goes on
 * (sampler/profile/interim.c). Without `file`, recording_interim returns the profile; names may be
 * missing at first. With `file`, the profile is written there, with all names, as by
 * recording_write; the caller commits the file once `number` of recording_interim has grown.
 * ERR_LIMIT while one is being made, ERR_NOMEM. */
int recording_ask_interim(struct recording *r, unsigned flags, const char *command_line,
			  struct outfile *file, struct error *err);

/* The state of interim profiles, borrowed until recording_free. */
const struct recording_interim *recording_interim(const struct recording *r);

/* After recording_run: waits until a requested profile is ready. */
void recording_await_interim(struct recording *r);

/* After recording_run: true if no requested profile is outstanding. Does not wait. `may_fork`: no
 * other thread runs, so the process that makes the profile may be started. */
bool recording_interim_over(struct recording *r, bool may_fork);

/* recording_suspend stops this process as SIGTSTP would, as soon as no thread is held. While
 * recording_run runs, recording_suspending is true from that call until the process continues. */
void recording_suspend(struct recording *r);
bool recording_suspending(const struct recording *r);

/* The i-th sentence on symbols that had to be left out, and why; NULL after the last. */
const char *recording_warning(const struct recording *r, size_t i);

/* After recording_write: which modules had no symbols, and what to do about it, in one line; NULL:
 * none that matters. */
const char *recording_missing_symbols(const struct recording *r);

/* For -v: the process, its map and the unwinder; borrowed until recording_free. With several
 * processes, the first one and its map; all maps share the images. */
const struct process *recording_process(const struct recording *r);
const struct modmap *recording_modmap(const struct recording *r);
const struct unwinder *recording_unwinder(const struct recording *r);

/* As symbolizer_note; NULL before recording_write. */
const char *recording_symbol_note(const struct recording *r, const struct image *image);

/* Counts of walks that ended in the image, and of frames with their callee there (ledger_of). */
const struct ledger_entry *recording_walks_in(const struct recording *r, uint32_t image_id);

void recording_free(struct recording *r);

#endif
