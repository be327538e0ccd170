/* Requests for Go's profiles run in processes of their own before, during and after the recording;
 * lap_over takes the answers that are there. */
#include "rounds/lap.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "rounds/collect/collection.h"
#include "rounds/metrics/metrics.h"
#include "rounds/options.h"
#include "rounds/source/capture.h"
#include "rounds/source/source.h"

enum { LOOK_MS = 100 };

/* CPU time of this process and of its children that have ended. */
static uint64_t lap_own_cpu_ns(void)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return (uint64_t)(self.ru_utime.tv_sec + self.ru_stime.tv_sec + children.ru_utime.tv_sec +
			  children.ru_stime.tv_sec) *
		       NS_PER_S +
	       (uint64_t)(self.ru_utime.tv_usec + self.ru_stime.tv_usec +
			  children.ru_utime.tv_usec + children.ru_stime.tv_usec) *
		       1000;
}

/* The start. */

static void lap_request(struct lap *lap, enum lap_ask what, const struct collection_request *q)
{
	struct lap_answer *a = &lap->answers[what];

	if (q->types && lap->options->source)
		collection_start(&a->collection, lap->options->source, q, &a->none);
}

/* Two processes: a snapshot that waits for a GC cycle would delay the trace. */
static void ask_before(struct lap *lap)
{
	const struct rounds_options *o = lap->options;

	lap_request(lap, LAP_TRACE,
		    &(struct collection_request){ .types = o->types & CAPTURE_BIT(CAPTURE_TRACE),
						  .trace_ns = o->recording.duration_ns });
	lap_request(lap, LAP_BEFORE,
		    &(struct collection_request){ .types = o->types & CAPTURE_BIT(CAPTURE_ALLOC),
						  .gc = o->gc_wait });
}

static int start_recording(struct lap *lap, struct error *err)
{
	struct recording_options o = lap->options->recording;

	lap->samples.fd = memfd_create("sampler-round", MFD_CLOEXEC);
	if (lap->samples.fd < 0)
		return error_errno(err, ERR_IO, "cannot make a file in memory");
	o.pids = &lap->pid;
	o.pid_count = 1;
	o.duration_ns = 0; /* set in lap_sample */
	resource_line(&lap->attributes, lap->whose);
	o.whose = lap->whose;
	return recording_new(&lap->recording, &o, err);
}

/* Takes what is known of whose process it is. That of the round's end replaces that of its start:
 * meanwhile a program may have begun to publish its context, or systemd may have moved it. */
static int take_attributes(struct lap *lap, struct subject *subject)
{
	struct attributes fresh = { 0 };
	int rc = subject_look(subject);

	memcpy(lap->command, subject->process.comm, sizeof(lap->command));
	rc = rc == ERR_NOMEM ? rc : attributes_add_all(&fresh, &subject->resource.attributes);
	if (rc) {
		attributes_release(&fresh);
		return rc;
	}
	attributes_release(&lap->attributes);
	lap->attributes = fresh;
	return 0;
}

/* The process's start by the wall clock, from its start in ticks since the boot. */
static uint64_t process_start(const struct subject_program *program)
{
	uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK), since_boot;
	uint64_t boot = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);

	if (!program->began || __builtin_mul_overflow(program->began, tick_ns, &since_boot))
		return 0;
	return boot + since_boot;
}

int lap_begin(struct lap **out, const struct rounds_options *options, struct subject *subject,
	      struct error *err)
{
	struct lap *lap = calloc(1, sizeof(*lap));
	int rc = 0;

	if (!lap)
		return error_nomem(err);
	lap->options = options;
	lap->ended = "lost";
	lap->samples = (struct outfile){
		.fd = -1, .dir_fd = -1, .direct = true, .path = (char *)"memory"
	};
	lap->own_cpu_ns = lap_own_cpu_ns();
	lap->process_fd = fcntl(subject_fd(subject), F_DUPFD_CLOEXEC, 0);
	lap->pid = subject->process.pid;
	memcpy(lap->build_id, subject->build_id, sizeof(lap->build_id));
	lap->program = subject->program;
	lap->process_start_ns = process_start(&lap->program);
	if (take_attributes(lap, subject))
		rc = error_nomem(err);
	if (!rc && options->types & capture_set(CAPTURE_BY_SAMPLING))
		rc = start_recording(lap, err);
	if (rc) {
		lap_free(lap);
		return rc;
	}
	ask_before(lap);
	if (subject->metrics)
		metrics_read(subject->metrics, &lap->no_metrics);
	lap->start_ns = (int64_t)clock_ns(CLOCK_REALTIME);
	lap->began_ns = monotonic_ns();
	*out = lap;
	return 0;
}

