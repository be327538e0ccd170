/* The options are in three groups: when rounds run, the source of Go's profiles, and what becomes
 * of the batches. What excludes or needs another option is checked when all have been read. */
#include "cli/rounds/roundsoptions.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/common/cli.h"
#include "rounds/source/capture.h"

static const uint64_t SOURCE_TIMEOUT_NS = 30000000000;

enum { TRACE_LIMIT = 5 << 20, WAITS_MAX = 100000, PROFILE_BYTES = 256 << 20 };

void roundsoptions_defaults(struct roundsoptions *o)
{
	*o = (struct roundsoptions){
		.rounds = { .count = 1, .delta = true },
		.source = { .timeout_ns = SOURCE_TIMEOUT_NS,
			    .max_bytes = PROFILE_BYTES,
			    .trace_limit = TRACE_LIMIT,
			    .max_goroutines_wait = WAITS_MAX },
	};
}

void roundsoptions_release(struct roundsoptions *o)
{
	for (size_t i = 0; i < o->rounds.tag_count; i++)
		free((char *)o->tags[i].key);
	for (size_t i = 0; i < o->push_count; i++)
		free(o->pushes[i]);
	free(o->url);
	httpoptions_release(&o->http);
}

/* "KEY:VALUE" */
static int roundsoptions_add_tag(struct roundsoptions *o, const char *text, struct error *err)
{
	const char *colon = strchr(text, ':');
	char *copy;

	if (!colon || colon == text)
		return error_set(err, ERR_USAGE, "bad tag '%s': expected KEY:VALUE", text);
	if (o->rounds.tag_count == ROUNDSOPTIONS_TAGS)
		return error_set(err, ERR_USAGE, "more than %d tags", ROUNDSOPTIONS_TAGS);
	copy = strdup(text);
	if (!copy)
		return error_nomem(err);
	copy[colon - text] = '\0';
	o->tags[o->rounds.tag_count++] = (struct batch_tag){ copy, copy + (colon - text) + 1 };
	return 0;
}

static int add_push(struct roundsoptions *o, char *text, struct error *err)
{
	if (o->push_count == ROUNDSOPTIONS_PUSHES)
		return error_set(err, ERR_USAGE, "more than %d times --push", ROUNDSOPTIONS_PUSHES);
	return httpoptions_url(&o->pushes[o->push_count++], text, err);
}

/* Options of when rounds run, of which process, and of what is taken. */
static int set_rounds(struct roundsoptions *o, int option, char *value, struct error *err)
{
	struct rounds_options *r = &o->rounds;

	switch (option) {
	case 'n':
		return parse_number(value, "number of rounds", 0, UINT64_MAX, &r->count, err);
	case ROUNDSOPTION_EVERY:
		return parse_positive_duration(value, &r->every_ns, err);
	case ROUNDSOPTION_ALIGN:
		r->align = true;
		return 0;
	case ROUNDSOPTION_NO_FLUSH:
		r->drop_last = true;
		return 0;
	case ROUNDSOPTION_WAIT_FOR:
		r->wait_for = value;
		return 0;
	case ROUNDSOPTION_FOLLOW:
		r->follow_restarts = true;
		return 0;
	case ROUNDSOPTION_DELTA:
	case ROUNDSOPTION_NO_DELTA:
		r->delta = option == ROUNDSOPTION_DELTA;
		return 0;
	case ROUNDSOPTION_URL:
		o->shown_url = value;
		return httpoptions_url(&o->url, value, err);
	default:
		return OPTION_OTHER;
	}
}

/* The option's name, for messages. */
static const char *roundsoptions_name_of(int option)
{
	static const struct option options[] = { ROUNDS_OPTIONS };
	size_t i = 0;

	while (options[i].val != option)
		i++;
	return options[i].name;
}

/* Options of the source of Go's profiles. */
static int set_source(struct roundsoptions *o, int option, const char *value, struct error *err)
{
	switch (option) {
	case ROUNDSOPTION_GC:
		o->source.gc = true;
		return 0;
	case ROUNDSOPTION_GC_WAIT:
		o->rounds.gc_wait = true;
		return 0;
	case ROUNDSOPTION_WAITS:
		return parse_number(value, "number of goroutines", 0, UINT64_MAX,
				    &o->source.max_goroutines_wait, err);
	case ROUNDSOPTION_TRACE:
		o->trace_limit_given = true;
		return parse_size(value, &o->source.trace_limit, err);
	case ROUNDSOPTION_STOP:
		return parse_stop(value, &o->source.stop_ns, err);
	default:
		return OPTION_OTHER;
	}
}

