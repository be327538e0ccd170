/*
 * What the VM tells of its threads: the names that Java gave them, what they do for the VM, and
 * what keeps them from running.
 *
 * Java's threads are in the VM's list (ThreadsSMRSupport, up to JDK 11 Threads), with the kernel's
 * number of each in its OSThread, and a java.lang.Thread whose name has any length. The others (the
 * VM thread, the collector's) are in a list that only the file's symbols tell; in a stripped file
 * nothing is told of them, nor of the collector's in JDK 8, which has no such list.
 *
 * The list is read anew after a while, at most as often as it costs one percent of a core, and a
 * thread's number is compared each time. So is the state, by the same call: whether the VM is at a
 * safepoint, and whether the collector is what it is for. A thread that executes native code is not
 * stopped by that.
 *
 * Roles: a compiler's thread has a class of its own (its vtable is not that of the thread called
 * "Reference Handler", which is always there), and a name that says so. What other threads of such
 * classes do is the VM's. Finalizers and cleaners run the program's code: they have no role.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "base/room.h"
#include "base/process/elfsymbol.h"
#include "runtimes/hotspot/names.h"
#include "runtimes/hotspot/threads.h"
#include "runtimes/hotspot/vm/blobs.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/oops.h"
#include "runtimes/hotspot/vm/vmstructs.h"

enum {
	THREADS_MAX = 1 << 16,
	WORD = 8,
	STATE_IN_NATIVE = 4,   /* JavaThreadState, all releases */
	SYNCHRONIZED = 2,      /* SafepointSynchronize::SynchronizeState */
	COST_FACTOR = 100,     /* the list is not read for so many times what it costs */
	AGE_NS = 1000000000,   /* it is read again after this, */
	NEWBORN_NS = 50000000, /* or this, if a thread is not in it */
};

struct thread_layout {
	uint64_t smr_list, first; /* addresses of the variables */
	uint64_t heap;
	int32_t list_length, list_threads;
	int32_t next;
	int32_t java_osthread, thread_osthread, java_object, java_state;
	int32_t os_id;
	int32_t gc_active, stw_gc_active;
	int32_t name, other_bytes;
};

struct hotspot_thread_state {
	struct thread_layout l;
	struct hotspot_oops oops;
	bool handles;			       /* a thread's object is behind an OopHandle */
	uint64_t safepoint, others, vm_thread; /* addresses of variables; 0: not known */
	struct hotspot_listed *at;	       /* sorted by tid */
	size_t count, room;
	uint64_t read_ns, cost_ns;
};

#define PLACE(KIND, T, F, AT) { KIND, T, F, offsetof(struct thread_layout, AT), false }

static const struct vmplace places[] = {
	PLACE(VMPLACE_ADDRESS, "ThreadsSMRSupport", "_java_thread_list", smr_list),
	PLACE(VMPLACE_ADDRESS, "Threads", "_thread_list", first),
	PLACE(VMPLACE_ADDRESS, "Universe", "_collectedHeap", heap),
	PLACE(VMPLACE_OFFSET, "ThreadsList", "_length", list_length),
	PLACE(VMPLACE_OFFSET, "ThreadsList", "_threads", list_threads),
	PLACE(VMPLACE_OFFSET, "JavaThread", "_next", next),
	PLACE(VMPLACE_OFFSET, "JavaThread", "_osthread", java_osthread),
	PLACE(VMPLACE_OFFSET, "Thread", "_osthread", thread_osthread),
	PLACE(VMPLACE_OFFSET, "JavaThread", "_threadObj", java_object),
	PLACE(VMPLACE_OFFSET, "JavaThread", "_thread_state", java_state),
	PLACE(VMPLACE_OFFSET, "OSThread", "_thread_id", os_id),
	PLACE(VMPLACE_OFFSET, "CollectedHeap", "_is_gc_active", gc_active),
	PLACE(VMPLACE_OFFSET, "CollectedHeap", "_is_stw_gc_active", stw_gc_active),
	PLACE(VMPLACE_OFFSET, "NamedThread", "_name", name),
	PLACE(VMPLACE_SIZE, "NonJavaThread", NULL, other_bytes),
};

