/*
 * Where a wall profile's threads waited, by what they waited for, the longest first, each with the
 * stacks that waited most. Waits for work stand apart: for connections, and in an event loop that
 * waits for many.
 *
 * What a thread waited for, its labels say: `lock` (sampler/profile/locklabels.h), `waits_on` with
 * `peer` or `file` (sampler/profile/waitlabels.h), else `syscall`. Time in the state "runnable" is
 * a wait for a CPU. So the parts add up to all time that was not spent on a CPU.
 */
#include "pprof/report/waitsum.h"

#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/error.h"
#include "base/room.h"
#include "pprof/graph/graph.h"
#include "pprof/graph/measure.h"
#include "pprof/profile.h"
#include "pprof/view.h"

enum waits_key { KEY_STATE, KEY_LOCK, KEY_ON, KEY_PEER, KEY_FILE, KEY_SYSCALL, KEYS };

/* The sample's value of each key; 0: it has none. */
static void waits_labels(const struct waitsum *w, const struct profile_sample *s,
			 const char *values[KEYS])
{
	static const char *const keys[KEYS] = { "state", "lock", "waits_on",
						"peer",	 "file", "syscall" };

	for (int k = 0; k < KEYS; k++)
		values[k] = NULL;
	for (size_t i = 0; i < s->labels; i++) {
		const struct profile_label *l = &w->p->labels[s->first_label + i];
		const char *key = strset_get(&w->p->strings, l->key);

		for (int k = 0; k < KEYS; k++)
			if (l->str && !strcmp(key, keys[k]))
				values[k] = strset_get(&w->p->strings, l->str);
	}
}

/* Without the address of what nothing owns: each thread of a pool has its own. */
static int waits_lock(struct waitsum *w, const char *lock)
{
	const char *address = strstr(lock, " 0x");
	bool owned = !begins_with(lock, "condition variable ") && !begins_with(lock, "semaphore ");
	size_t len = owned || !address ? strlen(lock) : (size_t)(address - lock);

	return buffer_addf(&w->text, "%.*s%c", (int)len, lock, '\0');
}

/* `tcp 10.0.3.7:5432`, `mutex table_lock`, `file /var/lib/x`, `a CPU`, `in futex`. */
static int waits_name(struct waitsum *w, const char *const values[KEYS])
{
	const char *object = values[KEY_PEER] ? values[KEY_PEER] : values[KEY_FILE];

	w->text.len = 0;
	if (!strcmp(values[KEY_STATE], "runnable"))
		return buffer_addf(&w->text, "a CPU%c", '\0');
	if (values[KEY_LOCK])
		return waits_lock(w, values[KEY_LOCK]);
	if (values[KEY_ON])
		return buffer_addf(&w->text, "%s%s%s%c", values[KEY_ON], object ? " " : "",
				   object ? object : "", '\0');
	if (!strcmp(values[KEY_STATE], "stopped"))
		return buffer_addf(&w->text, "its stop to end%c", '\0');
	return buffer_addf(&w->text, "in %s%c",
			   values[KEY_SYSCALL] ? values[KEY_SYSCALL] : "the kernel", '\0');
}

static enum waits_part waits_part(const char *const values[KEYS])
{
	const char *on = values[KEY_LOCK] ? NULL : values[KEY_ON];

	if (!on || !strcmp(values[KEY_STATE], "runnable"))
		return PART_WAITS;
	if (!strcmp(on, "connections"))
		return PART_IDLE;
	return strcmp(on, "event loop") ? PART_WAITS : PART_LOOPS;
}

static bool waits_same(const void *owner, uint32_t i, const void *key)
{
	const struct waits_row *a = &((const struct waitsum *)owner)->rows[i], *b = key;

	return a->what == b->what && a->stack == b->stack;
}

static int waits_add(struct waitsum *w, const struct waits_row *row, int64_t value)
{
	uint64_t hash = ((uint64_t)row->what << 32 | row->stack) * 0x9e3779b97f4a7c15u;
	uint32_t i = hashindex_find(&w->index, hash, waits_same, w, row);

	if (i == HASHINDEX_NONE) {
		i = (uint32_t)w->count;
		if (room_for((void **)&w->rows, &w->room, w->count + 1, sizeof(*row)) ||
		    hashindex_add(&w->index, hash, i))
			return ERR_NOMEM;
		w->rows[w->count++] = *row;
	}
	w->rows[i].sum = measure_sum(w->rows[i].sum, value);
	w->sum = measure_sum(w->sum, value);
	return 0;
}

static int waits_count(struct waitsum *w, const struct profile_sample *s)
{
	const char *values[KEYS];
	struct waits_row row = { 0 };

	waits_labels(w, s, values);
	if (!values[KEY_STATE] || !strcmp(values[KEY_STATE], "running"))
		return 0;
	row.part = waits_part(values);
	if (waits_name(w, values) ||
	    strset_addz(&w->things, (const char *)w->text.data, &row.what) ||
	    stacktext_of(&w->stacks, w->p, s, &row.stack))
		return ERR_NOMEM;
	return waits_add(w, &row, w->p->values[s->first_value + w->v->type]);
}

static int waits_by_what(const void *a, const void *b)
{
	const struct waits_row *x = a, *y = b;

	return x->what != y->what ? (x->what < y->what ? -1 : 1) : 0;
}

static void waits_sum(struct waitsum *w)
{
	qsort(w->rows, w->count, sizeof(*w->rows), waits_by_what);
	for (size_t i = 0, end; i < w->count; i = end) {
		int64_t sum = 0;

		for (end = i; end < w->count && w->rows[end].what == w->rows[i].what; end++)
			sum = measure_sum(sum, w->rows[end].sum);
		for (size_t k = i; k < end; k++)
			w->rows[k].what_sum = sum;
	}
}

/* By part; things by their time, and the stacks of one by theirs. */
static int waits_by_cost(const void *a, const void *b)
{
	const struct waits_row *x = a, *y = b;

	if (x->part != y->part)
		return x->part > y->part ? 1 : -1;
	if (x->what_sum != y->what_sum)
		return x->what_sum > y->what_sum ? -1 : 1;
	if (x->what != y->what)
		return waits_by_what(x, y);
	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

int waitsum_find(struct waitsum *w, const struct profile *p, const struct report_view *v,
		 struct error *err)
{
	int rc;

	*w = (struct waitsum){ .p = p, .v = v };
	w->total = v->total ? v->total : graph_total(p, v->type);
	rc = strset_init(&w->things) || stacktext_init(&w->stacks) ? ERR_NOMEM : 0;
	for (size_t i = 0; !rc && i < p->sample_count; i++)
		rc = waits_count(w, &p->samples[i]);
	if (rc)
		return error_nomem(err);
	if (!w->count)
		return error_set(err, ERR_NOTFOUND,
				 "no thread waited (label 'state'); record with --wall");
	waits_sum(w);
	qsort(w->rows, w->count, sizeof(*w->rows), waits_by_cost);
	return 0;
}

void waitsum_release(struct waitsum *w)
{
	hashindex_release(&w->index);
	strset_release(&w->things);
	stacktext_release(&w->stacks);
	buffer_release(&w->text);
	free(w->rows);
}

size_t waitsum_group(const struct waitsum *w, size_t i)
{
	size_t end = i;

	while (end < w->count && w->rows[end].what == w->rows[i].what &&
	       w->rows[end].part == w->rows[i].part)
		end++;
	return end - i;
}
