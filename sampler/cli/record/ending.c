#include "sampler/cli/record/ending.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/printable.h"
#include "base/process/process.h"
#include "sampler/child/priority.h"
#include "sampler/cli/common/terminal.h"
#include "sampler/cli/record/details.h"
#include "sampler/cli/record/outcome.h"
#include "sampler/profile/summary.h"
#include "sampler/recording.h"

void ending_warnings(const struct recording *r)
{
	const char *warning;

	for (size_t i = 0; (warning = recording_warning(r, i)); i++)
		fprintf(stderr, "sampler: %s\n", warning);
}

static void say_how_it_ended(const struct recording *r, const struct recording_options *o)
{
	const struct recording_stats *s = recording_stats(r);
	pid_t pid = recording_process(r)->pid;
	char after[24];

	summary_duration(s->elapsed_ns, after, sizeof(after));
	if (s->end == RECORDING_EXITED && s->processes > 1 && !o->command)
		fprintf(stderr, "; all %lu processes ended after %s", s->processes, after);
	else if (s->end == RECORDING_EXITED)
		fprintf(stderr, "; process %d ended after %s", pid, after);
	else if (s->end == RECORDING_STOPPED)
		fprintf(stderr, "; stopped after %s", after);
	else if (s->end == RECORDING_LOST)
		fprintf(stderr, "; sampling failed after %s", after);
	if (s->execs && s->processes == 1)
		fprintf(stderr, "; process %d executed another program meanwhile", pid);
}

/* Could the tracing thread not get a real-time class? Tried only when a hold was long. */
static bool is_unaided(const struct recording_stats *s)
{
	bool unaided;

	if (s->held.max <= OUTCOME_HOLD_NS)
		return false;
	set_priority(PRIORITY_HOLDING);
	unaided = !has_realtime_class(0);
	set_priority(PRIORITY_ORDINARY);
	return unaided;
}

void ending_outcome(const struct recording *r, const struct recording_options *o)
{
	const struct recording_stats *s = recording_stats(r);
	const char *missing = recording_missing_symbols(r);
	struct process p = *recording_process(r);
	struct buffer text = { 0 };
	char tracer[100] = "";
	struct outcome outcome = { .name = p.comm,
				   .pid = p.pid,
				   .stats = s,
				   .options = o,
				   .unsampled = *recording_unsampled(r),
				   .tracer = tracer,
				   .missed_ns = recording_missed_ns(r),
				   .unaided = is_unaided(s),
				   .gil = recording_gil(r) };

	outcome.children_ns = recording_children_ns(r, &outcome.children);
	printable(p.comm, sizeof(p.comm));
	if (s->tracer)
		snprintf(tracer, sizeof(tracer), "%s (PID %d)", s->tracer_name, s->tracer);
	printable(tracer, sizeof(tracer));
	if (!outcome_text(&outcome, terminal_colour_on(STDERR_FILENO), &text))
		fwrite(text.data, 1, text.len, stderr);
	if (missing)
		fprintf(stderr, "%s\n", missing);
	buffer_release(&text);
}

void ending_details(const struct recording *r, const struct recording_options *o)
{
	char lines[SUMMARY_LINES][SUMMARY_WIDTH];

	summary_lines(recording_stats(r), o, lines);
	details_print(r, stderr);
	for (int i = 0; i < SUMMARY_LINES; i++)
		if (*lines[i])
			fprintf(stderr, "%s\n", lines[i]);
}

void ending_written(const struct recording *r, const struct recording_options *o, const char *path,
		    uint64_t bytes)
{
	struct buffer next = { 0 };

	fprintf(stderr, "wrote %s (%lu bytes)", strcmp(path, "-") ? path : "standard output",
		bytes);
	say_how_it_ended(r, o);
	fputc('\n', stderr);
	if (!outcome_next_step(path, &next))
		fwrite(next.data, 1, next.len, stderr);
	buffer_release(&next);
}
