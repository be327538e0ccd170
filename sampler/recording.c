/*
 * The supervisor: starts the looking thread, starts it again after each intermission, and reports
 * its progress.
 *
 * The calling thread never looks at the target while a round runs. So a write to the terminal,
 * which can block, delays no tick.
 */
#include "sampler/recording.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "sampler/child/bound.h"
#include "sampler/child/decoding.h"
#include "sampler/child/launch.h"
#include "sampler/child/priority.h"
#include "sampler/child/watchdog.h"
#include "sampler/member/member.h"
#include "sampler/profile/interim.h"
#include "sampler/profile/maker.h"
#include "sampler/starving.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/round.h"

enum { PROGRESS_MS = 200 };

struct recording {
	struct recording_options options;
	struct round round;
	pid_t command;		   /* started by us, else 0 */
	bool held;		   /* the command waits before its first instruction */
	struct fetching *fetching; /* NULL: nothing was requested from the network */
	struct decoding *decoding; /* NULL before recording_write */
	struct interim *interim;   /* NULL: none was requested */
	bool suspend;
	struct recording_stats shown;
	uint64_t own_cpu_start_ns;
	int ended_fd; /* eventfd; a looking thread's last act is to write it */
	struct recording_accounts accounts;
};

int recording_new(struct recording **out, const struct recording_options *options,
		  struct error *err)
{
	struct recording *r = calloc(1, sizeof(*r));
	const pid_t *pids = options->pids;
	size_t count = options->pid_count;
	int rc = 0;

	if (!r)
		return error_nomem(err);
	set_priority(PRIORITY_PROMPT); /* until recording_free: we start and end sampling */
	r->options = *options;
	r->round.stop_fd = -1;
	r->ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->ended_fd < 0)
		rc = error_errno(err, ERR_IO, "cannot make an eventfd");
	if (!rc && options->command && !(rc = launch_command(options->command, &r->command, err))) {
		r->held = true;
		pids = &r->command;
		count = 1;
	}
	if (!rc)
		rc = round_init(&r->round, pids, count, options, err);
	if (!rc && r->command)
		rc = process_check_width(recording_process(r), err);
	for (size_t i = 0; !rc && !r->command && i < count; i++)
		rc = process_may_trace(pids[i], err);
	if (rc) {
		recording_free(r);
		return rc;
	}
	*out = r;
	return 0;
}

static void *sampling_thread(void *arg)
{
	struct recording *r = arg;

	round_sample(&r->round);
	eventfd_write(r->ended_fd, 1);
	return NULL;
}

static uint64_t recording_own_cpu_ns(const struct recording *r, uint64_t *peak_bytes)
{
	return maker_own_cpu_ns(peak_bytes) - r->own_cpu_start_ns + interim_cpu_ns(r->interim);
}

static void recording_show(struct recording *r, recording_progress *progress, void *ctx)
{
	uint64_t peak;

	if (r->interim)
		interim_look(r->interim, 0);
	if (interim_wants_start(r->interim))
		round_want_intermission(&r->round);
	recorded_read_stats(&r->round.recorded, &r->shown);
	r->shown.own_cpu_ns = recording_own_cpu_ns(r, &peak);
	r->shown.own_peak_bytes = peak;
	if (progress)
		progress(ctx, &r->shown);
}

/* Runs one looking thread from start to end. */
static int run_thread(struct recording *r, recording_progress *progress, void *ctx)
{
	struct pollfd ended = { .fd = r->ended_fd, .events = POLLIN };
	struct starving starving = { 0 };
	eventfd_t count;
	pthread_t thread;
	int rc = pthread_create(&thread, NULL, sampling_thread, r);

	if (rc)
		return rc;
	/* Not sem_timedwait(3): its clock, CLOCK_REALTIME, may be set back. */
	while (poll(&ended, 1, PROGRESS_MS) <= 0) {
		starving_look(&starving, &r->round, thread);
		recording_show(r, progress, ctx);
	}
	eventfd_read(r->ended_fd, &count);
	pthread_join(thread, NULL);
	return 0;
}

/* Stops this process as Ctrl-Z would. In an orphaned process group (setpgid(2)), where no shell
 * could continue us, the kernel discards the signal. */
static void stop_ourselves(void)
{
	struct sigaction old, standard = { .sa_handler = SIG_DFL };

	sigaction(SIGTSTP, &standard, &old);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &old, NULL);
}

