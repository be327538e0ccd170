/* Which words are a lock's, and which functions prove it. */
#include <criterion/criterion.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

#include "sampler/lock/lock.h"
#include "sampler/thread/threads.h"

enum { ME = 100, OTHER = 200, BEFORE = LOCK_BEFORE / 4, AFTER = LOCK_AFTER / 4 };

static uint32_t words[BEFORE + AFTER];
static uint32_t *const at = words + BEFORE;
static struct lock_wait wait_;

static bool parse(uint32_t op, uint32_t value)
{
	struct call call = { .number = SYS_futex, .args = { 0x1000, op, value } };

	return lock_parse(&call, words, LOCK_BEFORE, at, LOCK_AFTER, &wait_);
}

/* Fills the words of glibc's mutex and waits for it. */
static void mutex(uint32_t lock, uint32_t owner, uint32_t users, uint32_t kind)
{
	memset(words, 0, sizeof(words));
	at[0] = lock;
	at[2] = owner;
	at[3] = users;
	at[4] = kind;
	cr_assert(parse(FUTEX_WAIT_PRIVATE, lock));
}

static void expect(enum lock_kind kind, bool possible, pid_t owner, unsigned before)
{
	const struct lock_reading *r = &wait_.as[kind];

	cr_assert_eq(r->possible, possible);
	cr_assert_eq(r->owner, owner, "owner %d", r->owner);
	cr_assert_eq(r->before, before);
}

static enum lock_kind in(const char *module, const char *inner, const char *outer)
{
	struct lock_site site = { { inner, outer }, 2, { NULL }, 0, module, true };

	for (int i = 0; i < LOCK_KINDS; i++)
		wait_.as[i].lives = wait_.as[i].owner == OTHER;
	return lock_prove(&wait_, &site);
}

Test(lock, a_mutex_of_each_kind_has_its_owner)
{
	for (uint32_t kind = 0; kind < 4; kind++) {
		mutex(2, OTHER, 1, kind | 128);
		expect(LOCK_MUTEX, true, OTHER, 0);
		cr_assert_eq(wait_.as[LOCK_MUTEX].relocks, kind == 0 || kind == 3);
	}
	mutex(FUTEX_WAITERS | OTHER, OTHER, 1, 16);
	expect(LOCK_MUTEX, true, OTHER, 0);
}

Test(lock, other_words_are_no_mutex)
{
	static const uint32_t wrong[][4] = {
		{ 1, OTHER, 1, 0 }, /* not waited for */
		{ 2, OTHER, 0, 0 }, /* an owner without a user */
		{ 2, OTHER, 1, 4 }, /* kinds that there are not */
		{ 2, OTHER, 1, 0xffffffff },
		{ 2, OTHER, 1, 64 },		      /* a priority ceiling */
		{ 2, 0x80000000 | OTHER, 1, 0 },      /* no thread's number */
		{ FUTEX_WAITERS | OTHER, ME, 1, 16 }, /* robust, with two owners */
		{ FUTEX_WAITERS | OTHER, OTHER, 1, 0 },
		{ OTHER, OTHER, 1, 16 }, /* robust, not waited for */
		{ 2, OTHER, 1, 16 },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		mutex(wrong[i][0], wrong[i][1], wrong[i][2], wrong[i][3]);
		cr_expect_not(wait_.as[LOCK_MUTEX].possible, "%zu", i);
	}
}

Test(lock, the_word_must_have_the_value_that_is_waited_for)
{
	mutex(2, OTHER, 1, 0);
	at[0] = 1;
	cr_assert(parse(FUTEX_WAIT_PRIVATE, 2));
	expect(LOCK_MUTEX, false, 0, 0);
}

Test(lock, a_timed_wait_is_one)
{
	struct call call = { .number = SYS_futex,
			     .args = { 0x1000, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 2,
				       0x2000 } };

	mutex(2, OTHER, 1, 0);
	cr_assert(lock_parse(&call, words, LOCK_BEFORE, at, LOCK_AFTER, &wait_));
	cr_assert(wait_.timed);
	expect(LOCK_MUTEX, true, OTHER, 0);
}

