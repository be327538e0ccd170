/* Help lists what exists today and nothing else. docs/sampler.1 says the same in more words;
 * tests/layers.test checks that both have the same options. */
#include <stdio.h>
#include <string.h>

#include "sampler/cli/common/cli.h"
#include "sampler/rounds/source/capture.h"

static const char overview[] =
	"sampler samples a running process from outside and writes a pprof profile.\n"
	"\n"
	"  sampler [record] -p PID[,PID…] [options]      sample processes\n"
	"  sampler [record] [options] -- COMMAND [ARG…]  start a command and sample it\n"
	"  sampler [record] -p PID --rounds 0 [options]  batches of profiles, round after round\n"
	"  sampler [record] -p PID -t heap,goroutine     Go's own profiles, out of its memory\n"
	"  sampler dump -p PID[,PID…] [options]          every thread's stack, once\n"
	"  sampler top -p PID[,PID…] [options]           what a process does now, live\n"
	"  sampler report FILE [options]                 show a profile: functions, calls, stacks\n"
	"  sampler convert IN -o OUT [-f FORMAT]         a profile in another form\n"
	"  sampler validate FILE…                        check profiles\n"
	"  sampler delta OLD NEW [MORE…] -o OUT           what came between two profiles\n"
	"  sampler merge FILE… -o OUT                    add profiles up\n"
	"  sampler diff BASE NEW -o OUT [options]        what has changed between two\n"
	"  sampler goparse [FILE…|URL…] [options]        goroutine dumps: waits, where and how long\n"
	"  sampler help [COMMAND]                        this text, or a command's\n"
	"  sampler --version\n";

