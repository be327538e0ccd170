/* What the threads of a dump wait for, as text and JSON (sampler/dump/dumplocks.c). */
#include <stdio.h>

#include "base/error.h"
#include "base/json.h"
#include "base/printer.h"
#include "cli/dump/dumpformat.h"
#include "sampler/dump/dumping.h"
#include "sampler/lock/lock.h"
#include "symbolize/symbolizer.h"

static bool has_symbol(const struct dump_frame *f)
{
	return f->call_count && !f->unnamed;
}

/* Where a thread is, for a reader: of one that waits, the innermost function outside of the file
 * that makes the call; in a static program, the innermost one with a source file, as a C library
 * has none there. NULL: it has no name. */
static const struct symbol_frame *dump_locks_place_of(const struct dump_thread *t)
{
	const struct dump_frame *place = t->count ? &t->frames[0] : NULL;
	bool found = t->syscall < 0;

	for (size_t i = 0; !found && i < t->count; i++)
		if (has_symbol(&t->frames[i]) && t->frames[i].image != t->frames[0].image) {
			place = &t->frames[i];
			found = true;
		}
	for (size_t i = 0; !found && i < t->count; i++)
		if (t->frames[i].call_count && t->frames[i].calls[0].file) {
			place = &t->frames[i];
			found = true;
		}
	return place && place->call_count ? &place->calls[0] : NULL;
}

/* `thread 12 "worker", in work at work.c:7` */
static void print_holder(struct printer *p, const struct dump_thread *t)
{
	const struct symbol_frame *place = dump_locks_place_of(t);

	print_to(p, "thread %d \"", t->tid);
	print_foreign(p, t->name);
	print_to(p, "\"");
	if (!place)
		return;
	print_to(p, ", in ");
	print_foreign(p, place->name);
	if (!place->file)
		return;
	print_to(p, " at ");
	print_foreign(p, place->file);
	if (place->line)
		print_to(p, ":%u", place->line);
}

static void print_lock(struct printer *p, const struct dump_lock *l)
{
	print_to(p, "waits for a %s", lock_kind_name(l->kind));
	/* A thread of an idle pool waits for a condition of its own, which no thread holds. */
	if ((l->kind != LOCK_CONDITION && l->kind != LOCK_RUST_CONDITION) || l->variable)
		print_to(p, " at 0x%lx", l->address);
	if (l->variable) {
		print_to(p, " (");
		print_foreign(p, l->variable);
		if (l->offset)
			print_to(p, "+0x%lx", l->offset);
		print_to(p, ")");
	}
	if (l->timed)
		print_to(p, ", with a timeout");
}

/* What is known of the lock's owner. */
static void print_owner(struct printer *p, const struct dump_thread *t)
{
	const struct dump_lock *l = &t->lock;

	if (l->holder == t) {
		print_to(p, ", of which the owner field names this thread itself: it has locked it "
			    "twice, or the field was overwritten");
	} else if (l->holder) {
		print_to(p, ", held by ");
		print_holder(p, l->holder);
	} else if (l->owner) {
		print_to(p, ", of which the owner field names %d, which is no thread shown here",
			 l->owner);
	} else if (l->readers) {
		print_to(p, ", held by readers, which it does not record");
	} else if (l->kind == LOCK_MUSL_MUTEX || l->kind == LOCK_RUST_MUTEX ||
		   l->kind == LOCK_RUST_RWLOCK) {
		print_to(p, ", which does not record its owner");
	}
}

void dump_print_wait(struct printer *p, const struct dump_thread *t)
{
	if (!t->lock.kind)
		return;
	print_to(p, "     ");
	print_lock(p, &t->lock);
	print_owner(p, t);
	print_to(p, "\n");
}

/* Any thread of the circle. */
static const struct dump_thread *first_of(const struct dump_process *p, unsigned deadlock)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->threads[i].lock.deadlock == deadlock)
			return &p->threads[i];
	return NULL;
}

static void print_deadlock(struct printer *p, const struct dump_thread *first)
{
	const struct dump_thread *t = first;
	unsigned count = 0;

	do {
		count++;
		t = t->lock.holder;
	} while (t != first);
	print_to(p, "\ndeadlock: %u threads wait for each other\n", count);
	do {
		print_to(p, "     ");
		print_holder(p, t);
		print_to(p, ", ");
		print_lock(p, &t->lock);
		print_to(p, ", held by thread %d\n", t->lock.holder->tid);
		t = t->lock.holder;
	} while (t != first);
}

void dump_print_deadlocks(struct printer *p, const struct dump_process *process)
{
	for (unsigned i = 1; i <= process->deadlocks; i++)
		print_deadlock(p, first_of(process, i));
}

void dump_json_wait(struct json *j, const struct dump_thread *t)
{
	const struct dump_lock *l = &t->lock;

	json_addf(j, ",\"waits_for\":");
	if (!l->kind) {
		json_add(j, "null");
		return;
	}
	json_addf(j,
		  "{\"kind\":\"%s\",\"address\":\"0x%lx\",\"variable\":", lock_kind_name(l->kind),
		  l->address);
	json_add_text(j, l->variable);
	json_addf(j, l->variable ? ",\"offset\":\"0x%lx\"" : ",\"offset\":null", l->offset);
	json_addf(j, l->holder ? ",\"owner\":%d" : ",\"owner\":null",
		  l->holder ? l->holder->tid : 0);
	json_addf(j, l->owner ? ",\"recorded_owner\":%d" : ",\"recorded_owner\":null", l->owner);
	json_addf(j, ",\"timeout\":%s}", l->timed ? "true" : "false");
}

void dump_json_deadlocks(struct json *j, const struct dump_process *p)
{
	json_add(j, ",\"deadlocks\":[");
	for (unsigned i = 1; i <= p->deadlocks; i++) {
		const struct dump_thread *first = first_of(p, i), *t = first;

		json_add(j, i > 1 ? ",[" : "[");
		do {
			json_addf(j, t == first ? "%d" : ",%d", t->tid);
			t = t->lock.holder;
		} while (t != first);
		json_add(j, "]");
	}
	json_add(j, "]");
}
