/*
 * The layout of locks is part of the C libraries' ABI:
 *
 *   glibc   bits/struct_mutex.h and bits/struct_rwlock.h: on x86-64 and aarch64 the fields below
 *           have the same places. A rwlock has them since 2.25; an older one is excluded by its
 *           values.
 *           What is waited for: nptl/pthread_mutex_lock.c, pthread_mutex_timedlock.c,
 *           pthread_rwlock_common.c. A condition variable has a pair of futexes, aligned to 8,
 *           at 40 bytes, or at 32 since 2.41 (bits/thread-shared-types.h): the pair's address is
 *           shown.
 *   musl    src/internal/pthread_impl.h, src/thread/pthread_mutex_timedlock.c,
 *           pthread_rwlock_timedrdlock.c
 *   Rust    library/std/src/sys/sync/mutex/futex.rs, rwlock/futex.rs, condvar/futex.rs: 2 is a
 *           mutex that is held and waited for
 *   kernel  Documentation/locking/pi-futex.rst, linux/futex.h
 */
#include "sampler/lock/lock.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/cursor.h"
#include "base/process/memory.h"
#include "sampler/thread/threads.h"

/* glibc's __kind (nptl/pthreadP.h). A mutex with priority ceilings has another lock word. */
enum {
	KIND_TYPE = 3,
	KIND_TIMED = 0,
	KIND_ADAPTIVE = 3,
	KIND_ROBUST = 16,
	KIND_PI = 32,
	KIND_SHARED = 128,
	KIND_ELISION = 256 | 512,
};

/* glibc's __readers (nptl/pthread_rwlock_common.c, pthreadP.h), and its two futexes. */
enum {
	RW_WRITE_PHASE = 1,
	RW_WRITE_LOCKED = 2,
	RW_READERS_WAIT = 4,
	RW_READERS_SHIFT = 3,
	RW_WAIT_READING = 3, /* 1, and the bit that a thread waits */
	RW_WAIT_WRITING = 2, /* 0, and that bit */
	RW_PHASE_AT = 8,     /* __wrphase_futex */
	RW_WRITERS_AT = 12,
};

/* musl's _m_type and _m_lock. */
enum { MUSL_ORDINARY = 15, MUSL_TYPES = 3 | 4 | 128, MUSL_LOCK_AT = 4 };
static const uint32_t MUSL_WAITERS = 0x80000000, MUSL_WRITER = 0x7fffffff;

/* FUTEX_LOCK_PI2, which headers before Linux 5.14 lack. */
enum { LOCK_PI2 = 13 };

enum { WORDS_BEFORE = LOCK_BEFORE / 4, WORDS_AFTER = LOCK_AFTER / 4 };

/* The words around a futex; at[i] with i < 0 lie before it. */
struct lock_words {
	uint32_t all[WORDS_BEFORE + WORDS_AFTER];
	const uint32_t *at;
	bool before, after; /* they could be read */
	uint32_t value;	    /* that the thread expects in the word */
};

static bool read_words(const void *bytes, size_t len, uint32_t *words, size_t count)
{
	struct cursor c;

	cursor_init(&c, bytes, len, "lock");
	for (size_t i = 0; i < count; i++)
		words[i] = (uint32_t)cursor_uint(&c, 4);
	return !c.failed;
}

static struct lock_reading read_mutex(const struct lock_words *w)
{
	uint32_t lock = w->at[0], owner = w->at[2], users = w->at[3], kind = w->at[4];
	uint32_t type = kind & KIND_TYPE;
	struct lock_reading r = { .owner = (pid_t)owner,
				  .relocks = type == KIND_TIMED || type == KIND_ADAPTIVE };

	if (!w->after || kind & ~(uint32_t)(KIND_TYPE | KIND_ROBUST | KIND_SHARED | KIND_ELISION) ||
	    lock != w->value || (owner && !users) || owner & ~(uint32_t)FUTEX_TID_MASK)
		return r;
	if (kind & KIND_ROBUST)
		r.possible = lock & FUTEX_WAITERS && owner && (lock & FUTEX_TID_MASK) == owner;
	else
		r.possible = lock == 2;
	return r;
}

static struct lock_reading read_musl_mutex(const struct lock_words *w)
{
	uint32_t lock = w->at[0], type = w->at[-1];
	struct lock_reading r = { .before = MUSL_LOCK_AT };

