/*
 * The supervisor: starts the threads that sample, one after the other, and
 * shows what they do.
 *
 * The calling thread never traces while a round runs. That keeps the terminal
 * (a write to which can block) away from held threads, and lets the sampling
 * thread end whenever the baton must pass.
 */
#include "sampler/recording.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/outfile.h"
#include "pprof/encode.h"
#include "pprof/profile.h"
#include "sampler/assemble.h"
#include "sampler/clock.h"
#include "sampler/decoding.h"
#include "sampler/launch.h"
#include "sampler/member.h"
#include "sampler/round.h"
#include "sampler/summary.h"
#include "sampler/threads.h"
#include "sampler/watchdog.h"
#include "symbolize/symbolizer.h"
#include "target/modmap.h"
#include "unwind/unwinder.h"

enum { PROGRESS_NS = 100000000 };

struct recording {
	struct recording_options options;
	struct round round;
	pid_t command; /* started by us, else 0 */
	bool held;     /* the command waits before its first instruction */
	struct fetching *fetching; /* NULL: nothing was asked of the network */
	struct decoding *decoding; /* NULL before recording_write */
	struct recording_stats shown;
	uint64_t own_cpu_start_ns;
	sem_t ended; /* posted by a sampling thread as its last act */
};

int recording_new(struct recording **out, const struct recording_options *options,
		  struct error *err)
{
	struct recording *r = calloc(1, sizeof(*r));
	const pid_t *pids = options->pids;
	size_t count = options->pid_count;
	int rc = 0;

	if (!r)
		return error_set(err, ERR_NOMEM, "out of memory");
	r->options = *options;
	sem_init(&r->ended, 0, 0);
	if (options->command && !(rc = launch_command(options->command, &r->command, err))) {
		r->held = true;
		pids = &r->command;
		count = 1;
	}
	if (!rc)
		rc = round_init(&r->round, pids, count, options, err);
	for (size_t i = 0; !rc && !r->command && i < count; i++)
		rc = process_may_trace(pids[i], err);
	if (rc) {
		recording_free(r);
		return rc;
	}
	if (!options->no_cache)
		unwinder_open_cache(r->round.unwinder);
	*out = r;
	return 0;
}

static void *sampling_thread(void *arg)
{
	struct recording *r = arg;

	round_sample(&r->round);
	sem_post(&r->ended);
	return NULL;
}

static void show(struct recording *r, recording_progress *progress, void *ctx)
{
	pthread_mutex_lock(&r->round.lock);
	r->shown = r->round.stats;
	pthread_mutex_unlock(&r->round.lock);
	if (progress)
		progress(ctx, &r->shown);
}

/* One sampling thread from start to end. */
static int run_thread(struct recording *r, recording_progress *progress, void *ctx)
{
	pthread_t thread;
	int rc = pthread_create(&thread, NULL, sampling_thread, r);

	if (rc)
		return rc;
	for (;;) {
		struct timespec until = to_timespec(clock_ns(CLOCK_REALTIME) + PROGRESS_NS);

		if (sem_timedwait(&r->ended, &until) == 0)
			break;
		show(r, progress, ctx);
	}
	pthread_join(thread, NULL);
	return 0;
}

static uint64_t own_cpu_ns(uint64_t *peak_bytes)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	*peak_bytes = (uint64_t)ru.ru_maxrss * 1024;
	return ((uint64_t)ru.ru_utime.tv_sec + (uint64_t)ru.ru_stime.tv_sec) * NS_PER_S +
	       ((uint64_t)ru.ru_utime.tv_usec + (uint64_t)ru.ru_stime.tv_usec) * 1000;
}

static int sample_until_end(struct recording *r, recording_progress *progress, void *ctx,
			    struct error *err)
{
	struct round *round = &r->round;
	int rc = 0;