static void hotspot_threads_take_symbols(const struct hotspot *hs, struct hotspot_thread_state *t)
{
	struct elfsymbol symbols[] = {
		{ .name = "_ZN20SafepointSynchronize6_stateE" },
		{ .name = "_ZN13NonJavaThread9_the_listE" },
		{ .name = "_ZN8VMThread10_vm_threadE" },
	};
	uint64_t *const to[] = { &t->safepoint, &t->others, &t->vm_thread };

	if (!hs->image)
		return;
	elfsymbol_find(hs->image, symbols, sizeof(symbols) / sizeof(*symbols));
	for (unsigned i = 0; i < sizeof(to) / sizeof(*to); i++)
		*to[i] = symbols[i].found ? symbols[i].addr + hs->bias : 0;
}

int hotspot_threads_init(struct hotspot *hs)
{
	struct hotspot_thread_state *t = calloc(1, sizeof(*t));
	struct vmfield object;
	int rc;

	if (!t)
		return ERR_NOMEM;
	hs->names->threads = t;
	t->handles = vmstructs_field(hs->tables, "JavaThread", "_threadObj", &object) &&
		     !strcmp(object.type_string, "OopHandle");
	hotspot_threads_take_symbols(hs, t);
	rc = vmstructs_resolve(hs->tables, places, sizeof(places) / sizeof(*places), &t->l, NULL);
	if (t->l.java_osthread < 0)
		t->l.java_osthread = t->l.thread_osthread;
	if (t->l.gc_active < 0)
		t->l.gc_active = t->l.stw_gc_active;
	return rc ? rc : hotspot_oops_init(hs, &t->oops);
}

void hotspot_threads_free(struct hotspot_thread_state *t)
{
	if (!t)
		return;
	free(t->at);
	free(t);
}

/* Reading the list. */

static int hotspot_threads_add(struct hotspot_thread_state *t, uint64_t thread, bool java)
{
	if (t->count == THREADS_MAX)
		return ERR_LIMIT;
	if (room_for((void **)&t->at, &t->room, t->count + 1, sizeof(*t->at)))
		return ERR_NOMEM;
	t->at[t->count++] = (struct hotspot_listed){ .thread = thread, .java = java };
	return 0;
}

static int add_listed(const struct hotspot *hs, struct hotspot_thread_state *t)
{
	uint64_t list, again, threads, *at;
	uint32_t length;
	int rc = 0;

	if (t->l.list_length < 0 || t->l.list_threads < 0 ||
	    memory_read_u64(hs->memory, t->l.smr_list, &list) || !list ||
	    hs->memory->read(hs->memory, list + (uint64_t)t->l.list_length, &length,
			     sizeof(length)) ||
	    memory_read_u64(hs->memory, list + (uint64_t)t->l.list_threads, &threads) ||
	    length > THREADS_MAX)
		return ERR_FORMAT;
	at = calloc(length + 1ul, sizeof(*at));
	if (!at)
		return ERR_NOMEM;
	if (hs->memory->read(hs->memory, threads, at, length * sizeof(*at)) ||
	    memory_read_u64(hs->memory, t->l.smr_list, &again) || again != list)
		rc = ERR_FORMAT;
	for (uint32_t i = 0; i < length && !rc; i++)
		rc = hotspot_threads_add(t, at[i], true);
	free(at);
	return rc;
}

/* A list of threads by their `next` fields. */
static int add_linked(const struct hotspot *hs, struct hotspot_thread_state *t, uint64_t head,
		      int32_t next, bool java)
{
	uint64_t thread;
	int rc = head && next >= 0 ? memory_read_u64(hs->memory, head, &thread) : ERR_FORMAT;

	while (!rc && thread) {
		rc = hotspot_threads_add(t, thread, java);
		if (!rc && memory_read_u64(hs->memory, thread + (uint64_t)next, &thread))
			rc = ERR_FORMAT;
	}
	return rc;
}

static int hotspot_threads_add_all(const struct hotspot *hs, struct hotspot_thread_state *t)
{
	int rc = t->l.smr_list ? add_listed(hs, t) : add_linked(hs, t, t->l.first, t->l.next, true);
	uint64_t vm;

	if (rc)
		return rc;
	if (t->others && t->l.other_bytes > WORD)
		rc = add_linked(hs, t, t->others, t->l.other_bytes - WORD, false);
	else if (t->vm_thread && !memory_read_u64(hs->memory, t->vm_thread, &vm) && vm)
		rc = hotspot_threads_add(t, vm, false);
	return rc == ERR_NOMEM ? rc : 0;
}

