/*
 * sampler [record]: reads the options, records, symbolizes, writes, and prints a summary.
 *
 * The order matters to the user: what can be wrong (options, target, permission, output)
 * is found before sampling begins, and what was sampled is written whatever ended the
 * sampling.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file/outfile.h"
#include "base/process/process.h"
#include "sampler/account/counted.h"
#include "sampler/child/priority.h"
#include "sampler/child/privilege.h"
#include "cli/common/cli.h"
#include "cli/common/defaultname.h"
#include "cli/common/formats.h"
#include "base/printer.h"
#include "cli/common/signals.h"
#include "cli/record/ending.h"
#include "cli/record/gotake.h"
#include "cli/record/outcome.h"
#include "cli/common/progress.h"
#include "cli/rounds/rounds.h"
#include "cli/rounds/roundsoptions.h"
#include "cli/record/sampling.h"
#include "sampler/recording.h"
#include "rounds/resource/resource.h"
#include "rounds/source/capture.h"
#include "symbolize/symbolizer.h"

static const uint64_t DEFAULT_DURATION_NS = 30000000000, ROUND_DURATION_NS = 60000000000,
		      DEFAULT_DEBUGINFOD_NS = 90000000000;

struct record_options {
	struct sampling sampling;
	const char *output;
	const struct format *format; /* NULL: by the output's ending */
	uint64_t debuginfod_ns;	     /* 0: --debuginfod was not given */
	bool quiet, verbose;
	char whose[RESOURCE_LINE]; /* for the profile's comments */
	struct roundsoptions rounds;
};

