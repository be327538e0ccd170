/* Help lists what exists today and nothing else. docs/sampler.1 says the same in more words;
 * tests/layers.test checks that both have the same options. */
#include <stdio.h>
#include <string.h>

#include "cli/common/cli.h"
#include "rounds/source/capture.h"

/* What `sampler` alone prints. */
static const char brief[] =
	"sampler shows where a running program spends its time. It needs no preparation.\n"
	"\n"
	"  sampler -p PID -d 10s            sample a process, by number or name, for 10 s\n"
	"  sampler -o page.html -- COMMAND  run a command; a flame graph for a browser\n"
	"  sampler top -p PID               what a process does now, live\n"
	"\n"
	"A profile is written to a file, and `sampler report FILE` shows it.\n"
	"\n"
	"  sampler help                     the commands, a line each\n"
	"  sampler help record              the options of sampling\n"
	"  sampler help rounds              profiles round after round, beside a server\n"
	"  man sampler                      all of it, in more words\n";

/* Shell completions and tests/completions.test parse the lines of the commands. */
static const char overview[] =
	"sampler samples a running process from outside and writes a pprof profile.\n"
	"\n"
	"  record     sample processes or a command; the default: sampler -p PID\n"
	"  top        all processes by CPU, and what one does now, live\n"
	"  dump       every thread's stack, once; the owners of locks\n"
	"  rounds     the batches in a folder, and how they went\n"
	"  report     show a profile: functions, calls, stacks\n"
	"  diff       what has changed between two profiles\n"
	"  merge      add profiles up\n"
	"  delta      what came between two profiles of one process\n"
	"  convert    a profile in another form\n"
	"  validate   check profiles\n"
	"  goparse    goroutine dumps: waits, where and how long\n"
	"  help       this list, or a command's page\n"
	"\n"
	"sampler help COMMAND has its options; help rounds also how to take profiles\n"
	"round after round; the manual all in more words. sampler --version.\n";

static const char record[] =
	"usage: sampler [record] -p PID[,PID…] [options]\n"
	"       sampler NAME [options]\n"
	"       sampler [record] [options] -- COMMAND [ARG…]\n"
	"\n"
	"  -p, --pid PID[,PID…] processes to sample, by number or by name: nginx, app.py;\n"
	"                       a master of that name brings its workers\n"
	"      --children       and those that they make, each labelled with its number\n"
	"                       (the default for a COMMAND)\n"
	"      --no-children    the COMMAND's own process alone\n"
	"  -d, --duration DUR   how long (default 30s; for a COMMAND: until it ends; with\n"
	"                       -d also what it leaves behind, as a daemon); 500ms, 60s,\n"
	"                       1h30m, 1d, or a number of seconds\n"
	"  -r, --rate HZ        ticks a second on each CPU (default 99, 1 to 10000)\n"
	"  -o, --output PATH    file to write, - for the standard output\n"
	"                       (default sampler.<command>.<pid>.<UTC>.pb.gz)\n"
	"  -f, --format FMT     pprof, folded, flamegraph, speedscope, otlp or text;\n"
	"                       default by PATH's ending: .folded, .svg or .html, .json,\n"
	"                       .otlp, .txt, else pprof (not compressed: .pb)\n"
	"      --wall           threads that wait, too, and wall time\n"
	"      --no-peers       no addresses and paths of what they wait for\n"
	"      --kernel         where in the kernel threads are: with --wall, those that\n"
	"                       wait; else those that run, by perf events\n"
	"  -e, --event NAME     counted instead of CPU time: page-faults, cycles, ...;\n"
	"                       an unknown name lists them\n"
	"      --goid           which goroutine a thread of Go's runs, as the label goid\n"
	"      --max-pause-share PCT  of its time that any one thread may be held\n"
	"                       (default 1%); looks beyond that are left out\n"
	"      --max-cpu PCT    of one CPU that sampling may take (default 5%, at least\n"
	"                       0.1%); ticks beyond that are left out\n"
	"      --engine NAME    perf: CPU samples by the kernel's timer; rest: threads\n"
	"                       are read while their CPU is taken; ptrace: they are\n"
	"                       stopped; auto: the first of these that will do\n"
	"      --no-inline      leave inlined calls out\n"
	"      --no-native      only functions of Python, Java, Node and others\n"
	"      --debuginfod[=DUR]  ask the servers in DEBUGINFOD_URLS for debug files\n"
	"                       missing here, for that long at most (default 90s)\n"
	"  -t, --types LIST     Go's own profiles, read at once out of its memory, as\n"
	"                       heap,goroutine; the types: sampler help rounds\n"
	"  -q, --quiet          say nothing but errors\n"
	"  -v, --verbose        say more: rate, walks, holds, CPU time; each module\n"
	"\n"
	"Round after round, into a folder of batches: sampler help rounds.\n"
	"What a program can notice, as a long write coming back short: transparency.md.\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage, 3 not permitted, 4 no process,\n"
	"5 nothing was sampled, 6 a round was lost. With a COMMAND its own (128 + N when\n"
	"signal N ended it); 126: it cannot be executed, 127: it is not there.\n";

