/*
 * Each goroutine goes from the parser to one of three consumers: lines of JSON, the profile, or
 * the census from which the summary is made. None of them keeps the dumps; JSON keeps nothing.
 *
 * If reading a dump ends in an error (a broken connection, truncated gzip data), what was read of
 * it is still used, the error is printed, and the exit status is 1.
 */
#include "cli/goparse/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "goparse/goparse.h"
#include "goparse/log/unlog.h"
#include "goparse/profile/waitprofile.h"
#include "goparse/summary/census.h"
#include "goparse/summary/dumps.h"
#include "goparse/summary/stuck.h"
#include "pprof/profile.h"
#include "cli/common/cli.h"
#include "cli/common/formats.h"
#include "cli/common/terminal.h"
#include "cli/goparse/input.h"
#include "cli/goparse/json.h"
#include "cli/goparse/summary.h"

enum { JSON_BLOCK = 64 << 10, ERRORS_SHOWN = 3 };

struct run_run {
	const struct goparse_options *o;
	struct outfile file;
	struct goparse *parser;
	struct stuck *stuck;	     /* NULL without --diff */
	struct census *census;	     /* for the summary; NULL with -o or --json */
	struct waitprofile *profile; /* with -o and without --json; else NULL */
	struct buffer json;
	struct goparse_dump *dumps; /* one for each file */
	int at;			    /* index of the file that is being read */
	struct dumps present;	    /* the dump in it that is being read */
	char *name;		    /* its name, if it is not the file's first */
	char clue[256];		    /* what is in a file without goroutines; empty: not known */
	int64_t time_nanos;
	bool broken; /* reading one of the dumps ended in an error */
};

static const char *label(const struct run_run *r)
{
	return r->dumps[r->at].dumps > 1 ? r->name : r->o->count > 1 ? r->dumps[r->at].name : NULL;
}

static int write_json(struct run_run *r, const struct goparse_goroutine *g, struct error *err)
{
	int rc;

	if (goparse_json(&r->json, g, label(r)))
		return error_nomem(err);
	if (r->json.len < JSON_BLOCK)
		return 0;
	rc = outfile_write(&r->file, r->json.data, r->json.len, err);
	r->json.len = 0;
	return rc;
}

/* Waits are counted only for goroutines that are as in all earlier dumps. */
static void run_count_goroutine(struct goparse_dump *d, const struct goparse_goroutine *g,
				bool as_before)
{
	d->goroutines++;
	if (!as_before)
		return;
	d->as_before++;
	d->waiting += g->wait_ns > 0;
	if (g->wait_ns > d->longest_ns)
		d->longest_ns = g->wait_ns;
}

/* Another dump begins in the file: "dump.txt#2". */
static int begin_dump(struct run_run *r, const struct goparse_goroutine *g, struct error *err)
{
	struct goparse_dump *d = &r->dumps[r->at];

	if (r->stuck)
		return error_set(err, ERR_USAGE,
				 "'%s': another dump begins in line %lu; --diff takes files of one",
				 d->name, g->line);
	free(r->name);
	if (asprintf(&r->name, "%s#%lu", d->name, ++d->dumps) < 0) {
		r->name = NULL;
		return error_nomem(err);
	}
	d->goroutines = 0;
	if (r->census)
		census_next_dump(r->census);
	return 0;
}

/* *again: the dump has the goroutine already. */
static int run_place(struct run_run *r, const struct goparse_goroutine *g, bool *again,
		     struct error *err)
{
	bool begins;

	if (dumps_add(&r->present, g, &begins, again))
		return error_nomem(err);
	return begins ? begin_dump(r, g, err) : 0;
}

static int run_take(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	struct run_run *r = ctx;
	bool shown = true, again;
	int rc = run_place(r, g, &again, err);

	if (rc || (again && r->census))
		return rc;
	if (r->stuck)
		rc = stuck_add(r->stuck, g, &shown, err);
	if (rc)
		return rc;
	run_count_goroutine(&r->dumps[r->at], g, shown);
	/* With --diff, a goroutine is shown when the last dump is read, if all dumps contain it. */
	if (!shown || (r->stuck && r->at < r->o->count - 1))
		return 0;
	if (r->o->json)
		return write_json(r, g, err);
	if (r->profile)
		return waitprofile_add(r->profile, g, label(r), err);
	return census_add(r->census, g, err);
}

static void run_say(const struct goparse_options *o, const char *path, const char *text)
{
	if (!o->out.quiet)
		cli_say("%s: %s", path, text);
}

