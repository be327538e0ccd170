/* What the threads of a dump wait for, as text and JSON (sampler/dump/dumplocks.c). */
#include <stdio.h>
#include <string.h>

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

static bool dump_locks_is_of_java(const char *name)
{
	static const char *const heads[] = { "java.", "jdk.", "sun." };

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (!strncmp(name, heads[i], strlen(heads[i])))
			return true;
	return false;
}

/* Where it is in its language: the innermost function of the program's, or else of the library's.
 * NULL: in none. */
static const struct symbol_frame *dump_locks_managed_place(const struct dump_thread *t)
{
	const struct symbol_frame *of_library = NULL;

	for (size_t i = 0; i < t->count; i++) {
		const struct dump_frame *f = &t->frames[i];

		if (!f->interpreted || !f->call_count || f->unnamed)
			continue;
		if (!dump_locks_is_of_java(f->calls[0].name))
			return &f->calls[0];
		of_library = of_library ? of_library : &f->calls[0];
	}
	return of_library;
}

/* `thread 12 "worker", in work at work.c:7`; `managed`: the place is one of its language. */
static void print_holder(struct printer *p, const struct dump_thread *t, bool managed)
{
	const struct symbol_frame *place = managed ? dump_locks_managed_place(t) : NULL;

	place = place ? place : dump_locks_place_of(t);

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

/* `a java.lang.Object at 0x…` */
static void dump_locks_print_object(struct printer *p, const struct managed_wait *w)
{
	if (*w->class) {
		print_to(p, "a ");
		print_foreign(p, w->class);
	} else {
		print_to(p, "an object");
	}
	if (w->address)
		print_to(p, " at 0x%lx", w->address);
}

static void dump_locks_print_managed(struct printer *p, const struct dump_lock *l)
{
	static const char *const waits[MANAGED_WAIT_KINDS] = {
		"", "waits for the monitor of ", "waits to be notified on the monitor of ",
		"waits for "
	};

	print_to(p, "%s", waits[l->managed->kind]);
	dump_locks_print_object(p, l->managed);
	if (l->timed)
		print_to(p, ", with a timeout");
}

static void print_lock(struct printer *p, const struct dump_lock *l)
{
	if (l->managed) {
		dump_locks_print_managed(p, l);
		return;
	}
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
		print_holder(p, l->holder, l->managed);
	} else if (l->managed) {
		print_to(p, l->managed->owned ? ", held by a thread that is not shown here" : "");
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
	if (!t->lock.kind && !t->lock.managed)
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
		print_holder(p, t, t->lock.managed);
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

static const char *dump_locks_kind_name(const struct dump_lock *l)
{
	static const char *const names[MANAGED_WAIT_KINDS] = { "", "monitor", "notification",
							       "park" };

	return l->managed ? names[l->managed->kind] : lock_kind_name(l->kind);
}

void dump_json_wait(struct json *j, const struct dump_thread *t)
{
	const struct dump_lock *l = &t->lock;

	json_addf(j, ",\"waits_for\":");
	if (!l->kind && !l->managed) {
		json_add(j, "null");
		return;
	}
	json_addf(j, "{\"kind\":\"%s\"", dump_locks_kind_name(l));
	json_addf(j, l->address ? ",\"address\":\"0x%lx\"" : ",\"address\":null", l->address);
	json_add(j, ",\"class\":");
	json_add_text(j, l->managed && *l->managed->class ? l->managed->class : NULL);
	json_add(j, ",\"variable\":");
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
