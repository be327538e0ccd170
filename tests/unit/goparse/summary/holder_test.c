/* Goroutines that may hold a lock: those that are past the place where others wait for it. */
#include "goparse/summary/holder.h"

#include "tests/unit/goparse/goroutines.h"

#define MINUTE 60000000000
#define LOCK "sync.lockSlow sync.(*Mutex).Lock "

static void add(struct census *c, uint64_t id, const char *state, uint64_t minutes,
		const char *frames)
{
	struct made_stack m;
	struct goparse_goroutine g = { .stack = make_stack(&m, frames, NULL),
				       .state = text_of(state),
				       .wait_ns = minutes * MINUTE };

	g.stack.id = id;
	cr_assert_eq(census_add(c, &g, NULL), 0);
}

/* Finds the holders of the lock that the most frequent stack waits for: the id of the first
 * candidate, 0 for none, and the number of candidates. */
static void assert_holder(const struct census *c, uint64_t id, uint64_t count)
{
	struct census_list l;
	struct holder h;

	cr_assert_eq(census_rank(c, CENSUS_STACKS, CENSUS_BY_COUNT, &l, NULL), 0);
	h = holder_find(l.rows[0], &l);
	cr_assert_eq(h.row ? h.row->stack.id : 0, id, "%lu", h.row ? h.row->stack.id : 0);
	cr_assert_eq(h.count, count, "%lu", h.count);
	free(l.rows);
}

static struct census *waiting(const char *state, const char *frames)
{
	struct census *c;

	cr_assert_eq(census_new(&c, NULL), 0);
	for (uint64_t i = 1; i < 9; i++)
		add(c, i, state, 2, frames);
	return c;
}

Test(holder, stands_in_the_same_function_at_another_line)
{
	struct census *c = waiting("sync.Mutex.Lock", LOCK "main.(*Orders).Place:75 main.handle");

	assert_holder(c, 0, 0);
	add(c, 20, "select", 1, "main.(*Orders).Count main.handle");
	assert_holder(c, 20, 1);
	add(c, 30, "select", 1, "main.get main.(*Orders).Place:78 main.handle");
	assert_holder(c, 30, 1);
	add(c, 31, "IO wait", 3, "main.(*Orders).Place:80 main.handle");
	assert_holder(c, 31, 2);
	census_free(c);
}

Test(holder, may_be_in_another_method_of_the_type)
{
	struct census *c = waiting("sync.RWMutex.Lock", "sync.(*RWMutex).Lock main.(*T[...]).set");

	add(c, 20, "sleep", 0, "main.(*T[...]).get.func1 main.main");
	add(c, 21, "sleep", 0, "main.(*U[...]).get main.main");
	add(c, 22, "sleep", 0, "main.T.set main.main");
	assert_holder(c, 20, 1);
	census_free(c);
}

Test(holder, is_no_waiter_for_a_lock)
{
	struct census *c = waiting("sync.Mutex.Lock", LOCK "main.(*Orders).Place:75");

	add(c, 20, "sync.Mutex.Lock", 1, LOCK "main.(*Orders).Count:90");
	assert_holder(c, 0, 0);
	census_free(c);
}

Test(holder, before_states_told_of_locks)
{
	struct census *c = waiting("semacquire", LOCK "main.f:5");

	add(c, 20, "sleep", 1, "main.f:6");
	assert_holder(c, 20, 1);
	census_free(c);
}

Test(holder, nothing_to_hold)
{
	struct census *c = waiting("semacquire",
				   "sync.runtime_Semacquire sync.(*WaitGroup).Wait main.f:5");

	add(c, 20, "sleep", 1, "main.f:6");
	assert_holder(c, 0, 0);
	census_free(c);
	c = waiting("chan receive", "main.f:5");
	add(c, 20, "sleep", 1, "main.f:6");
	assert_holder(c, 0, 0);
	census_free(c);
	c = waiting("sync.Mutex.Lock", "sync.(*Mutex).Lock");
	assert_holder(c, 0, 0);
	census_free(c);
}
