/*
 * What a thread at rest waits for in Java, and which thread has that.
 *
 * The state of its OSThread (in JDK 8 of its java.lang.Thread) says which of three it is: it enters
 * a monitor, it waits to be notified in one, or it is parked. For the first two the VM keeps the
 * ObjectMonitor in the JavaThread, since a monitor that a thread waits for has one, whatever way of
 * locking the VM uses; owners.c has its owner. A parked thread has in the field parkBlocker of its
 * java.lang.Thread what it parks for; a lock of java.util.concurrent is an
 * AbstractOwnableSynchronizer, which has its owner in a field.
 *
 * The waiting thread is at rest, which the caller checks, so all but the owner stands still. The
 * collector moves objects. While all threads are stopped for that no object is read, since
 * references may lead there already, where objects do not lie yet: only monitors and their owners
 * are told. ZGC moves them beside the program, so there a reference counts only with its good
 * colour; of a monitor the object is known also by its header, which leads back. LockStacks have no
 * colours, and with ZGC they are not read.
 *
 * Of the same object jstack prints the same class and address.
 */
#include "runtimes/hotspot/monitors.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "base/utf8.h"
#include "runtimes/hotspot/names.h"
#include "runtimes/hotspot/owners.h"
#include "runtimes/hotspot/threads.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/oops.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/vmstructs.h"

enum {
	MARK_BITS = 3, /* of a mark word, markWord.hpp: */
	MARK_MONITOR = 2,
	HANDLES = 16, /* the first release whose monitors have a WeakHandle */
	SUPERS_MAX = 32,
	/* Of a java.lang.Thread's status; jvmti.h: JVMTI_THREAD_STATE_… */
	IN_OBJECT_WAIT = 0x100,
	PARKED = 0x200,
	BLOCKED_ON_MONITOR_ENTER = 0x400,
};

struct monitors_layout {
	int32_t pending, waiting, old_pending, old_waiting; /* in a JavaThread */
	int32_t object;					    /* in an ObjectMonitor */
	int32_t os_state, entering, noticing, parking;	    /* OSThread::_state, and its values */
	int32_t super;
	int32_t collecting, stw_collecting, collections; /* in the CollectedHeap */
	uint64_t heap, mirror; /* the variables: its address; java_lang_Class::_klass_offset */
};

struct hotspot_monitors {
	struct monitors_layout l;
	struct hotspot_owner_layout owners;
	/* Set when objects can be read: */
	bool ready;
	bool table;			      /* a header does not lead to its monitor */
	int32_t park_blocker, thread_address; /* in a java.lang.Thread */
	int32_t status, holder;		      /* so, up to JDK 18; its FieldHolder, later */
	/* AbstractOwnableSynchronizer, when it was met, and the field with the owner. */
	uint64_t synchronizer;
	int32_t exclusive_owner;
};

/* What the functions below share of one look. */
struct monitors_look {
	const struct hotspot *hs;
	struct hotspot_monitors *m;
	const struct hotspot_oops *oops;
	const struct hotspot_listed *thread;
	bool moving; /* all threads are stopped for objects to be moved: these are not read */
	struct managed_wait *wait;
};

#define PLACE(KIND, T, F, AT) { VMPLACE_##KIND, T, F, offsetof(struct monitors_layout, AT), false }

static const struct vmplace places[] = {
	PLACE(OFFSET, "JavaThread", "_current_pending_monitor", pending),
	PLACE(OFFSET, "JavaThread", "_current_waiting_monitor", waiting),
	PLACE(OFFSET, "Thread", "_current_pending_monitor", old_pending),
	PLACE(OFFSET, "Thread", "_current_waiting_monitor", old_waiting),
	PLACE(OFFSET, "ObjectMonitor", "_object", object),
	PLACE(OFFSET, "OSThread", "_state", os_state),
	PLACE(CONSTANT, NULL, "MONITOR_WAIT", entering),
	PLACE(CONSTANT, NULL, "OBJECT_WAIT", noticing),
	PLACE(CONSTANT, NULL, "CONDVAR_WAIT", parking),
	PLACE(OFFSET, "Klass", "_super", super),
	PLACE(OFFSET, "CollectedHeap", "_is_gc_active", collecting),
	PLACE(OFFSET, "CollectedHeap", "_is_stw_gc_active", stw_collecting),
	PLACE(OFFSET, "CollectedHeap", "_total_collections", collections),
	PLACE(ADDRESS, "Universe", "_collectedHeap", heap),
	PLACE(ADDRESS, "java_lang_Class", "_klass_offset", mirror),
};

static void monitors_take_old(int32_t *field, int32_t old)
{
	if (*field < 0)
		*field = old;
}

