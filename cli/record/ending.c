/* The text is made by outcome.c; here the recording's figures are handed to it, and names of
 * foreign processes are made fit for a terminal first. */
#include "cli/record/ending.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/printable.h"
#include "base/process/process.h"
#include "sampler/child/priority.h"
#include "cli/common/cli.h"
#include "cli/common/terminal.h"
#include "cli/record/details.h"
#include "cli/record/outcome.h"
#include "sampler/profile/summary.h"
#include "sampler/recording.h"

void ending_warnings(const struct recording *r)
{
	const char *warning;

	for (size_t i = 0; (warning = recording_warning(r, i)); i++)
		cli_say("%s", warning);
}

static int add_how_it_ended(const struct recording *r, const struct recording_options *o,
			    struct buffer *out)
{
	const struct recording_stats *s = recording_stats(r);
	pid_t pid = recording_process(r)->pid;
	char after[24];
	int rc = 0;

	summary_duration(s->elapsed_ns, after, sizeof(after));
	if (s->end == RECORDING_EXITED && s->processes > 1 && (!o->command || o->duration_ns))
		rc = buffer_addf(out, "; all %lu processes ended after %s", s->processes, after);
	else if (s->end == RECORDING_EXITED)
		rc = buffer_addf(out, "; process %d ended after %s", pid, after);
	else if (s->end == RECORDING_STOPPED)
		rc = buffer_addf(out, "; stopped after %s", after);
	else if (s->end == RECORDING_TIME_UP && recording_command_runs(r))
		rc = buffer_addf(out, "; process %d runs on", pid);
	else if (s->end == RECORDING_TIME_UP && o->command)
		rc = buffer_addf(out, "; process %d ended, what it has made runs on", pid);
	else if (s->end == RECORDING_LOST)
		rc = buffer_addf(out, "; sampling failed after %s", after);
	if (!rc && s->execs && s->processes == 1)
		rc = buffer_addf(out, "; process %d executed another program meanwhile", pid);
	return rc;
}

/* Could the tracing thread not get a real-time class? Tried only when a hold was long. */
static bool is_unaided(const struct recording_stats *s)
{
	bool unaided;

	if (s->held.max <= OUTCOME_HOLD_NS)
		return false;
	set_priority(PRIORITY_HOLDING);
	unaided = !has_realtime_class(0);
	set_priority(PRIORITY_PROMPT);
	return unaided;
}

void ending_outcome(const struct recording *r, const struct recording_options *o)
{
	const struct recording_stats *s = recording_stats(r);
	const struct recording_accounts *known = recording_accounts(r);
	const char *missing = recording_missing_symbols(r);
	struct process p = *recording_process(r);
	struct buffer text = { 0 };
	char tracer[100] = "";
	struct outcome outcome = { .name = p.comm,
				   .pid = p.pid,
				   .stats = s,
				   .options = o,
				   .unsampled = known->unsampled,
				   .tracer = tracer,
				   .children_ns = known->children.cpu_ns,
				   .children = known->children.alive,
				   .missed_ns = known->missed_ns,
				   .unaided = is_unaided(s),
				   .gil = &known->gil };

	printable(p.comm, sizeof(p.comm));
	if (s->tracer)
		snprintf(tracer, sizeof(tracer), "%s (PID %d)", s->tracer_name, s->tracer);
	printable(tracer, sizeof(tracer));
	if (!outcome_text(&outcome, terminal_colour_on(STDERR_FILENO), &text))
		fwrite(text.data, 1, text.len, stderr);
	if (missing)
		cli_line("%s", missing);
	buffer_release(&text);
}

void ending_details(const struct recording *r, const struct recording_options *o)
{
	char lines[SUMMARY_LINES][SUMMARY_WIDTH];

	summary_lines(recording_stats(r), o, lines);
	details_print(r);
	for (int i = 0; i < SUMMARY_LINES; i++)
		if (*lines[i])
			cli_line("%s", lines[i]);
}

void ending_written(const struct recording *r, const struct recording_options *o, const char *path,
		    uint64_t bytes)
{
	struct buffer end = { 0 }, next = { 0 };

	if (!add_how_it_ended(r, o, &end) && !buffer_add(&end, "", 1))
		cli_line("wrote %s (%lu bytes)%s", strcmp(path, "-") ? path : "standard output",
			 bytes, (char *)end.data);
	if (!outcome_next_step(path, &next) && next.len)
		cli_line("%.*s", (int)next.len - 1, (char *)next.data);
	buffer_release(&end);
	buffer_release(&next);
}
