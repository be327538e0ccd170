/*
 * The queue. While a process sends, the first batch is the one being sent. That batch alone is not
 * dropped for a newer one, since the engine may have a part of it.
 */
#include "rounds/push/push.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/room.h"
#include "sampler/child/errand.h"
#include "rounds/push/batch.h"
#include "rounds/push/headers.h"
#include "rounds/push/protocol.h"
#include "rounds/push/sender.h"
#include "rounds/push/target.h"

enum {
	QUEUE = 16,
	NEWS = 4,	 /* lines kept for push_news; more are lost */
	TURN_MS = 200,	 /* between two reads from a process that sends */
	SILENT_S = 150,	 /* without a note; longer than a request can take */
	REFUSALS_S = 60, /* between two reports of refusals */
	BACKOFF_S = 1,
	BACKOFF_MAX_S = 300,
	RETRY_MAX_S = 3600,
};

struct push {
	struct pushtarget target;
	struct pushheaders headers;
	struct push_options options;
	struct pushbatch **queue; /* the oldest first */
	size_t count, room;
	uint64_t next_id;
	struct errand sender;
	uint64_t heard_ns, not_before_ns; /* last note; next attempt; CLOCK_MONOTONIC */
	unsigned failures;		  /* in a row */
	bool concluded;			  /* the current sender has reported its end, or failed */
	struct push_stats stats;
	char last_error[300];
	/* What was reported, so that it is not repeated. */
	bool told_failing, told_full;
	char told_refusal[300];
	uint64_t refusal_ns;	 /* when told_refusal was reported */
	uint64_t dropped_before; /* stats.dropped when the failures began */
	char news[NEWS][512];
	size_t news_at, news_count;
};

/* News. */

static void push_tell(struct push *p, const char *before, const char *what)
{
	char *line = p->news[(p->news_at + p->news_count) % NEWS];

	if (p->news_count == NEWS)
		return;
	snprintf(line, sizeof(p->news[0]), "%s%.160s%.330s", before, p->target.shown, what);
	p->news_count++;
}

const char *push_news(struct push *p)
{
	const char *line = p->news_count ? p->news[p->news_at] : NULL;

	if (line) {
		p->news_at = (p->news_at + 1) % NEWS;
		p->news_count--;
	}
	return line;
}

static void tell_failure(struct push *p, const char *why)
{
	char what[sizeof(p->last_error) + 40];

	snprintf(p->last_error, sizeof(p->last_error), "%.*s", (int)sizeof(p->last_error) - 1, why);
	if (p->told_failing)
		return;
	p->told_failing = true;
	p->dropped_before = p->stats.dropped;
	snprintf(what, sizeof(what), ": %s; it is tried again", p->last_error);
	push_tell(p, "cannot push to ", what);
}

static void tell_refusal(struct push *p, const char *why, bool batch)
{
	char what[sizeof(p->last_error) + 40];

	snprintf(p->last_error, sizeof(p->last_error), "%.*s", (int)sizeof(p->last_error) - 1, why);
	if (!strcmp(p->told_refusal, p->last_error) ||
	    (*p->told_refusal && monotonic_ns() - p->refusal_ns < REFUSALS_S * NS_PER_S))
		return;
	p->refusal_ns = monotonic_ns();
	memcpy(p->told_refusal, p->last_error, sizeof(p->told_refusal));
	snprintf(what, sizeof(what), " refuses a %s: %s", batch ? "batch" : "profile", why);
	push_tell(p, "", what);
}

static void tell_recovery(struct push *p)
{
	char what[100];

	if (p->told_failing) {
		snprintf(what, sizeof(what), " takes batches again; %llu were dropped",
			 (unsigned long long)(p->stats.dropped - p->dropped_before));
		push_tell(p, "", what);
	}
	p->told_failing = p->told_full = false;
}

/* The queue. */

static void remove_at(struct push *p, size_t i)
{
	pushbatch_free(p->queue[i]);
	p->count--;
	memmove(p->queue + i, p->queue + i + 1, (p->count - i) * sizeof(*p->queue));
	p->stats.waiting = p->count;
}

static void push_drop(struct push *p, size_t i)
{
	p->stats.dropped++;
	remove_at(p, i);
}

static void push_make_way(struct push *p)
{
	size_t sending = p->sender.pid && p->count ? 1 : 0;

	if (p->count - sending < p->options.queue)
		return;
	push_drop(p, sending);
	if (!p->told_full)
		push_tell(p, "the queue is full: the oldest batches are not pushed to ", "");
	p->told_full = true;
}

int push_add(struct push *p, const char *path, const struct batch_event *event, struct error *err)
{
	struct pushbatch *b;
	int rc = pushbatch_new(&b, path, event, err);

	if (rc)
		return rc;
	b->id = p->next_id++;
	while (p->target.protocol->nth(b, b->requests))
		b->requests++;
	if (!b->requests) {
		pushbatch_free(b);
		return 0;
	}
	push_make_way(p);
	if (room_for((void **)&p->queue, &p->room, p->count + 1, sizeof(*p->queue))) {
		pushbatch_free(b);
		return error_nomem(err);
	}
	p->queue[p->count++] = b;
	p->stats.waiting = p->count;
	return 0;
}

/* Notes of the sender. */

/* The longest pauses are 1, 2, 4… seconds. Each pause is random, between half of that and all of
 * it, so that many samplers do not retry at once. */
