/*
 * Threads are compared with those of their role: main threads of programs of one name, and other
 * threads by their names too. The search goes from the outermost frame inwards. Where the threads
 * part and few of them are elsewhere, that is a finding, and the search goes on with the many.
 * Where they part evenly, it goes on in each call for itself. So what differs is told once, at the
 * outermost frame.
 *
 * A place is named by the innermost frame of an interpreter that all threads there have, since that
 * is what the user has written; else by the innermost that is not of the C library, in which all
 * threads wait. Rejected: the innermost frame, which is `poll` for all.
 *
 * Threads that run move on, so where all that differ run, only the outermost finding is one.
 */
#include "cli/dump/merge/outliers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printer.h"
#include "base/room.h"
#include "cli/dump/merge/merged.h"
#include "cli/dump/merge/who.h"

enum {
	PROCESSES_LEAST = 3, /* that are compared */
	THREADS_LEAST = 8,   /* that are compared, if a process has several */
	PLACES = 4,	     /* of few that are told apart */
	LINES = 20,
	FINDINGS = 4096 /* that are kept until the largest are known */
};

/* Threads of one role, list[begin] to list[end - 1], that have `depth` frames in common. */
struct outliers_part {
	size_t begin, end, depth;
	bool whole; /* all of the role */
};

struct outliers_line {
	size_t start, len; /* in `text` */
	size_t compared;   /* threads */
	int rank;	   /* 0: main threads differ, 1: others do, 2: none does */
};

struct outliers {
	const struct merged *m;
	uint32_t *list; /* threads by role, then as merged_compare */
	uint32_t *seen; /* by process: the number of the last count that has met it */
	uint32_t counts;
	struct outliers_part *pending, *calls; /* calls: of the present part; the largest first */
	size_t pending_count, pending_room, call_count, calls_room;
	struct outliers_line *lines;
	size_t line_count, lines_room, untold;
	bool several; /* commands are compared */
	struct buffer text;
	struct printer p; /* to `text` */
};

static int outliers_order(const void *a, const void *b, void *merged)
{
	const struct merged *m = merged;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t left = m->threads[x].role, right = m->threads[y].role;

	if (left != right)
		return left < right ? -1 : 1;
	return merged_compare(m, x, y);
}

static const struct merged_thread *outliers_thread(const struct outliers *o, size_t i)
{
	return &o->m->threads[o->list[i]];
}

static uint32_t outliers_frame(const struct outliers *o, size_t i, size_t depth)
{
	const struct merged_thread *t = outliers_thread(o, i);

	return o->m->frames[t->first + depth];
}

static size_t outliers_size(const struct outliers_part *part)
{
	return part->end - part->begin;
}

/* How many processes the threads of some parts are of. */
static size_t outliers_processes(struct outliers *o, const struct outliers_part *parts,
				 size_t count)
{
	size_t processes = 0;

	o->counts++;
	for (size_t k = 0; k < count; k++)
		for (size_t i = parts[k].begin; i < parts[k].end; i++) {
			uint32_t *seen = &o->seen[outliers_thread(o, i)->process];

			processes += *seen != o->counts;
			*seen = o->counts;
		}
	return processes;
}

static bool outliers_all_run(const struct outliers *o, const struct outliers_part *part)
{
	for (size_t i = part->begin; i < part->end; i++)
		if (!outliers_thread(o, i)->is_running)
			return false;
	return true;
}

/* Finding the parts. */

/* How many frames all threads of the part have in common. Sorted, the first and the last differ
 * first. */
static size_t outliers_common(const struct outliers *o, const struct outliers_part *part)
{
	const struct merged_thread *a = outliers_thread(o, part->begin);
	const struct merged_thread *b = outliers_thread(o, part->end - 1);
	size_t depth = part->depth;

	while (depth < a->count && depth < b->count &&
	       outliers_frame(o, part->begin, depth) == outliers_frame(o, part->end - 1, depth))
		depth++;
	return depth;
}

