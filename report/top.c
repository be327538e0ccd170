/*
 * One pass over the samples. A function's flat value is that of the samples
 * whose innermost frame it is; its cum value that of the samples it occurs in,
 * once each however often it recurses: `seen` holds the number of the last
 * sample that counted it.
 *
 * Functions are told apart by name, as pprof does by default; an inlined call
 * is a frame like another.
 */
#include "report/top.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/strset.h"
#include "pprof/profile.h"

struct tally {
	const struct profile *p;
	struct strset extra;	/* names made here: strings of locations without lines */
	uint32_t *row_of;	/* by string number of the profile, then of extra; row + 1 */
	size_t row_of_room;
	struct report_row *rows;
	size_t *seen;		/* by row: number of the last sample + 1 */
	size_t count, room;
};

static int make_room(struct tally *t)
{
	size_t room = t->room ? t->room * 2 : 256;
	struct report_row *rows;
	size_t *seen;

	if (t->count < t->room)
		return 0;
	rows = realloc(t->rows, room * sizeof(*rows));
	if (rows)
		t->rows = rows;
	seen = rows ? realloc(t->seen, room * sizeof(*seen)) : NULL;
	if (!seen)
		return ERR_NOMEM;
	t->seen = seen;
	t->room = room;
	return 0;
}

/* The row of a name by its number: strings of the profile come first. */
static int row_of(struct tally *t, size_t number, const char *name, size_t *row)
{
	if (number >= t->row_of_room) {
		size_t room = (number + 1) * 2;
		uint32_t *more = realloc(t->row_of, room * sizeof(*more));

		if (!more)
			return ERR_NOMEM;
		memset(more + t->row_of_room, 0, (room - t->row_of_room) * sizeof(*more));
		t->row_of = more;
		t->row_of_room = room;
	}
	if (!t->row_of[number]) {
		if (make_room(t))
			return ERR_NOMEM;
		t->rows[t->count] = (struct report_row){ .name = name };
		t->seen[t->count] = 0;
		t->row_of[number] = (uint32_t)++t->count;
	}
	*row = t->row_of[number] - 1;
	return 0;
}

/* A location without lines: "0x4005d0 libfoo.so", as far as it is known. */
static int row_of_address(struct tally *t, const struct profile_location *l, size_t *row)
{
	const char *file = l->mapping ? strset_get(&t->p->strings,
						   t->p->mappings[l->mapping - 1].filename) : "";
	const char *slash = strrchr(file, '/');
	char name[512];
	uint32_t id;

	snprintf(name, sizeof(name), "%016lx %s", l->address, slash ? slash + 1 : file);
	if (strset_addz(&t->extra, name, &id))
		return ERR_NOMEM;
	return row_of(t, t->p->strings.count + id, strset_get(&t->extra, id), row);
}

static int count_row(struct tally *t, size_t row, size_t sample, int64_t value, bool leaf)
{
	if (leaf)
		t->rows[row].flat += value;
	if (t->seen[row] != sample + 1)
		t->rows[row].cum += value;
	t->seen[row] = sample + 1;
	return 0;
}

static int count_location(struct tally *t, const struct profile_location *l, size_t sample,
			  int64_t value, bool leaf)
{
	size_t row;

	if (!l->lines)
		return row_of_address(t, l, &row) ? ERR_NOMEM :
						    count_row(t, row, sample, value, leaf);
	for (size_t i = 0; i < l->lines; i++) {
		uint32_t function = t->p->lines[l->first_line + i].function;
		uint32_t name = function ? t->p->functions[function - 1].name : 0;

		if (row_of(t, name, strset_get(&t->p->strings, name), &row))
			return ERR_NOMEM;
		count_row(t, row, sample, value, leaf && i == 0);
	}
	return 0;
}

static int count_sample(struct tally *t, size_t n, size_t type, int64_t *total)
{
	const struct profile_sample *s = &t->p->samples[n];
	int64_t value = t->p->values[s->first_value + type];

	*total += value;
	for (size_t i = 0; i < s->locations; i++) {
		uint32_t id = t->p->stack[s->first_location + i];

		if (count_location(t, &t->p->locations[id - 1], n, value, i == 0))
			return ERR_NOMEM;
	}
	return 0;
}

static int by_cost(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;

	if (x->flat != y->flat)
		return x->flat > y->flat ? -1 : 1;
	if (x->cum != y->cum)
		return x->cum > y->cum ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The names made here move to one block that the report owns. */
static int keep_names(struct tally *t, struct report_top *top)
{
	size_t size = 0, at = 0;

	for (uint32_t i = 0; i < t->extra.count; i++)
		size += t->extra.entries[i].len + 1;
	top->names = malloc(size + 1);
	if (!top->names)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < t->extra.count; i++) {
		size_t number = t->p->strings.count + i, len = t->extra.entries[i].len;

		memcpy(top->names + at, t->extra.entries[i].text, len + 1);
		if (number < t->row_of_room && t->row_of[number])
			t->rows[t->row_of[number] - 1].name = top->names + at;
		at += len + 1;
	}
	return 0;
}

int report_top(const struct profile *p, size_t type, struct report_top *top, struct error *err)
{
	struct tally t = { .p = p };
	int rc;

	memset(top, 0, sizeof(*top));
	if (type >= p->type_count)
		return error_set(err, ERR_USAGE, "the profile has %zu sample types, not %zu",
				 p->type_count, type + 1);
	rc = strset_init(&t.extra);
	for (size_t i = 0; !rc && i < p->sample_count; i++)
		rc = count_sample(&t, i, type, &top->total);
	if (!rc)
		rc = keep_names(&t, top);
	if (!rc && t.count)
		qsort(t.rows, t.count, sizeof(*t.rows), by_cost);
	top->rows = t.rows;
	top->count = t.count;
	free(t.row_of);
	free(t.seen);
	strset_release(&t.extra);
	if (rc) {
		report_top_release(top);
		return error_set(err, rc, "out of memory");
	}
	return 0;
}

void report_top_release(struct report_top *top)
{
	free(top->rows);
	free(top->names);
	memset(top, 0, sizeof(*top));
}
