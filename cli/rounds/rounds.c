/* The names, the lock's key and the pushes are made from the options here. A signal's handler only
 * calls rounds_stop, which rounds look at. */
#include "cli/rounds/rounds.h"

#include <stdio.h>
#include <string.h>

#include "base/amount.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process/process.h"
#include "sampler/child/privilege.h"
#include "cli/common/byname.h"
#include "cli/common/cli.h"
#include "cli/common/defaultname.h"
#include "cli/common/signals.h"
#include "cli/common/progress.h"
#include "cli/rounds/roundsoptions.h"
#include "sampler/recording.h"
#include "rounds/batch/name.h"
#include "rounds/heap.h"
#include "rounds/push/push.h"
#include "rounds/rounds.h"
#include "rounds/source/capture.h"

static struct rounds *running;

static void rounds_cli_on_signal(int sig)
{
	(void)sig;
	rounds_stop(running);
}

struct rounds_cli_telling {
	bool quiet;
	struct progress progress;
};

static void rounds_cli_say(void *ctx, enum rounds_news news, const char *line)
{
	const struct rounds_cli_telling *t = ctx;

	if (t->quiet && news != ROUNDS_TROUBLE)
		return;
	progress_say(&t->progress, NULL);
	cli_say("%s", line);
}

/* The batch's number is given when it is written; its name's other half is known now. */
static void show_round(void *ctx, const struct recording_stats *s)
{
	const struct rounds_cli_telling *t = ctx;
	char line[200], name[BATCH_NAME_ROOM];
	const struct batch_name n = {
		.start_s = (int64_t)((clock_ns(CLOCK_REALTIME) - s->elapsed_ns) / NS_PER_S)
	};

	batch_name_text(&n, name);
	snprintf(line, sizeof(line), "batch …%s: %s of %s, %lu samples, %.2f s of CPU",
		 strchr(name, '-'), shown_duration(s->elapsed_ns),
		 shown_duration(t->progress.duration_ns), s->samples,
		 (double)s->target_cpu_ns / NS_PER_S);
	progress_say(&t->progress, line);
}

/* The folder where no -o names one: by the process (defaultname.h), or what stands for it. */
static int default_folder(const struct rounds_options *o, char *name, size_t room,
			  struct error *err)
{
	struct process p;
	int rc;

	if (!o->recording.pid_count) {
		snprintf(name, room, "sampler.%s", o->wait_for ? "rounds" : "url");
		return 0;
	}
	rc = process_open(&p, o->recording.pids[0], err);
	if (rc)
		return rc;
	default_folder_name(&p, name, room);
	process_close(&p);
	return 0;
}

/* The key of the folder's lock (rounds/batch/lock.h) if the target is not a process: a
 * second sampler must not write batches of the same target there. NULL: made from the process. */
static const char *rounds_cli_make_key(const struct roundsoptions *o, char *key, size_t room)
{
	if (o->rounds.recording.pid_count)
		return NULL;
	if (o->rounds.wait_for)
		snprintf(key, room, "name-%s", o->rounds.wait_for);
	else
		snprintf(key, room, "url-%s", strstr(o->shown_url, "//") + 2);
	return key;
}

static int rounds_cli_open_source(struct roundsoptions *o, struct error *err)
{
	struct http_request request = o->http.request;

	request.url = o->url;
	if (request.total_timeout_ns)
		o->source.timeout_ns = request.total_timeout_ns;
	if (o->url)
		return source_http(&o->rounds.source, &request, &o->source, err);
	if (o->rounds.types & capture_set(CAPTURE_BY_GO))
		return source_memory(&o->rounds.source, &o->source, err);
	return 0;
}

static int open_pushes(const struct roundsoptions *o, struct push **pushes, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < o->push_count; i++)
		rc = push_new(&pushes[i],
			      &(struct push_options){ .target = o->pushes[i],
						      .credentials_file = o->push_headers,
						      .ca_file = o->http.request.ca_file,
						      .rate = o->rounds.recording.rate },
			      err);
	return rc;
}

/* Everything is open: drops the privileges that are not needed any more, and runs. */
static int rounds_cli_run(struct rounds *r, struct error *err)
{
	const struct privilege_needs needs = { .folder = rounds_folder(r), .samples = true };
	uint64_t written = 0;
	int rc = privilege_drop(&needs, err);

	if (rc)
		return rc;
	running = r;
	signals_catch(rounds_cli_on_signal, false);
	return rounds_run(r, &written, err);
}

int cli_rounds(struct roundsoptions *o, const char *output, bool quiet)
{
	struct push *pushes[ROUNDSOPTIONS_PUSHES] = { NULL };
	struct rounds *r = NULL;
	struct rounds_cli_telling telling = { .quiet = quiet };
	char folder[300], key[200];
	struct error err;
	int rc = 0, status = EXIT_DONE;
	bool lost;

	if (!output) {
		rc = default_folder(&o->rounds, folder, sizeof(folder), &err);
		output = folder;
	}
	o->rounds.batches.path = output;
	o->rounds.batches.key = rounds_cli_make_key(o, key, sizeof(key));
	o->rounds.tags = o->tags;
	o->rounds.pushes = pushes;
	o->rounds.push_count = o->push_count;
	o->rounds.version = SAMPLER_VERSION;
	o->rounds.say = rounds_cli_say;
	o->rounds.say_ctx = o->rounds.progress_ctx = &telling;
	o->rounds.progress = show_round;
	progress_init(&telling.progress, quiet, o->rounds.recording.duration_ns,
		      o->rounds.recording.rate);
	heap_settle();
	if (!rc)
		rc = rounds_cli_open_source(o, &err);
	if (!rc)
		rc = open_pushes(o, pushes, &err);
	if (!rc)
		rc = rounds_new(&r, &o->rounds, &err);
	if (!rc && o->names)
		rc = byname_check(o->names, o->rounds.recording.pids, o->rounds.recording.pid_count,
				  &err);
	if (!rc)
		rc = rounds_cli_run(r, &err);
	progress_say(&telling.progress, NULL);
	lost = r && rounds_lost(r);
	rounds_free(r);
	for (size_t i = 0; i < o->push_count; i++)
		push_free(pushes[i]);
	source_free(o->rounds.source);
	if (rc)
		status = cli_fail(&err);
	return lost ? EXIT_LOST : status;
}
