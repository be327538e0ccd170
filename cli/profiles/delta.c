/*
 * sampler delta OLD NEW [MORE…] -o OUT: the difference of two profiles whose values count
 * from the start of a process.
 *
 * Two input files give one output file; more give a folder with one file for each step. A delta
 * is written while it is computed, and takes its name only when it is complete.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/amount.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "delta/delta.h"
#include "pprof/file/read.h"
#include "pprof/graph/measure.h"
#include "pprof/profile.h"
#include "pprof/wire/gzip.h"
#include "cli/common/cli.h"
#include "cli/common/formats.h"
#include "base/printer.h"
#include "cli/common/readprofile.h"

enum { TYPES_MAX = 64 };

struct profiles_delta_options {
	struct delta_options delta;
	struct delta_type types[TYPES_MAX];
	char *type_text; /* owned; `types` points into it */
	const char *output;
	bool quiet;
};

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "types", required_argument, NULL, 't' },
	{ "forget", required_argument, NULL, 'f' },
	{ "allow-negative", no_argument, NULL, 'n' },
	READPROFILE_OPTION,
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* The output of a delta: compressed unless the name ends in .pb. */
struct profiles_delta_out {
	struct outfile file;
	struct gzip_stream *zip; /* NULL: not compressed */
};

static int to_file(void *ctx, const void *data, size_t len, struct error *err)
{
	return outfile_write(ctx, data, len, err);
}

static int to_out(void *ctx, const void *data, size_t len, struct error *err)
{
	struct profiles_delta_out *out = ctx;

	if (out->zip)
		return gzip_stream_write(out->zip, data, len, err);
	return outfile_write(&out->file, data, len, err);
}

static int open_out(struct profiles_delta_out *out, const char *path, struct error *err)
{
	int rc = outfile_open(&out->file, path, err);

	if (rc || format_ends_in(path, ".pb"))
		return rc;
	rc = gzip_stream_new(&out->zip, GZIP_STREAM_LEVEL, err);
	if (!rc)
		gzip_stream_begin(out->zip, to_file, &out->file);
	return rc;
}

/* *written: the bytes of the file. */
static int profiles_delta_step(struct delta_computer *dc, const struct buffer *bytes,
			       const char *path, uint64_t *written, struct error *err)
{
	struct profiles_delta_out out = { .file = OUTFILE_NONE };
	int rc = open_out(&out, path, err);

	if (!rc)
		rc = delta_compute(dc, bytes->data, bytes->len, to_out, &out, err);
	if (!rc && out.zip)
		rc = gzip_stream_end(out.zip, err);
	*written = out.file.written;
	if (!rc)
		rc = outfile_commit(&out.file, err);
	outfile_abort(&out.file);
	gzip_stream_free(out.zip);
	return rc;
}

static int discard(void *ctx, const void *data, size_t len, struct error *err)
{
	(void)ctx, (void)data, (void)len, (void)err;
	return 0;
}

static void profiles_delta_say(const char *path, uint64_t bytes, const struct delta_stats *s)
{
	char value[MEASURE_MAX];
	struct buffer more = { 0 };
	struct printer p = { &more, 0 };

	print_to(&p, ": ");
	for (size_t i = 0; i < s->type_count; i++)
		print_to(&p, "%s %s%s%s", s->types[i].type, s->came[i] < 0 ? "" : "+",
			 measure_label(s->came[i], s->types[i].unit, "auto", value),
			 i + 1 < s->type_count ? ", " : "; ");
	print_to(
		&p,
		"%zu of %zu samples kept, %zu dropped; %zu new, %zu vanished; %zu remembered in %s%c",
		s->kept, s->samples, s->dropped, s->added, s->vanished, s->known,
		shown_bytes(s->state_bytes), '\0');
	if (!p.rc)
		cli_wrote(path, bytes, (char *)more.data);
	buffer_release(&more);
	if (s->reset)
		cli_say("%s: counters ran backwards: taken as a new process, nothing subtracted",
			path);
}

/* Of a file that is no profile, the reader of profiles says what it is. */
static void say_kind(const struct buffer *bytes, struct error *err)
{
	struct error kind;
	struct profile p;

	if (!profile_init(&p)) {
		if (profile_parse(&p, bytes->data, bytes->len, 0, &kind) == ERR_FORMAT)
			*err = kind;
		profile_release(&p);
	}
}

