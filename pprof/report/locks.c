/*
 * Locks come first, the longest waits first; then condition variables and semaphores, which nothing
 * owns, and on which idle threads wait for most of the time.
 *
 * A lock is what its label says: where that is a variable, waits of several processes or runs add
 * up. Waits for what has no owner add up by the stack in which they wait: the twenty threads of a
 * pool have a condition variable each.
 */
#include "pprof/report/reports.h"

#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "base/room.h"
#include "pprof/graph/graph.h"
#include "pprof/graph/measure.h"
#include "base/printer.h"
#include "pprof/graph/text.h"
#include "pprof/profile.h"
#include "pprof/report/heading.h"
#include "pprof/report/stacktext.h"

enum { STACKS_SHOWN = 5 }; /* of waiters, for each lock */

/* Time for which a thread waited for a lock, in a stack, while it was held so. */
struct wait {
	uint32_t lock;	/* string */
	uint32_t stack; /* in locks.stacks; 0: it has none */
	uint64_t group; /* what is shown as one */
	int64_t waiter; /* thread id */
	int64_t owner;	/* thread id; 0: not known */
	uint32_t owner_name;
	uint32_t held_at; /* string; 0: not known */
	int64_t sum;
	int64_t lock_sum; /* of all waits for the lock */
	bool ownerless;	  /* nothing owns what is waited for */
};

struct thread_name {
	int64_t tid;
	uint32_t name; /* string */
};

/* Which of a profile's strings are the labels' keys; UINT32_MAX: it has none. */
struct locks_keys {
	uint32_t lock, waits_for, held_at, tid, thread;
};

struct locks {
	const struct profile *p;
	const struct report_view *v;
	const char *unit; /* that values are shown in */
	struct locks_keys keys;
	struct wait *list;
	size_t count, room;
	struct hashindex index;
	struct stacktext stacks;
	int64_t sum, total;
	struct printer *out;
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

static bool is_of_condition(const char *lock)
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
	w.ownerless = is_of_condition(lock) || begins_with(lock, "semaphore ");
	return w;
}

static int locks_find_stack(struct locks *l, const struct profile_sample *s, struct wait *w)
{
	int rc = stacktext_of(&l->stacks, l->p, s, &w->stack);

	w->group = w->lock;
	if (w->ownerless && w->stack)
		w->group = (uint64_t)w->stack << 33 |
			   (uint64_t)is_of_condition(strset_get(&l->p->strings, w->lock)) << 32;
	return rc;
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

static void locks_add_value(const struct locks *l, int64_t value)
{
	stacktext_print_value(l->out, value, l->total, heading_unit(l->p, l->v), l->unit);
}

static void locks_add_holder(const struct locks *l, const struct wait *w)
{
	locks_add_value(l, w->sum);
	if (!w->owner) {
		print_to(l->out, "  the holder is not known\n");
		return;
	}
	print_to(l->out, "  held by thread %ld", (long)w->owner);
	if (w->owner_name) {
		print_to(l->out, " \"");
		text_add_string(l->out, l->p, w->owner_name);
		print_to(l->out, "\"");
	}
	print_to(l->out, w->held_at ? ", in\n" : ", its stack was not taken\n");
	stacktext_print(l->out, strset_get(&l->p->strings, w->held_at), l->v->width);
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

/* Where they waited. */
static void locks_add_stacks(const struct locks *l, const struct wait *stacks, size_t count)
{
	for (size_t i = 0; i < count && i < STACKS_SHOWN; i++) {
		if (!stacks[i].stack)
			continue;
		locks_add_value(l, stacks[i].sum);
		print_to(l->out, "  waited in\n");
		stacktext_print(l->out, strset_get(&l->stacks.stacks, stacks[i].stack),
				l->v->width);
	}
	if (count > STACKS_SHOWN)
		print_to(l->out, "%18s  and in %zu more stacks\n", "", count - STACKS_SHOWN);
}

/* `mutex 0x1234`, `20 condition variables` */
static void locks_add_name(const struct locks *l, const struct wait *first, size_t locks)
{
	const char *name = strset_get(&l->p->strings, first->lock);

	if (locks == 1)
		text_add_string(l->out, l->p, first->lock);
	else
		print_to(l->out, "%zu %s", locks,
			 is_of_condition(name) ? "condition variables" : "semaphores");
}

static void locks_add_lock(const struct locks *l, struct wait *list, size_t count)
{
	struct wait *stacks = malloc((count + 1) * sizeof(*stacks));
	size_t waiters = count_kinds(list, count, by_waiter),
	       locks = count_kinds(list, count, locks_by_lock), holders;

	locks_add_value(l, list->lock_sum);
	locks_add_name(l, list, locks);
	print_to(l->out, ", %zu thread%s waited\n", waiters, waiters == 1 ? "" : "s");
	if (stacks) {
		memcpy(stacks, list, count * sizeof(*stacks));
		locks_add_stacks(l, stacks, locks_join(stacks, count, by_stack));
	} else {
		printer_fail(l->out, ERR_NOMEM);
	}
	holders = locks_join(list, count, by_holder);
	for (size_t i = 0; !list->ownerless && i < holders; i++)
		locks_add_holder(l, &list[i]);
	free(stacks);
}

static void locks_add_all(struct locks *l)
{
	heading_profile(l->p, l->v, l->total, l->unit, l->out);
	for (size_t i = 0, end; !l->out->rc && i < l->count; i = end) {
		bool first = !i || l->list[i].ownerless != l->list[i - 1].ownerless;

		for (end = i; end < l->count && l->list[end].group == l->list[i].group;)
			end++;
		if (first)
			print_to(l->out, l->list[i].ownerless ? "Waits for what has no owner\n" :
								"Waits for locks\n");
		locks_add_lock(l, &l->list[i], end - i);
	}
}

int report_locks(const struct profile *p, const struct report_view *v, struct buffer *out,
		 struct error *err)
{
	struct printer to = { out, 0 };
	struct locks l = { .p = p,
			   .v = v,
			   .unit = v->unit ? v->unit : "minimum",
			   .out = &to,
			   .total = v->total ? v->total : graph_total(p, v->type) };

	find_keys(&l);
	to.rc = stacktext_init(&l.stacks) || locks_count_all(&l) ? ERR_NOMEM : 0;
	if (!to.rc && l.count) {
		to.rc = name_owners(&l);
		sum_locks(&l);
		qsort(l.list, l.count, sizeof(*l.list), by_cost);
		locks_add_all(&l);
	}
	hashindex_release(&l.index);
	stacktext_release(&l.stacks);
	free(l.list);
	if (!to.rc && !l.count)
		return error_set(err, ERR_NOTFOUND,
				 "no thread waited for a lock (label 'lock'); record with --wall");
	return printer_result(&to, err);
}
