/*
 * sampler dump: every thread's stack, once; or every goroutine's (cli/record/gotake.h).
 *
 * As in record, the output is opened and privileges are dropped before any thread is read.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>

#include "base/amount.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "base/process/process.h"
#include "sampler/child/priority.h"
#include "sampler/child/privilege.h"
#include "cli/common/cli.h"
#include "cli/common/signals.h"
#include "cli/record/ending.h"
#include "cli/dump/dumpfiles.h"
#include "cli/dump/dumpformat.h"
#include "cli/record/gotake.h"
#include "cli/record/sampling.h"
#include "sampler/dump/dumping.h"
#include "symbolize/symbolizer.h"

struct dump_options {
	struct sampling sampling; /* the processes, children, no_peers, no_native, symbolize */
	const char *output;
	dump_format *format;
	uint64_t stop_ns; /* bound of holding threads, with --goroutines; 0: none is held */
	bool all, goroutines, json, merge, quiet, verbose;
	char **files; /* to merge, instead of processes */
	int file_count;
};

static const struct option long_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "children", no_argument, NULL, 'C' },
	{ "json", no_argument, NULL, 'J' },
	{ "all", no_argument, NULL, 'A' },
	{ "merge", no_argument, NULL, 'M' },
	{ "goroutines", no_argument, NULL, 'G' },
	{ "stop", optional_argument, NULL, 'S' },
	{ "output", required_argument, NULL, 'o' },
	{ "no-inline", no_argument, NULL, 'I' },
	{ "no-native", no_argument, NULL, 'P' },
	{ "no-peers", no_argument, NULL, 'E' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int dump_take_option(void *options, int option, char *value, struct error *err)
{
	struct dump_options *o = options;

	switch (option) {
	case 'S':
		return parse_stop(value, &o->stop_ns, err);
	case 'J':
		o->json = true;
		return 0;
	case 'M':
		o->merge = true;
		return 0;
	case 'A':
		o->all = true;
		return 0;
	case 'G':
		o->goroutines = true;
		return 0;
	case 'o':
		o->output = value;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	default:
		return sampling_option(&o->sampling, option, value, err);
	}
}

/* --merge is a form of its own. Returns CLI_GO_ON or an exit status. */
static int dump_check_merge(const struct dump_options *o)
{
	const struct recording_options *r = &o->sampling.recording;

	if (o->merge && o->json)
		return cli_usage("either --merge or --json, not both");
	if (o->merge && o->all)
		return cli_usage("either --merge or --all, not both");
	if (o->merge && o->goroutines)
		return cli_usage("--merge is about threads; 'sampler goparse' counts goroutines");
	if (!o->file_count)
		return CLI_GO_ON;
	if (!o->merge)
		return cli_usage("unexpected argument '%s'", o->files[0]);
	if (r->pid_count)
		return cli_usage("--merge takes processes or files of dumps, not both");
	if (r->children || r->no_peers || o->verbose)
		return cli_usage("--children, --no-peers and --verbose are about processes, "
				 "not files");
	return CLI_GO_ON;
}

/* Returns CLI_GO_ON or an exit status. */
static int dump_parse_options(struct dump_options *o, int argc, char **argv)
{
	static const struct cli_grammar grammar = { "dump", ":p:o:qvh", long_options,
						    dump_take_option };
	const struct recording_options *r = &o->sampling.recording;
	int status;

	*o = (struct dump_options){
		.output = "-",
	};
	sampling_init(&o->sampling);
	status = cli_parse(&grammar, argc, argv, o);
	if (status != CLI_GO_ON)
		return status;
	o->files = argv + optind;
	o->file_count = argc - optind;
	status = dump_check_merge(o);
	if (status != CLI_GO_ON)
		return status;
	if (!r->pid_count && !o->file_count)
		return cli_usage(o->merge ? "nothing given to merge: -p PID,PID or files" :
					    "no process given: -p PID");
	if (o->quiet && o->verbose)
		return cli_usage("either --quiet or --verbose, not both");
	if (o->all && o->goroutines)
		return cli_usage("--all is about threads; goroutines are never folded");
	o->format = o->json  ? dump_json :
		    o->merge ? dump_merge :
		    o->all   ? dump_text_each :
			       dump_text;
	if (o->goroutines && (r->pid_count > 1 || r->children))
		return cli_usage("--goroutines is about one process");
	if (o->stop_ns && !o->goroutines)
		return cli_usage("--stop is about --goroutines; threads are stopped one by one");
	if (o->goroutines && r->no_native)
		return cli_usage("--no-native is about threads; goroutines are never interpreted");
	if (o->goroutines && r->no_peers)
		return cli_usage("--no-peers is about threads; goroutines are shown without peers");
	if (o->goroutines && o->json)
		return cli_usage(
			"goroutines are dumped as text; 'sampler goparse --json' reads it");
	sampling_bring_workers(&o->sampling);
	return CLI_GO_ON;
}

/* The dump that a signal stops. */
static struct dump *running;
static volatile sig_atomic_t ended_by;

static void dump_on_signal(int sig)
{
	ended_by = sig;
	dump_stop(running);
}

/* Takes the dump. A signal that would end us meanwhile stops the dump, so that all threads are
 * released, and is raised again afterwards. */
static int dump_take_of(struct dump *d, struct error *err)
{
	int rc;

	running = d;
	signals_catch(dump_on_signal, false);
	rc = dump_take(d, err);
	signals_release();
	if (ended_by)
		raise(ended_by);
	return rc;
}

static void say_what_is_missing(const struct dump *d, bool no_native)
{
	size_t count;
	const struct dump_process *p = dump_processes(d, &count);
	const char *warning;
	char remark[INTERP_REMARK];

	for (size_t i = 0; (warning = dump_warning(d, i)); i++)
		cli_say("%s", warning);
	for (size_t i = 0; i < count; i++)
		if (!p[i].count)
			cli_say("process %d has ended", p[i].process->pid);
		else if (dump_remark(d, i, remark))
			cli_say("%s", remark);
	if (dump_stats(d)->left_out)
		cli_say("%lu %s left out, the last since %s", dump_stats(d)->left_out,
			cli_processes(dump_stats(d)->left_out), dump_left_out(d));
	if (no_native && !dump_stats(d)->interpreted)
		cli_say("no interpreted frames were found: --no-native leaves all "
			"stacks as they are");
}

static void say_details(const struct dump *d)
{
	const struct dump_stats *s = dump_stats(d);
	size_t count;
	struct image *const *images = dump_images(d, &count);

	for (size_t i = 0; i < count; i++)
		ending_image(images[i], dump_unwinder(d), dump_symbol_note(d, images[i]));
	cli_line("took %s; %lu stacks read without a stop; %lu stops, longest %s, sum %s",
		 shown_duration(s->elapsed_ns), s->glances, s->stopped,
		 shown_duration(s->held_max_ns), shown_duration(s->held_sum_ns));
	for (int i = 0; i < STACK_ENDS; i++)
		if (s->ends[i])
			cli_line("%lu walks ended: %s", s->ends[i],
				 stack_end_name((enum stack_end)i));
}

static int dump_dump(struct dump *d, const struct dump_options *o, struct outfile *file)
{
	struct privilege_needs needs = { .output = file };
	bool no_native = o->sampling.recording.no_native;
	struct error err;

	if (outfile_open(file, o->output, &err) || privilege_drop(&needs, &err) ||
	    dump_take_of(d, &err) ||
	    dump_write(d, o->sampling.symbolize, no_native, file, o->format, &err) ||
	    outfile_commit(file, &err))
		return cli_fail(&err);
	if (!o->quiet)
		say_what_is_missing(d, no_native);
	if (o->verbose)
		say_details(d);
	return EXIT_DONE;
}

static int dump_all(struct dump **d, struct dump_options *o, struct outfile *file)
{
	struct recording_options *r = &o->sampling.recording;
	struct dump_wish wish = { .pids = r->pids,
				  .children = r->children,
				  .no_peers = r->no_peers };
	struct error err;
	int rc;

	do {
		wish.count = r->pid_count;
		rc = dump_new(d, &wish, &err);
	} while (rc && pids_fewer(o->sampling.pids, &r->pid_count));
	if (!rc)
		rc = byname_check(&o->sampling.names, r->pids, r->pid_count, &err);
	return rc ? cli_fail(&err) : dump_dump(*d, o, file);
}

static int dump_files(const struct dump_options *o)
{
	const struct dumpfiles files = { .paths = o->files,
					 .count = o->file_count,
					 .no_inline = o->sampling.symbolize & SYMBOLIZE_NO_INLINE,
					 .no_native = o->sampling.recording.no_native,
					 .output = o->output };

	set_priority(PRIORITY_ORDINARY);
	return dumpfiles_merge(&files);
}

int cli_dump(int argc, char **argv)
{
	struct outfile file = OUTFILE_NONE;
	struct dump *d = NULL;
	struct dump_options o;
	int status;

	set_priority(PRIORITY_PROMPT);
	status = dump_parse_options(&o, argc, argv);
	if (status == CLI_GO_ON && o.file_count)
		return dump_files(&o);
	if (status == CLI_GO_ON && o.goroutines) {
		set_priority(PRIORITY_ORDINARY); /* it reads them in this thread */
		status = cli_gotake_dump(o.sampling.pids[0], &o.sampling.names, o.output,
					 o.stop_ns);
	} else if (status == CLI_GO_ON) {
		status = dump_all(&d, &o, &file);
	}
	outfile_abort(&file);
	dump_free(d);
	sampling_release(&o.sampling);
	return status;
}