int hotspot_monitors_init(struct hotspot *hs)
{
	struct hotspot_monitors *m = calloc(1, sizeof(*m));
	int rc;

	if (!m)
		return ERR_NOMEM;
	hs->names->monitors = m;
	rc = vmstructs_resolve(hs->tables, places, sizeof(places) / sizeof(*places), &m->l, NULL);
	monitors_take_old(&m->l.pending, m->l.old_pending);
	monitors_take_old(&m->l.waiting, m->l.old_waiting);
	monitors_take_old(&m->l.collecting, m->l.stw_collecting);
	return rc ? rc : hotspot_owners_init(hs, &m->owners);
}

/* What the VM sets once. False: it has not yet, or it is not known to us. */
static bool monitors_ready(struct monitors_look *k)
{
	static const char *const names[] = { "UseObjectMonitorTable" };
	struct hotspot_monitors *m = k->m;
	const struct hotspot_field_layout *fields;

	k->oops = hotspot_threads_oops(k->hs);
	if (!k->oops || m->ready)
		return k->oops;
	fields = &k->oops->fields;
	if (hotspot_flags_read(k->hs, fields, names, &m->table, 1))
		return false;
	m->table |= k->oops->compact;
	m->park_blocker = hotspot_field_find(k->hs, fields, k->oops->thread, "parkBlocker",
					     "Ljava/lang/Object;");
	m->thread_address = hotspot_field_find(k->hs, fields, k->oops->thread, "eetop", "J");
	m->status = hotspot_field_find(k->hs, fields, k->oops->thread, "threadStatus", "I");
	m->holder = hotspot_field_find(k->hs, fields, k->oops->thread, "holder",
				       "Ljava/lang/Thread$FieldHolder;");
	m->ready = true;
	return true;
}

/* A word at a place that the tables have told of; false: they have not, or it cannot be read. */
static bool monitors_word(const struct monitors_look *k, uint64_t base, int32_t at, uint64_t *word)
{
	return base && at >= 0 && !memory_read_u64(k->hs->memory, base + (uint64_t)at, word);
}

/* Objects. */

/* What a field refers to, if the collector has not moved that meanwhile. */
static bool monitors_field(const struct monitors_look *k, uint64_t object, int32_t at,
			   uint64_t *oop)
{
	return at >= 0 && hotspot_oop_field(k->hs, k->oops, object + (uint64_t)at, oop) && *oop &&
	       hotspot_oop_is_good(k->hs, k->oops, *oop);
}

/* The waiting thread's java.lang.Thread, which has the address of its JavaThread. */
static bool monitors_thread_object(const struct monitors_look *k, uint64_t *object)
{
	uint64_t address;

	return !k->moving && hotspot_threads_object(k->hs, k->thread, object) &&
	       monitors_word(k, *object, k->m->thread_address, &address) &&
	       address == k->thread->thread;
}

static bool monitors_class_name(const struct monitors_look *k, uint64_t klass, const char *head)
{
	struct managed_wait *w = k->wait;
	size_t used = strlen(head), len;
	struct arena arena = { 0 };
	const char *name;
	bool known = !hotspot_class_name(k->hs, klass, &arena, &name) && *name;

	if (known) {
		len = utf8_fit(name, strlen(name), sizeof(w->class) - used - 1);
		memcpy(w->class, head, used);
		memcpy(w->class + used, name, len);
		w->class[used + len] = '\0';
	}
	arena_release(&arena);
	return known;
}

/* Of a class's object the class is named, too: static methods lock it. */
static void monitors_add_mirrored(const struct monitors_look *k, uint64_t oop)
{
	uint64_t klass;
	int32_t at;

	if (strcmp(k->wait->class, "java.lang.Class") != 0 || !k->m->l.mirror ||
	    k->hs->memory->read(k->hs->memory, k->m->l.mirror, &at, sizeof(at)) ||
	    !monitors_word(k, oop, at, &klass))
		return;
	monitors_class_name(k, klass, "java.lang.Class for ");
}

static bool monitors_name_object(const struct monitors_look *k, uint64_t oop, uint64_t *klass)
{
	if (!hotspot_oop_class(k->hs, k->oops, oop, klass) || !monitors_class_name(k, *klass, ""))
		return false;
	monitors_add_mirrored(k, oop);
	k->wait->address = oop;
	return true;
}

/* The object of a monitor, whose header says that it is; 0: not known. *now: it is at that address,
 * which else is where it was before ZGC moved it. */
