/* The outcome's text is made by outcome.c; here the recording's figures are handed to it, and names
 * of foreign processes are made fit for a terminal first. */
#include "cli/record/ending.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/amount.h"
#include "base/printable.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "cli/common/cli.h"
#include "cli/common/formats.h"
#include "base/printer.h"
#include "cli/common/terminal.h"
#include "cli/record/outcome.h"
#include "sampler/child/priority.h"
#include "sampler/profile/summary.h"
#include "sampler/recording.h"
#include "unwind/unwinder.h"

void ending_warnings(const struct recording *r)
{
	const char *warning;

	for (size_t i = 0; (warning = recording_warning(r, i)); i++)
		cli_say("%s", warning);
}

/* The outcome. */

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

/* Details. */

static void print_walks(const struct recording *r, uint32_t id)
{
	const struct ledger_entry *walks = recording_walks_in(r, id);

	for (int i = 0; i < STACK_ENDS; i++)
		if (walks->ends[i])
			cli_line("    %lu walks ended here: %s", walks->ends[i],
				 stack_end_name((enum stack_end)i));
	if (ledger_guessed(walks))
		cli_line("    callers found without CFI: %lu by reading code, %lu by frame "
			 "pointer, %lu by a scan",
			 walks->found[FRAME_BY_CODE], walks->found[FRAME_BY_FRAME_POINTER],
			 walks->found[FRAME_BY_SCAN]);
}

static void print_unwind_table(const struct unwind_table_info *t)
{
	char broken[60] = "";

	if (t->refused) {
		cli_line("    unwind table: none, the others take too much memory");
		return;
	}
	if (t->table.broken)
		snprintf(broken, sizeof(broken), ", %lu broken entries left out", t->table.broken);
	cli_line("    unwind table: %lu rows, %lu rules, %lu bytes, built in %s%s", t->table.rows,
		 t->table.rules, t->table.bytes, shown_duration(t->build_ns), broken);
}

bool ending_image(const struct image *image, const struct unwinder *u, const char *note)
{
	const char *id = image_build_id(image);
	struct unwind_table_info info;

	unwinder_table_info(u, image, &info);
	if (!note && !info.table.rows && !info.refused)
		return false;
	cli_line("%s%s%s%s", image_path(image), *id ? " (build ID " : "", id, *id ? ")" : "");
	print_unwind_table(&info);
	if (note)
		cli_line("    symbols: %s", note);
	return true;
}

void ending_details(const struct recording *r, const struct recording_options *o)
{
	char lines[SUMMARY_LINES][SUMMARY_WIDTH];
	size_t count;
	struct image *const *images = modmap_images(recording_modmap(r), &count);

	summary_lines(recording_stats(r), o, lines);
	for (size_t i = 0; i < count; i++)
		if (ending_image(images[i], recording_unwinder(r),
				 recording_symbol_note(r, images[i])))
			print_walks(r, image_id(images[i]));
	for (int i = 0; i < SUMMARY_LINES; i++)
		if (*lines[i])
			cli_line("%s", lines[i]);
}

/* The file. */

/* "; stopped after 2.5 s" */
static void put_how_it_ended(const struct recording *r, const struct recording_options *o,
			     char text[200])
{
	const struct recording_stats *s = recording_stats(r);
	const char *after = shown_duration(s->elapsed_ns);
	pid_t pid = recording_process(r)->pid;
	int len = 0;

	if (s->end == RECORDING_EXITED && s->processes > 1 && (!o->command || o->duration_ns))
		len = snprintf(text, 200, "; all %lu processes ended after %s", s->processes,
			       after);
	else if (s->end == RECORDING_EXITED)
		len = snprintf(text, 200, "; process %d ended after %s", pid, after);
	else if (s->end == RECORDING_STOPPED)
		len = snprintf(text, 200, "; stopped after %s", after);
	else if (s->end == RECORDING_TIME_UP && recording_command_runs(r))
		len = snprintf(text, 200, "; process %d runs on", pid);
	else if (s->end == RECORDING_TIME_UP && o->command)
		len = snprintf(text, 200, "; process %d ended, what it has made runs on", pid);
	else if (s->end == RECORDING_LOST)
		len = snprintf(text, 200, "; sampling failed after %s", after);
	if (s->execs && s->processes == 1)
		snprintf(text + len, 200 - (size_t)len,
			 "; process %d executed another program meanwhile", pid);
}

/* Prints a path as a shell reads it. */
static void print_quoted(struct printer *p, const char *path)
{
	if (!path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			       "-_./+,:@%=")]) {
		print_to(p, "%s", path);
		return;
	}
	print_to(p, "'");
	for (const char *c = path; *c; c++)
		print_to(p, *c == '\'' ? "'\\''" : "%c", *c);
	print_to(p, "'");
}

/* What shows the file at `path`; NULL: nothing does, or it is no file. A browser needs the whole
 * path. */
static const char *tool_for(const char *path, bool *browser)
{
	struct stat st;

	*browser = format_ends_in(path, ".svg") || format_ends_in(path, ".html");
	if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode)) ||
	    format_ends_in(path, ".otlp"))
		return NULL;
	if (*browser)
		return "";
	if (format_ends_in(path, ".txt") || format_ends_in(path, ".folded"))
		return "less ";
	return format_ends_in(path, ".json") ? "https://www.speedscope.app with " :
					       "sampler report ";
}

static void print_next_step(struct printer *p, const char *path)
{
	bool browser;
	const char *tool = tool_for(path, &browser);
	char *whole = tool && browser ? realpath(path, NULL) : NULL;

	if (tool)
		print_to(p, "look: %s", tool);
	if (whole)
		print_to(p, "%s", whole);
	else if (tool)
		print_quoted(p, path);
	free(whole);
}

void ending_written(const struct recording *r, const struct recording_options *o, const char *path,
		    uint64_t bytes)
{
	struct buffer look = { 0 };
	struct printer p = { &look, 0 };
	char end[200] = "";

	put_how_it_ended(r, o, end);
	cli_wrote(path, bytes, end);
	print_next_step(&p, path);
	if (look.len && !p.rc)
		cli_line("%.*s", (int)look.len, (char *)look.data);
	buffer_release(&look);
}