/* Called while no thread samples: does what is impossible while one does. */
static void use_intermission(struct recording *r)
{
	watchdog_obey(r->round.watchdog);
	if (interim_wants_start(r->interim))
		interim_start(r->interim);
	if (r->suspend)
		stop_ourselves();
	r->suspend = false;
	r->round.intermission_ns = 0;
}

static int sample_until_end(struct recording *r, recording_progress *progress, void *ctx,
			    struct error *err)
{
	struct round *round = &r->round;
	int rc = 0;

	while (!rc && round->end == RECORDING_RUNNING) {
		rc = run_thread(r, progress, ctx);
		use_intermission(r);
	}
	watchdog_stop(round->watchdog);
	round->watchdog = NULL;
	round_finish(round);
	recording_show(r, progress, ctx);
	if (rc)
		return error_set(err, ERR_IO, "cannot start a thread: %s", strerror(rc));
	if (round->end == RECORDING_LOST) {
		*err = round->error;
		return err->code;
	}
	return 0;
}

static bool is_sampled(const void *recorded, pid_t pid)
{
	return recorded_member(recorded, pid);
}

/* Adds up what the children of the processes have used so far. */
static bool recording_read_children(const struct recording *r, struct offspring *sum)
{
	const struct recorded *recorded = &r->round.recorded;

	*sum = (struct offspring){ 0 };
	if (recorded->children || r->command)
		return false;
	for (uint32_t i = 0; i < recorded->member_count; i++) {
		struct offspring one;

		if (!offspring_read(&one, &recorded->members[i]->process, is_sampled, recorded))
			return false;
		sum->cpu_ns += one.cpu_ns;
		sum->alive += one.alive;
	}
	return true;
}

/* The command has ended: what did it and its children use altogether? They are our only children
 * but for helpers, which hardly run. */
static void take_command_end(struct recording *r)
{
	struct recording_stats *s = &r->shown;
	struct rusage all;
	uint64_t ns;

	if (!r->command || s->end != RECORDING_EXITED)
		return;
	r->round.child_status = recording_wait_command(r);
	r->round.child_reaped = true;
	getrusage(RUSAGE_CHILDREN, &all);
	ns = rusage_cpu_ns(&all);
	if (r->round.recorded.children && ns > s->target_cpu_ns)
		r->accounts.missed_ns = ns - s->target_cpu_ns;
}

int recording_run(struct recording *r, recording_progress *progress, void *ctx, struct error *err)
{
	struct offspring before, *children = &r->accounts.children;
	bool alone = recording_read_children(r, &before);
	int rc;

	r->own_cpu_start_ns = maker_own_cpu_ns(&r->shown.own_peak_bytes);
	rc = round_start(&r->round, r->options.duration_ns, err);
	if (!rc)
		rc = watchdog_start(&r->round.watchdog, err);
	if (r->held)
		launch_release(r->command);
	r->held = false;
	if (rc)
		return rc;
	rc = sample_until_end(r, progress, ctx, err);
	if ((accounts_unsampled(&r->round.recorded, &r->accounts.unsampled) ||
	     gil_account(&r->round.recorded, &r->accounts.gil)) &&
	    !rc)
		rc = error_nomem(err);
	take_command_end(r);
	if (alone && recording_read_children(r, children) && children->cpu_ns > before.cpu_ns)
		children->cpu_ns -= before.cpu_ns;
	else
		children->cpu_ns = 0;
	return rc;
}

