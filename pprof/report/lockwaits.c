/*
 * Locks come first, the longest waits first; then condition variables and semaphores, which nothing
 * owns, and on which idle threads wait for most of the time.
 *
 * A lock is what its label says: where that is a variable, waits of several processes or runs add
 * up. Waits for what has no owner add up by the stack in which they wait: the twenty threads of a
 * pool have a condition variable each.
 */
#include "pprof/report/lockwaits.h"

#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/error.h"
#include "base/room.h"
#include "pprof/graph/graph.h"
#include "pprof/graph/measure.h"
#include "pprof/profile.h"

struct thread_name {
	int64_t tid;
	uint32_t name; /* string */
};

static uint32_t string_of(const struct profile *p, const char *text)
{
	for (uint32_t i = 1; i < p->strings.count; i++)
		if (!strcmp(strset_get(&p->strings, i), text))
			return i;
	return UINT32_MAX;
}

static void find_keys(struct locks *l)
{
	l->keys.lock = string_of(l->p, "lock");
	l->keys.waits_for = string_of(l->p, "waits_for");
	l->keys.held_at = string_of(l->p, "held_at");
	l->keys.tid = string_of(l->p, "tid");
	l->keys.thread = string_of(l->p, "thread");
}

static bool same_wait(const void *owner, uint32_t i, const void *key)
{
	const struct wait *a = &((const struct locks *)owner)->list[i], *b = key;

	return a->lock == b->lock && a->waiter == b->waiter && a->owner == b->owner &&
	       a->held_at == b->held_at && a->stack == b->stack;
}

bool locks_is_condition(const char *lock)
{
	return begins_with(lock, "condition variable ");
}

/* The labels of a sample; wait.lock is 0 if it has none of a lock. */
static struct wait wait_of(const struct locks *l, const struct profile_sample *s)
{
	struct wait w = { .lock = 0 };
	const char *lock;

	for (size_t i = 0; i < s->labels; i++) {
		const struct profile_label *label = &l->p->labels[s->first_label + i];

		if (label->key == l->keys.lock)
			w.lock = label->str;
		else if (label->key == l->keys.waits_for && !label->str)
			w.owner = label->num;
		else if (label->key == l->keys.held_at)
			w.held_at = label->str;
		else if (label->key == l->keys.tid && !label->str)
			w.waiter = label->num;
	}
	lock = strset_get(&l->p->strings, w.lock);
	w.ownerless = locks_is_condition(lock) || begins_with(lock, "semaphore ");
	return w;
}

static int locks_find_stack(struct locks *l, const struct profile_sample *s, struct wait *w)
{
	int rc = stacktext_of(&l->stacks, l->p, s, &w->stack);

	w->group = w->lock;
	if (w->ownerless && w->stack)
		w->group = (uint64_t)w->stack << 33 |
			   (uint64_t)locks_is_condition(strset_get(&l->p->strings, w->lock)) << 32;
	return rc ? ERR_NOMEM : 0;
}

static int count_wait(struct locks *l, const struct wait *w, int64_t value)
{
	uint64_t words[] = { w->lock, (uint64_t)w->waiter, (uint64_t)w->owner, w->held_at,
			     w->stack };
	uint64_t hash = hash_bytes(words, sizeof(words));
	uint32_t i = hashindex_find(&l->index, hash, same_wait, l, w);

	if (i == HASHINDEX_NONE) {
		i = (uint32_t)l->count;
		if (room_for((void **)&l->list, &l->room, l->count + 1, sizeof(*w)) ||
		    hashindex_add(&l->index, hash, i))
			return ERR_NOMEM;
		l->list[l->count++] = *w;
	}
	l->list[i].sum = measure_sum(l->list[i].sum, value);
	l->sum = measure_sum(l->sum, value);
	return 0;
}

static int locks_count_all(struct locks *l)
{
	for (size_t i = 0; i < l->p->sample_count; i++) {
		const struct profile_sample *s = &l->p->samples[i];
		struct wait w = wait_of(l, s);

		if (w.lock && (locks_find_stack(l, s, &w) ||
			       count_wait(l, &w, l->p->values[s->first_value + l->v->type])))
			return ERR_NOMEM;
	}
	return 0;
}

static int locks_by_tid(const void *a, const void *b)
{
	const struct thread_name *x = a, *y = b;

	return x->tid != y->tid ? (x->tid < y->tid ? -1 : 1) : 0;
}

