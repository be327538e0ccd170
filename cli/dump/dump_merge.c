/* A dump of processes as one tree of all their threads (cli/dump/merge). */
#include <stdio.h>
#include <time.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "base/process/image.h"
#include "base/process/process.h"
#include "cli/dump/dumpformat.h"
#include "cli/dump/merge/merged.h"
#include "cli/dump/merge/mergetext.h"
#include "sampler/dump/dumping.h"
#include "sampler/thread/syscalls.h"
#include "symbolize/symbolizer.h"

enum { TIME_ROOM = 48 };

static void dump_merge_frame(struct merged *m, const struct dump_frame *f)
{
	struct merged_frame frame = { .module = f->image ? image_path(f->image) : NULL,
				      .interpreted = f->interpreted };

	if (!f->call_count)
		merged_add_frame(m, &frame);
	for (size_t i = 0; i < f->call_count; i++) {
		frame.function = f->calls[i].name;
		frame.file = f->calls[i].file;
		frame.line = f->calls[i].line;
		merged_add_frame(m, &frame);
	}
}

/* The kind of what it waits for; a sleep's call says as much. */
static const char *dump_merge_waits(const struct dump_thread *t)
{
	if (t->lock.kind)
		return lock_kind_name(t->lock.kind);
	return t->awaited.kind == AWAITED_SLEEP ? NULL : awaited_kind_name(t->awaited.kind);
}

static void dump_merge_thread(struct merged *m, const struct dump_thread *t)
{
	char call[SYSCALL_NAME_ROOM];
	const struct merged_doing doing = {
		.tid = t->tid,
		.name = t->name,
		.state = dump_state_name(t->state),
		.syscall = t->syscall < 0 ? NULL : syscall_name(t->syscall, call),
		.waits = dump_merge_waits(t),
	};

	merged_begin_thread(m);
	for (size_t i = 0; i < t->count; i++)
		dump_merge_frame(m, &t->frames[i]);
	merged_end_thread(m, &doing);
}

/* As dump_json writes it. */
static const char *dump_merge_time(const struct dump_process *p, char text[TIME_ROOM])
{
	time_t seconds = (time_t)(p->time_ns / NS_PER_S);
	struct tm tm;
	size_t len;

	gmtime_r(&seconds, &tm);
	len = strftime(text, TIME_ROOM, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + len, TIME_ROOM - len, ".%09luZ", (unsigned long)(p->time_ns % NS_PER_S));
	return text;
}

static void dump_merge_process(struct merged *m, const struct dump_process *p)
{
	char time[TIME_ROOM];

	merged_begin_process(m, NULL);
	for (size_t i = 0; i < p->count; i++)
		dump_merge_thread(m, &p->threads[i]);
	merged_end_process(m, p->process->pid, p->process->comm, dump_merge_time(p, time));
}

int dump_merge(const struct dump *d, struct outfile *file, struct error *err)
{
	struct buffer text = { 0 };
	struct merged m;
	size_t count;
	const struct dump_process *processes = dump_processes(d, &count);
	int rc;

	merged_init(&m);
	for (size_t i = 0; i < count; i++)
		if (processes[i].count)
			dump_merge_process(&m, &processes[i]);
	rc = merged_text(&m, &text, err);
	rc = rc ? rc : outfile_write(file, text.data, text.len, err);
	buffer_release(&text);
	merged_release(&m);
	return rc;
}