/* The round. */

struct lap_watch {
	struct lap *lap;
	uint64_t until_ns;
	lap_look *look;
	void *ctx;
};

static void watch_recording(void *ctx, const struct recording_stats *stats)
{
	struct lap_watch *w = ctx;

	if (w->lap->options->progress)
		w->lap->options->progress(w->lap->options->progress_ctx, stats);
	if (w->look(w->ctx))
		recording_stop(w->lap->recording);
}

static void lap_record(struct lap *lap, uint64_t duration_ns, struct lap_watch *w)
{
	static const char *const ends[] = {
		[RECORDING_RUNNING] = "lost",	 [RECORDING_TIME_UP] = "time",
		[RECORDING_STOPPED] = "stopped", [RECORDING_EXITED] = "exited",
		[RECORDING_LOST] = "lost",
	};
	struct error err;

	lap->sampled = true;
	recording_set_duration(lap->recording, duration_ns);
	if (recording_run(lap->recording, watch_recording, w, &err))
		lap->no_samples = err;
	lap->stats = *recording_stats(lap->recording);
	lap->ended = ends[lap->stats.end];
}

/* Without a recording: waits until time is up or the process has ended. */
static void only_wait(struct lap *lap, const struct subject *subject, struct lap_watch *w)
{
	struct pollfd end = { .fd = subject_fd(subject), .events = POLLIN };
	uint64_t now;

	lap->ended = "time";
	while ((now = monotonic_ns()) < w->until_ns) {
		uint64_t left = (w->until_ns - now) / NS_PER_MS + 1;

		if (poll(&end, 1, left < LOOK_MS ? (int)left : LOOK_MS) > 0) {
			lap->ended = "exited";
			return;
		}
		if (w->look(w->ctx)) {
			lap->ended = "stopped";
			return;
		}
	}
}

void lap_sample(struct lap *lap, const struct subject *subject, uint64_t duration_ns,
		lap_look *look, void *ctx)
{
	struct lap_watch w = { lap, lap->began_ns + duration_ns, look, ctx };

	if (lap->recording)
		lap_record(lap, duration_ns, &w);
	else
		only_wait(lap, subject, &w);
	lap->end_ns = (int64_t)clock_ns(CLOCK_REALTIME);
	lap->duration_ns = monotonic_ns() - lap->began_ns;
	if (lap->end_ns < lap->start_ns) /* the clock was set back */
		lap->end_ns = lap->start_ns + (int64_t)lap->duration_ns;
}

bool lap_empty(const struct lap *lap)
{
	return lap->no_samples.code == ERR_GONE && !lap->stats.elapsed_ns;
}

/* The end. */

