/*
 * The loop. At most LAPS rounds are under way: one that samples, and others that wait for the
 * profiles requested at their end. Batches are composed in the order of their rounds, because
 * deltas depend on it. A profile that does not come within GIVE_UP_MS is reported as missing, so
 * that it does not delay the rest.
 */
#include "rounds/rounds.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "rounds/compose.h"
#include "rounds/derive.h"
#include "rounds/follow.h"
#include "rounds/heap.h"
#include "rounds/lap.h"
#include "rounds/metrics/subject.h"
#include "rounds/push/push.h"
#include "rounds/schedule.h"
#include "rounds/source/capture.h"
#include "rounds/source/source.h"

enum {
	LAPS = 4,	    /* rounds under way */
	TURN_MS = 250,	    /* pause while a round is being finished */
	IDLE_MS = 1000,	    /* pause when none is; timers stand still during suspend */
	FOLLOW_MS = 500,    /* between two looks for the next process */
	GIVE_UP_MS = 90000, /* after a round's end; its parts have come by then, or are missing */
	LAST_SOURCE_MS = 10000, /* after rounds_stop, for a source that hangs */
	LAST_PUSH_MS = 5000,
};

struct rounds {
	struct rounds_options options;
	struct subject subject;
	struct batches *batches;
	struct derive_deltas *deltas;
	struct follow *follow; /* NULL: the rounds end with the target */
	struct schedule schedule;
	struct lap *laps[LAPS];	 /* the oldest first */
	uint64_t ended_ns[LAPS]; /* when each lap's round ended */
	size_t lap_count;	 /* rounds that have ended, not yet composed */
	bool fresh;		 /* another program than in the last round that was queued */
	pid_t refused;		 /* could not be taken up, and was reported */
	uint64_t written, lost;	 /* batches */
	uint64_t files;		 /* in all batches, without event.json */
	int stop_fd;		 /* eventfd: rounds_stop */
};

static void rounds_say_line(struct rounds *r, enum rounds_news news, const char *line)
{
	if (r->options.say)
		r->options.say(r->options.say_ctx, news, line);
}

static uint64_t boot_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

static int64_t real_ns(void)
{
	return (int64_t)clock_ns(CLOCK_REALTIME);
}

