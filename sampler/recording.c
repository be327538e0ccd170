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
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "pprof/profile.h"
#include "sampler/assemble.h"
#include "sampler/clock.h"
#include "sampler/launch.h"
#include "sampler/member.h"
#include "sampler/round.h"
#include "sampler/summary.h"
#include "sampler/threads.h"
#include "sampler/watchdog.h"
#include "symbolize/symbolizer.h"
#include "target/modmap.h"

enum { PROGRESS_NS = 100000000 };

struct recording {
	struct recording_options options;
	struct round round;
	pid_t command; /* started by us, else 0 */
	bool held;     /* the command waits before its first instruction */
	struct symbolizer **symbolizers; /* by member; NULL before recording_profile */
	uint32_t symbolizer_count;
	struct recording_stats shown;
	uint64_t own_cpu_start_ns;
	sem_t ended; /* posted by a sampling thread as its last act */
};

/* process_vm_readv asks the same permission as ptrace(2) does (Yama included)
 * and disturbs nobody. That nobody else traces it must be asked apart. */
static int check_permission(pid_t pid, struct error *err)
{
	char byte;
	struct iovec local = { &byte, 1 }, remote = { (void *)1, 1 };
	struct error why = { 0 };

	if (process_vm_readv(pid, &local, 1, &remote, 1, 0) < 0 && errno != EFAULT)
		return process_diagnose(pid, err);
	process_diagnose(pid, &why);
	if (strstr(why.text, "already traced")) {
		*err = why;
		return why.code;
	}
	return 0;
}

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
		rc = check_permission(pids[i], err);
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

static int make_symbolizers(struct recording *r, unsigned flags)
{
	uint32_t count = r->round.member_count;

	if (r->symbolizers)
		return 0;
	r->symbolizers = calloc(count, sizeof(struct symbolizer *));
	if (!r->symbolizers)
		return ERR_NOMEM;
	for (; r->symbolizer_count < count; r->symbolizer_count++)
		if (symbolizer_new(&r->symbolizers[r->symbolizer_count],
				   &r->round.members[r->symbolizer_count]->process, flags))
			return ERR_NOMEM;
	return 0;
}

int recording_profile(struct recording *r, unsigned flags, const char *command_line,
		      struct profile *profile, struct error *err)
{
	int rc = make_symbolizers(r, flags);

	if (!rc)
		rc = assemble(&r->round, r->symbolizers, profile, err);
	r->shown.own_cpu_ns = own_cpu_ns(&r->shown.own_peak_bytes) - r->own_cpu_start_ns;
	if (!rc)
		rc = add_comments(r, command_line, profile);
	return rc ? error_set(err, rc, "out of memory") : 0;
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

const struct symbolizer *recording_symbolizer(const struct recording *r, const struct image *image)
{
	const struct process *owner = modmap_owner(recording_modmap(r), image);

	for (uint32_t i = 0; i < r->symbolizer_count; i++)
		if (&r->round.members[i]->process == owner)
			return r->symbolizers[i];
	return NULL;
}

const uint64_t *recording_walks_in(const struct recording *r, uint32_t image)
{
	static const uint64_t none[STACK_ENDS];

	return image < r->round.walks_room ? r->round.walks_in[image] : none;
}

void recording_free(struct recording *r)
{
	if (!r)
		return;
	if (r->held)
		launch_kill(r->command);
	for (uint32_t i = 0; i < r->symbolizer_count; i++)
		symbolizer_free(r->symbolizers[i]);
	free(r->symbolizers);
	round_release(&r->round);
	sem_destroy(&r->ended);
	free(r);
}