static uint64_t resident_bytes(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%*u %lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void take_metrics(struct lap *lap, struct subject *s)
{
	struct metrics_own own;
	struct rusage self;

	if (!s->metrics)
		return;
	getrusage(RUSAGE_SELF, &self);
	own = (struct metrics_own){ .cpu_ns = lap_own_cpu_ns() - lap->own_cpu_ns,
				    .peak_bytes = (uint64_t)self.ru_maxrss * 1024,
				    .rss_bytes = resident_bytes(),
				    .samples = lap->stats.samples,
				    .held_max_ns = lap->stats.held.max };
	if (lap->duration_ns) /* as if one thread had all the holds */
		own.pause_share = (double)lap->stats.held.sum / (double)lap->duration_ns;
	metrics_read(s->metrics, &lap->no_metrics);
	if (metrics_json(s->metrics, &own, &lap->metrics, &lap->no_metrics))
		lap->metrics.len = 0;
}

/* Requests nothing once the process has ended: another one may answer in its place. */
static void ask_after(struct lap *lap, const struct subject *subject)
{
	unsigned types = lap->options->types & capture_set(CAPTURE_BY_GO) &
			 ~CAPTURE_BIT(CAPTURE_TRACE);

	if (!subject_alive(subject))
		error_set(&lap->answers[LAP_AFTER].none, ERR_GONE, "process %d had ended",
			  lap->pid);
	else
		lap_request(lap, LAP_AFTER,
			    &(struct collection_request){ .types = types,
							  .gc = lap->options->gc_wait });
}

static void ask_for_samples(struct lap *lap)
{
	if (!lap->recording || lap->no_samples.code || !lap->stats.elapsed_ns)
		return;
	lap->asked = !recording_ask_interim(lap->recording, lap->options->symbolize,
					    lap->options->command_line, &lap->samples,
					    &lap->no_samples);
	if (lap->asked)
		recording_interim_over(lap->recording, true);
}

void lap_end(struct lap *lap, struct subject *subject)
{
	if (lap->answers[LAP_TRACE].collection)
		collection_finish(lap->answers[LAP_TRACE].collection);
	ask_after(lap, subject);
	take_metrics(lap, subject);
	if (subject_program_same(&lap->program, &subject->program))
		take_attributes(lap, subject); /* without memory those of the start stay */
	ask_for_samples(lap);
}

/* Frees the recording early: its unwind tables and its descriptors for each thread are not to be
 * kept until the Go profiles are there. */
static void end_recording(struct lap *lap)
{
	recording_free(lap->recording);
	lap->recording = NULL;
	lap->asked = false;
}

static bool samples_over(struct lap *lap, bool may_fork)
{
	const struct recording_interim *state;

	if (lap->asked && !recording_interim_over(lap->recording, may_fork))
		return false;
	if (lap->asked) {
		state = recording_interim(lap->recording);
		if (state->failed)
			lap->no_samples = state->error;
	}
	end_recording(lap);
	return true;
}

static bool process_ended(const struct lap *lap)
{
	struct pollfd p = { .fd = lap->process_fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* If the process has ended, what a URL answered may be its successor's and is dropped. */
static bool answer_over(struct lap *lap, int what)
{
	struct lap_answer *a = &lap->answers[what];

	if (!a->collection || a->over)
		return true;
	if (!collection_over(a->collection))
		return false;
	a->over = true;
	if (what == LAP_AFTER && source_by_address(lap->options->source) && process_ended(lap)) {
		collection_free(a->collection);
		a->collection = NULL;
		error_set(&a->none, ERR_GONE, "process %d ended before its profiles were collected",
			  lap->pid);
	}
	return true;
}

bool lap_over(struct lap *lap, bool may_fork)
{
	bool over = samples_over(lap, may_fork);

	for (int i = 0; i < LAP_ASKS; i++)
		over &= answer_over(lap, i);
	return over;
}

void lap_give_up_source(struct lap *lap, const char *why)
{
	for (int i = 0; i < LAP_ASKS; i++)
		if (lap->answers[i].collection)
			collection_cancel(lap->answers[i].collection, why);
}

void lap_give_up(struct lap *lap, const char *why)
{
	lap_give_up_source(lap, why);
	if (lap->asked)
		error_set(&lap->no_samples, ERR_LIMIT, "%s", why);
	end_recording(lap);
}

int lap_fd(const struct lap *lap)
{
	int fd = -1;

	for (int i = 0; fd < 0 && i < LAP_ASKS; i++)
		if (lap->answers[i].collection)
			fd = collection_fd(lap->answers[i].collection);
	return fd;
}

void lap_free(struct lap *lap)
{
	if (!lap)
		return;
	recording_free(lap->recording);
	for (int i = 0; i < LAP_ASKS; i++)
		collection_free(lap->answers[i].collection);
	if (lap->samples.fd >= 0)
		close(lap->samples.fd);
	if (lap->process_fd >= 0)
		close(lap->process_fd);
	buffer_release(&lap->metrics);
	attributes_release(&lap->attributes);
	free(lap);
}