Test(lock, the_kernel_owns_the_words_of_priority_inheritance)
{
	at[0] = FUTEX_WAITERS | OTHER;
	for (uint32_t op = FUTEX_LOCK_PI; op <= 13; op += 13 - FUTEX_LOCK_PI) {
		cr_assert(parse(op | FUTEX_PRIVATE_FLAG, 0));
		expect(LOCK_PI_MUTEX, true, OTHER, 0);
		cr_assert_eq(in("server", "syscall", "anything"), LOCK_PI_MUTEX);
	}
}

Test(lock, a_word_that_cannot_be_read_has_no_owner)
{
	struct call call = { .number = SYS_futex, .args = { 0x1000, FUTEX_LOCK_PI, 0 } };

	at[0] = OTHER;
	cr_assert(lock_parse(&call, words, LOCK_BEFORE, at, LOCK_AFTER - 4, &wait_));
	expect(LOCK_PI_MUTEX, false, 0, 0);
}

Test(lock, other_calls_wait_for_no_lock)
{
	struct call call = { .number = SYS_read, .args = { 0x1000, FUTEX_WAIT, 2 } };

	cr_assert_not(parse(FUTEX_WAKE, 2));
	cr_assert_not(parse(FUTEX_REQUEUE, 2));
	cr_assert_not(lock_parse(&call, words, LOCK_BEFORE, at, LOCK_AFTER, &wait_));
}

Test(lock, mutexes_of_musl)
{
	memset(words, 0, sizeof(words));
	at[-1] = 1 | 128;
	at[0] = 0x80000000 | OTHER;
	cr_assert(parse(FUTEX_WAIT, at[0]));
	expect(LOCK_MUSL_MUTEX, true, OTHER, 4);
	at[-1] = 0;
	at[0] = 0x80000010;
	cr_assert(parse(FUTEX_WAIT_PRIVATE, at[0]));
	expect(LOCK_MUSL_MUTEX, true, 0, 4);
	at[0] = 0x80000000 | OTHER; /* an ordinary one has no owner */
	cr_assert(parse(FUTEX_WAIT_PRIVATE, at[0]));
	expect(LOCK_MUSL_MUTEX, false, 0, 0);
}

/* __readers, __writers, __wrphase_futex, __writers_futex, two of padding, __cur_writer */
static void rwlock(unsigned futex, const uint32_t fields[7])
{
	memset(words, 0, sizeof(words));
	for (unsigned i = 0; i < 7; i++)
		if (BEFORE + i >= futex && BEFORE + i - futex < BEFORE + AFTER)
			words[BEFORE + i - futex] = fields[i];
	cr_assert(parse(FUTEX_WAIT_BITSET_PRIVATE, at[0]));
}

Test(lock, a_rwlock_has_the_owner_that_writes)
{
	rwlock(2, (uint32_t[]){ 3 | 8, 0, 3, 1, 0, 0, OTHER });
	expect(LOCK_TO_READ, true, OTHER, 8);
	rwlock(3, (uint32_t[]){ 3, 0, 1, 3, 0, 0, OTHER });
	expect(LOCK_TO_WRITE, true, OTHER, 12);
}

Test(lock, a_rwlock_that_is_read_has_no_owner)
{
	rwlock(2, (uint32_t[]){ 2 | 8, 0, 2, 1, 0, 0, 0 });
	expect(LOCK_TO_WRITE, true, 0, 8);
	cr_assert(wait_.as[LOCK_TO_WRITE].readers);
	rwlock(0, (uint32_t[]){ 2 | 4 | 8, 0, 2, 1, 0, 0, 0 });
	expect(LOCK_TO_READ, true, 0, 0);
	cr_assert(wait_.as[LOCK_TO_READ].readers);
}

Test(lock, a_rwlock_without_a_writer_is_not_written)
{
	rwlock(3, (uint32_t[]){ 8, 0, 1, 3, 0, 0, OTHER });
	expect(LOCK_TO_WRITE, false, 0, 0);
	rwlock(2, (uint32_t[]){ 8, 0, 3, 3, 0, 0, OTHER });
	expect(LOCK_TO_READ, false, 0, 0);
}

Test(lock, words_that_cannot_be_read_prove_nothing)
{
	struct call call = { .number = SYS_futex, .args = { 0x1000, FUTEX_WAIT, 2 } };

	mutex(2, OTHER, 1, 0);
	cr_assert(lock_parse(&call, words, 0, at, 0, &wait_));
	for (int i = LOCK_MUTEX; i < LOCK_CONDITION; i++)
		cr_assert_not(wait_.as[i].possible, "%d", i);
	cr_assert(lock_parse(&call, words, 0, at, LOCK_AFTER, &wait_));
	expect(LOCK_MUTEX, true, OTHER, 0);
}