	if (!w->before || !w->after || type & ~(uint32_t)MUSL_TYPES || lock != w->value ||
	    !(lock & MUSL_WAITERS))
		return r;
	if (type & MUSL_ORDINARY)
		r.owner = (pid_t)(lock & FUTEX_TID_MASK);
	r.possible = type & MUSL_ORDINARY ? r.owner != 0 : lock == (MUSL_WAITERS | EBUSY);
	return r;
}

/* The kernel itself finds the owner in the word. */
static struct lock_reading read_pi(const struct lock_words *w)
{
	struct lock_reading r = { .possible = w->after };

	if (w->after)
		r.owner = (pid_t)(w->at[0] & FUTEX_TID_MASK);
	return r;
}

static bool held_by_readers(uint32_t readers)
{
	return readers >> RW_READERS_SHIFT && !(readers & RW_WRITE_PHASE);
}

static bool is_musl_rwlock(const struct lock_words *w)
{
	return w->value & MUSL_WAITERS && w->value & ~MUSL_WAITERS;
}

static struct lock_reading read_musl_rwlock(const struct lock_words *w)
{
	return (struct lock_reading){ .possible = true,
				      .readers = (w->value & ~MUSL_WAITERS) != MUSL_WRITER };
}

/* A reader waits for the end of the write phase. If writers are preferred, it waits before it has
 * registered, while other readers hold the lock. */
static struct lock_reading read_reader(const struct lock_words *w)
{
	struct lock_reading r = { .before = 0 };

	if (!w->after || w->at[0] != w->value)
		return r;
	if (is_musl_rwlock(w))
		return read_musl_rwlock(w);
	if (w->value == RW_WAIT_READING) {
		r.before = RW_PHASE_AT;
		r.possible = w->before && w->at[-2] & RW_WRITE_PHASE;
		r.owner = w->before && w->at[-2] & RW_WRITE_LOCKED ? (pid_t)w->at[4] : 0;
		return r;
	}
	r.possible = w->value & RW_READERS_WAIT && w->value & RW_WRITE_LOCKED &&
		     held_by_readers(w->value);
	r.readers = r.possible;
	return r;
}

/* A writer waits for another one, and then for the readers. */
static struct lock_reading read_writer(const struct lock_words *w)
{
	struct lock_reading r = { .before = 0 };
	uint32_t readers;

	if (!w->after || w->at[0] != w->value)
		return r;
	if (is_musl_rwlock(w))
		return read_musl_rwlock(w);
	if (!w->before || (w->value != RW_WAIT_READING && w->value != RW_WAIT_WRITING))
		return r;
	r.before = w->value == RW_WAIT_READING ? RW_WRITERS_AT : RW_PHASE_AT;
	readers = w->at[-(r.before / 4)];
	r.possible = readers & RW_WRITE_LOCKED;
	r.readers = r.possible && held_by_readers(readers);
	r.owner = w->value == RW_WAIT_READING ? (pid_t)w->at[3] : 0;
	return r;
}

bool lock_parse(const struct call *call, const void *before, size_t before_len, const void *after,
		size_t after_len, struct lock_wait *wait)
{
	uint32_t op = (uint32_t)call->args[1] & FUTEX_CMD_MASK;
	struct lock_words w = { .value = (uint32_t)call->args[2] };

	*wait = (struct lock_wait){ .futex = call->args[0], .timed = call->args[3] };
	w.before = read_words(before, before_len, w.all, WORDS_BEFORE);
	w.after = read_words(after, after_len, w.all + WORDS_BEFORE, WORDS_AFTER);
	w.at = w.all + WORDS_BEFORE;
	if (call->number != SYS_futex)
		return false;
	if (op == FUTEX_LOCK_PI || op == LOCK_PI2) {
		wait->as[LOCK_PI_MUTEX] = read_pi(&w);
		return true;
	}
	if (op != FUTEX_WAIT && op != FUTEX_WAIT_BITSET)
		return false;
	wait->as[LOCK_MUTEX] = read_mutex(&w);
	wait->as[LOCK_MUSL_MUTEX] = read_musl_mutex(&w);
	wait->as[LOCK_TO_READ] = read_reader(&w);
	wait->as[LOCK_TO_WRITE] = read_writer(&w);
	wait->as[LOCK_CONDITION].possible = wait->as[LOCK_SEMAPHORE].possible = true;
	wait->as[LOCK_CONDITION].before = wait->futex & 4;
	wait->as[LOCK_RUST_MUTEX].possible = w.after && w.value == 2 && w.at[0] == 2;
	wait->as[LOCK_RUST_RWLOCK].possible = w.after && w.at[0] == w.value;
	wait->as[LOCK_RUST_CONDITION].possible = true;
	for (int i = 0; i < LOCK_KINDS; i++)
		if (!wait->as[i].possible)
			wait->as[i] = (struct lock_reading){ .possible = false };
	return true;
}