/* The options of folders of batches: cli/rounds/folder.h. */
#define FOLDER_HELP \
	"  -t, --type TYPE      of a folder of batches: which profile (default cpu)\n" \
	"      --from TIME      and of which batches, as for rounds\n" \
	"      --to TIME\n" \
	"      --last DUR\n" \
	"      --tag KEY:VALUE\n"

/* Shell completions read the command's options before the line "sampler [record] -p PID --rounds
 * 0", and record's from it on (tools/packaging/completions). */
static const char rounds[] =
	"usage: sampler rounds DIR [options]\n"
	"       sampler [record] -p PID --rounds 0 [options]\n"
	"\n"
	"Lists the batches in a folder: when each began, how long it took, CPU time as a\n"
	"share of one CPU, samples, memory, goroutines; what it lacks and why, restarts\n"
	"of the process, pauses; then bars of CPU, RSS and goroutines. A batch is in the\n"
	"time in which its middle is. What was read is kept in DIR/.catalog, which may\n"
	"be removed. Times are UTC, as in the names of batches.\n"
	"\n"
	"      --from TIME      10:05, the last one there was; 2026-11-21,\n"
	"                       2026-11-21T10:05, @1700000000\n"
	"      --to TIME        until before then: 10:10, the first one after --from;\n"
	"                       of a date its end\n"
	"      --last DUR       that long until --to, or until now\n"
	"      --tag KEY:VALUE  with that tag or attribute; may be repeated\n"
	"\n"
	"sampler [record] -p PID --rounds 0 [options] takes profiles round after round.\n"
	"Each leaves a batch, a folder with its profiles and event.json, in the folder\n"
	"that -o names (default sampler.<command>.<pid>). Asked for by any of these:\n"
	"\n"
	"  -n, --rounds N       how many rounds (default 1), 0 until stopped; -d is then\n"
	"                       how long each takes (default 60s)\n"
	"      --every DUR      from one's start to the next's (default: what -d says)\n"
	"      --align          start at multiples of that, as 12:00:00, 12:01:00 (UTC)\n"
	"      --no-delta       no delta-heap.pprof and so on, what came in the round\n"
	"      --delta          with them (the default)\n"
	"      --no-flush       a round that is stopped is not written\n"
	"      --url URL        ask http://HOST:PORT/debug/pprof for Go's own profiles,\n"
	"                       instead of reading the process\n"
	"      --header LINE    'Name: value', sent to that URL; may be repeated; @FILE:\n"
	"                       such lines of a file, for what is secret\n"
	"      --unix-socket PATH  connect to that socket\n"
	"      --cacert FILE    trust these authorities\n"
	"      --timeout DUR    for each of its profiles, and for --gc-wait (default 30s)\n"
	"      --gc             have the program collect garbage before each profile\n"
	"                       of its heap; by --url only\n"
	"      --gc-wait        wait for it to have done so by itself, up to --timeout\n"
	"      --max-goroutines-wait N  no goroutinewait when there are more\n"
	"                       (default 100000)\n"
	"      --stop[=DUR]     hold all threads while Go's profiles are read, for one\n"
	"                       moment in all; for DUR at most (default 100ms)\n"
	"      --trace-limit SIZE  end execution traces at that size (default 5M)\n"
	"      --tag KEY:VALUE  for event.json and pushes, in place of what was found\n"
	"                       under KEY of the process; may be repeated\n"
	"      --keep N         remove the oldest batches when there are more\n"
	"      --max-disk SIZE  or when all of them take more; 64K, 500M, 2G\n"
	"      --max-age DUR    or when they are older; 12h, 7d\n"
	"      --wait-for NAME  instead of -p: the process of that name (as for -p), and\n"
	"                       when it has ended the next one\n"
	"      --follow-restarts  with -p: the next one of its systemd unit or cgroup\n"
	"      --push ENGINE=URL  send batches on: pyroscope=http://HOST:4040,\n"
	"                       datadog=http://HOST:8126, parca=http://HOST:7070,\n"
	"                       otlp=http://HOST:4318 or grpc://HOST:4317; repeatable\n"
	"      --push-headers FILE  a file of lines 'Name: value' that are sent along\n"
	"\n"
	"Go's own profiles, by -t alone (heap to custom below, without alloc; x86-64,\n"
	"Go 1.18 to 1.27), are read at once: one is written to a file, several into a\n"
	"folder (-o names it), by the names below; -f legacy is the text of Go's debug=1.\n"
	"In the process nothing is prepared, stopped or called.\n"
	"With -d, -n, another type or an option above they are taken in rounds.\n";

