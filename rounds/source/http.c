/*
 * A net/http/pprof endpoint as a source (net/http/pprof/pprof.go).
 *
 * An answer is checked before it counts as a profile: a proxy's page with status 200 is
 * rejected, and so is a profile that other tools could not read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/cursor.h"
#include "base/error.h"
#include "goparse/profile/waitprofile.h"
#include "pprof/profile.h"
#include "pprof/validate.h"
#include "pprof/wire/decode.h"
#include "pprof/wire/encode.h"
#include "pprof/wire/gzip.h"
#include "rounds/source/gcwait.h"
#include "rounds/source/httpask.h"
#include "rounds/source/httptrace.h"
#include "rounds/source/pprofindex.h"
#include "rounds/source/sourceops.h"

enum { INDEX_BYTES = 1 << 20, TABLES_PER_BYTE = 4, TABLES_MIN = 256 << 20 };

static const uint64_t USUAL_TIMEOUT_NS = 60 * NS_PER_S;
static const size_t USUAL_BYTES = 256 << 20, USUAL_TRACE = 5 << 20;

struct endpoint {
	struct source source;
	struct source_options options;
	struct httpask ask;
	struct httptrace trace;
};

static struct endpoint *endpoint_of(struct source *s)
{
	return (struct endpoint *)s;
}

static struct httpask_what what_of(const struct endpoint *e, const char *path, const char *query)
{
	return (struct httpask_what){ path, query, e->options.timeout_ns, e->options.max_bytes };
}

/* Profiles. */

static int check_plain(const struct endpoint *e, const void *data, size_t len, struct error *err)
{
	size_t tables = e->options.max_bytes < SIZE_MAX / TABLES_PER_BYTE ?
				e->options.max_bytes * TABLES_PER_BYTE :
				SIZE_MAX;
	struct profile p;
	int rc;

	if (!len)
		return error_set(err, ERR_FORMAT, "the answer is empty");
	profile_init(&p);
	rc = profile_decode_within(&p, data, len, tables > TABLES_MIN ? tables : TABLES_MIN, err);
	rc = rc ? rc : profile_validate(&p, err);
	profile_release(&p);
	return rc;
}

static int check_profile(const struct endpoint *e, const void *data, size_t len, struct error *err)
{
	struct buffer plain = { 0 };
	int rc;

	if (!gzip_detect(data, len))
		return check_plain(e, data, len, err);
	rc = gzip_uncompress(data, len, e->options.max_bytes, &plain, err);
	rc = rc ? rc : check_plain(e, plain.data, plain.len, err);
	buffer_release(&plain);
	return rc;
}

/* Best effort: a profile without the wait is better than none. */
static void wait_for_gc(const struct endpoint *e, struct source_remark *remark)
{
	struct error err;
	bool ended;

	if (gcwait(&e->ask, e->options.timeout_ns, &ended, &err))
		snprintf(remark->note, sizeof(remark->note), "no GC cycle was waited for: %.200s",
			 err.text);
	else if (!ended)
		snprintf(remark->note, sizeof(remark->note), "no GC cycle has ended within %g s",
			 (double)e->options.timeout_ns / 1e9);
}

static int source_http_take_profile(struct source *s, const struct goprofile_id *id, bool gc_wait,
				    struct buffer *out, struct source_remark *remark,
				    struct error *err)
{
	struct endpoint *e = endpoint_of(s);
	bool heap = id->type == GOPROFILE_HEAP;
	struct httpask_what what = what_of(e, id->name, heap && e->options.gc ? "gc=1" : "");
	size_t before = out->len;
	int rc;

	if (heap && gc_wait)
		wait_for_gc(e, remark);
	rc = httpask_all(&e->ask, &what, out, err);
	if (rc)
		return rc;
	rc = check_profile(e, out->data + before, out->len - before, err);
	if (rc == ERR_FORMAT)
		error_prefix(err, "'%.80s' gave no profile", id->name);
	return rc;
}

/* The index. */

static int take_index(const struct endpoint *e, struct pprofindex **index, struct error *err)
{
	struct httpask_what what = what_of(e, "", "");
	struct buffer page = { 0 };
	int rc;

	*index = NULL;
	what.max_bytes = INDEX_BYTES;
	rc = httpask_all(&e->ask, &what, &page, err);
	rc = rc ? rc : pprofindex_parse(index, page.data, page.len, err);
	buffer_release(&page);
	return rc;
}

static int source_http_take_custom(struct source *s, struct buffer *names, struct error *err)
{
	struct pprofindex *index;
	int rc = take_index(endpoint_of(s), &index, err);

	if (rc)
		return rc;
	if (pprofindex_custom(index, SOURCE_CUSTOM_MAX, names))
		rc = error_nomem(err);
	pprofindex_free(index);
	return rc;
}

/* Goroutines. */

/* Reads "goroutine profile: total 12", the first line of goroutine?debug=1. For a server that
 * has that handler and no index. */