/* The word and what follows are read first: a lock may begin with a page. */
bool lock_look(pid_t tid, const struct call *call, struct lock_wait *wait)
{
	char before[LOCK_BEFORE], after[LOCK_AFTER];
	struct memory_piece pieces[] = { { call->args[0], after, LOCK_AFTER },
					 { call->args[0] - LOCK_BEFORE, before, LOCK_BEFORE } };
	size_t got = call->number == SYS_futex ? memory_live_gather(tid, pieces, 2) : 0;

	return lock_parse(call, before, got == LOCK_AFTER + LOCK_BEFORE ? LOCK_BEFORE : 0, after,
			  got >= LOCK_AFTER ? LOCK_AFTER : 0, wait);
}

static bool same_reading(const struct lock_reading *a, const struct lock_reading *b)
{
	return a->possible == b->possible && a->readers == b->readers && a->relocks == b->relocks &&
	       a->before == b->before && a->owner == b->owner;
}

bool lock_same(const struct lock_wait *a, const struct lock_wait *b)
{
	bool same = a->futex == b->futex && a->timed == b->timed;

	for (int i = 0; i < LOCK_KINDS; i++)
		same = same && same_reading(&a->as[i], &b->as[i]);
	return same;
}

bool lock_may_have_owner(const struct lock_wait *wait)
{
	bool may = false;

	for (int i = 0; i < LOCK_KINDS; i++)
		may |= wait->as[i].possible && i != LOCK_CONDITION && i < LOCK_SEMAPHORE;
	return may;
}

/* The functions of glibc and musl that wait for a lock, without underscores at the begin. Those of
 * C11 (mtx_lock) call these. */
static const struct {
	const char *name;
	enum lock_kind kind;
} functions[] = {
	{ "pthread_mutex_lock", LOCK_MUTEX },
	{ "pthread_mutex_timedlock", LOCK_MUTEX },
	{ "pthread_mutex_clocklock", LOCK_MUTEX },
	{ "pthread_mutex_cond_lock", LOCK_MUTEX },
	{ "pthread_rwlock_rdlock", LOCK_TO_READ },
	{ "pthread_rwlock_timedrdlock", LOCK_TO_READ },
	{ "pthread_rwlock_clockrdlock", LOCK_TO_READ },
	{ "pthread_rwlock_wrlock", LOCK_TO_WRITE },
	{ "pthread_rwlock_timedwrlock", LOCK_TO_WRITE },
	{ "pthread_rwlock_clockwrlock", LOCK_TO_WRITE },
	{ "pthread_cond_wait", LOCK_CONDITION },
	{ "pthread_cond_timedwait", LOCK_CONDITION },
	{ "pthread_cond_clockwait", LOCK_CONDITION },
	{ "sem_wait", LOCK_SEMAPHORE },
	{ "sem_timedwait", LOCK_SEMAPHORE },
	{ "sem_clockwait", LOCK_SEMAPHORE },
	{ "new_sem_wait", LOCK_SEMAPHORE },
};

/* What glibc and the compiler append to the names of a function's parts and versions. */
static bool is_ending(const char *rest)
{
	static const char *const endings[] = { "_full", "_common", "_slow", "64", ".", "@" };

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (!strncmp(rest, endings[i], strlen(endings[i])))
			return true;
	return !*rest;
}

/* "__GI___pthread_mutex_lock" is pthread_mutex_lock. */
static const char *plain_name(const char *name)
{
	name += strspn(name, "_");
	if (!strncmp(name, "GI_", 3))
		name += 3 + strspn(name + 3, "_");
	return name;
}

static enum lock_kind lock_waits_in(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strncmp(name, functions[i].name, strlen(functions[i].name)) &&
		    is_ending(name + strlen(functions[i].name)))
			return functions[i].kind;
	return LOCK_NONE;
}