/* Shell completions parse these lines, like those of the options (tools/packaging/completions). */
static void print_types(void)
{
	printf("\nTypes of profiles for -t (default cpu), and their files:\n");
	for (int i = 0; i < CAPTURE_TYPES; i++)
		printf("  %-14s %-22s%s\n", captures[i].name, captures[i].file, captures[i].what);
}

static const char dump[] =
	"usage: sampler dump -p PID[,PID…] [options]\n"
	"       sampler dump --merge FILE… [options]\n"
	"\n"
	"  -p, --pid PID[,PID…] processes whose threads' stacks to print, once; a name\n"
	"                       may stand for a PID, as for record\n"
	"                       (with what they wait for: locks and their owners,\n"
	"                       connections, files, children; deadlocks)\n"
	"      --children       and those that they have made\n"
	"      --all            each thread; without it threads that look alike are one,\n"
	"                       and so are processes\n"
	"      --json           for programs: an object for each process\n"
	"      --merge          one tree of all threads, outermost frames first, behind\n"
	"                       the few that differ: 7 of 8 in a, 1 in b;\n"
	"                       of FILE…, too, that --json has written on several hosts\n"
	"      --goroutines     a Go program's goroutines, as Go prints them (debug=2),\n"
	"                       out of its memory without a stop\n"
	"      --stop[=DUR]     of goroutines: all threads are held while they are read,\n"
	"                       for DUR at most (default 100ms), for one moment in all\n"
	"  -o, --output PATH    file to write (default: -, the standard output)\n"
	"      --no-inline      leave inlined calls out\n"
	"      --no-native      only functions of Python, Java, Node and others\n"
	"      --no-peers       no addresses, paths and processes of what is waited for\n"
	"  -q, --quiet          say nothing but errors\n"
	"  -v, --verbose        say more: how long threads were held, unwind tables\n";

static const char top[] =
	"usage: sampler top [options]\n"
	"       sampler top -p PID[,PID…] [options]\n"
	"       sampler top [options] -- COMMAND [ARG…]\n"
	"\n"
	"Functions by their share of the last seconds and of the time since the start. A\n"
	"screen on a terminal, where ? shows the keys; else a table for each interval.\n"
	"Without a process: all processes by CPU, their threads' waits for a CPU, and\n"
	"threads stuck in state D. On a screen Enter goes into the selected one.\n"
	"\n"
	"  -p, --pid PID[,PID…] processes to look at, by number or by name\n"
	"      --children       and those that they make (the default for a COMMAND)\n"
	"      --no-children    the COMMAND's own process alone\n"
	"      --interval DUR   how long the last seconds are (default 2s)\n"
	"  -n, --count N        end after so many intervals\n"
	"  -d, --duration DUR   end after that time\n"
	"  -r, --rate HZ        ticks a second on each CPU (default 99, 1 to 10000)\n"
	"      --wall           threads that wait, too: shares are of wall time\n"
	"      --no-peers       no addresses and paths of that in the profile\n"
	"      --threads        a line for each thread\n"
	"      --sort KEY       recent, recent-cum, flat, cum or name (default recent)\n"
	"      --nodecount N    lines of a table (default 20, 0 for all)\n"
	"      --max-pause-share PCT  of its time that a thread may be held (default 1%)\n"
	"      --max-cpu PCT    of one CPU that sampling may take (default 5%)\n"
	"      --engine NAME    perf, rest, ptrace or auto, as of record\n"
	"      --no-inline      leave inlined calls out\n"
	"      --no-native      only functions of Python, Java, Node and others\n"
	"  -o, --output PATH    write the profile of it all at the end\n"
	"      --goid           in it: which goroutine a thread ran, as the label goid\n";