static const char record[] =
	"usage: sampler [record] -p PID[,PID…] [options]\n"
	"       sampler [record] [options] -- COMMAND [ARG…]\n"
	"       sampler [record] -p PID -t heap,goroutine,… [-o FILE|DIR] [-f FMT]\n"
	"\n"
	"  -p, --pid PID[,PID…] processes to sample\n"
	"      --children       and those that they make, each labelled with its number\n"
	"  -d, --duration DUR   how long (default 30s; for a COMMAND: until it ends);\n"
	"                       500ms, 60s, 1h30m, or a number of seconds\n"
	"  -r, --rate HZ        looks a second at each thread (default 99, 1 to 10000)\n"
	"  -o, --output PATH    file to write, - for the standard output\n"
	"                       (default sampler.<command>.<pid>.<UTC>.pb.gz)\n"
	"  -f, --format FMT     pprof, folded, flamegraph, speedscope, otlp or text; default by\n"
	"                       PATH's ending: .folded, .svg or .html, .json, .otlp, .txt, else\n"
	"                       pprof (not compressed: .pb)\n"
	"      --wall           threads that wait, too, and wall time\n"
	"      --kernel         with --wall: where in the kernel they wait\n"
	"      --goid           which goroutine a thread of Go's runs, as the label goid\n"
	"      --max-pause-share PCT  of its time that any one thread may be held\n"
	"                       (default 1%); looks beyond that are left out\n"
	"      --max-cpu PCT    of one CPU that sampling may take (default 5%, at least 0.1%);\n"
	"                       ticks beyond that are left out\n"
	"      --no-inline      leave inlined calls out\n"
	"      --debuginfod[=DUR]  ask the servers in DEBUGINFOD_URLS for debug information\n"
	"                       that is missing here, for that long at most (default 90s)\n"
	"  -q, --quiet          say nothing but errors\n"
	"  -v, --verbose        say more: each module's unwind table, symbols, walks\n"
	"\n"
	"What a program can notice: a thread that is stopped amid a long write to a pipe or socket\n"
	"gets a short count, as after any signal. Most programs write the rest; CPython with\n"
	"PYTHONUNBUFFERED=1 loses it. Threads found in such calls are not stopped (\"looks left out of\n"
	"threads amid a transfer\"); at 99 Hz 1 of some 10,000 writes of 1 MiB is cut all the same.\n"
	"All else is in transparency.md.\n"
	"\n"
	"Go's own profiles (heap to custom in the table below, without alloc), by -t alone: they are\n"
	"read at once out of the process's memory, in which nothing is prepared, stopped or called.\n"
	"One is written to a file (default sampler.<command>.<pid>.<UTC>.<type>.pb.gz), several into\n"
	"a folder (default sampler.<command>.<pid>.<UTC>); -f text is that of Go's debug=1, to the\n"
	"standard output. With -d, -n, another type or an option of rounds they are taken in rounds.\n"
	"\n"
	"Round after round: each leaves a batch, a folder with its profiles and event.json, in the\n"
	"folder that -o names (default sampler.<command>.<pid>). Asked for by any of these:\n"
	"  -t, --types LIST     what to take, of the types below, as cpu,heap,metrics (default cpu;\n"
	"                       cpu and wall alone are no rounds yet)\n"
	"  -n, --rounds N       how many rounds (default 1), 0 until stopped; -d is then how long\n"
	"                       each takes (default 60s)\n"
	"      --every DUR      from one's start to the next's (default: what -d says)\n"
	"      --align          start at multiples of that, as 12:00:00, 12:01:00 (UTC)\n"
	"      --no-delta       no delta-heap.pprof and so on, what came since the round before\n"
	"      --delta          with them (the default)\n"
	"      --no-flush       a round that is stopped is not written\n"
	"      --url URL        ask http://HOST:PORT/debug/pprof for Go's own profiles, instead of\n"
	"                       reading the process\n"
	"      --header LINE    'Name: value', sent to that URL; may be repeated\n"
	"      --headers FILE   a file of such lines, for what is secret\n"
	"      --unix-socket PATH  connect to that socket\n"
	"      --cacert FILE    trust these authorities\n"
	"      --timeout DUR    for each of its profiles, and for --gc-wait (default 30s)\n"
	"      --gc             have the program collect garbage before each profile of its heap;\n"
	"                       by --url only\n"
	"      --gc-wait        wait for it to have done so by itself, up to --timeout\n"
	"      --max-goroutines-wait N  no goroutinewait when there are more (default 100000)\n"
	"      --stop[=DUR]     hold all threads while Go's profiles are read, so that they are of one\n"
	"                       moment; for DUR at most (default 100ms)\n"
	"      --trace-limit SIZE  end execution traces before they are longer (default 5M)\n"
	"      --tag KEY:VALUE  for event.json and pushes, in place of what was found of the process\n"
	"                       under KEY; may be repeated\n"
	"      --keep N         remove the oldest batches when there are more\n"
	"      --max-disk SIZE  or when all of them take more; 64K, 500M, 2G\n"
	"      --max-age DUR    or when they are older\n"
	"      --wait-for NAME  instead of -p: the process of that name, and when it has ended the\n"
	"                       next one\n"
	"      --follow-restarts  with -p: the next one of its systemd unit or cgroup\n"
	"      --push ENGINE=URL  send batches on: pyroscope=http://HOST:4040,\n"
	"                       datadog=http://HOST:8126, parca=http://HOST:7070,\n"
	"                       otlp=http://HOST:4318 or grpc://HOST:4317; may be repeated\n"
	"      --push-headers FILE  a file of lines 'Name: value' that are sent along\n";

static const char record_end[] =
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage, 3 not permitted, 4 no such process;\n"
	"with a COMMAND its own status (128 + N when signal N ended it).\n";

/* Shell completions parse these lines, like those of the options (tools/packaging/completions). */
static void print_types(void)
{
	printf("\nTypes of profiles, and their files:\n");
	for (int i = 0; i < CAPTURE_TYPES; i++)
		printf("  %-14s %-22s%s\n", captures[i].name, captures[i].file, captures[i].what);
	fputs(record_end, stdout);
}