/* The kernel's numbers; 0: it has none yet. */
static void read_tid(const struct hotspot *hs, const struct thread_layout *l,
		     struct hotspot_listed *k)
{
	int32_t tid = 0;

	if (l->java_osthread < 0 || l->os_id < 0 ||
	    memory_read_u64(hs->memory, k->thread, &k->vtable) ||
	    memory_read_u64(hs->memory, k->thread + (uint64_t)l->java_osthread, &k->os) || !k->os ||
	    hs->memory->read(hs->memory, k->os + (uint64_t)l->os_id, &tid, sizeof(tid)) || tid < 0)
		tid = 0;
	k->tid = tid;
}

static void read_java_name(const struct hotspot *hs, struct hotspot_thread_state *t,
			   struct hotspot_listed *k)
{
	uint64_t slot = k->thread + (uint64_t)t->l.java_object, object, name;

	if (t->l.java_object < 0 || !hotspot_oops_ready(hs, &t->oops) ||
	    (t->handles && memory_read_u64(hs->memory, slot, &slot)) ||
	    !hotspot_oop_at(hs, &t->oops, slot, &object) ||
	    !hotspot_oop_field(hs, &t->oops, object + (uint64_t)t->oops.thread_name, &name) ||
	    !hotspot_oop_text(hs, &t->oops, name, k->name, sizeof(k->name)))
		*k->name = '\0';
}

static bool begins_with_any(const char *name, const char *const *heads)
{
	for (; *heads; heads++)
		if (!strncmp(name, *heads, strlen(*heads)))
			return true;
	return false;
}

/* The name of a thread of C++'s, which is ASCII. What has none has other bytes there. */
static void read_other_name(const struct hotspot *hs, const struct thread_layout *l,
			    struct hotspot_listed *k)
{
	static const char *const collectors[] = {
		"GC ",	 "G1 ",	     "ParGC ",	"Gang worker", "CMS ", "Concurrent Mark-Sweep",
		"ZD",	 "ZS",	     "ZU",	"ZW",	       "ZR",   "XD",
		"XS",	 "XU",	     "XW",	"XR",	       "Shen", "RuntimeWorker",
		"StrDe", "StringDe", "Epsilon", NULL,
	};
	uint64_t addr;

	k->role = "vm";
	if (l->name < 0 || memory_read_u64(hs->memory, k->thread + (uint64_t)l->name, &addr) ||
	    hs->memory->read(hs->memory, addr, k->name, sizeof(k->name) - 1))
		*k->name = '\0';
	for (const char *c = k->name; *c; c++)
		if (*c < ' ' || *c > '~')
			*k->name = '\0';
	if (begins_with_any(k->name, collectors))
		k->role = "gc";
}

static void find_roles(struct hotspot_thread_state *t)
{
	static const char *const compilers[] = { "C1 ", "C2 ", "JVMCI ", NULL };
	uint64_t plain = 0;

	for (size_t i = 0; i < t->count && !plain; i++)
		if (!strcmp(t->at[i].name, "Reference Handler"))
			plain = t->at[i].vtable;
	for (size_t i = 0; plain && i < t->count; i++) {
		struct hotspot_listed *k = &t->at[i];

		if (k->java && *k->name && k->vtable != plain)
			k->role = begins_with_any(k->name, compilers) ? "compiler" : "vm";
	}
}