/* Prints the lines that the parser could not understand. */
static void say_errors(const struct run_run *r, const struct goparse_stats *s)
{
	uint64_t kept = s->error_count < GOPARSE_ERRORS_KEPT ? s->error_count : GOPARSE_ERRORS_KEPT;
	uint64_t shown = r->o->verbose || kept < ERRORS_SHOWN ? kept : ERRORS_SHOWN;
	const char *path = r->dumps[r->at].name;
	char text[256];

	for (uint64_t i = 0; i < shown; i++) {
		const struct goparse_error *e = &s->errors[i];

		snprintf(text, sizeof(text), "line %lu: expected %s: %s", e->line, e->expected,
			 e->text);
		run_say(r->o, path, text);
	}
	if (s->error_count == shown)
		return;
	snprintf(text, sizeof(text), "and %lu more such lines%s", s->error_count - shown,
		 shown < kept ? " (-v shows more)" : "");
	run_say(r->o, path, text);
}

/* A profile has the time of the oldest dump, with --diff that of the last one. */
static int finish_dump(struct run_run *r, const struct goinput *in, struct error *err)
{
	const struct goparse_stats *stats = goparse_stats(r->parser);
	struct goparse_dump *d = &r->dumps[r->at];
	const char *kind = goinput_hint(in), *hint = kind || !*r->clue ? kind : r->clue;
	int64_t when = goinput_time(in);
	int rc = 0;

	if (!d->goroutines)
		return error_set(err, ERR_FORMAT, "'%s': there is no goroutine in it%s%s", d->name,
				 hint ? ": " : "", hint ? hint : "");
	d->errors = stats->error_count;
	if (!r->time_nanos || when < r->time_nanos || r->stuck)
		r->time_nanos = when;
	if (r->profile)
		rc = waitprofile_add_errors(r->profile, stats, label(r), err);
	say_errors(r, stats);
	if (stats->cut)
		run_say(r->o, d->name, "it ends within a line of a stack: the rest is missing");
	return rc;
}

/* Parses the dump, taken out of a log if it is in one. */
static int parse_log(struct run_run *r, struct goinput *in, struct error *err)
{
	char told[512];
	struct unlog *u;
	int rc = unlog_new(&u, goinput_read, in, err);

	if (rc)
		return rc;
	rc = goparse_stream(r->parser, unlog_read, u, run_take, r, err);
	if (r->dumps[r->at].goroutines && unlog_tell(u, told, sizeof(told)))
		run_say(r->o, r->dumps[r->at].name, told);
	if (!unlog_clue(u, r->clue, sizeof(r->clue)))
		*r->clue = '\0';
	unlog_free(u);
	if (rc && !goinput_failed(in) && rc == ERR_FORMAT)
		error_prefix(err, "'%s'", r->dumps[r->at].name);
	return rc;
}

static int run_parse(struct run_run *r, struct goinput *in, struct error *err)
{
	int rc = parse_log(r, in, err);

	if (rc && goinput_failed(in)) {
		if (!r->dumps[r->at].goroutines)
			return rc;
		cli_fail(err);
		r->dumps[r->at].broken = r->broken = true;
		rc = 0;
	}
	return rc ? rc : finish_dump(r, in, err);
}

static int take_dump(struct run_run *r, struct error *err)
{
	struct goinput *in;
	int rc = goinput_open(&in, r->o->files[r->at], r->dumps[r->at].name, &r->o->http, err);

	if (rc)
		return rc;
	if (r->stuck)
		stuck_next_dump(r->stuck);
	if (r->census && r->at && !r->stuck)
		census_next_dump(r->census);
	dumps_clear(&r->present);
	r->dumps[r->at].dumps = 1;
	rc = run_parse(r, in, err);
	goinput_close(in);
	return rc;
}

static int run_write_profile(struct run_run *r, struct error *err)
{
	const struct format *format = format_of(&r->o->out);
	struct profile *p = waitprofile_profile(r->profile);

	p->time_nanos = r->o->timed ? r->o->time_nanos : r->time_nanos;
	return format_write(format, p, &r->file, err);
}

static uint64_t count_dumps(const struct run_run *r)
{
	uint64_t count = 0;

	for (int i = 0; i < r->o->count; i++)
		count += r->dumps[i].dumps;
	return count;
}

static int write_summary(struct run_run *r, struct error *err)
{
	struct goparse_summary s = {
		.census = r->census,
		.dumps = r->dumps,
		.count = (size_t)r->o->count,
		.several = count_dumps(r) > 1,
		.diff = r->o->diff,
		.stacks = r->o->verbose,
		.width = terminal_width(),
		.height = terminal_height(),
		.colour = terminal_colour(),
	};
	struct buffer text = { 0 };
	int rc = goparse_summary(&s, &text, err);

	rc = rc ? rc : outfile_write(&r->file, text.data, text.len, err);
	buffer_release(&text);
	return rc;
}