static const char dump[] =
	"usage: sampler dump -p PID[,PID…] [options]\n"
	"\n"
	"  -p, --pid PID[,PID…] processes whose threads' stacks to print, once\n"
	"      --json           for programs: an object for each process\n"
	"      --goroutines     a Go program's goroutines instead, as Go prints them (debug=2), read\n"
	"                       out of its memory without a stop\n"
	"      --stop[=DUR]     of goroutines: all threads are held while they are read, for DUR at\n"
	"                       most (default 100ms), so that they are of one moment\n"
	"  -o, --output PATH    file to write (default: -, the standard output)\n"
	"      --no-inline      leave inlined calls out\n"
	"  -q, --quiet          say nothing but errors\n"
	"  -v, --verbose        say more: how long threads were held, each module's unwind table\n";

static const char top[] =
	"usage: sampler top -p PID[,PID…] [options]\n"
	"       sampler top [options] -- COMMAND [ARG…]\n"
	"\n"
	"Functions by their share of the last seconds and of the time since the start. On a\n"
	"terminal a screen, where ? shows the keys; elsewhere a table for each interval.\n"
	"\n"
	"  -p, --pid PID[,PID…] processes to look at\n"
	"      --children       and those that they make\n"
	"      --interval DUR   how long the last seconds are (default 2s)\n"
	"  -n, --count N        end after so many intervals\n"
	"  -d, --duration DUR   end after that time\n"
	"  -r, --rate HZ        looks a second at each thread (default 99, 1 to 10000)\n"
	"      --wall           threads that wait, too: shares are of wall time\n"
	"      --threads        a line for each thread\n"
	"      --sort KEY       recent, recent-cum, flat, cum or name (default recent)\n"
	"      --nodecount N    lines of a table (default 20, 0 for all)\n"
	"      --max-pause-share PCT  of its time that any one thread may be held (default 1%)\n"
	"      --max-cpu PCT    of one CPU that sampling may take (default 5%)\n"
	"      --no-inline      leave inlined calls out\n"
	"  -o, --output PATH    write the profile of it all at the end\n"
	"      --goid           in it: which goroutine a thread of Go's ran, as the label goid\n";

static const char report[] =
	"usage: sampler report FILE [options]\n"
	"\n"
	"  FILE                 a pprof profile, gzip'd or not; - for the standard input\n"
	"      --top            functions by cost, as pprof -top prints them (the default)\n"
	"      --tree           each with its callers and callees\n"
	"      --peek REGEX     the same of those whose names match, however little they cost\n"
	"      --traces         every sample with its stack\n"
	"      --raw            all that is in the file\n"
	"      --tags           labels, with what the samples that have them cost\n"
	"      --folded         stacks for flamegraph.pl, inferno, speedscope\n"
	"      --flamegraph OUT a flame graph to look at in a browser, .svg or .html\n"
	"      --speedscope OUT a file for speedscope.app, .json\n"
	"      --by WHAT        function (the default), line, file, address, module or thread\n"
	"      --no-inline      inlined calls count for the function that holds them\n"
	"      --cum            sorted by what a function and all it calls cost together\n"
	"      --nodecount N    lines to show, 0 for all (default: all; of --tree 80)\n"
	"      --nodefraction F leave out what costs less than this share (default 0.005)\n"
	"      --edgefraction F and calls (default 0.001)\n"
	"      --sample-type T  which value to show, by name or by number from 0 (default: the\n"
	"                       profile's own default, or the last)\n"
	"      --unit UNIT      of values: ns us ms s hrs, B kB MB GB, auto (each its own)\n"
	"      --max-size SIZE  bytes that FILE may have when uncompressed (default 1G); 64K, 5M\n"
	"  -o, --output PATH    file to write (default: -, the standard output)\n"
	"\n"
	"What to show, with pprof's meaning; REGEX is Go's, and occurs in the name of a function,\n"
	"of its file, or of the file that is mapped there:\n"
	"      --focus REGEX    only samples with a frame that matches\n"
	"      --ignore REGEX   only those without one\n"
	"      --show REGEX     only frames that match\n"
	"      --hide REGEX     only those that don't\n"
	"      --show-from REGEX  frames from the outermost one that matches on\n"
	"      --prune-from REGEX  nothing that the innermost function that matches has called\n"
	"      --tag-focus TAGS  only samples with such labels: REGEX[,REGEX…] of key:value (each\n"
	"                       matches one), KEY=REGEX[,REGEX…] (one does), [KEY=]1mb:2mb\n"
	"      --tag-ignore TAGS  only those without\n"
	"      --tag-show REGEX  only labels whose key matches\n"
	"      --tag-hide REGEX  only those whose key doesn't\n"
	"      --tag-root KEY[,KEY…]  labels as frames at the root\n"
	"      --tag-leaf KEY[,KEY…]  and at the leaf\n"
	"      --relative-percentages  shares of what is left, not of all\n"
	"      --all-frames     also those that the profile says to drop (drop_frames)\n"
	"\n"
	"The text is pprof's. On a terminal lines fit its width, names are cut in the middle\n"
	"where they do not, and there is colour unless NO_COLOR is set or TERM is dumb.\n";