static const char report[] =
	"usage: sampler report FILE|DIR [options]\n"
	"\n"
	"  FILE                 a pprof profile, gzip'd or not; - for the standard input\n"
	"      --top            functions by cost, as by pprof -top (the default)\n"
	"      --tree           each with its callers and callees\n"
	"      --calls          the tree of calls from the outermost functions inward\n"
	"      --peek REGEX     the same of those whose names match, at any cost\n"
	"      --traces         every sample with its stack\n"
	"      --raw            all that is in the file\n"
	"      --tags           labels, with what the samples that have them cost\n"
	"      --locks          of a wall profile: waits for locks, waiters, holders\n"
	"      --waits          of a wall profile: what was waited for, where\n"
	"      --json           for programs: of --top, --tree, --peek, --locks, --waits\n"
	"      --folded         stacks for flamegraph.pl, inferno, speedscope\n"
	"      --flamegraph OUT a flame graph to look at in a browser, .svg or .html\n"
	"      --speedscope OUT a file for speedscope.app, .json\n"
	"      --by WHAT        function (default), line, file, address, module, thread\n"
	"      --no-inline      inlined calls count for the function that holds them\n"
	"      --no-native      only functions of Python, Java, Node and others\n"
	"      --cum            sorted by what a function and all it calls cost together\n"
	"      --nodecount N    lines to show, 0 for all (default: all; of --tree 80)\n"
	"      --nodefraction F leave out what costs less than this share (default 0.005)\n"
	"      --edgefraction F and calls (default 0.001)\n"
	"      --sample-type T  which value to show, by name or number from 0\n"
	"      --unit UNIT      of values: ns us ms s hrs, B kB MB GB, auto (by value)\n"
	"      --max-size SIZE  bytes that FILE may have uncompressed (default 1G); 5M\n"
	"  -o, --output PATH    file to write (default: -); its ending chooses a format\n"
	"  -f, --format FORMAT  text (the default) or another, as for convert\n"
	"  -q, --quiet          do not say what was written\n"
	"  -v, --verbose        the whole heading, as pprof's\n" FOLDER_HELP
	"What to show, as pprof; REGEX is Go's, in names of functions, files, modules:\n"
	"      --focus REGEX    only samples with a frame that matches\n"
	"      --ignore REGEX   only those without one\n"
	"      --show REGEX     only frames that match\n"
	"      --hide REGEX     only those that don't\n"
	"      --show-from REGEX  frames from the outermost one that matches on\n"
	"      --prune-from REGEX  nothing that the innermost match has called\n"
	"      --tag-focus TAGS  of labels: REGEX[,…], KEY=REGEX[,…] or [KEY=]1mb:2mb\n"
	"      --tag-ignore TAGS  only those without\n"
	"      --tag-show REGEX  only labels whose key matches\n"
	"      --tag-hide REGEX  only those whose key doesn't\n"
	"      --tag-root KEY[,KEY…]  labels as frames at the root\n"
	"      --tag-leaf KEY[,KEY…]  and at the leaf\n"
	"      --relative-percentages  shares of what is left, not of all\n"
	"      --all-frames     also those that the profile says to drop (drop_frames)\n";

static const char convert[] =
	"usage: sampler convert IN -o OUT [-f FORMAT]\n"
	"\n"
	"  IN                   a profile: pprof's, gzip'd or not, or a text that Go\n"
	"                       writes with debug=1; - for the standard input\n"
	"  -o, --output PATH    file to write, - for the standard output\n"
	"  -f, --format FORMAT  pprof, legacy, folded, flamegraph, speedscope, otlp or\n"
	"                       text (default: by the ending of PATH, as for record)\n"
	"      --max-size SIZE  bytes that IN may have uncompressed (default 1G); 5M\n"
	"  -q, --quiet          do not say what was written\n"
	"\n"
	"legacy is what Go writes with debug=1, for counts, heap and contention. It has\n"
	"no ending: .txt is text, a table of functions, in every command.\n";

