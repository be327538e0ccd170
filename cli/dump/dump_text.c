/*
 * A dump for people, laid out like the stacks of gdb and eu-stack:
 *
 *   thread 4711 "worker", sleeping in epoll_wait
 *   #0   0x00007f3c1d0f1a0e  epoll_wait+0x5e  in libc.so.6
 *   #1   0x000055d0a0b13f2c  poll_once  at src/loop.c:118:9  in server, inlined
 *
 * Threads with the same text are one, '16 threads "idle-0…15" (4712-4727), sleeping in futex'
 * (cli/dump/dumpfold.h). So are processes, '4 processes "nginx" (12-15), 1 thread each'.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/process.h"
#include "cli/common/cli.h"
#include "cli/dump/dumpfold.h"
#include "cli/dump/dumpformat.h"
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

/* Another process of the same program has the same code at another address. */
static uint64_t shown_pc(const struct dump_frame *f, bool of_any)
{
	return of_any && f->image ? f->addr : f->pc;
}

/* One of the calls at a frame: the last is the function itself, the others are inlined calls. */
static int dump_text_add_call(struct buffer *b, const struct dump_frame *f, size_t i, size_t number,
			      bool of_any)
{
	const struct symbol_frame *call = &f->calls[i];
	bool last = i == f->call_count - 1;
	int rc = f->interpreted ? buffer_addf(b, "#%-3zu %18s  ", number, "") :
				  buffer_addf(b, "#%-3zu 0x%016lx  ", number, shown_pc(f, of_any));

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

static int dump_text_add_frame(struct buffer *b, const struct dump_frame *f, size_t *number,
			       bool of_any)
{
	int rc = 0;

	if (!f->call_count)
		return buffer_addf(b, "#%-3zu 0x%016lx  [unknown]\n", (*number)++,
				   shown_pc(f, of_any));
	for (size_t i = 0; !rc && i < f->call_count; i++)
		rc = dump_text_add_call(b, f, i, (*number)++, of_any);
	return rc;
}

/* All but the thread's number and name; of_any: and where its process has the code. */
static int dump_text_add_thread(struct buffer *b, const struct dump_thread *t, bool of_any)
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
		rc = dump_text_add_frame(b, &t->frames[i], &number, of_any);
	if (!rc && !t->walked)
		rc = buffer_addf(b, "     no stack to be seen\n");
	else if (!rc && t->end != STACK_OUTERMOST)
		rc = buffer_addf(b, "     incomplete: %s\n", stack_end_name(t->end));
	return rc;
}

static void put_time(const struct dump_process *p, char when[32])
{
	time_t seconds = (time_t)(p->time_ns / NS_PER_S);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(when, 32, "%Y-%m-%d %H:%M:%S UTC", &tm);
}

/* Processes that look alike. */
struct alike {
	const struct dumpfold *all;
	const struct dumpfold_group *group;
	const pid_t *pids;
};

/* `process 12 "nginx", 1 thread, TIME`, `4 processes "nginx" (12-15), 1 thread each, TIME` */
static int dump_text_add_heading(struct buffer *b, const struct dump_process *p,
				 const struct alike *a)
{
	uint32_t count = a->group->count;
	char when[32];
	int rc = count > 1 ? buffer_addf(b, "%u processes \"", count) :
			     buffer_addf(b, "process %d \"", p->process->pid);

	put_time(p, when);
	rc = rc ? rc : dump_add_clean(b, p->process->comm);
	rc = rc ? rc : buffer_addf(b, "\"");
	if (!rc && count > 1)
		rc = buffer_addf(b, " (") ||
		     dumpfold_numbers(a->all, a->group, a->pids, sizeof(*a->pids), b) ||
		     buffer_addf(b, ")");
	return rc || buffer_addf(b, ", %zu thread%s%s, %s\n", p->count, cli_plural(p->count),
				 count > 1 ? " each" : "", when) ?
		       ERR_NOMEM :
		       0;
}

static int dump_text_fold(const struct dump_process *p, bool of_any, struct dumpfold *f)
{
	struct buffer text = { 0 };
	int rc = 0;

	for (uint32_t i = 0; !rc && i < p->count; i++) {
		text.len = 0;
		rc = dump_text_add_thread(&text, &p->threads[i], of_any);
		rc = rc ? rc : dumpfold_add(f, i, text.data, text.len);
	}
	buffer_release(&text);
	return rc;
}