static int run_write_all(struct run_run *r, struct error *err)
{
	int rc;

	if (r->o->json)
		rc = outfile_write(&r->file, r->json.data, r->json.len, err);
	else
		rc = r->profile ? run_write_profile(r, err) : write_summary(r, err);
	return rc ? rc : outfile_commit(&r->file, err);
}

/* Prints the counts of what is in the profile. */
static void say_written(const struct run_run *r)
{
	struct goparse_dump all = { 0 };
	char text[256], dumps[48] = "", longest[GOPARSE_WAIT_ROOM];

	if (!r->profile)
		return;
	for (int i = r->stuck ? r->o->count - 1 : 0; i < r->o->count; i++) {
		const struct goparse_dump *d = &r->dumps[i];

		all.goroutines += d->as_before;
		all.waiting += d->waiting;
		all.longest_ns = d->longest_ns > all.longest_ns ? d->longest_ns : all.longest_ns;
	}
	if (count_dumps(r) > 1)
		snprintf(dumps, sizeof(dumps),
			 r->stuck ? " stuck in all %lu dumps" : " in %lu dumps", count_dumps(r));
	snprintf(text, sizeof(text),
		 "%lu goroutine%s%s, %lu waiting for a minute or longer, the longest "
		 "%s (Go prints waits in whole minutes)",
		 all.goroutines, cli_plural(all.goroutines), dumps, all.waiting,
		 goparse_wait(all.longest_ns, longest));
	run_say(r->o, strcmp(r->o->out.path, "-") ? r->o->out.path : "standard output", text);
}

/* Makes the name of a dump: "dump.txt", and "dump.txt#2" if the same path is given again. */
static int name_dump(char **name, char **names, int at)
{
	const char *path = names[at];
	char *plain = strdup(path);
	int times = 1;

	for (int i = 0; i < at; i++)
		times += !strcmp(path, names[i]);
	*name = plain;
	if (!plain || times == 1)
		return plain ? 0 : ERR_NOMEM;
	if (asprintf(name, "%s#%d", plain, times) < 0)
		*name = NULL;
	free(plain);
	return *name ? 0 : ERR_NOMEM;
}

static int name_dumps(struct run_run *r, struct error *err)
{
	int rc = 0;

	r->dumps = calloc((size_t)r->o->count, sizeof(*r->dumps));
	for (int i = 0; r->dumps && !rc && i < r->o->count; i++)
		rc = name_dump(&r->dumps[i].name, r->o->names, i);
	return r->dumps && !rc ? 0 : error_nomem(err);
}

/* The output is opened before any work, so that one that cannot be written fails early. */
static int run_begin(struct run_run *r, struct error *err)
{
	const struct goparse_options *o = r->o;
	struct waitprofile_options profile = { .aggregate = o->aggregate,
					       .ancestors = o->ancestors };
	int rc = name_dumps(r, err);

	rc = rc ? rc : outfile_open(&r->file, o->out.path ? o->out.path : "-", err);
	rc = rc ? rc : goparse_new(&r->parser, err);
	if (!rc && o->diff)
		rc = stuck_new(&r->stuck, err);
	if (!rc && !o->json)
		rc = o->out.path ? waitprofile_new(&r->profile, &profile, err) :
				   census_new(&r->census, err);
	return rc;
}

static void run_end(struct run_run *r)
{
	outfile_abort(&r->file);
	goparse_free(r->parser);
	stuck_free(r->stuck);
	census_free(r->census);
	waitprofile_free(r->profile);
	buffer_release(&r->json);
	dumps_release(&r->present);
	free(r->name);
	for (int i = 0; r->dumps && i < r->o->count; i++)
		free(r->dumps[i].name);
	free(r->dumps);
}

int goparse_run(const struct goparse_options *o)
{
	struct run_run r = { .o = o, .file = OUTFILE_NONE };
	struct error err = { 0 };
	int rc = run_begin(&r, &err);

	for (; !rc && r.at < o->count; r.at++)
		rc = take_dump(&r, &err);
	rc = rc ? rc : run_write_all(&r, &err);
	if (!rc)
		say_written(&r);
	run_end(&r);
	if (!rc)
		return r.broken ? EXIT_FAILED : EXIT_DONE;
	return cli_fail(&err);
}