static const char convert[] =
	"usage: sampler convert IN -o OUT [-f FORMAT]\n"
	"\n"
	"  IN                   a profile: pprof's, gzip'd or not, or one of the formats before\n"
	"                       it (Go's debug=1 texts, gperftools'); - for the standard input\n"
	"  -o, --output PATH    file to write, - for the standard output\n"
	"  -f, --format FORMAT  pprof, legacy, folded, flamegraph, speedscope, otlp or text\n"
	"                       (default: by the ending of PATH)\n"
	"      --max-size SIZE  bytes that IN may have when uncompressed (default 1G); 64K, 5M\n"
	"\n"
	"  .txt is legacy here, what Go writes with debug=1, for counts, heap and contention;\n"
	"  .folded, .svg, .html, .json and .otlp are as for record; .pb is pprof without\n"
	"  compression, all others are pprof.\n";

static const char validate[] =
	"usage: sampler validate [options] FILE…\n"
	"\n"
	"  FILE…                pprof profiles, gzip'd or not; - for the standard input\n"
	"      --max-size SIZE  bytes that one may have when uncompressed (default 1G); 64K, 5M\n"
	"  -q, --quiet          say nothing of those that are good\n"
	"\n"
	"Exit status: 0 when all are good, 1 when one is not.\n";

static const char delta[] =
	"usage: sampler delta OLD NEW [MORE…] -o OUT [options]\n"
	"\n"
	"  OLD NEW              pprof profiles of one process, in order; - for the standard input\n"
	"  -o, --output OUT     the delta; with MORE the folder for one a step, delta.1.pb.gz…\n"
	"                       (not compressed when it ends in .pb)\n"
	"      --types T/U,…    columns that count from the process's start, as alloc_space/bytes\n"
	"                       (default: those of Go's heap, block and mutex profiles)\n"
	"      --forget N       profiles that a stack must be missing from to be forgotten\n"
	"                       (default 1)\n"
	"      --allow-negative counters that run backwards are no sign of a new process\n"
	"      --max-size SIZE  bytes that one may have when uncompressed (default 1G); 64K, 5M\n"
	"  -q, --quiet          say nothing but errors\n";
static const char merge[] =
	"usage: sampler merge FILE… -o OUT\n"
	"\n"
	"  FILE…                pprof profiles; - for the standard input. Sample types that not\n"
	"                       all of them have are left out\n"
	"  -o, --output OUT     file to write, - for the standard output; by its ending a flame\n"
	"                       graph or another form, as for record\n"
	"      --max-size SIZE  bytes that one may have when uncompressed (default 1G); 64K, 5M\n";

