/*
 * Each profile is read once, sample by sample, and both are counted into the same rows. Rows are
 * identified by name, because the two profiles number functions differently.
 *
 * A thread's hottest function needs sums for each pair of thread and function. Few pairs occur: one
 * for each leaf function that a thread has.
 */
#include "pprof/report/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "base/room.h"
#include "pprof/columns.h"
#include "pprof/profile.h"

/* A thread and its innermost function. */
struct report_live_pair {
	uint32_t thread, row;
	int64_t recent, whole;
};

struct thread_key {
	int64_t pid, tid;
};

struct report_live_tally {
	struct live *l;
	const struct profile *p;
	size_t type;
	bool recent;	       /* true: counting the profile `recent`, false: `whole` */
	uint32_t *row_of_name; /* by index in l->names: row + 1 */
	size_t name_room;
	uint32_t *row_of_function; /* by function of p: row + 1 */
	size_t number;		   /* of the sample: counts from 1 through both profiles */
	struct buffer text;
	struct report_live_pair *pairs;
	size_t pair_count, pair_room;
	struct hashindex pair_index, thread_index;
	/* Of callers: names in l->names. */
	uint32_t *path, *frames; /* NULL: not of callers; of a stack, innermost first */
	size_t path_count, frame_count, frame_room;
};

/* Adds a value, saturated at INT64_MAX. Values of 0 and below are ignored. */
static void report_live_add(int64_t *to, int64_t value)
{
	if (value > 0 && __builtin_add_overflow(*to, value, to))
		*to = INT64_MAX;
}

/* Rows. */

static int row_of_name(struct report_live_tally *t, const char *name, size_t len, size_t *row)
{
	struct live *l = t->l;
	size_t had = t->name_room;
	uint32_t id;

	if (strset_add(&l->names, name, len, &id) ||
	    room_for((void **)&t->row_of_name, &t->name_room, id + 1ul, sizeof(*t->row_of_name)) ||
	    room_for((void **)&l->rows, &l->room, l->count + 1, sizeof(*l->rows)))
		return ERR_NOMEM;
	memset(t->row_of_name + had, 0, (t->name_room - had) * sizeof(*t->row_of_name));
	if (!t->row_of_name[id]) {
		l->rows[l->count] = (struct live_row){ .name = strset_get(&l->names, id) };
		t->row_of_name[id] = (uint32_t)++l->count;
	}
	*row = t->row_of_name[id] - 1;
	return 0;
}

/* Writes "[libfoo.so]" to t->text, as in other reports (pprof/graph/nodes.c). */
static int report_live_name_file(struct report_live_tally *t, uint32_t mapping)
{
	const char *file = mapping ? strset_get(&t->p->strings,
						t->p->mappings[mapping - 1].filename) :
				     "";
	const char *slash = strrchr(file, '/');

	t->text.len = 0;
	return buffer_addf(&t->text, *file ? "[%s]" : "<unknown>", slash ? slash + 1 : file);
}

static int row_of_file(struct report_live_tally *t, uint32_t mapping, size_t *row)
{
	if (report_live_name_file(t, mapping) ||
	    row_of_name(t, (const char *)t->text.data, t->text.len, row))
		return ERR_NOMEM;
	t->l->rows[*row].is_file = true;
	return 0;
}

static int report_live_row_of(struct report_live_tally *t, uint32_t mapping, uint32_t function,
			      size_t *row)
{
	const char *name = function ?
				   strset_get(&t->p->strings, t->p->functions[function - 1].name) :
				   "";
	int rc;

	if (!*name)
		return row_of_file(t, mapping, row);
	if (t->row_of_function[function - 1]) {
		*row = t->row_of_function[function - 1] - 1;
		return 0;
	}
	rc = row_of_name(t, name, strlen(name), row);
	t->row_of_function[function - 1] = (uint32_t)*row + 1;
	return rc;
}

/* Threads. */

static bool same_thread(const void *owner, uint32_t id, const void *key)
{
	const struct live_thread *a = &((const struct report_live_tally *)owner)->l->threads[id];
	const struct thread_key *b = key;

	return a->pid == b->pid && a->tid == b->tid;
}

