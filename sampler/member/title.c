/* The title is read from the process's memory, at the addresses of arg_start and arg_end in
 * proc_pid_stat(5). */
#include "sampler/member/title.h"

#include <string.h>

#include "base/buffer.h"
#include "base/process/memory.h"
#include "base/process/process.h"

bool title_is_one(const char *text)
{
	size_t name = strspn(text,
			     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

	return name && text[name] == ':' && text[name + 1] == ' ' && text[name + 2];
}

static bool find_arguments(const struct process *p, uint64_t *start, uint64_t *end)
{
	struct buffer text = { 0 };
	uint64_t fields[STAT_FIELDS];
	bool found = !process_read(p, "stat", &text, NULL) &&
		     process_stat_parse(text.data, text.len, STAT_ARG_END, fields);

	buffer_release(&text);
	*start = found ? fields[STAT_ARG_START] : 0;
	*end = found ? fields[STAT_ARG_END] : 0;
	return *start < *end;
}

/* Some programs blank what was there before, as nginx and gunicorn do: that is no part of it. */
static void cut_blanks(char *title)
{
	size_t len = strlen(title);

	while (len && title[len - 1] == ' ')
		len--;
	title[len] = '\0';
}

/* By a read that a page which is served by the process itself cannot hold up for long
 * (memory_live_reads_by), as a read of /proc/PID/cmdline can be. */
void title_read(const struct process *p, char title[TITLE_ROOM])
{
	uint64_t start, end;
	struct memory_live live;
	size_t len;

	*title = '\0';
	if (!find_arguments(p, &start, &end))
		return;
	memory_live_init(&live, p->pid);
	len = end - start < TITLE_ROOM ? end - start : TITLE_ROOM;
	if (live.memory.read(&live.memory, start, title, len))
		len = 0;
	title[len < TITLE_ROOM ? len : TITLE_ROOM - 1] = '\0';
	cut_blanks(title);
	if (!title_is_one(title))
		*title = '\0';
}