static int hotspot_threads_by_tid(const void *a, const void *b)
{
	const struct hotspot_listed *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Reads all anew. ERR_NOMEM. */
static int hotspot_threads_refresh(const struct hotspot *hs, struct hotspot_thread_state *t)
{
	uint64_t start = monotonic_ns();
	int rc;

	t->count = 0;
	rc = hotspot_threads_add_all(hs, t);
	if (rc)
		t->count = 0;
	for (size_t i = 0; i < t->count; i++) {
		struct hotspot_listed *k = &t->at[i];

		read_tid(hs, &t->l, k);
		if (k->tid && k->java)
			read_java_name(hs, t, k);
		else if (k->tid)
			read_other_name(hs, &t->l, k);
	}
	find_roles(t);
	if (t->count)
		qsort(t->at, t->count, sizeof(*t->at), hotspot_threads_by_tid);
	t->read_ns = monotonic_ns();
	t->cost_ns = t->read_ns - start;
	return rc == ERR_NOMEM ? rc : 0;
}

static const struct hotspot_listed *hotspot_threads_find(const struct hotspot_thread_state *t,
							 pid_t tid)
{
	const struct hotspot_listed key = { .tid = tid };

	return t->count ? bsearch(&key, t->at, t->count, sizeof(key), hotspot_threads_by_tid) :
			  NULL;
}

/* As find, in a list that is read again when it is old, or has not got the thread. */
static const struct hotspot_listed *hotspot_threads_look_up(const struct hotspot *hs,
							    struct hotspot_thread_state *t,
							    pid_t tid)
{
	const struct hotspot_listed *k = hotspot_threads_find(t, tid);
	uint64_t age = monotonic_ns() - t->read_ns;

	if (age > (k && *k->name ? AGE_NS : NEWBORN_NS) && age > t->cost_ns * COST_FACTOR)
		k = hotspot_threads_refresh(hs, t) ? NULL : hotspot_threads_find(t, tid);
	return k;
}

/* Now. */

struct moment {
	int32_t tid, safepoint, state;
	uint8_t collecting;
};

static bool read_moment(const struct hotspot *hs, const struct hotspot_thread_state *t,
			const struct hotspot_listed *k, struct moment *m)
{
	const struct thread_layout *l = &t->l;
	struct memory_piece pieces[] = {
		{ k->os + (uint64_t)l->os_id, &m->tid, sizeof(m->tid) },
		{ t->safepoint, &m->safepoint, t->safepoint ? sizeof(m->safepoint) : 0 },
		{ k->thread + (uint64_t)l->java_state, &m->state,
		  k->java && l->java_state >= 0 ? sizeof(m->state) : 0 },
		{ 0, &m->collecting, 0 },
	};
	uint64_t heap;

	memset(m, 0, sizeof(*m));
	if (l->heap && l->gc_active >= 0 && !memory_read_u64(hs->memory, l->heap, &heap) && heap) {
		pieces[3].addr = heap + (uint64_t)l->gc_active;
		pieces[3].len = sizeof(m->collecting);
	}
	memory_gather(hs->memory, pieces, sizeof(pieces) / sizeof(*pieces));
	return pieces[0].len && m->tid == k->tid;
}

const struct hotspot_listed *hotspot_threads_java(const struct hotspot *hs, pid_t own_tid)
{
	struct hotspot_thread_state *t = hs->names->threads;
	const struct hotspot_listed *k = hotspot_threads_look_up(hs, t, own_tid);

	return k && k->java && hotspot_threads_is(hs, k) ? k : NULL;
}

const struct hotspot_listed *hotspot_threads_list(const struct hotspot *hs, size_t *count)
{
	*count = hs->names->threads->count;
	return hs->names->threads->at;
}

bool hotspot_threads_is(const struct hotspot *hs, const struct hotspot_listed *k)
{
	struct hotspot_listed now = { .thread = k->thread };

	read_tid(hs, &hs->names->threads->l, &now);
	return now.tid && now.tid == k->tid && now.os == k->os;
}

struct hotspot_oops *hotspot_threads_oops(const struct hotspot *hs)
{
	struct hotspot_oops *oops = &hs->names->threads->oops;

	return hotspot_oops_ready(hs, oops) ? oops : NULL;
}

bool hotspot_threads_object(const struct hotspot *hs, const struct hotspot_listed *k,
			    uint64_t *object)
{
	const struct hotspot_thread_state *t = hs->names->threads;
	uint64_t slot = k->thread + (uint64_t)t->l.java_object;

	return t->l.java_object >= 0 &&
	       (!t->handles || !memory_read_u64(hs->memory, slot, &slot)) &&
	       hotspot_oop_at(hs, &t->oops, slot, object) &&
	       hotspot_oop_is_good(hs, &t->oops, *object);
}

bool hotspot_thread(void *rt, pid_t own_tid, struct managed_thread *thread)
{
	struct hotspot *hs = rt;
	struct hotspot_thread_state *t = hs->names->threads;
	const struct hotspot_listed *k = hotspot_threads_look_up(hs, t, own_tid);
	struct moment m;

	if (!k || !read_moment(hs, t, k, &m))
		return false;
	memcpy(thread->name, k->name, sizeof(thread->name));
	thread->role = k->role;
	if (k->java && m.state == STATE_IN_NATIVE)
		return true;
	if (m.collecting)
		thread->state = "gc";
	else if (m.safepoint == SYNCHRONIZED)
		thread->state = "safepoint";
	return true;
}