static int report_live_find_thread(struct report_live_tally *t, const struct thread_key *key,
				   const char *name, uint32_t *thread)
{
	uint64_t hash = hash_bytes(key, sizeof(*key));
	struct live *l = t->l;
	uint32_t id;

	*thread = hashindex_find(&t->thread_index, hash, same_thread, t, key);
	if (*thread != HASHINDEX_NONE)
		return 0;
	if (strset_addz(&l->names, name, &id) ||
	    room_for((void **)&l->threads, &l->thread_room, l->thread_count + 1,
		     sizeof(*l->threads)) ||
	    hashindex_add(&t->thread_index, hash, (uint32_t)l->thread_count))
		return ERR_NOMEM;
	*thread = (uint32_t)l->thread_count++;
	l->threads[*thread] = (struct live_thread){ .pid = key->pid,
						    .tid = key->tid,
						    .name = strset_get(&l->names, id) };
	return 0;
}

/* *thread: HASHINDEX_NONE for a sample without a thread. */
static int report_live_thread_of(struct report_live_tally *t, const struct profile_sample *s,
				 uint32_t *thread)
{
	struct thread_key key = { 0, 0 };
	const char *name = "";

	for (size_t i = 0; i < s->labels; i++) {
		const struct profile_label *label = &t->p->labels[s->first_label + i];
		const char *what = strset_get(&t->p->strings, label->key);

		if (!strcmp(what, "tid"))
			key.tid = label->num;
		else if (!strcmp(what, "pid"))
			key.pid = label->num;
		else if (!strcmp(what, "thread"))
			name = strset_get(&t->p->strings, label->str);
	}
	*thread = HASHINDEX_NONE;
	return key.tid ? report_live_find_thread(t, &key, name, thread) : 0;
}

static bool report_live_same_pair(const void *owner, uint32_t id, const void *key)
{
	const struct report_live_pair *a = &((const struct report_live_tally *)owner)->pairs[id],
				      *b = key;

	return a->thread == b->thread && a->row == b->row;
}

static int count_pair(struct report_live_tally *t, uint32_t thread, size_t row, int64_t value)
{
	struct report_live_pair key = { .thread = thread, .row = (uint32_t)row };
	uint64_t hash = hash_bytes(&key, 2 * sizeof(uint32_t));
	uint32_t id = hashindex_find(&t->pair_index, hash, report_live_same_pair, t, &key);

	if (id == HASHINDEX_NONE) {
		if (room_for((void **)&t->pairs, &t->pair_room, t->pair_count + 1,
			     sizeof(*t->pairs)) ||
		    hashindex_add(&t->pair_index, hash, (uint32_t)t->pair_count))
			return ERR_NOMEM;
		id = (uint32_t)t->pair_count++;
		t->pairs[id] = key;
	}
	report_live_add(t->recent ? &t->pairs[id].recent : &t->pairs[id].whole, value);
	return 0;
}

/* Samples. */

static int count_frame(struct report_live_tally *t, uint32_t mapping, uint32_t function,
		       int64_t value, uint32_t thread, bool leaf)
{
	struct live_cost *cost;
	size_t row;

	if (report_live_row_of(t, mapping, function, &row))
		return ERR_NOMEM;
	cost = t->recent ? &t->l->rows[row].recent : &t->l->rows[row].whole;
	if (t->l->rows[row].seen != t->number)
		report_live_add(&cost->cum, value);
	t->l->rows[row].seen = t->number;
	if (!leaf)
		return 0;
	report_live_add(&cost->flat, value);
	return thread == HASHINDEX_NONE ? 0 : count_pair(t, thread, row, value);
}

static int count_location(struct report_live_tally *t, const struct profile_location *l,
			  int64_t value, uint32_t thread, bool leaf)
{
	int rc = 0;

	if (!l->lines)
		return count_frame(t, l->mapping, 0, value, thread, leaf);
	for (size_t i = 0; i < l->lines && !rc; i++)
		rc = count_frame(t, l->mapping, t->p->lines[l->first_line + i].function, value,
				 thread, leaf && !i);
	return rc;
}

/* Callers. */

