/* The children are found in /proc/PID/task/TID/children of each thread, and their CPU time in clock
 * ticks in stat. Those that have ended are in their parent's cutime and cstime. */
#include "sampler/member/offspring.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/process/process.h"

struct offspring_search {
	pid_t found[OFFSPRING_MAX];
	size_t count;
	struct buffer text;
	offspring_left_out *left_out; /* NULL: none is */
	const void *owner;
};

/* Reads the fields of CPU time, in clock ticks. */
static bool read_ticks(struct offspring_search *s, const struct process *p,
		       uint64_t fields[STAT_FIELDS])
{
	return !process_read(p, "stat", &s->text, NULL) &&
	       process_stat_parse(s->text.data, s->text.len, STAT_CSTIME, fields);
}

/* Adds the children of a thread (proc(5), /proc/PID/task/TID/children) to the search. */
static void offspring_add_children(struct offspring_search *s, const struct process *p,
				   const char *tid)
{
	char name[64];
	struct cursor c;

	snprintf(name, sizeof(name), "task/%.20s/children", tid);
	if (process_read(p, name, &s->text, NULL))
		return;
	cursor_init(&c, s->text.data, s->text.len, "children");
	while (!c.failed && cursor_left(&c) && s->count < OFFSPRING_MAX) {
		pid_t pid = (pid_t)cursor_number(&c, 10);

		cursor_expect(&c, ' ');
		/* sampler may be a child of its target */
		if (!c.failed && pid != getpid() && !(s->left_out && s->left_out(s->owner, pid)))
			s->found[s->count++] = pid;
	}
}

static void search_process(struct offspring_search *s, const struct process *p)
{
	int fd = process_openat(p, "task", O_RDONLY | O_DIRECTORY);
	DIR *tasks = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	for (int left = OFFSPRING_THREADS_MAX; tasks && left && (entry = readdir(tasks));)
		if (*entry->d_name != '.') {
			offspring_add_children(s, p, entry->d_name);
			left--;
		}
	if (tasks)
		closedir(tasks);
	else
		descriptor_close(&fd);
}

size_t offspring_children(const struct process *p, pid_t found[OFFSPRING_MAX])
{
	struct offspring_search *s = calloc(1, sizeof(*s));
	size_t count;

	if (!s)
		return 0;
	search_process(s, p);
	count = s->count;
	memcpy(found, s->found, count * sizeof(*found));
	buffer_release(&s->text);
	free(s);
	return count;
}

bool offspring_read(struct offspring *o, const struct process *p, offspring_left_out *left_out,
		    const void *owner)
{
	struct offspring_search *s = calloc(1, sizeof(*s));
	uint64_t ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK), ticks[STAT_FIELDS];
	bool there = s && read_ticks(s, p, ticks);

	*o = (struct offspring){ 0 };
	if (there) {
		s->left_out = left_out;
		s->owner = owner;
		o->cpu_ns = (ticks[STAT_CUTIME] + ticks[STAT_CSTIME]) * ns;
		search_process(s, p);
	}
	for (size_t i = 0; there && i < s->count; i++) {
		struct process child;

		if (process_open(&child, s->found[i], NULL))
			continue;
		if (read_ticks(s, &child, ticks)) {
			o->cpu_ns += (ticks[STAT_UTIME] + ticks[STAT_STIME] + ticks[STAT_CUTIME] +
				      ticks[STAT_CSTIME]) *
				     ns;
			o->alive++;
			search_process(s, &child);
		}
		process_close(&child);
	}
	if (s)
		buffer_release(&s->text);
	free(s);
	return there;
}
