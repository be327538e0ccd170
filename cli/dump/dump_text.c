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

#include "base/clock.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/process.h"
#include "cli/common/cli.h"
#include "base/printer.h"
#include "cli/dump/dumpfold.h"
#include "cli/dump/dumpformat.h"
#include "sampler/dump/dumping.h"
#include "sampler/thread/syscalls.h"
#include "symbolize/symbolizer.h"

static void print_source(struct printer *p, const struct symbol_frame *call)
{
	if (!call->file)
		return;
	print_to(p, "  at ");
	print_foreign(p, call->file);
	if (call->line)
		print_to(p, ":%u", call->line);
	if (call->line && call->column)
		print_to(p, ":%u", call->column);
}

/* Another process of the same program has the same code at another address. */
static uint64_t shown_pc(const struct dump_frame *f, bool of_any)
{
	return of_any && f->image ? f->addr : f->pc;
}

/* One of the calls at a frame: the last is the function itself, the others are inlined calls. */
static void dump_text_call(struct printer *p, const struct dump_frame *f, size_t i, size_t number,
			   bool of_any)
{
	const struct symbol_frame *call = &f->calls[i];
	bool last = i == f->call_count - 1;

	if (f->interpreted)
		print_to(p, "#%-3zu %18s  ", number, "");
	else
		print_to(p, "#%-3zu 0x%016lx  ", number, shown_pc(f, of_any));
	print_foreign(p, call->name);
	if (last && f->function)
		print_to(p, "+0x%lx", f->addr - f->function);
	print_source(p, call);
	print_to(p, "  in ");
	print_foreign(p, image_name(f->image));
	print_to(p, "%s\n", last ? "" : ", inlined");
}

static void dump_text_frame(struct printer *p, const struct dump_frame *f, size_t *number,
			    bool of_any)
{
	if (!f->call_count)
		print_to(p, "#%-3zu 0x%016lx  [unknown]\n", (*number)++, shown_pc(f, of_any));
	for (size_t i = 0; i < f->call_count; i++)
		dump_text_call(p, f, i, (*number)++, of_any);
}

/* `, sleeping in epoll_wait` */
static void dump_text_state(struct printer *p, const struct dump_thread *t)
{
	char call[SYSCALL_NAME_ROOM];

	print_to(p, ", %s", dump_state_name(t->state));
	if (t->syscall >= 0)
		print_to(p, " in %s", syscall_name(t->syscall, call));
}

/* What follows the lines on what it waits for. */
static void dump_text_stack(struct printer *p, const struct dump_thread *t, bool of_any)
{
	size_t number = 0;

	dump_print_wait(p, t);
	for (size_t i = 0; i < t->count; i++)
		dump_text_frame(p, &t->frames[i], &number, of_any);
	if (!t->walked)
		print_to(p, "     no stack to be seen\n");
	else if (t->end != STACK_OUTERMOST)
		print_to(p, "     incomplete: %s\n", stack_end_name(t->end));
}

/* What threads that are alike have in common: all but number, name and what each waits for. of_any:
 * and where its process has the code. */
static void dump_text_alike(struct printer *p, const struct dump_thread *t, bool of_any)
{
	dump_text_state(p, t);
	print_to(p, "\n");
	dump_print_awaited_kind(p, t);
	dump_text_stack(p, t, of_any);
}