static const char diff[] =
	"usage: sampler diff BASE NEW -o OUT [options]\n"
	"\n"
	"  BASE, NEW            pprof profiles; - for the standard input. OUT holds the samples\n"
	"                       of NEW, and those of BASE negated and with the label\n"
	"                       pprof::base, so that shares are shares of BASE\n"
	"  -o, --output OUT     file to write, - for the standard output; by its ending a flame\n"
	"                       graph (.svg, .html) or another form, as for record\n"
	"      --subtract       without the label, so that equal stacks cancel out\n"
	"      --normalize      first scale NEW to the totals of BASE\n"
	"      --max-size SIZE  bytes that one may have when uncompressed (default 1G); 64K, 5M\n";

static const char goparse[] =
	"usage: sampler goparse [FILE…] [options]\n"
	"\n"
	"  FILE…                goroutine dumps as Go prints them (/debug/pprof/goroutine?debug=2,\n"
	"                       SIGQUIT, panics), whatever is around them, gzip'd or not; - for the\n"
	"                       standard input, the default when that is no terminal; or a URL:\n"
	"                       http://HOST:PORT is led to the dump\n"
	"  -o, --output PATH    write a profile of how long goroutines have waited, instead of a\n"
	"                       summary to the standard output\n"
	"  -f, --format FMT     of it: pprof, folded, flamegraph, speedscope, otlp or text;\n"
	"                       default by PATH's ending, as for record\n"
	"      --aggregate      goroutines of one stack and state are one sample, with a count\n"
	"      --ancestors      with the stacks that ancestors had (GODEBUG=tracebackancestors)\n"
	"      --time TIME      when the dump was taken: 2026-11-21T17:15:00Z, @1700000000\n"
	"                       (default: when FILE was last changed)\n"
	"      --json           the goroutines instead, an object a line, to PATH if given\n"
	"      --diff           of two dumps or more: the goroutines that are in all of them, in the\n"
	"                       same state at the same place\n"
	"  -q, --quiet          say nothing but errors\n"
	"  -v, --verbose        whole stacks in the summary; all lines that were not understood\n"
	"\n"
	"Of URLs:\n"
	"      --header LINE    'Name: value', sent along; may be repeated\n"
	"      --headers FILE   a file of such lines, for what is secret\n"
	"      --unix-socket PATH  connect to that socket\n"
	"      --cacert FILE    trust these authorities\n"
	"      --timeout DUR    for all of it (default 60s)\n"
	"\n"
	"Several dumps are taken to be of one process, in order: the profile has them all, with the\n"
	"label dump, and the summary is of the last, with the change since the first. Go prints\n"
	"waits in whole minutes: below one they are 0.\n";

static const struct {
	const char *name, *text;
	void (*print_rest)(void);
} commands[] = {
	{ "record", record, print_types },
	{ "dump", dump, NULL },
	{ "top", top, NULL },
	{ "report", report, NULL },
	{ "convert", convert, NULL },
	{ "validate", validate, NULL },
	{ "delta", delta, NULL },
	{ "merge", merge, NULL },
	{ "diff", diff, NULL },
	{ "goparse", goparse, NULL },
};

enum { COMMANDS = sizeof(commands) / sizeof(*commands) };

static void print_command(size_t i)
{
	fputs(commands[i].text, stdout);
	if (commands[i].print_rest)
		commands[i].print_rest();
}

int cli_help_on(const char *command)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(command, commands[i].name)) {
			print_command(i);
			return EXIT_DONE;
		}
	return cli_usage("no help on '%s'", command);
}

int cli_help(int argc, char **argv)
{
	if (argc > 2)
		return cli_usage("help takes one command");
	if (argc > 1 && strcmp(argv[1], "help") != 0)
		return cli_help_on(argv[1]);
	fputs(overview, stdout);
	for (size_t i = 0; i < COMMANDS; i++) {
		putchar('\n');
		print_command(i);
	}
	return EXIT_DONE;
}
