/*
 * Of each thread that waits in futex(2): the lock, and the thread that holds it.
 *
 * When all stacks have been taken, each such thread is looked at once more, and then once again:
 * the lock's words are read while the thread is in the call in which its stack was taken, and has
 * not been on a CPU. What is read at the second look counts. A wait that was the same at both looks
 * was there at the moment between the two, so a circle of such waits stood as a whole at that
 * moment: it is a deadlock, unless one of them has a timeout.
 * What it waits for in a language, the monitors and locks of Java's, is read in the same two looks;
 * where it is known it is told instead of the VM's own lock.
 *
 * Nothing is stopped for this. The names that prove what kind of lock it is are found later, in the
 * process that decodes.
 */
#include <string.h>
#include <sys/syscall.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "sampler/dump/dumplook.h"
#include "sampler/member/member.h"
#include "symbolize/symbolizer.h"

/* Looking. */

/* Reads what the thread waits for. False: it has run since its stack was taken, or waits for no
 * futex. */
static bool dumplocks_look(const struct member *m, const struct dump_thread *t,
			   struct dump_wait *wait)
{
	struct thread *thread = member_thread(m, t->index);
	struct schedstat before;
	struct call call;

	if (!t->count || !thread_counters(m->threads, thread, &before) ||
	    !thread_read_call(m->threads, thread, &call) || call.pc != t->frames[0].pc ||
	    !lock_look(t->tid, &call, &wait->lock))
		return false;
	interps_wait(m->interps, t->own_tid, &wait->managed);
	if (!thread_rests_since(m->threads, thread, before.slices))
		return false;
	wait->slices = before.slices;
	return true;
}

static void number_threads(const struct member *m, struct dump_process *p)
{
	for (size_t i = 0; i < p->count; i++)
		p->threads[i].own_tid = m->own_numbers ?
						process_own_tid(&m->process, p->threads[i].tid) :
						p->threads[i].tid;
}

/* Are any of the process's threads in futex(2)? */
static bool look_first(const struct member *m, struct dump_process *p)
{
	bool any = false;

	for (size_t i = 0; i < p->count && !any; i++)
		any = p->threads[i].syscall == SYS_futex;
	if (any)
		number_threads(m, p);
	for (size_t i = 0; any && i < p->count; i++) {
		struct dump_thread *t = &p->threads[i];

		t->wait.known = t->syscall == SYS_futex && dumplocks_look(m, t, &t->wait);
	}
	return any;
}

/* It has not run, so only the owner may have changed; the collector may have moved the object. */
static bool dumplocks_same_managed(const struct managed_wait *a, const struct managed_wait *b)
{
	return a->kind == b->kind && a->owned == b->owned && a->owner == b->owner;
}

/* While objects move, a runtime says less of them. The thread has not run since the first look. */
static void dumplocks_keep_managed(struct managed_wait *now, const struct managed_wait *first)
{
	if (!now->kind) {
		*now = *first;
	} else if (now->kind == first->kind && !*now->class) {
		memcpy(now->class, first->class, sizeof(now->class));
		now->address = first->address;
	}
}

static void dumplocks_look_again(const struct member *m, struct dump_thread *t)
{
	struct dump_wait now = { .known = true };

	if (!t->wait.known)
		return;
	now.known = dumplocks_look(m, t, &now) && now.slices == t->wait.slices;
	now.steady = now.known && lock_same(&now.lock, &t->wait.lock) &&
		     dumplocks_same_managed(&now.managed, &t->wait.managed);
	if (now.known)
		dumplocks_keep_managed(&now.managed, &t->wait.managed);
	t->wait = now;
}

void dump_look_at_locks(struct dump *d)
{
	bool any = false;

	for (size_t i = 0; i < d->count; i++)
		any |= look_first(d->members[i], &d->processes[i]);
	for (size_t i = 0; any && i < d->count; i++)
		for (size_t j = 0; j < d->processes[i].count; j++)
			dumplocks_look_again(d->members[i], &d->processes[i].threads[j]);
}

/* Proving, when all frames have their names. */

static bool has_symbols(const struct dump *d, const struct image *image)
{
	for (size_t i = 0; i < d->count; i++)
		for (size_t j = 0; j < d->processes[i].count; j++) {
			const struct dump_thread *t = &d->processes[i].threads[j];

			for (size_t k = 0; k < t->count; k++)
				if (t->frames[k].image == image && t->frames[k].call_count &&
				    !t->frames[k].unnamed)
					return true;
		}
	return false;
}

static enum lock_kind dumplocks_prove(const struct dump *d, const struct dump_thread *t)
{
	const struct image *image = t->frames[0].image;
	struct lock_site site = { .count = 0 };

