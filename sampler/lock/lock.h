/*
 * What a thread in futex(2) waits for, and which thread holds that.
 *
 * The kernel reports the call and its arguments, and memory beside the futex word can be read. That
 * does not say what kind of lock the word belongs to: any program may use futex(2) as it likes. So
 * a look gives one reading for each kind (lock_look), most of which the words exclude, and later
 * the functions in which the thread waits choose among them (lock_prove). What neither proves is
 * not told.
 *
 *   glibc      a mutex and a rwlock record the thread that locked them (for reading: they do not)
 *   musl       a mutex does, except an ordinary one (PTHREAD_MUTEX_NORMAL)
 *   Rust       its std's mutex, rwlock and condition variable record no owner
 *   any        a word that is waited for by FUTEX_LOCK_PI holds the owner: the kernel requires that
 *
 * Condition variables and semaphores have no owner. glibc clears the field of the owner before it
 * unlocks, so an owner that was read held the lock at that moment.
 *
 * Rejected: to recognize a lock by its words alone. Go, Rust's parking_lot, C++20's atomic waits
 * and hand-written locks use the value 2 just as glibc does, and what follows their word may be
 * anything.
 */
#ifndef SAMPLER_LOCK_LOCK_H
#define SAMPLER_LOCK_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct call;

enum lock_kind {
	LOCK_NONE, /* not known */
	LOCK_MUTEX,
	LOCK_MUSL_MUTEX,
	LOCK_PI_MUTEX,
	LOCK_TO_READ, /* a rwlock, to be read */
	LOCK_TO_WRITE,
	LOCK_CONDITION,
	LOCK_SEMAPHORE,
	LOCK_RUST_MUTEX, /* Rust's std: none of these records an owner */
	LOCK_RUST_RWLOCK,
	LOCK_RUST_CONDITION,
	LOCK_KINDS,
};

/* What the words mean if it is a lock of that kind. */
struct lock_reading {
	bool possible;	/* the words do not exclude it */
	bool readers;	/* threads hold it for reading; which ones is not recorded */
	bool relocks;	/* a thread that locks it twice waits for itself */
	uint8_t before; /* bytes from the lock's beginning to the futex word; of a condition
			 * variable, from its pair of futexes */
	pid_t owner;	/* recorded, as its own PID namespace numbers it; 0: none */
	bool lives;	/* that is a thread of the process; set by the caller before lock_prove */
};

struct lock_wait {
	uint64_t futex; /* address of the word */
	bool timed;	/* the wait ends by itself */
	struct lock_reading as[LOCK_KINDS];
};

/* Bytes that are read around a futex word: before it, and from it on. */
enum { LOCK_BEFORE = 12, LOCK_AFTER = 28 };

enum { LOCK_SITE = 8 };

/* The readings of a wait in `call` with `after_len` bytes from the word on, and `before_len` (0 or
 * LOCK_BEFORE) before it. Missing bytes exclude the kinds that need them. False, and `wait` is
 * empty, if the call is no wait for a futex. */
bool lock_parse(const struct call *call, const void *before, size_t before_len, const void *after,
		size_t after_len, struct lock_wait *wait);

/* The same with the memory of the process of thread `tid`, by one system call. Nothing is stopped:
 * the caller makes sure that the thread did not run meanwhile. */
bool lock_look(pid_t tid, const struct call *call, struct lock_wait *wait);

/* Do two looks show the same wait and owners? */
bool lock_same(const struct lock_wait *a, const struct lock_wait *b);

/* Could a thread hold what is waited for, by any of the readings? */
bool lock_may_have_owner(const struct lock_wait *wait);

/* Where a thread waits: functions that may prove a lock, innermost first; raw names, NULL where
 * there is none. */
struct lock_site {
	const char *functions[LOCK_SITE]; /* of the module that makes the call, no others */
	size_t count;
	const char *callers[LOCK_SITE]; /* of the modules from which that was called */
	size_t caller_count;
	const char *module; /* its file's name */
	bool has_symbols;   /* functions of the module have names */
};

/* Adds a function, innermost first; `inside` the module that makes the call. A module that has
 * been left is not entered again. */
void lock_site_add(struct lock_site *site, const char *function, bool inside);

/* Which kind of lock is it? An owner is in the reading of the result. LOCK_NONE: not proven. */
enum lock_kind lock_prove(const struct lock_wait *wait, const struct lock_site *site);

/* "mutex", "rwlock", "condition variable", "semaphore"; NULL for LOCK_NONE. */
const char *lock_kind_name(enum lock_kind kind);

#endif