void recording_set_duration(struct recording *r, uint64_t duration_ns)
{
	r->options.duration_ns = duration_ns;
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

const struct recording_accounts *recording_accounts(const struct recording *r)
{
	return &r->accounts;
}

bool recording_command_runs(const struct recording *r)
{
	return r->command && !r->round.child_reaped && process_alive(recording_process(r));
}

int recording_wait_command(struct recording *r)
{
	int status = r->round.child_reaped ? r->round.child_status :
					     await_child(r->command, __WALL);

	r->command = 0;
	return status;
}

int recording_fetch(struct recording *r, uint64_t timeout_ns, fetching_progress *progress,
		    void *ctx, const struct fetching_stats **stats, struct error *err)
{
	int rc = fetching_run(&r->fetching, &r->round.recorded, timeout_ns, progress, ctx, err);

	*stats = r->fetching ? fetching_stats(r->fetching) : NULL;
	return rc;
}

static struct maker maker_of(struct recording *r, unsigned flags, const char *command_line)
{
	return (struct maker){ .recorded = &r->round.recorded,
			       .options = &r->options,
			       .stats = &r->shown,
			       .decoding = r->decoding,
			       .fetching = r->fetching,
			       .flags = flags,
			       .command_line = command_line };
}

struct recording_job {
	struct maker maker;
	struct outfile *file;
};

static int recording_decode(void *ctx, struct decode_result *result, struct error *err)
{
	struct recording_job *job = ctx;

	return maker_write(&job->maker, job->file, result, err);
}

int recording_write(struct recording *r, unsigned flags, const char *command_line,
		    struct outfile *file, struct error *err)
{
	struct recording_job job = { .file = file };
	int rc = decoding_new(&r->decoding, recording_modmap(r), err);

	if (rc)
		return rc;
	job.maker = maker_of(r, flags, command_line);
	job.maker.cpu_ns = recording_own_cpu_ns(r, &job.maker.peak_bytes);
	maker_ready(&job.maker);
	rc = decoding_run(r->decoding, file, recording_decode, &job, err);
	r->shown.own_cpu_ns = decoding_result(r->decoding)->own_cpu_ns;
	r->shown.own_peak_bytes = decoding_result(r->decoding)->own_peak_bytes;
	return rc;
}

int recording_ask_interim(struct recording *r, unsigned flags, const char *command_line,
			  struct outfile *file, struct error *err)
{
	struct maker maker = maker_of(r, flags, command_line);
	int rc = 0;

	maker.cpu_ns = r->own_cpu_start_ns;
	if (!r->interim)
		rc = interim_new(&r->interim, &maker, &r->round, err);
	if (!rc)
		rc = interim_ask(r->interim, file, err);
	if (!rc)
		round_want_intermission(&r->round);
	return rc;
}

const struct recording_interim *recording_interim(const struct recording *r)
{
	static const struct recording_interim none = { .number = 0 };

	return r->interim ? interim_state(r->interim) : &none;
}

void recording_await_interim(struct recording *r)
{
	while (recording_interim(r)->busy) {
		if (interim_wants_start(r->interim))
			interim_start(r->interim);
		interim_look(r->interim, PROGRESS_MS);
	}
}

bool recording_interim_over(struct recording *r, bool may_fork)
{
	if (!recording_interim(r)->busy)
		return true;
	if (may_fork && interim_wants_start(r->interim))
		interim_start(r->interim);
	interim_look(r->interim, 0);
	return !recording_interim(r)->busy;
}

bool recording_suspending(const struct recording *r)
{
	return r->suspend;
}

void recording_suspend(struct recording *r)
{
	if (r->round.end != RECORDING_RUNNING) {
		stop_ourselves();
		return;
	}
	r->suspend = true;
	round_want_intermission(&r->round);
}

const struct process *recording_process(const struct recording *r)
{
	return &r->round.recorded.members[0]->process;
}

const struct modmap *recording_modmap(const struct recording *r)
{
	return r->round.recorded.members[0]->maps;
}

const struct unwinder *recording_unwinder(const struct recording *r)
{
	return r->round.walker.unwinder;
}

const char *recording_symbol_note(const struct recording *r, const struct image *image)
{
	return r->decoding ? decoding_note(r->decoding, image) : NULL;
}

const char *recording_warning(const struct recording *r, size_t i)
{
	return r->decoding ? decoding_warning(r->decoding, i) : interim_warning(r->interim, i);
}

const char *recording_missing_symbols(const struct recording *r)
{
	const char *line = r->decoding ? decoding_result(r->decoding)->missing : "";

	return *line ? line : NULL;
}

const struct ledger_entry *recording_walks_in(const struct recording *r, uint32_t image)
{
	return ledger_of(&r->round.recorded.ledger, image);
}

void recording_free(struct recording *r)
{
	if (!r)
		return;
	if (r->held)
		launch_kill(r->command);
	interim_free(r->interim);
	decoding_free(r->decoding);
	fetching_free(r->fetching);
	round_release(&r->round);
	descriptor_close(&r->ended_fd);
	set_priority(PRIORITY_ORDINARY);
	free(r);
}