static const char validate[] =
	"usage: sampler validate [options] FILE…\n"
	"\n"
	"  FILE…                pprof profiles, gzip'd or not; - for the standard input\n"
	"      --max-size SIZE  bytes that one may have uncompressed (default 1G); 5M\n"
	"  -q, --quiet          say nothing of those that are good\n"
	"\n"
	"Exit status: 0 when all are good, 1 when one is not.\n";

static const char delta[] =
	"usage: sampler delta OLD NEW [MORE…] -o OUT [options]\n"
	"\n"
	"  OLD NEW              pprof profiles of one process, in order; - for stdin\n"
	"  -o, --output OUT     the delta; with MORE the folder for delta.1.pb.gz…, one\n"
	"                       a step (not compressed when it ends in .pb)\n"
	"      --types T/U,…    columns that count from the process's start, as\n"
	"                       alloc_space/bytes (default: those of Go's heap, block\n"
	"                       and mutex profiles)\n"
	"      --forget N       profiles that a stack must be missing from to be\n"
	"                       forgotten (default 1)\n"
	"      --allow-negative counters that run backwards are no sign of a new process\n"
	"      --max-size SIZE  bytes that one may have uncompressed (default 1G); 5M\n"
	"  -q, --quiet          say nothing but errors\n";

static const char merge[] =
	"usage: sampler merge FILE|DIR… -o OUT\n"
	"\n"
	"  FILE…                pprof profiles; - for the standard input. Sample types\n"
	"                       that not all of them have are left out\n"
	"  -o, --output OUT     file to write, - for the standard output; by its ending\n"
	"                       a flame graph, which switches between the files, or\n"
	"                       another form, as for record\n"
	"  -f, --format FORMAT  that form: pprof, legacy, folded, flamegraph, speedscope,\n"
	"                       otlp or text\n"
	"      --max-size SIZE  bytes that one may have uncompressed (default 1G); 5M\n"
	"  -q, --quiet          do not say what was written\n" FOLDER_HELP;

static const char diff[] =
	"usage: sampler diff BASE NEW [options]\n"
	"       sampler diff DIR --last DUR --against DUR [options]\n"
	"\n"
	"Prints what changed: functions, the largest change first, per second if the\n"
	"durations differ. ~ marks what may be noise, by a test of the samples' counts.\n"
	"\n"
	"  BASE, NEW            pprof profiles; - for the standard input\n"
	"      --by WHAT        function (default), line, file, address, module, thread\n"
	"      --cum            changes of what a function and all it calls cost together\n"
	"      --no-inline      inlined calls count for the function that holds them\n"
	"      --no-native      only functions of Python, Java, Node and others\n"
	"      --nodecount N    lines to show, 0 for all (the default)\n"
	"      --nodefraction F leave out what changed by less than this share\n"
	"                       (default 0.005)\n"
	"      --sample-type T  which value to show, by name or number from 0\n"
	"      --unit UNIT      of values, as for report\n"
	"      --normalize      scale NEW to the totals of BASE\n"
	"      --json           the table for programs\n"
	"  -o, --output OUT     file to write, - for the standard output; by its ending\n"
	"                       a flame graph (.svg, .html), the table (.txt) or another\n"
	"                       form. A profile has the samples of NEW, and those of\n"
	"                       BASE negated and with the label pprof::base, so that\n"
	"                       shares are shares of BASE\n"
	"  -f, --format FORMAT  that form: pprof, legacy, folded, flamegraph, speedscope,\n"
	"                       otlp or text\n"
	"      --subtract       with -o: no label, so that equal stacks cancel out\n"
	"      --max-size SIZE  bytes that one may have uncompressed (default 1G); 5M\n"
	"  -q, --quiet          do not say what was written\n" FOLDER_HELP
	"      --against DUR    of one DIR: BASE is the same time, so much earlier;\n"
	"                       --last 1h --against 24h: this hour and yesterday's\n"
	"\n"
	"Which samples and frames of both, as for report:\n"
	"      --focus REGEX\n"
	"      --ignore REGEX\n"
	"      --show REGEX\n"
	"      --hide REGEX\n"
	"      --show-from REGEX\n"
	"      --prune-from REGEX\n"
	"      --tag-focus TAGS\n"
	"      --tag-ignore TAGS\n"
	"      --tag-show REGEX\n"
	"      --tag-hide REGEX\n"
	"      --tag-root KEY[,KEY…]\n"
	"      --tag-leaf KEY[,KEY…]\n"
	"      --all-frames\n";