/* pthread_cond_wait locks its mutex again by a function that a stripped library does not name. */
static enum lock_kind in_condition(const struct lock_wait *wait)
{
	if (!wait->as[LOCK_MUTEX].possible)
		return LOCK_CONDITION;
	return wait->as[LOCK_MUTEX].lives ? LOCK_MUTEX : LOCK_NONE;
}

static enum lock_kind lock_confirm(const struct lock_wait *wait, enum lock_kind kind)
{
	if (kind == LOCK_CONDITION)
		return in_condition(wait);
	if (kind == LOCK_MUTEX && wait->as[LOCK_MUSL_MUTEX].possible)
		kind = LOCK_MUSL_MUTEX;
	return wait->as[kind].possible ? kind : LOCK_NONE;
}

static bool is_glibc(const char *module)
{
	return !strncmp(module, "libc.so", 7) || !strncmp(module, "libc-2.", 7) ||
	       !strncmp(module, "libpthread.so", 13) || !strncmp(module, "libpthread-2.", 13);
}

/* A stripped glibc has no name for the part of pthread_mutex_lock that waits for robust mutexes,
 * nor for that of pthread_mutex_timedlock. It does have one for syscall(3), by which others wait.
 * In glibc's own code the words decide: five of them must be a mutex's, one of a living thread. */
static enum lock_kind prove_nameless(const struct lock_wait *wait, const struct lock_site *site)
{
	bool own = site->count && !site->functions[0] && site->has_symbols &&
		   is_glibc(site->module);

	return own && wait->as[LOCK_MUTEX].lives ? LOCK_MUTEX : LOCK_NONE;
}

/* Parts of the names that both of Rust's manglings have. std::sys, too, must be part of the name:
 * a program may have a Mutex of its own. */
static enum lock_kind lock_rust_waits_in(const char *name)
{
	static const struct {
		const char *part;
		enum lock_kind kind;
	} parts[] = {
		{ "5Mutex14lock_contended", LOCK_RUST_MUTEX },
		{ "6RwLock14read_contended", LOCK_RUST_RWLOCK },
		{ "6RwLock15write_contended", LOCK_RUST_RWLOCK },
		{ "7Condvar21wait_optional_timeout", LOCK_RUST_CONDITION },
		{ "7Condvar4wait", LOCK_RUST_CONDITION },
	};

	for (size_t i = 0; strstr(name, "3std3sys") && i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(name, parts[i].part))
			return parts[i].kind;
	return LOCK_NONE;
}

/* syscall(3) is what Rust's std waits by; in a static program it lies in the same module. */
static enum lock_kind lock_prove_rust(const struct lock_wait *wait, const struct lock_site *site,
				      size_t from)
{
	for (size_t i = from; i < site->count + site->caller_count; i++) {
		const char *name = i < site->count ? site->functions[i] :
						     site->callers[i - site->count];
		enum lock_kind kind = name ? lock_rust_waits_in(name) : LOCK_NONE;

		if (kind)
			return wait->as[kind].possible ? kind : LOCK_NONE;
	}
	return LOCK_NONE;
}

void lock_site_add(struct lock_site *site, const char *function, bool inside)
{
	if (inside && !site->caller_count && site->count < LOCK_SITE)
		site->functions[site->count++] = function;
	else if (site->caller_count < LOCK_SITE)
		site->callers[site->caller_count++] = function;
}

enum lock_kind lock_prove(const struct lock_wait *wait, const struct lock_site *site)
{
	if (wait->as[LOCK_PI_MUTEX].possible)
		return LOCK_PI_MUTEX;
	for (size_t i = 0; i < site->count; i++) {
		const char *name = site->functions[i] ? plain_name(site->functions[i]) : "";
		enum lock_kind kind = lock_waits_in(name);

		if (!strcmp(name, "syscall"))
			return lock_prove_rust(wait, site, i + 1);
		if (kind)
			return lock_confirm(wait, kind);
	}
	return prove_nameless(wait, site);
}

const char *lock_kind_name(enum lock_kind kind)
{
	static const char *const names[LOCK_KINDS] = {
		NULL,
		"mutex",
		"mutex",
		"mutex",
		"rwlock",
		"rwlock",
		"condition variable",
		"semaphore",
		"mutex",
		"rwlock",
		"condition variable",
	};

	return names[kind];
}
