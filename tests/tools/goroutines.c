// links: sampler/stop
/*
 * At each line of its input, prints all goroutines of process PID: for each "goroutine ID
 * [STATE]:" as with debug=2, a line "@" with the pcs as with debug=1, and its frames; then the
 * number of goroutines, and how their walks ended.
 *
 *	quiet   only the numbers
 *	held    the threads are held meanwhile
 *	system  the runtime's own goroutines, too
 *
 * A goroutine without a stack has "end -1", with "moving" if its stack was being exchanged.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/process/process.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"
#include "runtimes/go/stacks/callers.h"
#include "runtimes/go/stacks/frames.h"
#include "runtimes/go/stacks/goroutines.h"
#include "sampler/stop/hold.h"

struct shown {
	struct gocallers *callers;
	unsigned minor;
	bool quiet, held, system;
};

static const char *state_of(const struct go_goroutine *g)
{
	static const char *const names[] = { "idle",	  "runnable",  "running", "syscall",
					     "waiting",	  "",	       "dead",	  "",
					     "copystack", "preempted", "leaked" };

	return *g->wait_reason ? g->wait_reason : names[g->status];
}

static void show_name(const struct shown *s, const char *before, const char *name)
{
	char text[8192];

	snprintf(text, sizeof(text) - 8, "%s", name);
	goframes_for_print(text, s->minor);
	printf("%s%s", before, text);
}

static void show_frames(struct shown *s, const struct go_goroutine *g)
{
	struct gocallers *c = s->callers;
	struct gocallers_frame f;

	printf("@");
	for (size_t i = 0; i < g->pc_count; i++)
		printf(" 0x%" PRIx64, g->pcs[i]);
	printf("\n");
	for (size_t i = 0; i < g->pc_count; i++) {
		bool found = gocallers_frame(c, g->pcs[i], &f);

		show_name(s, "", found ? f.function : "?");
		printf("\n\t%s:%u\n", found ? f.file : "?", found ? f.line : 0);
	}
	if (!g->go_pc || !gocallers_frame(c, g->go_pc, &f))
		return;
	show_name(s, "created by ", gocallers_function(c, g->go_pc));
	if (g->parent)
		printf(" in goroutine %" PRIu64, g->parent);
	printf("\n\t%s:%u\n", f.file, f.line);
}

/* runtime/stack.go: a stack is exchanged while it grows, or while a GC scans it, for which the
 * goroutine must not run. */
static bool is_moving(const struct go_goroutine *g)
{
	return !g->has_stack && (g->status == GO_COPYSTACK || (g->scan && g->status != GO_RUNNING));
}

static int show(void *ctx, const struct go_goroutine *g, struct error *err)
{
	struct shown *s = ctx;

	(void)err;
	if (s->quiet)
		return 0;
	printf("goroutine %" PRIu64 " [%s%s%s]: end %d%s%s\n", g->goid, state_of(g),
	       g->status == GO_LEAKED ? " (leaked)" : "", g->locked ? ", locked to thread" : "",
	       g->has_stack ? g->end : -1, is_moving(g) ? " moving" : "",
	       g->system ? " system" : "");
	show_frames(s, g);
	printf("\n");
	return 0;
}

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int tell(const struct golive *live, struct shown *s, struct error *err)
{
	struct gogoroutines_options options = { .stacks = true, .system = s->system };
	struct gogoroutines_stats stats;
	struct hold_report report = { 0 };
	struct hold *hold = NULL;
	double before = cpu_ms();
	int rc = 0, tries = 20;

	do /* on a busy machine a hold may exceed its bound */
		rc = s->held ? hold_begin(&hold, live->process, HOLD_BOUND_NS, err) : 0;
	while (rc == ERR_LIMIT && --tries);
	if (hold)
		options.held = hold_threads(hold, &options.held_count);
	if (!rc)
		rc = gogoroutines_read(live, s->callers, &options, show, s, &stats, err);
	if (hold)
		hold_end(hold, &report);
	if (rc)
		return rc;
	printf("end goroutines %" PRIu64 " again %" PRIu64 " without_stack %" PRIu64
	       " left_out %" PRIu64 " reads %" PRIu64 " bytes %" PRIu64 " exact %d ends",
	       stats.goroutines, stats.again, stats.without_stack, stats.left_out, stats.reads,
	       stats.bytes, s->held && !report.moved && !report.cut);
	for (int i = 0; i < GO_WALK_ENDS; i++)
		printf(" %" PRIu64, stats.ends[i]);
	printf(" cpu_ms %.1f\n", cpu_ms() - before);
	fflush(stdout);
	return 0;
}

static bool has_option(char **options, const char *name)
{
	while (*options && strcmp(*options, name) != 0)
		options++;
	return *options;
}

int main(int argc, char **argv)
{
	struct shown s = { 0 };
	struct golive *live = NULL;
	struct process process;
	struct error err = { 0 };
	char line[64];
	int rc = argc < 2 || process_open(&process, atoi(argv[1]), &err);

	if (rc) {
		fprintf(stderr, "%s\n",
			argc < 2 ? "usage: goroutines PID [quiet] [held] [system]" : err.text);
		return 1;
	}
	s.quiet = has_option(argv + 2, "quiet");
	s.held = has_option(argv + 2, "held");
	s.system = has_option(argv + 2, "system");
	rc = golive_open(&live, &process, &err);
	if (!rc)
		rc = gocallers_new(&s.callers, live);
	if (!rc)
		s.minor = live->vars.layout->minor;
	while (!rc && fgets(line, sizeof(line), stdin))
		rc = tell(live, &s, &err);
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	gocallers_free(s.callers);
	golive_free(live);
	process_close(&process);
	return rc != 0;
}