static void back_off(struct push *p, uint64_t retry_after_ns)
{
	unsigned doublings = p->failures < 16 ? p->failures : 16;
	uint64_t most = BACKOFF_S * NS_PER_S << doublings, wait, random = 0;

	if (most > BACKOFF_MAX_S * NS_PER_S)
		most = BACKOFF_MAX_S * NS_PER_S;
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = monotonic_ns();
	wait = most / 2 + random % (most / 2);
	if (retry_after_ns > RETRY_MAX_S * NS_PER_S)
		retry_after_ns = RETRY_MAX_S * NS_PER_S;
	p->not_before_ns = monotonic_ns() + (wait > retry_after_ns ? wait : retry_after_ns);
	p->failures++;
	p->stats.failed++;
}

static void push_fail(struct push *p, const char *why, uint64_t retry_after_ns)
{
	p->concluded = true;
	back_off(p, retry_after_ns);
	tell_failure(p, why);
}

/* One request of the first batch is done: accepted (`taken`) or refused. */
static void push_advance(struct push *p, bool taken)
{
	struct pushbatch *b = p->queue[0];

	b->taken += taken;
	if (++b->done < b->requests)
		return;
	if (b->taken) {
		p->stats.sent++;
		remove_at(p, 0);
	} else {
		push_drop(p, 0);
	}
}

/* A note on a batch that is not the first of the queue changes no batch. */
static void take_note(struct push *p, const struct pushnote *n)
{
	bool known = p->count && p->queue[0]->id == n->batch;

	p->heard_ns = monotonic_ns();
	if (n->what == PUSHNOTE_FAILED) {
		push_fail(p, n->text, n->retry_after_ns);
		return;
	}
	if (n->what == PUSHNOTE_DONE) {
		p->concluded = true;
		return;
	}
	p->failures = 0;
	if (n->what == PUSHNOTE_SENT)
		tell_recovery(p);
	if (n->what == PUSHNOTE_REFUSED || n->what == PUSHNOTE_DROPPED) {
		p->stats.refused++;
		tell_refusal(p, n->text, n->what == PUSHNOTE_DROPPED);
	}
	if (known && (n->what == PUSHNOTE_SENT || n->what == PUSHNOTE_REFUSED))
		push_advance(p, n->what == PUSHNOTE_SENT);
	else if (known)
		push_drop(p, 0);
}

/* The sender has closed its pipe, or was silent for too long. */
static void end_sender(struct push *p, bool silent)
{
	errand_end(&p->sender);
	if (!p->concluded)
		push_fail(p, silent ? "it takes too long" : "the process that sends broke off", 0);
}

static void hear(struct push *p)
{
	struct pushnote n;
	bool end = false;

	while (!end && pushsender_note(&p->sender, &n, &end))
		take_note(p, &n);
	if (end)
		end_sender(p, false);
	else if (monotonic_ns() - p->heard_ns > SILENT_S * NS_PER_S)
		end_sender(p, true);
}

/* Reads the credentials for each attempt, since the file may have changed. */
static int push_read_headers(struct push *p, struct error *err)
{
	int rc = 0;

	pushheaders_release(&p->headers);
	if (p->options.credentials_file)
		rc = pushheaders_file(&p->headers, p->options.credentials_file, err);
	return rc ? rc : p->target.protocol->authorize(&p->headers, err);
}

static void push_start(struct push *p)
{
	const struct pushjob job = { &p->target,      &p->headers, p->options.ca_file,
				     p->options.rate, p->queue,	   p->count };
	struct error err;
	int rc = push_read_headers(p, &err);

	p->concluded = false;
	p->heard_ns = monotonic_ns();
	rc = rc ? rc : pushsender_start(&p->sender, &job, &err);
	pushheaders_release(&p->headers);
	if (rc)
		push_fail(p, err.text, 0);
}

int push_turn(struct push *p, int may_start)
{
	uint64_t now = monotonic_ns();

	if (p->sender.pid)
		hear(p);
	if (!p->sender.pid && p->count && now >= p->not_before_ns && may_start)
		push_start(p);
	if (p->sender.pid)
		return TURN_MS;
	if (!p->count)
		return -1;
	return p->not_before_ns > now ? (int)((p->not_before_ns - now) / NS_PER_MS) + 1 : 0;
}

void push_flush(struct push *p, uint64_t timeout_ns)
{
	uint64_t end = monotonic_ns() + timeout_ns;

	p->not_before_ns = 0;
	for (;;) {
		int ms = push_turn(p, 1);
		uint64_t now = monotonic_ns(), left = now < end ? (end - now) / NS_PER_MS : 0;
		struct pollfd sender = { .fd = p->sender.pipe, .events = POLLIN };

		if (ms < 0 || !left)
			return;
		poll(&sender, 1, (uint64_t)ms < left ? ms : (int)left);
	}
}

const struct push_stats *push_stats(const struct push *p)
{
	return &p->stats;
}

/* Creation and release. */

int push_new(struct push **out, const struct push_options *options, struct error *err)
{
	struct push *p = calloc(1, sizeof(*p));
	int rc;

	*out = NULL;
	if (!p)
		return error_nomem(err);
	p->sender = (struct errand)ERRAND_NONE;
	p->stats.last_error = p->last_error;
	p->options = *options;
	p->options.queue = options->queue ? options->queue : QUEUE;
	rc = pushtarget_parse(&p->target, options->target, err);
	rc = rc ? rc : push_read_headers(p, err);
	if (rc) {
		push_free(p);
		return rc;
	}
	pushheaders_release(&p->headers);
	*out = p;
	return 0;
}

void push_free(struct push *p)
{
	if (!p)
		return;
	errand_end(&p->sender);
	while (p->count)
		remove_at(p, p->count - 1);
	free(p->queue);
	pushheaders_release(&p->headers);
	pushtarget_release(&p->target);
	free(p);
}