static const char goparse[] =
	"usage: sampler goparse [FILE…] [options]\n"
	"\n"
	"  FILE…                goroutine dumps as Go 1.18 to 1.27 prints them (debug=2,\n"
	"                       SIGQUIT, panics), in a log or not, gzip'd or not;\n"
	"                       - for the standard input (the default if that is no\n"
	"                       terminal); or a URL: http://HOST:PORT leads to the dump\n"
	"  -o, --output PATH    write a profile of how long goroutines have waited,\n"
	"                       instead of a summary to the standard output\n"
	"  -f, --format FMT     of it: pprof, folded, flamegraph, speedscope, otlp or\n"
	"                       text; default by PATH's ending, as for record\n"
	"      --aggregate      goroutines of one stack and state are one sample\n"
	"      --ancestors      with ancestors' stacks (GODEBUG=tracebackancestors)\n"
	"      --time TIME      when it was taken: 2026-11-21T17:15:00Z, @1700000000\n"
	"                       (default: when FILE was last changed)\n"
	"      --json           the goroutines, an object a line, to PATH if given\n"
	"      --diff           of two dumps or more: the goroutines that are in all of\n"
	"                       them, in the same state at the same place\n"
	"  -q, --quiet          say nothing but errors\n"
	"  -v, --verbose        whole stacks in the summary; all lines not understood\n"
	"\n"
	"Of URLs:\n"
	"      --header LINE    'Name: value', sent along; may be repeated; @FILE:\n"
	"                       such lines of a file, for what is secret\n"
	"      --unix-socket PATH  connect to that socket\n"
	"      --cacert FILE    trust these authorities\n"
	"      --timeout DUR    for all of it (default 60s)\n"
	"\n"
	"Several dumps are taken to be of one process, in order: the profile has all,\n"
	"with the label dump; the summary is of the last, with the change since the\n"
	"first. Go prints waits in whole minutes: below one they are 0.\n";

static const struct {
	const char *name, *text;
	void (*print_rest)(void);
} pages[] = {
	{ "record", record, NULL },   { "dump", dump, NULL },
	{ "top", top, NULL },	      { "report", report, NULL },
	{ "convert", convert, NULL }, { "validate", validate, NULL },
	{ "delta", delta, NULL },     { "merge", merge, NULL },
	{ "diff", diff, NULL },	      { "goparse", goparse, NULL },
	{ "help", overview, NULL },   { "rounds", rounds, print_types },
};

enum { PAGES = sizeof(pages) / sizeof(*pages) };

static const char *page_text(const char *name)
{
	for (size_t i = 0; i < PAGES; i++)
		if (!strcmp(name, pages[i].name))
			return pages[i].text;
	return "";
}

const char *cli_help_command(size_t n)
{
	return n < PAGES ? pages[n].name : NULL;
}

/* An option begins behind "  --" or behind its short form, "-p, --". */
static const char *next_option(const char *at)
{
	while ((at = strstr(at, "--")) && (at[-1] != ' ' || (at[-2] != ' ' && at[-2] != ',')))
		at += 2;
	return at ? at + 2 : NULL;
}

bool cli_help_option(const char *page, size_t n, char name[HELP_OPTION_ROOM])
{
	const char *at = next_option(page_text(page));

	while (at && n--)
		at = next_option(at);
	if (at)
		snprintf(name, HELP_OPTION_ROOM, "%.*s",
			 (int)strspn(at, "abcdefghijklmnopqrstuvwxyz-"), at);
	return at;
}

int cli_help_on(const char *page)
{
	for (size_t i = 0; i < PAGES; i++)
		if (!strcmp(page, pages[i].name)) {
			fputs(pages[i].text, stdout);
			if (pages[i].print_rest)
				pages[i].print_rest();
			return EXIT_DONE;
		}
	return cli_usage("no help on '%s'", page);
}

int cli_help_briefly(void)
{
	fputs(brief, stderr);
	return EXIT_USAGE;
}

int cli_help(int argc, char **argv)
{
	if (argc > 2)
		return cli_usage("help takes one command");
	return cli_help_on(argc > 1 ? argv[1] : "help");
}