static uint64_t monitors_object(const struct monitors_look *k, uint64_t monitor, bool *now)
{
	uint64_t slot = monitor + (uint64_t)k->m->l.object, oop, good, mark;

	if (k->moving || k->m->l.object < 0 ||
	    (k->hs->release >= HANDLES && memory_read_u64(k->hs->memory, slot, &slot)) ||
	    !hotspot_oop_stale_at(k->hs, k->oops, slot, &oop))
		return 0;
	*now = hotspot_oop_at(k->hs, k->oops, slot, &good) && good == oop &&
	       hotspot_oop_is_good(k->hs, k->oops, oop);
	if (memory_read_u64(k->hs->memory, oop, &mark))
		return 0;
	if (k->m->table)
		return *now && (mark & MARK_BITS) == MARK_MONITOR ? oop : 0;
	return mark == (monitor | MARK_MONITOR) ? oop : 0;
}

/* A thread that waits does not own what it waits for. */
static void monitors_tell_owner(const struct monitors_look *k, const struct hotspot_listed *owner)
{
	if (owner && owner->tid != k->thread->tid && hotspot_threads_is(k->hs, owner)) {
		k->wait->owned = true;
		k->wait->owner = owner->tid;
	}
}

static void monitors_read_owner(const struct monitors_look *k, uint64_t monitor, uint64_t oop)
{
	const struct hotspot_listed *owner;

	/* ZGC leaves in a LockStack for a while what lay at an address before it moved objects. */
	if (k->oops->coloured || k->oops->tinted)
		oop = 0;
	k->wait->owned = hotspot_owner_of(k->hs, &k->m->owners, monitor, oop, &owner) && !owner;
	monitors_tell_owner(k, owner);
}

/* Monitors. */

static void monitors_look_at_monitor(const struct monitors_look *k, uint64_t monitor,
				     enum managed_wait_kind kind)
{
	uint64_t klass, oop;
	bool now, still;

	oop = monitors_object(k, monitor, &now);
	if (oop &&
	    (!monitors_name_object(k, oop, &klass) || monitors_object(k, monitor, &still) != oop)) {
		*k->wait->class = '\0';
		oop = 0;
	}
	if (!oop || !now || !still)
		k->wait->address = 0;
	if (kind == MANAGED_WAIT_MONITOR)
		monitors_read_owner(k, monitor, oop);
	k->wait->kind = kind;
}

/* A thread that was notified and woken enters its monitor without telling that it is pending. */
static void monitors_look_at_entering(const struct monitors_look *k)
{
	uint64_t thread = k->thread->thread, monitor;

	if ((monitors_word(k, thread, k->m->l.pending, &monitor) && monitor) ||
	    (monitors_word(k, thread, k->m->l.waiting, &monitor) && monitor))
		monitors_look_at_monitor(k, monitor, MANAGED_WAIT_MONITOR);
}

/* What a notified thread has in its status before it is woken. False: not known. */
static bool monitors_status(const struct monitors_look *k, uint32_t *status)
{
	int32_t at = k->m->status;
	uint64_t object, holder, klass;

	if (!monitors_thread_object(k, &object))
		return false;
	holder = object;
	if (at < 0) {
		if (!monitors_field(k, object, k->m->holder, &holder) ||
		    !hotspot_oop_class(k->hs, k->oops, holder, &klass))
			return false;
		at = hotspot_field_find(k->hs, &k->oops->fields, klass, "threadStatus", "I");
	}
	return at >= 0 &&
	       !k->hs->memory->read(k->hs->memory, holder + (uint64_t)at, status, sizeof(*status));
}

static void monitors_look_at_noticing(const struct monitors_look *k)
{
	uint64_t monitor;
	uint32_t status;

	if (monitors_word(k, k->thread->thread, k->m->l.waiting, &monitor) && monitor &&
	    monitors_status(k, &status))
		monitors_look_at_monitor(k, monitor,
					 status & BLOCKED_ON_MONITOR_ENTER ? MANAGED_WAIT_MONITOR :
									     MANAGED_WAIT_NOTICE);
}

/* Parked threads. */

/* Is the class an AbstractOwnableSynchronizer? */
static bool monitors_is_synchronizer(const struct monitors_look *k, uint64_t klass)
{
	struct hotspot_monitors *m = k->m;
	uint64_t name;

	for (unsigned i = 0; i < SUPERS_MAX && klass; i++) {
		if (m->synchronizer && klass == m->synchronizer)
			return true;
		if (!m->synchronizer &&
		    monitors_word(k, klass, k->hs->methods->l.klass_name, &name) &&
		    hotspot_symbol_is(k->hs, name,
				      "java/util/concurrent/locks/AbstractOwnableSynchronizer")) {
			m->synchronizer = klass;
			m->exclusive_owner = hotspot_field_find(k->hs, &k->oops->fields, klass,
								"exclusiveOwnerThread",
								"Ljava/lang/Thread;");
			return true;
		}
		if (!monitors_word(k, klass, m->l.super, &klass))
			return false;
	}
	return false;
}