Test(lock, a_function_of_the_c_library_proves_the_kind)
{
	mutex(2, OTHER, 1, 0);
	cr_assert_eq(in("libc.so.6", "__lll_lock_wait", "__GI___pthread_mutex_lock"), LOCK_MUTEX);
	cr_assert_eq(in("libc.so.6", "__pthread_mutex_lock_full", "work"), LOCK_MUTEX);
	cr_assert_eq(in("libc.so.6", NULL, "pthread_mutex_lock"), LOCK_MUTEX);
	cr_assert_eq(in("libc.so.6", "futex_wait", "__new_sem_wait_slow64.constprop.0"),
		     LOCK_SEMAPHORE);
	cr_assert_eq(in("libc.so.6", "futex_wait", "pthread_rwlock_wrlock"), LOCK_NONE);
}

Test(lock, a_condition_variable_may_be_its_mutex)
{
	mutex(2, OTHER, 1, 0);
	cr_assert_eq(in("libc.so.6", NULL, "pthread_cond_wait"), LOCK_MUTEX);
	mutex(0, OTHER, 1, 0);
	cr_assert_eq(in("libc.so.6", NULL, "pthread_cond_wait"), LOCK_CONDITION);
}

Test(lock, other_functions_prove_nothing)
{
	mutex(2, OTHER, 1, 0);
	cr_assert_eq(in("libc.so.6", "syscall", "pthread_mutex_lock"), LOCK_NONE);
	cr_assert_eq(in("libc.so.6", "__lll_lock_wait_private", "malloc"), LOCK_NONE);
	cr_assert_eq(in("server", NULL, NULL), LOCK_NONE);
	cr_assert_eq(in("server", "runtime.futex", "runtime.lock2"), LOCK_NONE);
	cr_assert_eq(in("server", "futex", "sem_waiter_loop"), LOCK_NONE);
	cr_assert_eq(in("server", "futex", "pthread_mutex_locker"), LOCK_NONE);
}

Test(lock, the_words_decide_in_a_stripped_glibc)
{
	mutex(2, OTHER, 1, 0);
	cr_assert_eq(in("libc.so.6", NULL, NULL), LOCK_MUTEX);
	mutex(2, ME, 1, 0); /* not a living thread, as `in` has it */
	cr_assert_eq(in("libc.so.6", NULL, NULL), LOCK_NONE);
	mutex(2, 0, 0, 0);
	cr_assert_eq(in("libc.so.6", NULL, NULL), LOCK_NONE);
}

static enum lock_kind in_rust(const char *caller)
{
	struct lock_site site = { { "syscall" }, 1, { caller }, 1, "libc.so.6", true };

	return lock_prove(&wait_, &site);
}

Test(lock, rusts_own_are_proven_by_its_functions)
{
	static const char
		legacy[] = "_ZN3std3sys4sync5mutex5futex5Mutex14lock_contended17h0123456789abcdefE",
		v0[] = "_RNvMNtNtNtNtCs1_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended",
		rwlock[] = "_ZN3std3sys4sync6rwlock5futex6RwLock14read_contended17h01E",
		condition[] = "_ZN3std3sys4sync7condvar5futex7Condvar4wait17h01E";

	memset(words, 0, sizeof(words));
	at[0] = 2;
	cr_assert(parse(FUTEX_WAIT_BITSET_PRIVATE, 2));
	cr_assert_eq(in_rust(legacy), LOCK_RUST_MUTEX);
	cr_assert_eq(in_rust(v0), LOCK_RUST_MUTEX);
	cr_assert_eq(in_rust(rwlock), LOCK_RUST_RWLOCK);
	cr_assert_eq(in_rust(condition), LOCK_RUST_CONDITION);
	cr_assert_eq(in_rust("_ZN4mine5Mutex14lock_contended17h01E"), LOCK_NONE);
	at[0] = 0; /* it has been unlocked since */
	cr_assert(parse(FUTEX_WAIT_BITSET_PRIVATE, 2));
	cr_assert_eq(in_rust(v0), LOCK_NONE);
}