static int report_live_add_frame(struct report_live_tally *t, uint32_t mapping, uint32_t function)
{
	const char *name = function ?
				   strset_get(&t->p->strings, t->p->functions[function - 1].name) :
				   "";
	size_t len = strlen(name);

	if (!len && report_live_name_file(t, mapping))
		return ERR_NOMEM;
	if (room_for((void **)&t->frames, &t->frame_room, t->frame_count + 1, sizeof(*t->frames)))
		return ERR_NOMEM;
	return strset_add(&t->l->names, len ? name : (const char *)t->text.data,
			  len ? len : t->text.len, &t->frames[t->frame_count++]);
}

static int report_live_list_frames(struct report_live_tally *t, const struct profile_sample *s)
{
	int rc = 0;

	t->frame_count = 0;
	for (size_t i = 0; i < s->locations && !rc; i++) {
		uint32_t id = t->p->stack[s->first_location + i];
		const struct profile_location *l = &t->p->locations[id - 1];

		rc = l->lines ? 0 : report_live_add_frame(t, l->mapping, 0);
		for (size_t j = 0; j < l->lines && !rc; j++)
			rc = report_live_add_frame(t, l->mapping,
						   t->p->lines[l->first_line + j].function);
	}
	return rc;
}

static int count_caller(struct report_live_tally *t, const struct profile_sample *s, int64_t value)
{
	size_t at = 0, row, bytes = t->path_count * sizeof(*t->path);
	struct live_cost *cost;
	const char *caller = "(outermost)";

	if (report_live_list_frames(t, s))
		return ERR_NOMEM;
	while (at + t->path_count <= t->frame_count && memcmp(t->frames + at, t->path, bytes))
		at++;
	if (at + t->path_count > t->frame_count)
		return 0;
	if (at + t->path_count < t->frame_count)
		caller = strset_get(&t->l->names, t->frames[at + t->path_count]);
	if (row_of_name(t, caller, strlen(caller), &row))
		return ERR_NOMEM;
	cost = t->recent ? &t->l->rows[row].recent : &t->l->rows[row].whole;
	report_live_add(&cost->cum, value);
	if (!at)
		report_live_add(&cost->flat, value);
	return 0;
}

static int report_live_count_sample(struct report_live_tally *t, const struct profile_sample *s)
{
	int64_t value = t->p->values[s->first_value + t->type];
	uint32_t thread;
	int rc;

	if (value <= 0)
		return 0;
	t->number++;
	report_live_add(t->recent ? &t->l->total.flat : &t->l->total.cum, value);
	if (t->path)
		return count_caller(t, s, value);
	rc = report_live_thread_of(t, s, &thread);
	if (!rc && thread != HASHINDEX_NONE)
		report_live_add(t->recent ? &t->l->threads[thread].recent :
					    &t->l->threads[thread].whole,
				value);
	for (size_t i = 0; i < s->locations && !rc; i++) {
		uint32_t id = t->p->stack[s->first_location + i];

		rc = count_location(t, &t->p->locations[id - 1], value, thread, !i);
	}
	return rc;
}

static int count_profile(struct report_live_tally *t, const struct profile *p, const char *type,
			 bool recent, struct error *err)
{
	int rc = 0;

	t->p = p;
	t->recent = recent;
	t->type = profile_column(p, type);
	if (t->type == p->type_count)
		return error_set(err, ERR_USAGE, "the profile has no sample type '%s'", type);
	free(t->row_of_function);
	t->row_of_function = calloc(p->function_count + 1, sizeof(*t->row_of_function));
	rc = t->row_of_function ? 0 : ERR_NOMEM;
	for (size_t i = 0; !rc && i < p->sample_count; i++)
		rc = report_live_count_sample(t, &p->samples[i]);
	return rc ? error_nomem(err) : 0;
}

/* The hottest function of a thread that was idle recently is the hottest since the start. */
static void find_hottest(struct report_live_tally *t)
{
	struct live *l = t->l;

	for (size_t i = 0; i < t->pair_count; i++) {
		const struct report_live_pair *pair = &t->pairs[i];
		struct live_thread *thread = &l->threads[pair->thread];
		int64_t cost = thread->recent ? pair->recent : pair->whole;
		const char *name = l->rows[pair->row].name;

		if (cost < thread->hottest_cost || !cost)
			continue;
		/* Ties are decided by name, so that lines do not flicker. */
		if (cost == thread->hottest_cost && thread->hottest &&
		    strcmp(name, thread->hottest) > 0)
			continue;
		thread->hottest = name;
		thread->hottest_cost = cost;
	}
}