/* A java.lang.Thread has the address of its JavaThread; one that is virtual has 0. */
static void monitors_read_exclusive_owner(const struct monitors_look *k, uint64_t lock)
{
	uint64_t owner, again, address;

	if (!monitors_field(k, lock, k->m->exclusive_owner, &owner) ||
	    !monitors_word(k, owner, k->m->thread_address, &address) ||
	    !monitors_field(k, lock, k->m->exclusive_owner, &again) || again != owner)
		return;
	k->wait->owned = !address;
	monitors_tell_owner(k, hotspot_owner_at(k->hs, address));
}

static void monitors_look_at_parked(const struct monitors_look *k)
{
	uint64_t object, blocker, again, klass;

	if (!monitors_thread_object(k, &object) ||
	    !monitors_field(k, object, k->m->park_blocker, &blocker) ||
	    !monitors_name_object(k, blocker, &klass))
		return;
	if (monitors_is_synchronizer(k, klass))
		monitors_read_exclusive_owner(k, blocker);
	if (monitors_field(k, object, k->m->park_blocker, &again) && again == blocker)
		k->wait->kind = MANAGED_WAIT_PARKED;
}

/* Without the OSThread's state (JDK 8) by that of the java.lang.Thread. */
static enum managed_wait_kind monitors_kind_by_status(const struct monitors_look *k)
{
	uint32_t status;

	if (!monitors_status(k, &status))
		return MANAGED_WAIT_NONE;
	if (status & BLOCKED_ON_MONITOR_ENTER)
		return MANAGED_WAIT_MONITOR;
	if (status & IN_OBJECT_WAIT)
		return MANAGED_WAIT_NOTICE;
	return status & PARKED ? MANAGED_WAIT_PARKED : MANAGED_WAIT_NONE;
}

/* What it does, as far as one word says it. */
static enum managed_wait_kind monitors_kind(const struct monitors_look *k)
{
	const struct monitors_layout *l = &k->m->l;
	int32_t state;

	if (l->os_state < 0)
		return monitors_kind_by_status(k);
	if (k->hs->memory->read(k->hs->memory, k->thread->os + (uint64_t)l->os_state, &state,
				sizeof(state)) ||
	    state < 0)
		return MANAGED_WAIT_NONE;
	if (state == l->entering)
		return MANAGED_WAIT_MONITOR;
	if (state == l->noticing)
		return MANAGED_WAIT_NOTICE;
	return state == l->parking ? MANAGED_WAIT_PARKED : MANAGED_WAIT_NONE;
}

static void monitors_look_at(const struct monitors_look *k)
{
	enum managed_wait_kind kind = monitors_kind(k);

	if (kind == MANAGED_WAIT_MONITOR)
		monitors_look_at_entering(k);
	else if (kind == MANAGED_WAIT_NOTICE)
		monitors_look_at_noticing(k);
	else if (kind == MANAGED_WAIT_PARKED)
		monitors_look_at_parked(k);
	if (monitors_kind(k) != kind)
		k->wait->kind = MANAGED_WAIT_NONE;
}

/* How many collections there were that stop all threads. False: one is under way, or it is not
 * known. */
static bool monitors_collections(const struct monitors_look *k, uint32_t *count)
{
	const struct monitors_layout *l = &k->m->l;
	uint8_t collecting;
	uint64_t heap;

	return l->heap && l->collecting >= 0 && l->collections >= 0 &&
	       !memory_read_u64(k->hs->memory, l->heap, &heap) && heap &&
	       !k->hs->memory->read(k->hs->memory, heap + (uint64_t)l->collecting, &collecting,
				    sizeof(collecting)) &&
	       !collecting &&
	       !k->hs->memory->read(k->hs->memory, heap + (uint64_t)l->collections, count,
				    sizeof(*count));
}

void hotspot_wait(void *rt, pid_t own_tid, struct managed_wait *wait)
{
	struct hotspot *hs = rt;
	struct monitors_look k = { .hs = hs, .m = hs->names->monitors, .wait = wait };
	uint32_t before, after;

	memset(wait, 0, sizeof(*wait));
	k.thread = monitors_ready(&k) ? hotspot_threads_java(hs, own_tid) : NULL;
	if (!k.thread)
		return;
	k.moving = !monitors_collections(&k, &before);
	monitors_look_at(&k);
	if (k.moving || (monitors_collections(&k, &after) && after == before))
		return;
	k.moving = true;
	memset(wait, 0, sizeof(*wait));
	monitors_look_at(&k);
}
