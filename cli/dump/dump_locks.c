/* What the threads of a dump wait for, as text and JSON (sampler/dump/dumplocks.c). */
#include <stdio.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
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
static int dump_locks_add_holder(struct buffer *b, const struct dump_thread *t)
{
	const struct symbol_frame *place = dump_locks_place_of(t);
	int rc = buffer_addf(b, "thread %d \"", t->tid);

	if (!rc)
		rc = dump_add_clean(b, t->name);
	if (!rc)
		rc = buffer_addf(b, "\"");
	if (!rc && place)
		rc = buffer_addf(b, ", in ") || dump_add_clean(b, place->name);
	if (!rc && place && place->file)
		rc = buffer_addf(b, " at ") || dump_add_clean(b, place->file);
	if (!rc && place && place->file && place->line)
		rc = buffer_addf(b, ":%u", place->line);
	return rc;
}

static int dump_locks_add_lock(struct buffer *b, const struct dump_lock *l)
{
	int rc = buffer_addf(b, "waits for a %s", lock_kind_name(l->kind));

	/* A thread of an idle pool waits for a condition of its own, which no thread holds. */
	if (!rc && (l->kind != LOCK_CONDITION || l->variable))
		rc = buffer_addf(b, " at 0x%lx", l->address);

	if (!rc && l->variable)
		rc = buffer_addf(b, " (") || dump_add_clean(b, l->variable);
	if (!rc && l->variable && l->offset)
		rc = buffer_addf(b, "+0x%lx", l->offset);
	if (!rc && l->variable)
		rc = buffer_addf(b, ")");
	if (!rc && l->timed)
		rc = buffer_addf(b, ", with a timeout");
	return rc;
}

/* What is known of the lock's owner. */
static int dump_locks_add_owner(struct buffer *b, const struct dump_thread *t)
{
	const struct dump_lock *l = &t->lock;
	int rc = 0;

	if (l->holder == t)
		return buffer_addf(b, ", of which the owner field names this thread itself: it has "
				      "locked it twice, or the field was overwritten");
	if (l->holder) {
		rc = buffer_addf(b, ", held by ");
		return rc ? rc : dump_locks_add_holder(b, l->holder);
	}
	if (l->owner)
		return buffer_addf(b,
				   ", of which the owner field names %d, which is no thread "
				   "shown here",
				   l->owner);
	if (l->readers)
		return buffer_addf(b, ", held by readers, which it does not record");
	if (l->kind == LOCK_MUSL_MUTEX)
		return buffer_addf(b, ", which does not record its owner");
	return 0;
}

int dump_add_wait(struct buffer *b, const struct dump_thread *t)
{
	int rc = t->lock.kind ? buffer_add(b, "     ", 5) : 0;

	if (rc || !t->lock.kind)
		return rc;
	rc = dump_locks_add_lock(b, &t->lock);
	if (!rc)
		rc = dump_locks_add_owner(b, t);
	return rc ? rc : buffer_add(b, "\n", 1);
}

/* Any thread of the circle. */
static const struct dump_thread *first_of(const struct dump_process *p, unsigned deadlock)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->threads[i].lock.deadlock == deadlock)
			return &p->threads[i];
	return NULL;
}

static int add_deadlock(struct buffer *b, const struct dump_thread *first)
{
	const struct dump_thread *t = first;
	unsigned count = 0;
	int rc;

	do {
		count++;
		t = t->lock.holder;
	} while (t != first);
	rc = buffer_addf(b, "\ndeadlock: %u threads wait for each other\n", count);
	do {
		if (!rc)
			rc = buffer_add(b, "     ", 5) || dump_locks_add_holder(b, t) ||
					     buffer_addf(b, ", ") ||
					     dump_locks_add_lock(b, &t->lock) ||
					     buffer_addf(b, ", held by thread %d\n",
							 t->lock.holder->tid) ?
				     ERR_NOMEM :
				     0;
		t = t->lock.holder;
	} while (t != first);
	return rc;
}

int dump_add_deadlocks(struct buffer *b, const struct dump_process *p)
{
	int rc = 0;

	for (unsigned i = 1; !rc && i <= p->deadlocks; i++)
		rc = add_deadlock(b, first_of(p, i));
	return rc;
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