	while (!rc && round->end == RECORDING_RUNNING) {
		rc = run_thread(r, progress, ctx);
		/* With the thread ended whom it still had attached. */
		watchdog_free(round->watchdog);
		watchdog_obey(round->watchdog);
	}
	watchdog_stop(round->watchdog);
	round->watchdog = NULL;
	round_finish(round);
	round->stats.end = round->end;
	show(r, progress, ctx);
	if (rc) {
		errno = rc;
		return error_errno(err, ERR_IO, "cannot start a thread");
	}
	if (round->end == RECORDING_LOST) {
		*err = round->error;
		return err->code;
	}
	return 0;
}

int recording_run(struct recording *r, recording_progress *progress, void *ctx, struct error *err)
{
	int rc;

	r->own_cpu_start_ns = own_cpu_ns(&r->shown.own_peak_bytes);
	rc = round_start(&r->round, r->options.duration_ns, err);
	if (!rc)
		rc = watchdog_start(&r->round.watchdog, err);
	if (r->held)
		launch_release(r->command);
	r->held = false;
	if (rc)
		return rc;
	return sample_until_end(r, progress, ctx, err);
}

void recording_stop(struct recording *r)
{
	uint64_t one = 1;
	int saved = errno;

	if (write(r->round.stop_fd, &one, sizeof(one)) < 0)
		errno = saved;
	errno = saved;
}

const struct recording_stats *recording_stats(const struct recording *r)
{
	return &r->shown;
}

int recording_wait_command(struct recording *r)
{
	int status = 0;

	if (r->round.child_reaped) {
		status = r->round.child_status;
	} else {
		while (waitpid(r->command, &status, __WALL) < 0 && errno == EINTR)
			;
	}
	r->command = 0;
	return status;
}

static int add_comments(struct recording *r, const char *command_line, struct profile *profile)
{
	char lines[SUMMARY_LINES][SUMMARY_WIDTH];

	summary_lines(&r->shown, &r->options, lines);
	if (profile_add_comment(profile, "sampler " SAMPLER_VERSION) ||
	    profile_add_comment(profile, command_line))
		return ERR_NOMEM;
	for (int i = 0; i < SUMMARY_LINES; i++)
		if (profile_add_comment(profile, lines[i]))
			return ERR_NOMEM;
	return 0;
}

/* One decoding: what is handed to the process that does it. */
struct job {
	struct recording *r;
	const struct recording_output *output;
	struct outfile *file;
	uint64_t cpu_ns, peak_bytes; /* ours until it began */
	struct symbolizer **symbolizers; /* by member */
	uint32_t count;
};

/* Each image is asked of one symbolizer only. */
static int offer_fetched(const struct recording *r, struct symbolizer *s)
{
	size_t count;
	struct image *const *images = modmap_images(recording_modmap(r), &count);

	for (size_t i = 0; i < count; i++) {
		int fd = fetching_fd(r->fetching, images[i]);

		if (fd >= 0 && symbolizer_offer(s, images[i], fd))
			return ERR_NOMEM;
	}
	return 0;
}

/* Files may be mapped: if one shrinks, it is the child that dies. */
static int make_symbolizers(struct job *job)
{
	const struct round *round = &job->r->round;
	unsigned flags = job->output->flags | SYMBOLIZE_MAP;

	job->symbolizers = calloc(round->member_count, sizeof(struct symbolizer *));
	for (; job->symbolizers && job->count < round->member_count; job->count++) {
		struct symbolizer **s = &job->symbolizers[job->count];

		if (member_symbolizer(round->members[job->count], flags, s) ||
		    offer_fetched(job->r, *s) ||
		    decoding_watch(job->r->decoding, *s))
			return ERR_NOMEM;
	}
	return job->symbolizers ? 0 : ERR_NOMEM;
}

static void free_symbolizers(struct job *job)
{
	for (uint32_t i = 0; job->symbolizers && i < job->r->round.member_count; i++)
		symbolizer_free(job->symbolizers[i]);
	free(job->symbolizers);
	job->symbolizers = NULL;
	job->count = 0;
}

static int add_warnings(const struct recording *r, struct profile *profile)
{
	const char *warning;

	for (size_t i = 0; (warning = decoding_warning(r->decoding, i)); i++)
		if (profile_add_comment(profile, warning))
			return ERR_NOMEM;
	return 0;
}

