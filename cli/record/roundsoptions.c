/* The options are in three groups: when rounds run, the source of Go's profiles, and what becomes
 * of the batches. What excludes or needs another option is checked when all have been read. */
#include "cli/record/roundsoptions.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/common/cli.h"
#include "cli/record/gotake.h"
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

static int set_size(const char *text, size_t *size, struct error *err)
{
	uint64_t n = 0;
	int rc = parse_size(text, &n, err);

	*size = n;
	return rc;
}

/* Options of when rounds run, of which process, and of what is taken. */
static bool set_rounds(struct roundsoptions *o, int option, char *value, int *rc, struct error *err)
{
	switch (option) {
	case 'n':
		*rc = parse_number(value, "number of rounds", 0, UINT64_MAX, &o->rounds.count, err);
		return true;
	case ROUNDSOPTION_EVERY:
		*rc = parse_positive_duration(value, &o->rounds.every_ns, err);
		return true;
	case ROUNDSOPTION_ALIGN:
		return o->rounds.align = true;
	case ROUNDSOPTION_NO_FLUSH:
		return o->rounds.drop_last = true;
	case ROUNDSOPTION_WAIT_FOR:
		o->rounds.wait_for = value;
		return true;
	case ROUNDSOPTION_FOLLOW:
		return o->rounds.follow_restarts = true;
	case ROUNDSOPTION_DELTA:
		return o->rounds.delta = true;
	case ROUNDSOPTION_NO_DELTA:
		o->rounds.delta = false;
		return true;
	case ROUNDSOPTION_URL:
		o->shown_url = value;
		*rc = httpoptions_url(&o->url, value, err);
		return true;
	default:
		return false;
	}
}

/* The option's name, for messages. */
static const char *roundsoptions_name_of(int option)
{
	static const struct option options[] = { ROUNDS_OPTIONS };

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i].val == option)
			return options[i].name;
	return "an option of rounds";
}

/* Options of the source of Go's profiles. */
static bool set_source(struct roundsoptions *o, int option, const char *value, int *rc,
		       struct error *err)
{
	switch (option) {
	case ROUNDSOPTION_GC:
		o->source.gc = true;
		break;
	case ROUNDSOPTION_GC_WAIT:
		o->rounds.gc_wait = true;
		break;
	case ROUNDSOPTION_WAITS:
		*rc = parse_number(value, "number of goroutines", 0, UINT64_MAX,
				   &o->source.max_goroutines_wait, err);
		break;
	case ROUNDSOPTION_TRACE:
		*rc = set_size(value, &o->source.trace_limit, err);
		o->trace_limit_given = true;
		break;
	case ROUNDSOPTION_STOP:
		*rc = parse_stop(value, &o->source.stop_ns, err);
		break;
	default:
		return false;
	}
	o->source_given = roundsoptions_name_of(option);
	return true;
}

/* Options of what happens to the batches. */
static bool set_batches(struct roundsoptions *o, int option, char *value, int *rc,
			struct error *err)
{
	switch (option) {
	case ROUNDSOPTION_KEEP:
		*rc = parse_number(value, "number of batches", 1, UINT64_MAX,
				   &o->rounds.batches.keep, err);
		return true;
	case ROUNDSOPTION_DISK:
		*rc = parse_size(value, &o->rounds.batches.max_bytes, err);
		return true;
	case ROUNDSOPTION_AGE:
		*rc = parse_positive_duration(value, &o->rounds.batches.max_age_ns, err);
		return true;
	case ROUNDSOPTION_TAG:
		*rc = roundsoptions_add_tag(o, value, err);
		return true;
	case ROUNDSOPTION_PUSH:
		*rc = add_push(o, value, err);
		return true;
	case ROUNDSOPTION_PUSH_HEADERS:
		o->push_headers = value;
		return true;
	default:
		return false;
	}
}

bool roundsoptions_set(struct roundsoptions *o, int option, char *value, int *rc, struct error *err)
{
	*rc = 0;
	if (option == 't') {
		*rc = capture_parse(value, &o->rounds.types, err);
		return true;
	}
	if (httpoptions_set(&o->http, option, value, rc, err))
		return true;
	if (set_source(o, option, value, rc, err))
		return true;
	if (!set_rounds(o, option, value, rc, err) && !set_batches(o, option, value, rc, err))
		return false;
	return o->given = true;
}

bool roundsoptions_wanted(const struct roundsoptions *o)
{
	const unsigned samples = CAPTURE_BIT(CAPTURE_CPU) | CAPTURE_BIT(CAPTURE_WALL);

	return o->given || o->source_given || o->rounds.types & ~samples;
}

bool roundsoptions_at_once(const struct roundsoptions *o, uint64_t duration_ns)
{
	return !o->given && !duration_ns && o->rounds.types && !(o->rounds.types & ~gotake_types());
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
				 "--gc is asked of a URL only (--url): in the process "
				 "nothing is called; --gc-wait waits for a collection");
	if (o->trace_limit_given || o->rounds.types & CAPTURE_BIT(CAPTURE_TRACE))
		return error_set(err, ERR_USAGE,
				 "execution traces are of a URL only: "
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
		return error_set(err, ERR_USAGE, "rounds want a process, not a command: -p PID");
	if (o->push_headers && !o->push_count)
		return error_set(err, ERR_USAGE, "--push-headers is about --push");
	return 0;
}
