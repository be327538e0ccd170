/*
 * A dump for people, laid out like the stacks of gdb and eu-stack:
 *
 *   thread 4711 "worker", sleeping in epoll_wait
 *   #0   0x00007f3c1d0f1a0e  epoll_wait+0x5e  in libc.so.6
 *   #1   0x000055d0a0b13f2c  poll_once  at src/loop.c:118:9  in server, inlined
 *
 * Threads with the same text are one, '16 threads "idle-0…15" (4712-4727), sleeping in futex'
 * (sampler/cli/record/dumpfold.h).
 */
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/process.h"
#include "sampler/cli/record/dumpfold.h"
#include "sampler/cli/record/dumpformat.h"
#include "sampler/dump/dumping.h"
#include "sampler/thread/syscalls.h"
#include "symbolize/symbolizer.h"

static int add_source(struct buffer *b, const struct symbol_frame *call)
{
	int rc = 0;

	if (!call->file)
		return 0;
	rc = buffer_addf(b, "  at ") || dump_add_clean(b, call->file) ? ERR_NOMEM : 0;
	if (!rc && call->line)
		rc = buffer_addf(b, ":%u", call->line);
	if (!rc && call->line && call->column)
		rc = buffer_addf(b, ":%u", call->column);
	return rc;
}

/* One of the calls at a frame: the last is the function itself, the others are inlined calls. */
static int add_call(struct buffer *b, const struct dump_frame *f, size_t i, size_t number)
{
	const struct symbol_frame *call = &f->calls[i];
	bool last = i == f->call_count - 1;
	int rc = f->interpreted ? buffer_addf(b, "#%-3zu %18s  ", number, "") :
				  buffer_addf(b, "#%-3zu 0x%016lx  ", number, f->pc);

	if (!rc)
		rc = dump_add_clean(b, call->name);
	if (!rc && last && f->function)
		rc = buffer_addf(b, "+0x%lx", f->addr - f->function);
	if (!rc)
		rc = add_source(b, call);
	if (!rc)
		rc = buffer_add(b, "  in ", 5);
	if (!rc)
		rc = dump_add_clean(b, image_name(f->image));
	return rc ? rc : buffer_addf(b, "%s\n", last ? "" : ", inlined");
}

static int add_frame(struct buffer *b, const struct dump_frame *f, size_t *number)
{
	int rc = 0;

	if (!f->call_count)
		return buffer_addf(b, "#%-3zu 0x%016lx  [unknown]\n", (*number)++, f->pc);
	for (size_t i = 0; !rc && i < f->call_count; i++)
		rc = add_call(b, f, i, (*number)++);
	return rc;
}

/* All but the thread's number and name. */
static int add_thread(struct buffer *b, const struct dump_thread *t)
{
	char call[SYSCALL_NAME_ROOM];
	size_t number = 0;
	int rc = buffer_addf(b, ", %s", dump_state_name(t->state));

	if (!rc && t->syscall >= 0)
		rc = buffer_addf(b, " in %s", syscall_name(t->syscall, call));
	if (!rc)
		rc = buffer_add(b, "\n", 1);
	if (!rc)
		rc = dump_add_wait(b, t);
	for (size_t i = 0; !rc && i < t->count; i++)
		rc = add_frame(b, &t->frames[i], &number);
	if (!rc && !t->walked)
		rc = buffer_addf(b, "     no stack to be seen\n");
	else if (!rc && t->end != STACK_OUTERMOST)
		rc = buffer_addf(b, "     incomplete: %s\n", stack_end_name(t->end));
	return rc;
}

static int add_heading(struct buffer *b, const struct dump_process *p)
{
	time_t seconds = (time_t)(p->time_ns / NS_PER_S);
	char when[32];
	struct tm tm;
	int rc;

	gmtime_r(&seconds, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
	rc = buffer_addf(b, "process %d \"", p->process->pid);
	if (!rc)
		rc = dump_add_clean(b, p->process->comm);
	if (rc)
		return rc;
	return buffer_addf(b, "\", %zu thread%s, %s\n", p->count, p->count == 1 ? "" : "s", when);
}

static int add_groups(const struct dumpfold *f, const struct dump_process *p, struct buffer *b,
		      struct outfile *file, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < f->count; i++) {
		const struct dumpfold_group *g = &f->groups[i];

		rc = buffer_addf(b, "\n");
		rc = rc ? rc : dumpfold_heading(f, g, p->threads, b);
		rc = rc ? rc : buffer_add(b, g->text, g->len);
		rc = dump_flush(b, file, rc, false, err);
	}
	return rc;
}

static int add_folded(const struct dump_process *p, struct buffer *b, struct outfile *file,
		      struct error *err)
{
	struct dumpfold f = { 0 };
	struct buffer text = { 0 };
	int rc = 0;

	for (uint32_t i = 0; !rc && i < p->count; i++) {
		text.len = 0;
		rc = add_thread(&text, &p->threads[i]);
		rc = rc ? rc : dumpfold_add(&f, i, text.data, text.len);
	}
	rc = rc ? error_nomem(err) : add_groups(&f, p, b, file, err);
	buffer_release(&text);
	dumpfold_release(&f);
	return rc;
}

static int add_each(const struct dump_process *p, struct buffer *b, struct outfile *file,
		    struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->count; i++) {
		const struct dump_thread *t = &p->threads[i];

		rc = buffer_addf(b, "\nthread %d \"", t->tid);
		rc = rc ? rc : dump_add_clean(b, t->name);
		rc = rc ? rc : buffer_addf(b, "\"");
		rc = rc ? rc : add_thread(b, t);
		rc = dump_flush(b, file, rc, false, err);
	}
	return rc;
}

static int write_text(const struct dump *d, bool each, struct outfile *file, struct error *err)
{
	struct buffer b = { 0 };
	bool any = false;
	size_t count;
	const struct dump_process *processes = dump_processes(d, &count);
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++) {
		const struct dump_process *p = &processes[i];

		if (!p->count)
			continue;
		rc = any ? buffer_add(&b, "\n", 1) : 0;
		any = true;
		if (!rc)
			rc = add_heading(&b, p);
		rc = dump_flush(&b, file, rc, false, err);
		if (!rc)
			rc = (each ? add_each : add_folded)(p, &b, file, err);
		if (!rc)
			rc = dump_flush(&b, file, dump_add_deadlocks(&b, p), false, err);
	}
	if (!rc)
		rc = dump_flush(&b, file, 0, true, err);
	buffer_release(&b);
	return rc;
}

int dump_text(const struct dump *d, struct outfile *file, struct error *err)
{
	return write_text(d, false, file, err);
}

int dump_text_each(const struct dump *d, struct outfile *file, struct error *err)
{
	return write_text(d, true, file, err);
}