	if (!image)
		return LOCK_NONE;
	for (size_t i = 0; i < t->count && site.caller_count < LOCK_SITE; i++) {
		const struct dump_frame *f = &t->frames[i];

		if (!f->call_count || f->unnamed)
			lock_site_add(&site, NULL, f->image == image);
		for (size_t k = 0; !f->unnamed && k < f->call_count; k++)
			lock_site_add(&site, f->calls[k].system_name, f->image == image);
	}
	site.module = image_name(image);
	site.has_symbols = has_symbols(d, image);
	return lock_prove(&t->wait.lock, &site);
}

static const struct dump_thread *dumplocks_thread_numbered(const struct dump_process *p,
							   pid_t own_tid)
{
	for (size_t i = 0; own_tid && i < p->count; i++)
		if (p->threads[i].own_tid == own_tid)
			return &p->threads[i];
	return NULL;
}

static void dumplocks_find_owners(const struct dump_process *p, struct lock_wait *wait)
{
	for (int i = 0; i < LOCK_KINDS; i++)
		wait->as[i].lives = dumplocks_thread_numbered(p, wait->as[i].owner) != NULL;
}

/* The address may be in a variable of an image that is mapped now. ERR_NOMEM. */
static int dumplocks_name_lock(struct dump *d, size_t process, struct symbolizer *s,
			       struct dump_lock *lock)
{
	uint64_t at;
	const struct modmap *maps = d->members[process]->maps;
	const struct image *image = modmap_variable(maps, lock->address, &at);

	return image ? symbolizer_variable(s, image, at, &lock->variable, &lock->offset) : 0;
}

/* Waits of a language: only that for a monitor has no timeout, though the VM's way to wait for one
 * may have. */
static void dumplocks_take_managed(const struct dump_process *p, struct dump_thread *t)
{
	const struct managed_wait *w = &t->wait.managed;

	t->lock.managed = w;
	t->lock.address = w->address;
	t->lock.owner = w->owner;
	t->lock.holder = dumplocks_thread_numbered(p, w->owner);
	t->lock.timed = w->kind != MANAGED_WAIT_MONITOR && t->wait.lock.timed;
}

static int prove_thread(struct dump *d, size_t process, struct symbolizer *s, struct dump_thread *t)
{
	const struct dump_process *p = &d->processes[process];
	const struct lock_reading *r;

	if (!t->wait.known)
		return 0;
	if (t->wait.managed.kind) {
		dumplocks_take_managed(p, t);
		return 0;
	}
	dumplocks_find_owners(p, &t->wait.lock);
	t->lock.kind = dumplocks_prove(d, t);
	if (!t->lock.kind)
		return 0;
	r = &t->wait.lock.as[t->lock.kind];
	t->lock.address = t->wait.lock.futex - r->before;
	t->lock.owner = r->owner;
	t->lock.holder = dumplocks_thread_numbered(p, r->owner);
	t->lock.readers = r->readers;
	t->lock.timed = t->wait.lock.timed;
	/* A thread does not wait for its own lock where a second call fails or counts. */
	if (t->lock.holder == t && !r->relocks) {
		t->lock.holder = NULL;
		t->lock.owner = 0;
	}
	return dumplocks_name_lock(d, process, s, &t->lock);
}

/* The thread for which another one waits, in a way that only this one can end. */
static struct dump_thread *next_in_circle(const struct dump_process *p, const struct dump_thread *t)
{
	bool blocked = t->lock.holder && t->lock.holder != t && t->wait.steady && !t->lock.timed;

	return blocked ? &p->threads[t->lock.holder - p->threads] : NULL;
}

/* Each thread waits for one other at most, so from each there is one way. It is followed once. */
static void find_circles(struct dump_process *p)
{
	unsigned walk = 0;

	for (size_t i = 0; i < p->count; i++) {
		struct dump_thread *t = &p->threads[i];

		for (walk++; t && !t->lock.walk; t = next_in_circle(p, t))
			t->lock.walk = walk;
		if (!t || t->lock.walk != walk || !next_in_circle(p, t))
			continue;
		for (p->deadlocks++; !t->lock.deadlock; t = next_in_circle(p, t))
			t->lock.deadlock = p->deadlocks;
	}
}

int dump_prove_locks(struct dump *d, struct symbolizer *const *symbolizers)
{
	for (size_t i = 0; i < d->count; i++) {
		struct dump_process *p = &d->processes[i];

		for (size_t j = 0; j < p->count; j++)
			if (prove_thread(d, i, symbolizers[i], &p->threads[j]))
				return ERR_NOMEM;
		find_circles(p);
	}
	return 0;
}