static int count_by_profile(const struct endpoint *e, uint64_t *count, struct error *err)
{
	static const char begin[] = "goroutine profile: total ";
	struct httpask_what what = what_of(e, "goroutine", "debug=1");
	char line[64];
	size_t len = 0, got = 0;
	struct cursor c;
	struct http *h;
	int rc = httpask_open(&e->ask, &what, &h, err);

	do {
		rc = rc ? rc : http_read(h, line + len, sizeof(line) - len, &got, err);
		len += rc ? 0 : got;
	} while (!rc && got && len < sizeof(line));
	http_close(h);
	if (rc)
		return rc;
	cursor_init(&c, line, len, "goroutine?debug=1");
	for (const char *ch = begin; *ch; ch++)
		cursor_expect(&c, *ch);
	*count = cursor_number(&c, 10);
	return cursor_error(&c, err);
}

/* Tries the index first: it costs the program next to nothing. */
static int count_goroutines(const struct endpoint *e, uint64_t *count, struct error *err)
{
	struct pprofindex *index;
	bool found;

	if (take_index(e, &index, NULL))
		return count_by_profile(e, count, err);
	found = pprofindex_count(index, "goroutine", count);
	pprofindex_free(index);
	return found ? 0 : count_by_profile(e, count, err);
}

struct source_http_waiting {
	struct waitprofile *profile;
	uint64_t count, max;
};

static int too_many(uint64_t count, const char *more, uint64_t max, struct error *err)
{
	return error_set(err, ERR_LIMIT,
			 "%s%llu goroutines, more than the %llu of "
			 "--max-goroutines-wait",
			 more, (unsigned long long)count, (unsigned long long)max);
}

static int add_goroutine(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	struct source_http_waiting *w = ctx;

	if (++w->count > w->max)
		return too_many(w->count, "at least ", w->max, err);
	return waitprofile_add(w->profile, g, NULL, err);
}

static int finish_waits(const struct source_http_waiting *w, const struct goparse *parser,
			struct buffer *out, struct error *err)
{
	int rc;

	if (!w->count)
		return error_set(err, ERR_FORMAT, "goroutine?debug=2 gave no goroutines");
	rc = waitprofile_add_errors(w->profile, goparse_stats(parser), NULL, err);
	return rc ? rc : profile_pack(waitprofile_profile(w->profile), out, err);
}

static int read_waits(const struct endpoint *e, struct goparse *parser, struct buffer *out,
		      struct error *err)
{
	struct httpask_what what = what_of(e, "goroutine", "debug=2");
	struct waitprofile_options o = { .time_nanos = (int64_t)clock_ns(CLOCK_REALTIME) };
	struct source_http_waiting w = { .max = e->options.max_goroutines_wait };
	struct http *h = NULL;
	int rc = waitprofile_new(&w.profile, &o, err);

	rc = rc ? rc : httpask_open(&e->ask, &what, &h, err);
	rc = rc ? rc : goparse_stream(parser, http_read, h, add_goroutine, &w, err);
	rc = rc ? rc : finish_waits(&w, parser, out, err);
	http_close(h);
	waitprofile_free(w.profile);
	return rc;
}

static int source_http_take_waits(struct source *s, struct buffer *out, struct error *err)
{
	struct endpoint *e = endpoint_of(s);
	struct goparse *parser;
	uint64_t count;
	int rc = count_goroutines(e, &count, err);

	if (rc)
		return rc;
	if (count > e->options.max_goroutines_wait)
		return too_many(count, "", e->options.max_goroutines_wait, err);
	rc = goparse_new(&parser, err);
	if (rc)
		return rc;
	rc = read_waits(e, parser, out, err);
	goparse_free(parser);
	return rc;
}

/* Traces. */

static int take_trace(struct source *s, uint64_t duration_ns, struct buffer *out,
		      struct source_remark *remark, struct error *err)
{
	struct endpoint *e = endpoint_of(s);
	struct httptrace_what what = { duration_ns, e->options.timeout_ns, e->options.trace_limit };

	return httptrace_take(&e->trace, &e->ask, &what, out, remark, err);
}

static void source_http_finish(struct source *s)
{
	httptrace_finish(&endpoint_of(s)->trace);
}

static void free_endpoint(struct source *s)
{
	httpask_release(&endpoint_of(s)->ask);
	free(s);
}

static const struct source_ops ops = { .profile = source_http_take_profile,
				       .goroutine_waits = source_http_take_waits,
				       .trace = take_trace,
				       .custom = source_http_take_custom,
				       .finish = source_http_finish,
				       .free = free_endpoint,
				       .by_address = true };

int source_http(struct source **s, const struct http_request *request,
		const struct source_options *options, struct error *err)
{
	struct endpoint *e = calloc(1, sizeof(*e));
	int rc;

	*s = NULL;
	if (!e)
		return error_nomem(err);
	e->source.ops = &ops;
	e->options = *options;
	e->options.timeout_ns = options->timeout_ns ? options->timeout_ns : USUAL_TIMEOUT_NS;
	e->options.max_bytes = options->max_bytes ? options->max_bytes : USUAL_BYTES;
	e->options.trace_limit = options->trace_limit ? options->trace_limit : USUAL_TRACE;
	httptrace_init(&e->trace);
	rc = httpask_init(&e->ask, request, err);
	if (rc)
		free_endpoint(&e->source);
	else
		*s = &e->source;
	return rc;
}
