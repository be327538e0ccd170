/* The files have a line or some fields of numbers, which a cursor reads in their order; in `stat` a
 * name comes before them that may hold anything. */
#include "sampler/thread/taskfiles.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/smallfile.h"

static uint64_t hex_number(struct cursor *c)
{
	cursor_expect(c, ' ');
	cursor_expect(c, '0');
	cursor_expect(c, 'x');
	return cursor_number(c, 16);
}

/* "NUMBER 0xARG… 0xSP 0xPC", "-1 0xSP 0xPC" or "running" (proc_pid_syscall() in
 * fs/proc/base.c). */
bool call_parse(const char *text, size_t len, struct call *call)
{
	struct cursor c;

	memset(call, 0, sizeof(*call));
	cursor_init(&c, text, len, "syscall");
	if (len && *text == '-') {
		cursor_expect(&c, '-');
		call->number = -(int64_t)cursor_number(&c, 10);
	} else {
		call->number = (int64_t)cursor_number(&c, 10);
		for (int i = 0; i < 6; i++)
			call->args[i] = hex_number(&c);
	}
	call->sp = hex_number(&c);
	call->pc = hex_number(&c);
	return !c.failed;
}

bool schedstat_parse(const char *text, size_t len, struct schedstat *s)
{
	struct cursor c;

	cursor_init(&c, text, len, "schedstat");
	s->cpu_ns = cursor_number(&c, 10);
	cursor_expect(&c, ' ');
	s->wait_ns = cursor_number(&c, 10);
	cursor_expect(&c, ' ');
	s->slices = cursor_number(&c, 10);
	return !c.failed;
}

bool schedstat_read(int fd, struct schedstat *s)
{
	char text[96];
	ssize_t len = smallfile_text(fd, text, sizeof(text));

	return len > 0 && schedstat_parse(text, (size_t)len, s);
}

/* The text behind the given number of blanks. */
static const char *field_after(const char *text, int blanks)
{
	for (; *text && blanks; text++)
		blanks -= *text == ' ';
	return text;
}

/* The name is in parentheses and may contain some itself. */
bool thread_stat_parse(char *text, struct thread_stat *s)
{
	char *open = strchr(text, '('), *close_paren = open ? strrchr(open, ')') : NULL;
	const char *flags, *user, *system, *cpu;

	if (!close_paren || close_paren[1] != ' ' || !close_paren[2])
		return false;
	*close_paren = '\0';
	s->name[0] = '\0';
	strncat(s->name, open + 1, sizeof(s->name) - 1);
	s->state = close_paren[2];
	flags = field_after(close_paren + 2, 9 - 3);
	s->flags = (unsigned)strtoul(flags, NULL, 10);
	user = field_after(flags, 14 - 9);
	s->user = strtoul(user, NULL, 10);
	system = field_after(user, 15 - 14);
	s->system = strtoul(system, NULL, 10);
	cpu = field_after(system, 39 - 15);
	s->cpu = (int)strtol(cpu, NULL, 10);
	s->realtime = strtoul(field_after(cpu, 40 - 39), NULL, 10) > 0;
	return true;
}

/* "se.exec_start : 12345.678901" (ms) in the text of a sched file, as ns
 * (proc_sched_show_task() in kernel/sched/debug.c). */
uint64_t exec_start_parse(const char *text)
{
	const char *at = strstr(text, "se.exec_start"), *colon = at ? strchr(at, ':') : NULL;
	struct cursor c;
	uint64_t ms, ns;

	cursor_init(&c, colon ? colon + 1 : "", colon ? strlen(colon + 1) : 0, "sched");
	while (cursor_left(&c) && *c.pos == ' ')
		cursor_expect(&c, ' ');
	ms = cursor_number(&c, 10);
	cursor_expect(&c, '.');
	ns = cursor_number(&c, 10); /* six digits (SEQ_printf of SPLIT_NS) */
	return c.failed ? 0 : ms * 1000000 + ns;
}

uint64_t exec_start_read(int fd)
{
	char text[THREAD_SCHED_ROOM];

	smallfile_text(fd, text, sizeof(text));
	return exec_start_parse(text);
}