/* Fills the profile; the figures of the child, in which this runs, are ours as well. */
static int fill(struct job *job, struct profile *profile, struct decode_result *result,
		struct error *err)
{
	struct recording *r = job->r;
	uint64_t peak, before = own_cpu_ns(&peak);
	int rc = make_symbolizers(job);

	if (!rc)
		rc = assemble(&r->round, job->symbolizers, profile, err);
	result->own_cpu_ns = job->cpu_ns + decoding_lost_cpu_ns(r->decoding) + own_cpu_ns(&peak) - before;
	result->own_peak_bytes = peak > job->peak_bytes ? peak : job->peak_bytes;
	r->shown.own_cpu_ns = result->own_cpu_ns;
	r->shown.own_peak_bytes = result->own_peak_bytes;
	if (!rc)
		rc = add_comments(r, job->output->command_line, profile);
	if (!rc)
		rc = add_warnings(r, profile);
	return rc ? error_set(err, rc, "out of memory") : 0;
}

static int write_out(const struct job *job, const struct profile *profile, struct error *err)
{
	const struct recording_output *o = job->output;

	return o->write ? o->write(o->ctx, profile, job->file, err) :
			  profile_write(profile, job->file, err);
}

static int decode(void *ctx, struct decode_result *result, struct error *err)
{
	struct job *job = ctx;
	struct profile profile;
	int rc = profile_init(&profile);

	if (rc)
		return error_set(err, rc, "out of memory");
	rc = fill(job, &profile, result, err);
	if (!rc) {
		decoding_before_writing(job->r->decoding, job->symbolizers, job->count);
		rc = write_out(job, &profile, err);
		result->written = job->file->written;
	}
	free_symbolizers(job);
	profile_release(&profile);
	return rc;
}

int recording_fetch(struct recording *r, uint64_t timeout_ns, fetching_progress *progress,
		    void *ctx, const struct fetching_stats **stats, struct error *err)
{
	int rc = fetching_run(&r->fetching, &r->round, timeout_ns, progress, ctx, err);

	*stats = r->fetching ? fetching_stats(r->fetching) : NULL;
	return rc;
}

int recording_write(struct recording *r, const struct recording_output *output,
		    struct outfile *file, struct error *err)
{
	struct job job = { .r = r, .output = output, .file = file };
	int rc = decoding_new(&r->decoding, recording_modmap(r), err);

	if (rc)
		return rc;
	process_read_exe(&r->round.members[0]->process);
	for (uint32_t i = 0; i < r->round.member_count; i++)
		process_read_ids(&r->round.members[i]->process); /* it may have become another user */
	job.cpu_ns = own_cpu_ns(&job.peak_bytes) - r->own_cpu_start_ns;
	rc = decoding_run(r->decoding, file, decode, &job, err);
	r->shown.own_cpu_ns = decoding_result(r->decoding)->own_cpu_ns;
	r->shown.own_peak_bytes = decoding_result(r->decoding)->own_peak_bytes;
	unwinder_save_tables(r->round.unwinder);
	return rc;
}

const struct process *recording_process(const struct recording *r)
{
	return &r->round.members[0]->process;
}

const struct modmap *recording_modmap(const struct recording *r)
{
	return r->round.members[0]->maps;
}

const struct unwinder *recording_unwinder(const struct recording *r)
{
	return r->round.unwinder;
}

const char *recording_symbol_note(const struct recording *r, const struct image *image)
{
	return r->decoding ? decoding_note(r->decoding, image) : NULL;
}

const char *recording_warning(const struct recording *r, size_t i)
{
	return r->decoding ? decoding_warning(r->decoding, i) : NULL;
}

const struct ledger_entry *recording_walks_in(const struct recording *r, uint32_t image)
{
	return ledger_of(&r->round.ledger, image);
}

void recording_free(struct recording *r)
{
	if (!r)
		return;
	if (r->held)
		launch_kill(r->command);
	decoding_free(r->decoding);
	fetching_free(r->fetching);
	round_release(&r->round);
	sem_destroy(&r->ended);
	free(r);
}