static const struct option long_options[] = {
	SAMPLING_OPTIONS,
	ROUNDS_OPTIONS,
	HTTP_OPTIONS,
	{ "output", required_argument, NULL, 'o' },
	{ "format", required_argument, NULL, 'f' },
	{ "kernel", no_argument, NULL, 'K' },
	{ "event", required_argument, NULL, 'e' },
	{ "debuginfod", optional_argument, NULL, 'D' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int record_take_event(struct recording_options *r, const char *name, struct error *err)
{
	struct buffer names = { 0 };
	struct printer p = { &names, 0 };

	r->counted = counted_find(name);
	if (r->counted)
		return 0;
	for (const struct counted *c = counted_all(); c->name; c++)
		print_to(&p, "%s%s", names.len ? ", " : "", c->name);
	print_to(&p, "%c", '\0');
	if (p.rc)
		error_nomem(err);
	else
		error_set(err, ERR_USAGE, "unknown event '%s': %s", name, (char *)names.data);
	buffer_release(&names);
	return err->code;
}

static int record_take_option(void *options, int option, char *value, struct error *err)
{
	struct record_options *o = options;
	int rc;

	switch (option) {
	case 'o':
		o->output = value;
		return 0;
	case 'f':
		return format_by_name(value, &o->format, err);
	case 'K':
		o->sampling.recording.kernel = true;
		return 0;
	case 'e':
		return record_take_event(&o->sampling.recording, value, err);
	case 'D':
		o->debuginfod_ns = DEFAULT_DEBUGINFOD_NS;
		return value ? parse_positive_duration(value, &o->debuginfod_ns, err) : 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	}
	rc = sampling_option(&o->sampling, option, value, err);
	if (rc != OPTION_OTHER)
		return rc;
	rc = roundsoptions_set(&o->rounds, option, value, err);
	if (rc || roundsoptions_wanted(&o->rounds))
		cli_page("rounds");
	return rc;
}

/* Makes --wall and the types agree: the type wall means the same as --wall. */
static void settle_types(struct record_options *o)
{
	unsigned *types = &o->rounds.rounds.types, wall = CAPTURE_BIT(CAPTURE_WALL);

	if (o->sampling.recording.wall && *types & CAPTURE_BIT(CAPTURE_CPU))
		*types |= wall;
	if (!*types)
		*types = o->sampling.recording.wall ? CAPTURE_BIT(CAPTURE_CPU) | wall :
						      CAPTURE_BIT(CAPTURE_CPU);
	o->sampling.recording.wall |= (*types & wall) != 0;
}

/* Rounds need no process if only a URL is fetched, or if the process is waited for. */
static int check_rounds(struct record_options *o, int argc, char **argv)
{
	struct rounds_options *r = &o->rounds.rounds;
	struct error err;
	int status = CLI_GO_ON;

	if (!o->sampling.recording.duration_ns)
		o->sampling.recording.duration_ns = ROUND_DURATION_NS;
	if (optind < argc ||
	    !(r->wait_for || (o->rounds.url && !(r->types & ~capture_set(CAPTURE_BY_GO)))))
		status = sampling_target(&o->sampling, argc, argv);
	r->recording = o->sampling.recording;
	r->symbolize = o->sampling.symbolize;
	o->rounds.names = &o->sampling.names;
	r->command_line = (char *)o->sampling.command_line.data;
	if (status != CLI_GO_ON)
		return status;
	if (o->format)
		return cli_usage("batches are pprof files: no --format");
	if (o->debuginfod_ns)
		return cli_usage("--debuginfod is for one profile, not for rounds");
	if (o->sampling.recording.counted)
		return cli_usage("--event is for one profile, not for rounds");
	return roundsoptions_check(&o->rounds, &err) ? cli_fail(&err) : CLI_GO_ON;
}

/* Checks the options for Go's profiles that are taken once, of one process. */
static int check_at_once(struct record_options *o, int argc, char **argv)
{
	struct error err;
	int status = sampling_target(&o->sampling, argc, argv);

	if (status != CLI_GO_ON)
		return status;
	if (o->sampling.recording.command || o->sampling.recording.pid_count != 1)
		return cli_usage("Go's own profiles are those of one process: -p PID");
	if (o->quiet && o->verbose)
		return cli_usage("either --quiet or --verbose, not both");
	if (o->debuginfod_ns)
		return cli_usage("--debuginfod is about what is sampled");
	if (o->sampling.recording.no_native)
		return cli_usage("--no-native is about what is sampled");
	if (o->sampling.recording.counted)
		return cli_usage("--event is about what is sampled");
	return roundsoptions_check(&o->rounds, &err) ? cli_fail(&err) : CLI_GO_ON;
}

static int take_at_once(const struct record_options *o)
{
	struct source_options source = o->rounds.source;
	const struct gotake t = { .pid = o->sampling.pids[0],
				  .names = &o->sampling.names,
				  .types = o->rounds.rounds.types,
				  .gc_wait = o->rounds.rounds.gc_wait,
				  .source = &source,
				  .output = o->output,
				  .format = o->format,
				  .quiet = o->quiet,
				  .verbose = o->verbose };

	if (o->rounds.http.request.total_timeout_ns)
		source.timeout_ns = o->rounds.http.request.total_timeout_ns;
	return cli_gotake(&t);
}

/* Only perf events count, and only what threads do while they run. */
static int check_event(const struct record_options *o)
{
	const struct recording_options *r = &o->sampling.recording;

	if (!r->counted)
		return CLI_GO_ON;
	if (r->wall)
		return cli_usage("either --event or --wall, not both");
	if (r->engine == ENGINE_REST || r->engine == ENGINE_PTRACE)
		return cli_usage("--event takes perf events: no other --engine counts");
	return CLI_GO_ON;
}

static bool at_once(const struct record_options *o)
{
	return roundsoptions_at_once(&o->rounds, o->sampling.recording.duration_ns);
}

static int check_options(struct record_options *o, int argc, char **argv)
{
	int status = sampling_target(&o->sampling, argc, argv);

	status = status == CLI_GO_ON ? check_event(o) : status;
	if (status != CLI_GO_ON)
		return status;
	if (o->format && format_is_legacy(o->format))
		return cli_usage(
			"-f legacy is for Go's own profiles (-t heap): a profile of %s time "
			"has no such text",
			o->sampling.recording.wall ? "wall" : "CPU");
	if (o->debuginfod_ns && !getenv("DEBUGINFOD_URLS"))
		return cli_usage(
			"--debuginfod asks the servers in DEBUGINFOD_URLS, which is not set "
			"(sudo passes it on with -E)");
	if (o->quiet && o->verbose)
		return cli_usage("either --quiet or --verbose, not both");
	if (o->rounds.http.given)
		return cli_usage("--%s is about fetching from a URL: --url", o->rounds.http.given);
	if (!o->sampling.recording.duration_ns && !o->sampling.recording.command)
		o->sampling.recording.duration_ns = DEFAULT_DURATION_NS;
	return CLI_GO_ON;
}

static int record_write_format(const void *format, const struct profile *p, struct outfile *file,
			       struct error *err)
{
	return format_write(format, p, file, err);
}

/* Returns CLI_GO_ON or an exit status. */
static int record_parse_options(struct record_options *o, int argc, char **argv)
{
	static const struct cli_grammar grammar = { "record", "+:p:d:r:e:o:f:t:n:qvh", long_options,
						    record_take_option };
	int status;

	*o = (struct record_options){ .output = NULL };
	sampling_init(&o->sampling);
	o->sampling.recording.whose = o->whose;
	roundsoptions_defaults(&o->rounds);
	status = cli_parse(&grammar, argc, argv, o);
	if (status == CLI_GO_ON)
		status = sampling_command_line(&o->sampling, 1, argc, argv);
	if (status != CLI_GO_ON)
		return status;
	settle_types(o);
	if (at_once(o))
		return check_at_once(o, argc, argv);
	if (roundsoptions_wanted(&o->rounds))
		return check_rounds(o, argc, argv);
	if (!o->format)
		o->format = format_guess(o->output ? o->output : "", o->quiet);
	o->sampling.recording.write = record_write_format;
	o->sampling.recording.write_ctx = o->format;
	return check_options(o, argc, argv);
}

/* The recording that a signal stops; there is one at a time. */
static struct recording *running;
static volatile sig_atomic_t forward_pid;

/* The terminal sends Ctrl-C to our command, too; SIGTERM and SIGHUP are forwarded to it. */
static void record_on_signal(int sig)
{
	if (forward_pid && sig != SIGINT)
		kill(forward_pid, sig);
	if (running)
		recording_stop(running);
}

static void show_fetching(void *progress, const char *line)
{
	progress_say(progress, line);
}

/* If the network fails, the profile is written nevertheless. */
static void fetch_debug_files(struct recording *r, const struct record_options *o,
			      struct progress *progress)
{
	const struct fetching_stats *s = NULL;
	struct error err;
	int rc;

	progress_say(progress, "looking for debug information…");
	rc = recording_fetch(r, o->debuginfod_ns, show_fetching, progress, &s, &err);
	progress_say(progress, NULL);
	if (o->quiet)
		return;
	if (rc)
		cli_say("%s", err.text);
	else if (s->wanted || *s->problem)
		cli_line("debuginfod: debug information of %u of %u modules%s%s", s->got, s->wanted,
			 *s->problem ? "; " : "", s->problem);
}

static int record_write_profile(struct recording *r, const struct record_options *o,
				struct outfile *file, uint64_t *bytes, struct error *err)
{
	int rc = recording_write(r, o->sampling.symbolize, (char *)o->sampling.command_line.data,
				 file, err);

	*bytes = file->written;
	return rc ? rc : outfile_commit(file, err);
}

/* Writes what was sampled and says what it is. An empty profile is not written: it would pass for a
 * result, and a file of that name may be one. */
static int write_and_say(struct recording *r, const struct record_options *o, struct outfile *file,
			 const char *path, struct progress *progress)
{
	bool empty = outcome_is_empty(recording_stats(r));
	struct error err;
	uint64_t bytes = 0;
	int rc = 0;

	if (!empty && o->debuginfod_ns)
		fetch_debug_files(r, o, progress);
	progress_say(progress, "symbolizing…");
	if (!empty)
		rc = record_write_profile(r, o, file, &bytes, &err);
	progress_say(progress, NULL);
	if (!o->quiet)
		ending_warnings(r);
	if (rc)
		return cli_fail(&err);
	if (o->verbose)
		ending_details(r, &o->sampling.recording);
	if (!o->quiet || (empty && !o->sampling.recording.command))
		ending_outcome(r, &o->sampling.recording);
	if (!empty && !o->quiet)
		ending_written(r, &o->sampling.recording, path, bytes);
	return empty ? EXIT_EMPTY : EXIT_DONE;
}

static bool record_outlives(const struct recording *r)
{
	return recording_stats(r)->end == RECORDING_TIME_UP && recording_command_runs(r);
}

/* Records and writes. The target and the output are open. */
static int record_record(struct recording *r, const struct record_options *o, struct outfile *file,
			 const char *path)
{
	struct error err = { 0 };
	struct progress progress;
	int rc, status;

	progress_init(&progress, o->quiet, o->sampling.recording.duration_ns,
		      o->sampling.recording.rate);
	running = r;
	forward_pid = o->sampling.recording.command ? recording_process(r)->pid : 0;
	signals_catch(record_on_signal, false);
	rc = recording_run(r, progress_show, &progress, &err);
	if (rc && !recording_stats(r)->elapsed_ns)
		return cli_fail(&err);
	status = write_and_say(r, o, file, path, &progress);
	running = NULL;
	if (rc) {
		cli_fail(&err);
		return EXIT_LOST;
	}
	if (!o->sampling.recording.command || status == EXIT_FAILED || record_outlives(r))
		return status;
	return cli_command_status(recording_wait_command(r));
}

/* Opens the output, drops the privileges that are not needed any more, and records. */
static int open_and_record(struct recording *r, struct record_options *o, struct outfile *file)
{
	struct privilege_needs needs = { .output = file,
					 .command = o->sampling.recording.command,
					 .samples = true };
	struct error err;
	char name[256];

	default_name(recording_process(r), format_ending(o->format), name, sizeof(name));
	if (!o->output)
		o->output = name;
	if (outfile_open(file, o->output, &err) || privilege_drop(&needs, &err))
		return cli_fail(&err);
	return record_record(r, o, file, o->output);
}

/* A command of ours, and several processes, have no line. */
static void find_whose(struct record_options *o)
{
	struct resource resource = { 0 };
	struct process p;

	if (o->sampling.recording.pid_count != 1 || process_open(&p, o->sampling.pids[0], NULL))
		return;
	if (!resource_read(&resource, &p, ""))
		resource_line(&resource.attributes, o->whose);
	resource_release(&resource);
	process_close(&p);
}

static int record_once(struct recording **r, struct record_options *o, struct outfile *file)
{
	int status = sampling_open(&o->sampling, r);

	if (status != CLI_GO_ON)
		return status;
	find_whose(o);
	return open_and_record(*r, o, file);
}

int cli_record(int argc, char **argv)
{
	struct outfile file = OUTFILE_NONE;
	struct recording *r = NULL;
	struct record_options o;
	int status;

	set_priority(PRIORITY_PROMPT);
	status = record_parse_options(&o, argc, argv);
	if (status == CLI_GO_ON && (at_once(&o) || roundsoptions_wanted(&o.rounds)))
		set_priority(PRIORITY_ORDINARY); /* they read and merge profiles in this thread */
	if (status == CLI_GO_ON && at_once(&o))
		status = take_at_once(&o);
	else if (status == CLI_GO_ON && roundsoptions_wanted(&o.rounds))
		status = cli_rounds(&o.rounds, o.output, o.quiet);
	else if (status == CLI_GO_ON)
		status = record_once(&r, &o, &file);
	outfile_abort(&file);
	recording_free(r);
	set_priority(PRIORITY_PROMPT); /* the user waits for the end */
	sampling_release(&o.sampling);
	roundsoptions_release(&o.rounds);
	return status;
}