/* Reads the next profile and writes its delta to `out`, which is NULL for the first. */
static int profiles_delta_take(struct delta_computer *dc, const struct profiles_delta_options *o,
			       const char *path, const char *out, struct error *err)
{
	struct buffer bytes = { 0 };
	uint64_t written = 0;
	int rc = profile_load(&bytes, path, o->delta.max_size, err);

	if (!rc) {
		rc = out ? profiles_delta_step(dc, &bytes, out, &written, err) :
			   delta_compute(dc, bytes.data, bytes.len, discard, NULL, err);
		if (rc == ERR_FORMAT)
			say_kind(&bytes, err);
		if (rc == ERR_USAGE && !o->delta.type_count)
			cli_hint(err, " (--types)");
		if (rc)
			error_prefix(err, "'%s'", path);
	}
	buffer_release(&bytes);
	if (!rc && out && !o->quiet)
		profiles_delta_say(out, written, delta_stats(dc));
	return rc;
}

static int profiles_delta_make_folder(const char *path, struct error *err)
{
	struct stat st;

	if (!strcmp(path, "-"))
		return error_set(err, ERR_USAGE,
				 "several deltas need a folder, not the standard output");
	if (mkdir(path, 0777) == 0 ||
	    (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
		return 0;
	if (errno == EEXIST)
		errno = ENOTDIR;
	return error_errno(err, ERR_IO, "cannot make the folder '%s'", path);
}

static int profiles_delta_take_all(const struct profiles_delta_options *o, char **paths, int count,
				   struct error *err)
{
	struct delta_computer *dc = NULL;
	char out[PATH_MAX];
	int rc = delta_new(&dc, &o->delta, err);

	if (!rc && count > 2)
		rc = profiles_delta_make_folder(o->output, err);
	for (int i = 0; !rc && i < count; i++) {
		snprintf(out, sizeof(out), count > 2 ? "%s/delta.%d.pb.gz" : "%s", o->output, i);
		rc = profiles_delta_take(dc, o, paths[i], i ? out : NULL, err);
	}
	delta_free(dc);
	return rc;
}

/* "alloc_objects/count,alloc_space/bytes" */
static int profiles_delta_set_types(struct profiles_delta_options *o, const char *text,
				    struct error *err)
{
	size_t count = 0;
	char *save = NULL;

	free(o->type_text);
	o->type_text = strdup(text);
	if (!o->type_text)
		return error_nomem(err);
	for (char *one = strtok_r(o->type_text, ",", &save); one;
	     one = strtok_r(NULL, ",", &save)) {
		char *slash = strchr(one, '/');

		if (!slash || slash == one || !slash[1] || count == TYPES_MAX)
			return error_set(err, ERR_USAGE,
					 "bad types '%s': expected TYPE/UNIT[,TYPE/UNIT…]", text);
		*slash = '\0';
		o->types[count++] = (struct delta_type){ one, slash + 1 };
	}
	o->delta.types = o->types;
	o->delta.type_count = count;
	return count ? 0 : error_set(err, ERR_USAGE, "no types in '%s'", text);
}

static int delta_take_option(void *options, int option, char *value, struct error *err)
{
	struct profiles_delta_options *o = options;
	uint64_t n = 0;
	int rc;

	switch (option) {
	case 'o':
		o->output = value;
		return 0;
	case 't':
		return profiles_delta_set_types(o, value, err);
	case 'f':
		rc = parse_number(value, "number of rounds", 1, 250, &n, err);
		o->delta.forget_after = (unsigned)n;
		return rc;
	case READPROFILE_MAX_SIZE:
		return parse_size(value, &o->delta.max_size, err);
	case 'n':
		o->delta.allow_negative = true;
		return 0;
	default:
		o->quiet = true;
		return 0;
	}
}

static int delta_run(const struct profiles_delta_options *o, char **paths, int count)
{
	struct error err;

	if (count < 2)
		return cli_usage("delta needs two profiles or more");
	if (!o->output)
		return cli_usage("delta needs -o OUT");
	return profiles_delta_take_all(o, paths, count, &err) ? cli_fail(&err) : EXIT_DONE;
}

int cli_delta(int argc, char **argv)
{
	static const struct cli_grammar grammar = { "delta", ":o:qh", long_options,
						    delta_take_option };
	struct profiles_delta_options o = { .output = NULL };
	int status = cli_parse(&grammar, argc, argv, &o);

	if (status == CLI_GO_ON)
		status = delta_run(&o, argv + optind, argc - optind);
	free(o.type_text);
	return status;
}