/* Options of what happens to the batches. */
static int set_batches(struct roundsoptions *o, int option, char *value, struct error *err)
{
	struct batches_options *b = &o->rounds.batches;

	switch (option) {
	case ROUNDSOPTION_KEEP:
		return parse_number(value, "number of batches", 1, UINT64_MAX, &b->keep, err);
	case ROUNDSOPTION_DISK:
		return parse_size(value, &b->max_bytes, err);
	case ROUNDSOPTION_AGE:
		return parse_positive_duration(value, &b->max_age_ns, err);
	case ROUNDSOPTION_TAG:
		return roundsoptions_add_tag(o, value, err);
	case ROUNDSOPTION_PUSH:
		return add_push(o, value, err);
	case ROUNDSOPTION_PUSH_HEADERS:
		o->push_headers = value;
		return 0;
	default:
		return OPTION_OTHER;
	}
}

int roundsoptions_set(struct roundsoptions *o, int option, char *value, struct error *err)
{
	int rc;

	if (option == 't')
		return capture_parse(value, &o->rounds.types, err);
	rc = httpoptions_set(&o->http, option, value, err);
	if (rc != OPTION_OTHER)
		return rc;
	rc = set_source(o, option, value, err);
	if (rc != OPTION_OTHER) {
		o->source_given = roundsoptions_name_of(option);
		return rc;
	}
	rc = set_rounds(o, option, value, err);
	rc = rc == OPTION_OTHER ? set_batches(o, option, value, err) : rc;
	o->given |= rc != OPTION_OTHER;
	return rc;
}

bool roundsoptions_wanted(const struct roundsoptions *o)
{
	const unsigned samples = CAPTURE_BIT(CAPTURE_CPU) | CAPTURE_BIT(CAPTURE_WALL);

	return o->given || o->source_given || o->rounds.types & ~samples;
}

bool roundsoptions_at_once(const struct roundsoptions *o, uint64_t duration_ns)
{
	unsigned at_once = capture_set(CAPTURE_BY_GO) & ~CAPTURE_BIT(CAPTURE_TRACE) &
			   ~CAPTURE_BIT(CAPTURE_ALLOC);

	return !o->given && !duration_ns && o->rounds.types && !(o->rounds.types & ~at_once);
}

/* Without a URL. The process's memory is a source only if Go's profiles are requested. */
static int check_source(const struct roundsoptions *o, struct error *err)
{
	bool by_go = o->rounds.types & capture_set(CAPTURE_BY_GO);

	/* --push uses --cacert, too, and a read of the process's memory --timeout. */
	if (o->http.given && !(o->push_count && !strcmp(o->http.given, "cacert")) &&
	    !(by_go && !strcmp(o->http.given, "timeout")))
		return error_set(err, ERR_USAGE, "--%s is about fetching from a URL: --url",
				 o->http.given);
	if (o->source.gc)
		return error_set(err, ERR_USAGE,
				 "--gc needs --url: no function of the process itself is "
				 "called; --gc-wait waits for a collection");
	if (o->trace_limit_given || o->rounds.types & CAPTURE_BIT(CAPTURE_TRACE))
		return error_set(err, ERR_USAGE,
				 "execution traces are read from a URL only: "
				 "--url http://HOST:PORT/debug/pprof");
	if (o->source_given && !by_go)
		return error_set(err, ERR_USAGE, "--%s is about Go's profiles", o->source_given);
	return 0;
}

int roundsoptions_check(const struct roundsoptions *o, struct error *err)
{
	const struct rounds_options *r = &o->rounds;
	int rc = o->url ? 0 : check_source(o, err);

	if (rc)
		return rc;
	if (o->url && o->source.stop_ns)
		return error_set(err, ERR_USAGE, "--stop is about the process's memory, not a URL");
	if (o->url && !http_is_url(o->url))
		return error_set(err, ERR_USAGE, "bad URL '%s'", o->shown_url);
	if (r->every_ns && r->recording.duration_ns && r->every_ns < r->recording.duration_ns)
		return error_set(err, ERR_USAGE, "--every is less than a round's duration");
	if (r->wait_for && r->follow_restarts)
		return error_set(err, ERR_USAGE,
				 "either --wait-for or --follow-restarts, not both");
	if (r->recording.pid_count > 1)
		return error_set(err, ERR_USAGE,
				 "rounds are about one process (--children takes up "
				 "those that it makes)");
	if (r->follow_restarts && !r->recording.pid_count)
		return error_set(err, ERR_USAGE, "--follow-restarts needs a process: -p PID");
	if (r->recording.command)
		return error_set(err, ERR_USAGE,
				 "rounds need a running process, not a command: use -p PID");
	if (o->push_headers && !o->push_count)
		return error_set(err, ERR_USAGE, "--push-headers is about --push");
	return 0;
}