/* A thread, or several that are alike, behind their names. */
static void dump_text_threads(struct printer *p, const struct dump_thread *const *threads,
			      size_t count)
{
	dump_text_state(p, threads[0]);
	dump_print_off_cpu(p, threads, count);
	print_to(p, "\n");
	dump_print_awaited(p, threads, count);
	dump_text_stack(p, threads[0], false);
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
static void dump_text_heading(struct printer *p, const struct dump_process *process,
			      const struct alike *a)
{
	uint32_t count = a->group->count;
	char when[32];

	put_time(process, when);
	if (count > 1)
		print_to(p, "%u processes \"", count);
	else
		print_to(p, "process %d \"", process->process->pid);
	print_foreign(p, process->process->comm);
	print_to(p, "\"");
	if (count > 1) {
		print_to(p, " (");
		dumpfold_numbers(a->all, a->group, a->pids, sizeof(*a->pids), p);
		print_to(p, ")");
	}
	print_to(p, ", %zu thread%s%s, %s\n", process->count, cli_plural(process->count),
		 count > 1 ? " each" : "", when);
}

static int dump_text_fold(const struct dump_process *process, bool of_any, struct dumpfold *f)
{
	struct buffer text = { 0 };
	struct printer p = { &text, 0 };

	for (uint32_t i = 0; !p.rc && i < process->count; i++) {
		text.len = 0;
		dump_text_alike(&p, &process->threads[i], of_any);
		p.rc = p.rc ? p.rc : dumpfold_add(f, i, text.data, text.len);
	}
	buffer_release(&text);
	return p.rc;
}

/* The threads of a group, each with its own wait. Of processes that look alike only the first one's
 * are at hand. */
static void dump_text_group(struct printer *p, const struct dump_process *process,
			    const struct dumpfold *f, const struct dumpfold_group *g, bool of_each)
{
	const struct dump_thread **threads = calloc(g->count, sizeof(struct dump_thread *));
	uint32_t at = g->first;

	dumpfold_heading(f, g, process->threads, of_each, p);
	for (uint32_t i = 0; threads && i < g->count; i++, at = f->next[at])
		threads[i] = &process->threads[at];
	if (!threads)
		printer_fail(p, ERR_NOMEM);
	else if (of_each)
		print_bytes(p, g->text, g->len);
	else
		dump_text_threads(p, threads, g->count);
	free(threads);
}

static int dump_text_folded(const struct dump_process *process, bool of_each, struct buffer *b,
			    struct outfile *file, struct error *err)
{
	struct dumpfold f = { 0 };
	int rc = dump_text_fold(process, false, &f) ? error_nomem(err) : 0;

	for (size_t i = 0; !rc && i < f.count; i++) {
		struct printer p = { b, 0 };

		print_to(&p, "\n");
		dump_text_group(&p, process, &f, &f.groups[i], of_each);
		rc = dump_flush(b, file, p.rc, false, err);
	}
	dumpfold_release(&f);
	return rc;
}

static int dump_text_all(const struct dump_process *process, struct buffer *b, struct outfile *file,
			 struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < process->count; i++) {
		const struct dump_thread *t = &process->threads[i];
		struct printer p = { b, 0 };

		print_to(&p, "\nthread %d \"", t->tid);
		print_foreign(&p, t->name);
		print_to(&p, "\"");
		dump_text_threads(&p, &t, 1);
		rc = dump_flush(b, file, p.rc, false, err);
	}
	return rc;
}

/* What processes that look alike have in common. */
static int dump_text_key(const struct dump_process *process, struct buffer *key)
{
	struct dumpfold f = { 0 };
	struct printer p = { key, dump_text_fold(process, true, &f) };

	print_to(&p, "%s\n", process->process->comm);
	for (size_t i = 0; !p.rc && i < f.count; i++) {
		print_to(&p, "%u ", f.groups[i].count);
		dumpfold_names(&f, &f.groups[i], process->threads, &p);
		print_to(&p, "%.*s", (int)f.groups[i].len, f.groups[i].text);
	}
	dump_print_deadlocks(&p, process);
	dumpfold_release(&f);
	return p.rc;
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
					  dump_text_key(&processes[i], &key);
		rc = rc ? rc : dumpfold_add(all, i, key.data, key.len);
	}
	buffer_release(&key);
	return rc;
}

static int dump_text_process(const struct dump_process *process, const struct alike *a, bool each,
			     struct buffer *b, struct outfile *file, struct error *err)
{
	struct printer p = { b, 0 };
	int rc;

	print_to(&p, a->group == a->all->groups ? "" : "\n");
	dump_text_heading(&p, process, a);
	if (p.rc)
		return error_nomem(err);
	rc = each ? dump_text_all(process, b, file, err) :
		    dump_text_folded(process, a->group->count > 1, b, file, err);
	if (rc)
		return rc;
	dump_print_deadlocks(&p, process);
	return dump_flush(b, file, p.rc, false, err);
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

		rc = dump_text_process(&processes[a.group->first], &a, each, &b, file, err);
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