static bool stopped(const struct rounds *r)
{
	struct pollfd p = { .fd = r->stop_fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* The target. */

static int open_subject(struct rounds *r, pid_t pid, struct error *err)
{
	bool metrics = r->options.types & CAPTURE_BIT(CAPTURE_METRICS);

	subject_close(&r->subject);
	return subject_open(&r->subject, pid, r->options.batches.key, metrics, err);
}

static int first_subject(struct rounds *r, struct error *err)
{
	const struct recording_options *o = &r->options.recording;
	int rc;

	if (o->pid_count) {
		rc = open_subject(r, o->pids[0], err);
		return rc ? rc : process_may_trace(o->pids[0], err);
	}
	if (r->options.types & ~capture_set(CAPTURE_BY_GO) && !r->options.wait_for)
		return error_set(err, ERR_USAGE, "these types need a process");
	return open_subject(r, 0, err);
}

static int open_batches(struct rounds *r, struct error *err)
{
	struct batches_options o = r->options.batches;

	if (!o.key)
		o.key = r->subject.key;
	if (!o.series)
		o.series = r->subject.process.pid ? r->subject.process.comm : r->options.wait_for;
	return batches_open(&r->batches, &o, err);
}

int rounds_new(struct rounds **out, const struct rounds_options *options, struct error *err)
{
	struct rounds *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return error_nomem(err);
	r->options = *options;
	subject_close(&r->subject);
	if (r->options.source)
		source_about(r->options.source, &r->subject.process);
	r->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = r->stop_fd < 0 ? error_errno(err, ERR_IO, "cannot make an eventfd") :
			      derive_deltas_new(&r->deltas, err);
	if (!rc)
		rc = first_subject(r, err);
	if (!rc && options->wait_for)
		rc = follow_name(&r->follow, options->wait_for, err);
	else if (!rc && options->follow_restarts)
		rc = follow_cgroup(&r->follow, options->recording.pids[0], err);
	if (!rc)
		rc = open_batches(r, err);
	if (rc) {
		rounds_free(r);
		return rc;
	}
	*out = r;
	return 0;
}

void rounds_free(struct rounds *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->lap_count; i++)
		lap_free(r->laps[i]);
	batches_close(r->batches);
	derive_deltas_free(r->deltas);
	follow_free(r->follow);
	subject_close(&r->subject);
	if (r->stop_fd >= 0)
		close(r->stop_fd);
	free(r);
}

const int *rounds_folder(const struct rounds *r)
{
	return batches_folder(r->batches);
}

void rounds_stop(struct rounds *r)
{
	uint64_t one = 1;
	int saved = errno;

	if (write(r->stop_fd, &one, sizeof(one)) < 0)
		errno = saved;
	errno = saved;
}

/* Finished rounds. */

static void rounds_push(struct rounds *r, const struct composed *c)
{
	struct error err;

	for (size_t i = 0; i < r->options.push_count; i++)
		if (push_add(r->options.pushes[i], c->path, &c->event, &err))
			rounds_say_line(r, ROUNDS_TROUBLE, err.text);
}

static void rounds_tell(struct rounds *r, const struct composed *c)
{
	struct buffer line = { 0 };

	if (compose_line(c, &line) == 0)
		rounds_say_line(r, ROUNDS_BATCH, (char *)line.data);
	buffer_release(&line);
}

/* If the batch cannot be written, its round is lost. */
static void compose(struct rounds *r, struct lap *lap)
{
	struct arena arena = { 0 };
	struct composed c = { .arena = &arena };
	struct error err;

	if (lap->fresh)
		derive_deltas_forget(r->deltas);
	if (compose_batch(&c, lap, r->batches, r->deltas, &err)) {
		error_prefix(&err, "a round is lost");
		rounds_say_line(r, ROUNDS_TROUBLE, err.text);
		r->lost++;
	} else {
		r->written++;
		for (size_t i = 0; i < c.event.entry_count; i++)
			r->files += c.event.entries[i].file != NULL;
		rounds_tell(r, &c);
		rounds_push(r, &c);
	}
	batch_free(c.batch);
	arena_release(&arena);
}

static void drop_oldest(struct rounds *r)
{
	lap_free(r->laps[0]);
	r->lap_count--;
	for (size_t i = 0; i < r->lap_count; i++) {
		r->laps[i] = r->laps[i + 1];
		r->ended_ns[i] = r->ended_ns[i + 1];
	}
}

static void tell_pushes(struct rounds *r)
{
	const char *line;

	for (size_t i = 0; i < r->options.push_count; i++)
		while ((line = push_news(r->options.pushes[i])))
			rounds_say_line(r, ROUNDS_TROUBLE, line);
}

/* Composes the rounds that are over, the oldest first. */
static void tend(struct rounds *r, bool may_fork)
{
	for (size_t i = 0; i < r->lap_count; i++)
		lap_over(r->laps[i], may_fork);
	while (r->lap_count) {
		struct lap *lap = r->laps[0];

		if (!lap_over(lap, may_fork)) {
			if (boot_ns() - r->ended_ns[0] < GIVE_UP_MS * NS_PER_MS)
				break;
			lap_give_up(lap, "it took too long");
		}
		compose(r, lap);
		drop_oldest(r);
	}
	for (size_t i = 0; i < r->options.push_count; i++)
		push_turn(r->options.pushes[i], may_fork);
	tell_pushes(r);
}

/* Pauses for `ns`, at most TURN_MS or IDLE_MS; ends early at rounds_stop, or when a profile may
 * have come. */
static void pause_for(struct rounds *r, uint64_t ns)
{
	struct pollfd p[] = { { .fd = r->stop_fd, .events = POLLIN },
			      { .fd = r->lap_count ? lap_fd(r->laps[0]) : -1, .events = POLLIN } };
	uint64_t ms = ns / NS_PER_MS + 1, most = r->lap_count ? TURN_MS : IDLE_MS;

	/* A descriptor that is readable already would end the pause at once. */
	for (int i = 0; i < 2; i++)
		if (poll(p + i, 1, 0) > 0)
			p[i].fd = -1;
	poll(p, 2, (int)(ms < most ? ms : most));
}

/* After the last round: waits for profiles, up to the time limits, and writes all batches. */
static void finish_all(struct rounds *r)
{
	uint64_t since = boot_ns();

	while (r->lap_count) {
		if (stopped(r) && boot_ns() - since > LAST_SOURCE_MS * NS_PER_MS)
			for (size_t i = 0; i < r->lap_count; i++)
				lap_give_up_source(r->laps[i],
						   "it had not come when sampler was stopped");
		tend(r, true);
		if (r->lap_count)
			pause_for(r, TURN_MS * NS_PER_MS);
	}
	for (size_t i = 0; i < r->options.push_count; i++)
		push_flush(r->options.pushes[i], LAST_PUSH_MS * NS_PER_MS);
	tell_pushes(r);
}

/* The next process. */

static void say_target(struct rounds *r)
{
	char line[300];

	if (r->subject.process.pid)
		snprintf(line, sizeof(line), "process %d (%s) has ended%s%s",
			 r->subject.process.pid, r->subject.process.comm,
			 r->follow ? "; waiting for " : "",
			 r->follow ? follow_text(r->follow) : "");
	else
		snprintf(line, sizeof(line), "waiting for %s", follow_text(r->follow));
	rounds_say_line(r, ROUNDS_TARGET, line);
}

/* Takes up a process that was found. If it has ended already, that is not reported. Any other
 * obstacle is reported once, and may go away later. */
static bool take_up(struct rounds *r, pid_t pid)
{
	struct error err;
	char line[200];

	if (open_subject(r, pid, &err) || process_may_trace(pid, &err) ||
	    batches_target(r->batches, r->subject.key, &err)) {
		if (err.code != ERR_GONE && r->refused != pid)
			rounds_say_line(r, ROUNDS_TROUBLE, err.text);
		r->refused = pid;
		subject_close(&r->subject);
		return false;
	}
	r->refused = 0;
	r->fresh = true;
	snprintf(line, sizeof(line), "process %d (%s) is the target", pid, r->subject.process.comm);
	rounds_say_line(r, ROUNDS_TARGET, line);
	return true;
}

/* True: the target lives, or none is needed. False: there is none and none will come. */
static bool has_target(struct rounds *r)
{
	bool none = !r->subject.process.pid;
	pid_t pid;

	if (none ? !r->options.wait_for : subject_alive(&r->subject))
		return true;
	say_target(r);
	subject_close(&r->subject);
	while (r->follow && !stopped(r)) {
		pid = follow_look(r->follow);
		if (pid && take_up(r, pid))
			return true;
		tend(r, true);
		pause_for(r, FOLLOW_MS * NS_PER_MS);
	}
	return false;
}

/* One round. */

static bool rounds_look(void *ctx)
{
	struct rounds *r = ctx;

	tend(r, false);
	return stopped(r);
}

/* The requested duration, but not into the next round's time. */
static uint64_t round_duration(const struct rounds *r)
{
	uint64_t left = schedule_left(&r->schedule, boot_ns(), real_ns());
	uint64_t duration = r->options.recording.duration_ns;

	return left < duration ? left : duration;
}

/* Makes room for another round: gives up the missing profiles of the oldest one. */
static void rounds_make_way(struct rounds *r)
{
	while (r->lap_count == LAPS) {
		lap_give_up(r->laps[0], "the rounds after it were done before");
		tend(r, true);
	}
}

static int one_round(struct rounds *r, struct error *err)
{
	struct lap *lap;
	int rc;

	rounds_make_way(r);
	heap_trim();
	r->fresh |= subject_renew(&r->subject);
	rc = lap_begin(&lap, &r->options, &r->subject, err);
	if (rc)
		return rc;
	lap_sample(lap, &r->subject, round_duration(r), rounds_look, r);
	if (lap_empty(lap) || (r->options.drop_last && stopped(r))) {
		lap_free(lap);
		return 0;
	}
	r->fresh |= subject_renew(&r->subject);
	lap->fresh = r->fresh;
	r->fresh = false;
	lap_end(lap, &r->subject);
	r->ended_ns[r->lap_count] = boot_ns();
	r->laps[r->lap_count++] = lap;
	tend(r, true);
	return 0;
}

/* Waits for the next round's time. False: there is none. */
static bool next_round(struct rounds *r)
{
	uint64_t wait;

	while (!stopped(r) && has_target(r)) {
		wait = schedule_wait(&r->schedule, boot_ns(), real_ns());
		if (wait == UINT64_MAX)
			return false;
		if (!wait)
			return true;
		pause_for(r, wait);
		tend(r, true);
	}
	return false;
}

static void say_missed(struct rounds *r, uint64_t *before)
{
	char line[100];

	if (r->schedule.missed == *before)
		return;
	snprintf(line, sizeof(line), "%lu rounds could not begin in their time",
		 r->schedule.missed - *before);
	*before = r->schedule.missed;
	rounds_say_line(r, ROUNDS_TROUBLE, line);
}

uint64_t rounds_lost(const struct rounds *r)
{
	return r->lost;
}

int rounds_run(struct rounds *r, uint64_t *written, struct error *err)
{
	uint64_t every = r->options.every_ns, duration = r->options.recording.duration_ns;
	uint64_t missed = 0;
	int rc = 0;

	schedule_init(&r->schedule, every > duration ? every : duration, r->options.align,
		      r->options.count, boot_ns(), real_ns());
	while (next_round(r)) {
		schedule_begin(&r->schedule, boot_ns(), real_ns());
		say_missed(r, &missed);
		rc = one_round(r, err);
		if (rc && rc != ERR_GONE && !r->written && !r->lap_count)
			break; /* no round has worked yet: retrying will not help */
		if (rc && rc != ERR_GONE)
			rounds_say_line(r, ROUNDS_TROUBLE, err->text);
		rc = 0;
	}
	finish_all(r);
	*written = r->written;
	if (!rc && !r->written && r->lost)
		rc = error_set(err, ERR_IO, "no batch could be written");
	if (!rc && r->options.count == 1 && r->written && !r->files && !stopped(r))
		rc = error_set(err, ERR_NOTFOUND,
			       "none of the requested profiles could be collected");
	return rc;
}
