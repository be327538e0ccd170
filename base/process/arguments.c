/* Arguments are read from the process's memory, by a read that a page which is served by the
 * process itself cannot hold up for long (memory_live_reads_by). Rejected: /proc/PID/cmdline, of
 * which a read can be. */
#include "base/process/arguments.h"

#include "base/buffer.h"
#include "base/process/memory.h"
#include "base/process/process.h"

size_t arguments_read(pid_t pid, uint64_t start, uint64_t end, char *text, size_t room)
{
	size_t len = start >= end ? 0 : end - start < room - 1 ? end - start : room - 1;
	struct memory_live live;

	memory_live_init(&live, pid);
	if (len && live.memory.read(&live.memory, start, text, len))
		len = 0;
	text[len] = '\0';
	return len;
}

size_t process_arguments(const struct process *p, char *text, size_t room)
{
	struct buffer stat = { 0 };
	uint64_t fields[STAT_FIELDS];
	bool found = !process_read(p, "stat", &stat, NULL) &&
		     process_stat_parse(stat.data, stat.len, STAT_ARG_END, fields);

	buffer_release(&stat);
	*text = '\0';
	return !found ? 0 :
			arguments_read(p->pid, fields[STAT_ARG_START], fields[STAT_ARG_END], text,
				       room);
}