static int dump_text_add_groups(const struct dumpfold *f, const struct dump_process *p,
				bool of_each, struct buffer *b, struct outfile *file,
				struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < f->count; i++) {
		const struct dumpfold_group *g = &f->groups[i];

		rc = buffer_addf(b, "\n");
		rc = rc ? rc :
			  (of_each ? dumpfold_each_heading : dumpfold_heading)(f, g, p->threads, b);
		rc = rc ? rc : buffer_add(b, g->text, g->len);
		rc = dump_flush(b, file, rc, false, err);
	}
	return rc;
}

static int dump_text_add_folded(const struct dump_process *p, bool of_each, struct buffer *b,
				struct outfile *file, struct error *err)
{
	struct dumpfold f = { 0 };
	int rc = dump_text_fold(p, false, &f);

	rc = rc ? error_nomem(err) : dump_text_add_groups(&f, p, of_each, b, file, err);
	dumpfold_release(&f);
	return rc;
}

static int dump_text_add_each(const struct dump_process *p, struct buffer *b, struct outfile *file,
			      struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->count; i++) {
		const struct dump_thread *t = &p->threads[i];

		rc = buffer_addf(b, "\nthread %d \"", t->tid);
		rc = rc ? rc : dump_add_clean(b, t->name);
		rc = rc ? rc : buffer_addf(b, "\"");
		rc = rc ? rc : dump_text_add_thread(b, t, false);
		rc = dump_flush(b, file, rc, false, err);
	}
	return rc;
}

/* What processes that look alike have in common. */
static int dump_text_add_key(const struct dump_process *p, struct buffer *key)
{
	struct dumpfold f = { 0 };
	int rc = dump_text_fold(p, true, &f);

	rc = rc ? rc : buffer_addf(key, "%s\n", p->process->comm);
	for (size_t i = 0; !rc && i < f.count; i++) {
		rc = buffer_addf(key, "%u ", f.groups[i].count);
		rc = rc ? rc : dumpfold_names(&f, &f.groups[i], p->threads, key);
		rc = rc ? rc : buffer_add(key, f.groups[i].text, f.groups[i].len);
	}
	rc = rc ? rc : dump_add_deadlocks(key, p);
	dumpfold_release(&f);
	return rc;
}

/* Each process for itself, if `each`. Those without a thread are left out. */
static int fold_processes(const struct dump_process *processes, size_t count, bool each,
			  struct dumpfold *all)
{
	struct buffer key = { 0 };
	int rc = 0;

	for (uint32_t i = 0; !rc && i < count; i++) {
		key.len = 0;
		if (!processes[i].count)
			continue;
		rc = each || count == 1 ? buffer_addf(&key, "%u", i) :
					  dump_text_add_key(&processes[i], &key);
		rc = rc ? rc : dumpfold_add(all, i, key.data, key.len);
	}
	buffer_release(&key);
	return rc;
}

static int dump_text_add_process(const struct dump_process *p, const struct alike *a, bool each,
				 struct buffer *b, struct outfile *file, struct error *err)
{
	int rc = a->group == a->all->groups ? 0 : buffer_add(b, "\n", 1);

	rc = dump_flush(b, file, rc ? rc : dump_text_add_heading(b, p, a), false, err);
	if (!rc)
		rc = each ? dump_text_add_each(p, b, file, err) :
			    dump_text_add_folded(p, a->group->count > 1, b, file, err);
	return rc ? rc : dump_flush(b, file, dump_add_deadlocks(b, p), false, err);
}

static pid_t *pids_of(const struct dump_process *processes, size_t count)
{
	pid_t *pids = calloc(count + 1, sizeof(*pids));

	for (size_t i = 0; pids && i < count; i++)
		pids[i] = processes[i].process->pid;
	return pids;
}

static int dump_text_write_text(const struct dump *d, bool each, struct outfile *file,
				struct error *err)
{
	struct dumpfold all = { 0 };
	struct buffer b = { 0 };
	size_t count;
	const struct dump_process *processes = dump_processes(d, &count);
	pid_t *pids = pids_of(processes, count);
	int rc = !pids || fold_processes(processes, count, each, &all) ? error_nomem(err) : 0;

	for (size_t i = 0; !rc && i < all.count; i++) {
		struct alike a = { &all, &all.groups[i], pids };

		rc = dump_text_add_process(&processes[a.group->first], &a, each, &b, file, err);
	}
	if (!rc)
		rc = dump_flush(&b, file, 0, true, err);
	buffer_release(&b);
	dumpfold_release(&all);
	free(pids);
	return rc;
}

int dump_text(const struct dump *d, struct outfile *file, struct error *err)
{
	return dump_text_write_text(d, false, file, err);
}

int dump_text_each(const struct dump *d, struct outfile *file, struct error *err)
{
	return dump_text_write_text(d, true, file, err);
}