/* The name of each owner, by any of its own samples. ERR_NOMEM. */
static int name_owners(struct locks *l)
{
	struct thread_name *names = calloc(l->p->sample_count, sizeof(*names)), *found;

	if (!names)
		return ERR_NOMEM;
	for (size_t i = 0; i < l->p->sample_count; i++) {
		const struct profile_sample *s = &l->p->samples[i];

		names[i].tid = wait_of(l, s).waiter;
		for (size_t k = 0; k < s->labels; k++)
			if (l->p->labels[s->first_label + k].key == l->keys.thread)
				names[i].name = l->p->labels[s->first_label + k].str;
	}
	qsort(names, l->p->sample_count, sizeof(*names), locks_by_tid);
	for (size_t i = 0; i < l->count; i++) {
		struct thread_name key = { .tid = l->list[i].owner };

		found = bsearch(&key, names, l->p->sample_count, sizeof(*names), locks_by_tid);
		l->list[i].owner_name = found ? found->name : 0;
	}
	free(names);
	return 0;
}

static int by_group(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	return x->group != y->group ? (x->group < y->group ? -1 : 1) : 0;
}

static void sum_locks(struct locks *l)
{
	qsort(l->list, l->count, sizeof(*l->list), by_group);
	for (size_t i = 0, end; i < l->count; i = end) {
		int64_t sum = 0;

		for (end = i; end < l->count && l->list[end].group == l->list[i].group; end++)
			sum = measure_sum(sum, l->list[end].sum);
		for (size_t k = i; k < end; k++)
			l->list[k].lock_sum = sum;
	}
}

static int locks_by_place(const struct wait *x, const struct wait *y)
{
	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return x->held_at != y->held_at ? (x->held_at < y->held_at ? -1 : 1) : 0;
}

/* Locks before what has no owner, then by time; the waits of one lock by owner and its stack. */
static int by_cost(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	if (x->ownerless != y->ownerless)
		return x->ownerless ? 1 : -1;
	if (x->lock_sum != y->lock_sum)
		return x->lock_sum > y->lock_sum ? -1 : 1;
	return x->group != y->group ? by_group(x, y) : locks_by_place(x, y);
}

static int by_sum(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	return x->sum != y->sum ? (x->sum > y->sum ? -1 : 1) : locks_by_place(x, y);
}

static int by_waiter(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	return x->waiter != y->waiter ? (x->waiter < y->waiter ? -1 : 1) : 0;
}

static int locks_by_lock(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	return x->lock != y->lock ? (x->lock < y->lock ? -1 : 1) : 0;
}

static int by_holder(const void *a, const void *b)
{
	return locks_by_place(a, b);
}

static int by_stack(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	return x->stack != y->stack ? (x->stack < y->stack ? -1 : 1) : 0;
}

/* How many different ones there are. */
static size_t count_kinds(struct wait *list, size_t count, int (*alike)(const void *, const void *))
{
	size_t kinds = 0;

	qsort(list, count, sizeof(*list), alike);
	for (size_t i = 0; i < count; i++)
		kinds += !i || alike(&list[i - 1], &list[i]);
	return kinds;
}

/* Adds up waits that are alike, at the front of `list`, the longest first. Returns how many. */
static size_t locks_join(struct wait *list, size_t count, int (*alike)(const void *, const void *))
{
	size_t n = 0;

	qsort(list, count, sizeof(*list), alike);
	for (size_t i = 0; i < count; i++)
		if (n && !alike(&list[n - 1], &list[i]))
			list[n - 1].sum = measure_sum(list[n - 1].sum, list[i].sum);
		else
			list[n++] = list[i];
	qsort(list, n, sizeof(*list), by_sum);
	return n;
}

size_t locks_count_waiters(struct wait *list, size_t count)
{
	return count_kinds(list, count, by_waiter);
}

size_t locks_count_locks(struct wait *list, size_t count)
{
	return count_kinds(list, count, locks_by_lock);
}

size_t locks_join_stacks(struct wait *list, size_t count)
{
	return locks_join(list, count, by_stack);
}

size_t locks_join_holders(struct wait *list, size_t count)
{
	return locks_join(list, count, by_holder);
}

size_t locks_group(const struct locks *l, size_t i)
{
	size_t end = i;

	while (end < l->count && l->list[end].group == l->list[i].group)
		end++;
	return end - i;
}

int locks_find(struct locks *l, const struct profile *p, const struct report_view *v,
	       struct error *err)
{
	*l = (struct locks){ .p = p,
			     .v = v,
			     .total = v->total ? v->total : graph_total(p, v->type) };
	find_keys(l);
	if (stacktext_init(&l->stacks) || locks_count_all(l))
		return error_nomem(err);
	if (!l->count)
		return error_set(err, ERR_NOTFOUND,
				 "no thread waited for a lock (label 'lock'); record with --wall");
	if (name_owners(l))
		return error_nomem(err);
	sum_locks(l);
	qsort(l->list, l->count, sizeof(*l->list), by_cost);
	return 0;
}

void locks_release(struct locks *l)
{
	hashindex_release(&l->index);
	stacktext_release(&l->stacks);
	free(l->list);
}