/* Those that no sample has (pprof/select/interpreted.h) do not count. */
static int count_pending(const struct profile *p, size_t *count)
{
	bool *seen = calloc(p->location_count + 1, sizeof(*seen));

	*count = 0;
	for (size_t i = 0; seen && i < p->stack_count; i++) {
		uint32_t id = p->stack[i];

		*count += !seen[id] && !p->locations[id - 1].lines;
		seen[id] = true;
	}
	free(seen);
	return seen ? 0 : ERR_NOMEM;
}

static int name_path(struct report_live_tally *t, char *const *path, size_t count)
{
	t->path_count = count;
	t->path = count ? calloc(count, sizeof(*t->path)) : NULL;
	for (size_t i = 0; t->path && i < count; i++)
		if (strset_addz(&t->l->names, path[i], &t->path[i]))
			return ERR_NOMEM;
	return count && !t->path ? ERR_NOMEM : 0;
}

int live_fill(struct live *l, const struct profile *recent, const struct profile *whole,
	      const char *type, char *const *path, size_t count, struct error *err)
{
	struct report_live_tally t = { .l = l };
	int rc;

	memset(l, 0, sizeof(*l));
	rc = strset_init(&l->names) || name_path(&t, path, count) ? error_nomem(err) : 0;
	if (!rc)
		rc = count_profile(&t, recent, type, true, err);
	if (!rc)
		rc = count_profile(&t, whole, type, false, err);
	if (!rc && count_pending(whole, &l->pending))
		rc = error_nomem(err);
	if (!rc)
		find_hottest(&t);
	else
		live_release(l);
	free(t.row_of_name);
	free(t.row_of_function);
	free(t.pairs);
	free(t.path);
	free(t.frames);
	buffer_release(&t.text);
	hashindex_release(&t.pair_index);
	hashindex_release(&t.thread_index);
	return rc;
}

void live_release(struct live *l)
{
	free(l->rows);
	free(l->threads);
	strset_release(&l->names);
	memset(l, 0, sizeof(*l));
}

/* Order. */

static int64_t report_live_key_of(const struct live_row *row, enum live_order order)
{
	switch (order) {
	case LIVE_RECENT_CUM:
		return row->recent.cum;
	case LIVE_FLAT:
		return row->whole.flat;
	case LIVE_CUM:
		return row->whole.cum;
	default:
		return row->recent.flat;
	}
}

static int larger_first(int64_t a, int64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int by_order(const void *a, const void *b, void *order)
{
	const struct live_row *x = a, *y = b;
	enum live_order by = *(enum live_order *)order;
	int rc = x->is_file - y->is_file;

	if (!rc)
		rc = by == LIVE_NAME ?
			     0 :
			     larger_first(report_live_key_of(x, by), report_live_key_of(y, by));
	if (!rc && by != LIVE_NAME)
		rc = larger_first(x->recent.flat, y->recent.flat);
	if (!rc && by != LIVE_NAME)
		rc = larger_first(x->whole.flat, y->whole.flat);
	return rc ? rc : strcmp(x->name, y->name);
}

static int threads_by_order(const void *a, const void *b, void *order)
{
	const struct live_thread *x = a, *y = b;
	enum live_order by = *(enum live_order *)order;
	bool recent = by == LIVE_RECENT || by == LIVE_RECENT_CUM;
	int rc = by == LIVE_NAME ? strcmp(x->name, y->name) :
		 recent		 ? larger_first(x->recent, y->recent) :
				   larger_first(x->whole, y->whole);

	if (!rc && by != LIVE_NAME)
		rc = larger_first(x->whole, y->whole);
	if (!rc)
		rc = larger_first(y->pid, x->pid);
	return rc ? rc : larger_first(y->tid, x->tid);
}

void live_sort(struct live *l, enum live_order order)
{
	if (l->count)
		qsort_r(l->rows, l->count, sizeof(*l->rows), by_order, &order);
	if (l->thread_count)
		qsort_r(l->threads, l->thread_count, sizeof(*l->threads), threads_by_order, &order);
}