static int outliers_by_size(const void *a, const void *b)
{
	const struct outliers_part *x = a, *y = b;

	if (outliers_size(x) != outliers_size(y))
		return outliers_size(x) > outliers_size(y) ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Lists the calls by which the part's threads go on from the `depth` frames that they share; those
 * that end there are one of depth 0. The largest first. */
static int outliers_list_calls(struct outliers *o, const struct outliers_part *part)
{
	o->call_count = 0;
	for (size_t i = part->begin, next; i < part->end; i = next) {
		bool ends = outliers_thread(o, i)->count == part->depth;

		for (next = i + 1; next < part->end; next++)
			if (ends ? outliers_thread(o, next)->count != part->depth :
				   outliers_frame(o, i, part->depth) !=
					    outliers_frame(o, next, part->depth))
				break;
		if (room_for((void **)&o->calls, &o->calls_room, o->call_count + 1,
			     sizeof(*o->calls)))
			return ERR_NOMEM;
		o->calls[o->call_count++] = (struct outliers_part){ i, next,
								    ends ? 0 : part->depth + 1,
								    false };
	}
	qsort(o->calls, o->call_count, sizeof(*o->calls), outliers_by_size);
	return 0;
}

static bool outliers_are_few(size_t few, size_t all)
{
	return few == 1 || few * 4 <= all;
}

/* Are nearly all in the largest call? If each process has some in the others, these do other work,
 * as one of five threads that have no names of their own. */
static bool outliers_few_differ(struct outliers *o, const struct outliers_part *part)
{
	size_t all = outliers_size(part), processes = outliers_processes(o, part, 1);

	if (!outliers_are_few(all - outliers_size(&o->calls[0]), all))
		return false;
	return processes < PROCESSES_LEAST ||
	       outliers_are_few(outliers_processes(o, o->calls + 1, o->call_count - 1), processes);
}

static bool outliers_differing_run(const struct outliers *o)
{
	for (size_t i = 1; i < o->call_count; i++)
		if (!outliers_all_run(o, &o->calls[i]))
			return false;
	return true;
}

/* Telling them. */

/* The frame that tells best where a part is, of those from `depth` on that all have. */
static uint32_t outliers_place(const struct outliers *o, const struct outliers_part *part,
			       size_t depth)
{
	size_t common = outliers_common(o, part), best = depth;
	char best_kind = 0;

	for (size_t i = depth; i < common; i++) {
		uint32_t frame = outliers_frame(o, part->begin, i);
		char kind = *strset_get(&o->m->texts, frame);

		if (kind >= best_kind) {
			best_kind = kind;
			best = i;
		}
	}
	return outliers_frame(o, part->begin, best);
}

/* Where the i-th call leads to. If two calls lead to one place, they are told by their first
 * frames; threads that end where they part, by their last. */
static uint32_t outliers_call_place(const struct outliers *o, const struct outliers_part *part,
				    size_t i)
{
	const struct outliers_part *call = &o->calls[i];
	uint32_t place;

	if (!call->depth)
		return o->call_count > 1 ? outliers_frame(o, call->begin, part->depth - 1) :
					   outliers_place(o, call, 0);
	place = outliers_place(o, call, part->depth);
	for (size_t k = 0; k < o->call_count && k <= PLACES; k++)
		if (k != i && o->calls[k].depth &&
		    outliers_place(o, &o->calls[k], part->depth) == place)
			return outliers_frame(o, call->begin, part->depth);
	return place;
}

/* `in handle, app.py:12: `, of threads that are only some of their role; `threads "io-*": ` */
static void outliers_print_whose(struct outliers *o, const struct outliers_part *part,
				 bool one_each)
{
	const struct merged_thread *t = outliers_thread(o, part->begin);

	if (!t->is_main || o->several) {
		print_to(&o->p, "\"");
		print_foreign(&o->p, strset_get(&o->m->texts, t->role));
		print_to(&o->p, "\": ");
	}
	if (!part->whole && part->depth) {
		struct outliers_part shared = *part;

		shared.depth = 0;
		print_to(&o->p, "in ");
		who_print_frame(o->m, outliers_place(o, &shared, 0), &o->p);
		print_to(&o->p, ": ");
	}
	print_to(&o->p, "%zu of %zu%s in ", outliers_size(&o->calls[0]), outliers_size(part),
		 one_each ? "" : " threads");
}

/* ` (process 4711 "python3")`, if they are few. */
static void outliers_print_who(struct outliers *o, const struct outliers_part *call)
{
	if (outliers_size(call) > WHO_FEW)
		return;
	print_to(&o->p, " (");
	who_print(o->m, o->list + call->begin, outliers_size(call), &o->p);
	print_to(&o->p, ")");
}

static void outliers_print_few(struct outliers *o, const struct outliers_part *part)
{
	size_t others = 0;

	for (size_t i = 1; i < o->call_count; i++) {
		const struct outliers_part *call = &o->calls[i];

		if (i > PLACES) {
			others += outliers_size(call);
			continue;
		}
		print_to(&o->p, i == 1 ? "; " : ", ");
		print_to(&o->p, "%zu in ", outliers_size(call));
		who_print_frame(o->m, outliers_call_place(o, part, i), &o->p);
		outliers_print_who(o, call);
	}
	if (others)
		print_to(&o->p, ", %zu elsewhere", others);
}

static void outliers_tell(struct outliers *o, const struct outliers_part *part, bool one_each)
{
	bool is_main = outliers_thread(o, part->begin)->is_main;
	struct outliers_line line = { .start = o->text.len,
				      .compared = outliers_size(part),
				      .rank = o->call_count == 1 ? 2 : !is_main };

	if (o->line_count == FINDINGS) {
		o->untold++;
		return;
	}
	outliers_print_whose(o, part, one_each);
	who_print_frame(o->m, outliers_call_place(o, part, 0), &o->p);
	if (o->call_count > 1 && !outliers_few_differ(o, part))
		outliers_print_who(o, &o->calls[0]);
	outliers_print_few(o, part);
	print_to(&o->p, "\n");
	line.len = o->text.len - line.start;
	if (room_for((void **)&o->lines, &o->lines_room, o->line_count + 1, sizeof(line)))
		printer_fail(&o->p, ERR_NOMEM);
	else
		o->lines[o->line_count++] = line;
}

/* The search. */

static void outliers_push(struct outliers *o, const struct outliers_part *part)
{
	if (room_for((void **)&o->pending, &o->pending_room, o->pending_count + 1, sizeof(*part)))
		printer_fail(&o->p, ERR_NOMEM);
	else
		o->pending[o->pending_count++] = *part;
}

/* Where all of a role part is told of main threads in any case, of others if few differ. */
static bool outliers_is_finding(struct outliers *o, const struct outliers_part *part, bool one_each)
{
	if (part->whole && one_each && outliers_thread(o, part->begin)->is_main)
		return true;
	if (outliers_size(part) < (size_t)(one_each ? PROCESSES_LEAST : THREADS_LEAST))
		return false;
	return outliers_few_differ(o, part) && (part->whole || !outliers_differing_run(o));
}

/* Goes on with the many, or with each call, if it has enough threads. */
static void outliers_go_on(struct outliers *o, bool with_many)
{
	for (size_t i = 0; i < (with_many ? 1 : o->call_count); i++)
		if (o->calls[i].depth && outliers_size(&o->calls[i]) >= PROCESSES_LEAST)
			outliers_push(o, &o->calls[i]);
}

static void outliers_look_at(struct outliers *o, struct outliers_part part)
{
	bool one_each = outliers_processes(o, &part, 1) == outliers_size(&part);

	part.depth = outliers_common(o, &part);
	if (outliers_list_calls(o, &part)) {
		printer_fail(&o->p, ERR_NOMEM);
		return;
	}
	if (o->call_count == 1 && !part.whole)
		return;
	if (o->call_count > 1 ? outliers_is_finding(o, &part, one_each) :
				outliers_thread(o, part.begin)->is_main && one_each)
		outliers_tell(o, &part, one_each);
	outliers_go_on(o, o->call_count > 1 && outliers_few_differ(o, &part));
}

static void outliers_look_at_role(struct outliers *o, size_t begin, size_t end)
{
	outliers_push(o, &(struct outliers_part){ begin, end, 0, true });
	while (o->pending_count && !o->p.rc)
		outliers_look_at(o, o->pending[--o->pending_count]);
}

static void outliers_look_at_all(struct outliers *o)
{
	for (size_t i = 0, end; i < o->m->thread_count; i = end) {
		for (end = i + 1; end < o->m->thread_count; end++)
			if (outliers_thread(o, end)->role != outliers_thread(o, i)->role)
				break;
		if (end - i > 1)
			outliers_look_at_role(o, i, end);
	}
}

/* Are there main threads of several roles, of which one has several? */
static bool outliers_are_several(const struct outliers *o)
{
	uint32_t first = 0, role;

	for (size_t i = 0; i < o->m->thread_count; i++) {
		role = outliers_thread(o, i)->role;
		if (!outliers_thread(o, i)->is_main)
			continue;
		if (first && role != first)
			return true;
		first = role;
	}
	return false;
}

static int outliers_by_rank(const void *a, const void *b)
{
	const struct outliers_line *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->compared != y->compared)
		return x->compared > y->compared ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void outliers_print_lines(struct outliers *o, struct printer *p)
{
	if (o->line_count > 1)
		qsort(o->lines, o->line_count, sizeof(*o->lines), outliers_by_rank);
	for (size_t i = 0; i < o->line_count && i < LINES; i++)
		print_bytes(p, o->text.data + o->lines[i].start, o->lines[i].len);
	if (o->line_count > LINES)
		print_to(p, "and %zu more such differences\n", o->line_count - LINES + o->untold);
}

static void outliers_sort(struct outliers *o)
{
	size_t count = o->m->thread_count;

	memcpy(o->list, o->m->order, count * sizeof(*o->list));
	if (count)
		qsort_r(o->list, count, sizeof(*o->list), outliers_order, (void *)o->m);
}

void outliers_print(const struct merged *m, struct printer *p)
{
	struct outliers o = { .m = m,
			      .list = calloc(m->thread_count + 1, sizeof(uint32_t)),
			      .seen = calloc(m->process_count + 1, sizeof(uint32_t)) };

	o.p.out = &o.text;
	if (o.list && o.seen) {
		outliers_sort(&o);
		o.several = outliers_are_several(&o);
		outliers_look_at_all(&o);
	} else {
		o.p.rc = ERR_NOMEM;
	}
	printer_fail(p, o.p.rc);
	outliers_print_lines(&o, p);
	free(o.list);
	free(o.seen);
	free(o.pending);
	free(o.calls);
	free(o.lines);
	buffer_release(&o.text);
}
