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

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/strset.h"
#include "pprof/profile.h"

struct tally {
	const struct profile *p;
	struct strset extra;	/* names made here, for what has no function */
	struct buffer text;	/* such a name while it is made */
	uint32_t *row_of;	/* by string number of the profile, then of extra; row + 1 */
	size_t row_of_room;
	struct report_row *rows;
	size_t *seen;		/* by row: number of the last sample, from 1 */
	size_t count, room;
};

/* One sample while it is counted. */
struct tallied {
	size_t number; /* from 1 */
	int64_t value;
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

/* What has no function counts for its file as a whole, as in pprof, which knows
 * such addresses no better: "[libfoo.so]". */
static int row_of_file(struct tally *t, uint32_t mapping, size_t *row)
{
	const char *file = mapping ? strset_get(&t->p->strings,
						t->p->mappings[mapping - 1].filename) : "";
	const char *slash = strrchr(file, '/');
	uint32_t id;

	t->text.len = 0;
	if (buffer_addf(&t->text, *file ? "[%s]" : "<unknown>", slash ? slash + 1 : file) ||
	    strset_add(&t->extra, (const char *)t->text.data, t->text.len, &id))
		return ERR_NOMEM;
	return row_of(t, t->p->strings.count + id, strset_get(&t->extra, id), row);
}

/* Sums of foreign numbers stay at the end of the range when they leave it. */
static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? a < 0 ? INT64_MIN : INT64_MAX : sum;
}

static int64_t magnitude(int64_t v)
{
	return v >= 0 ? v : v == INT64_MIN ? INT64_MAX : -v;
}

static int count_frame(struct tally *t, const struct profile_location *l, uint32_t function,
		       const struct tallied *sample, bool leaf)
{
	uint32_t name = function ? t->p->functions[function - 1].name : 0;
	size_t row;
	int rc = name ? row_of(t, name, strset_get(&t->p->strings, name), &row) :
			row_of_file(t, l->mapping, &row);

	if (rc)
		return rc;
	if (leaf)
		t->rows[row].flat = plus(t->rows[row].flat, sample->value);
	if (t->seen[row] != sample->number)
		t->rows[row].cum = plus(t->rows[row].cum, sample->value);
	t->seen[row] = sample->number;
	return 0;
}

static int count_location(struct tally *t, const struct profile_location *l,
			  const struct tallied *sample, bool leaf)
{
	int rc = 0;

	if (!l->lines)
		return count_frame(t, l, 0, sample, leaf);
	for (size_t i = 0; i < l->lines && !rc; i++)
		rc = count_frame(t, l, t->p->lines[l->first_line + i].function, sample,
				 leaf && i == 0);
	return rc;
}

static int count_sample(struct tally *t, size_t n, size_t type, int64_t *total)
{
	const struct profile_sample *s = &t->p->samples[n];
	struct tallied sample = { n + 1, t->p->values[s->first_value + type] };
	int rc = 0;

	*total = plus(*total, magnitude(sample.value));
	for (size_t i = 0; i < s->locations && !rc; i++) {
		uint32_t id = t->p->stack[s->first_location + i];

		rc = count_location(t, &t->p->locations[id - 1], &sample, i == 0);
	}
	return rc;
}

static int by_cost(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;

	if (magnitude(x->flat) != magnitude(y->flat))
		return magnitude(x->flat) > magnitude(y->flat) ? -1 : 1;
	if (magnitude(x->cum) != magnitude(y->cum))
		return magnitude(x->cum) > magnitude(y->cum) ? -1 : 1;
	return strcmp(x->name, y->name);
}

static size_t drop_empty(struct report_row *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (rows[i].flat || rows[i].cum)
			rows[kept++] = rows[i];
	return kept;
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

int report_top_rows(const struct profile *p, size_t type, struct report_top *top, struct error *err)
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
	top->rows = t.rows;
	top->count = drop_empty(t.rows, t.count);
	if (top->count)
		qsort(top->rows, top->count, sizeof(*top->rows), by_cost);
	free(t.row_of);
	free(t.seen);
	strset_release(&t.extra);
	buffer_release(&t.text);
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

/* A value in its unit, as pprof scales it: ns as time, bytes by 1024. */
static const char *scaled(int64_t value, const char *unit, char *text, size_t room)
{
	static const struct { const char *name; double ns; } times[] = {
		{ "hrs", 3600e9 }, { "mins", 60e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 },
	};
	static const char *const sizes[] = { "B", "kB", "MB", "GB", "TB" };
	double v = (double)value;
	size_t i = 0;

	if (!strcmp(unit, "nanoseconds")) {
		while (i < 4 && fabs(v) < times[i].ns)
			i++;
		snprintf(text, room, "%.4g%s", v / times[i].ns, times[i].name);
	} else if (!strcmp(unit, "bytes")) {
		for (; i < 4 && fabs(v) >= 1024; i++)
			v /= 1024;
		snprintf(text, room, "%.4g%s", v, sizes[i]);
	} else {
		snprintf(text, room, "%ld", value);
	}
	return value ? text : "0";
}

static double percent(int64_t part, int64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* Names come from files that may be hostile: no control characters reach the
 * terminal. */
static int add_name(struct buffer *out, const char *name)
{
	int rc = 0;

	for (; *name && !rc; name++)
		rc = buffer_addf(out, "%c", (unsigned char)*name < 0x20 || *name == 0x7f ? '?' : *name);
	return rc ? rc : buffer_add(out, "\n", 1);
}

static void print_head(const struct profile *p, size_t type, const struct report_top *top,
		       struct buffer *out)
{
	const char *unit = strset_get(&p->strings, p->types[type].unit);
	char text[64], when[64];
	time_t t = p->time_nanos / 1000000000;
	struct tm tm;

	if (p->mapping_count && p->mappings[0].filename) {
		const char *file = strset_get(&p->strings, p->mappings[0].filename);

		buffer_addf(out, "File: ");
		add_name(out, strrchr(file, '/') ? strrchr(file, '/') + 1 : file);
	}
	buffer_addf(out, "Type: ");
	add_name(out, strset_get(&p->strings, p->types[type].type));
	if (p->time_nanos && gmtime_r(&t, &tm) && strftime(when, sizeof(when), "%F %T UTC", &tm))
		buffer_addf(out, "Time: %s\n", when);
	if (p->duration_nanos) {
		buffer_addf(out, "Duration: %s, ", scaled(p->duration_nanos, "nanoseconds", text,
						sizeof(text)));
		buffer_addf(out, "Total samples = %s (%.4g%%)\n", scaled(top->total, unit, text, sizeof(text)),
		       strcmp(unit, "nanoseconds") ? 100.0 : percent(top->total, p->duration_nanos));
	}
}

static void print_rows(const struct report_top *top, const char *unit, uint64_t lines,
		       struct buffer *out)
{
	size_t count = lines && lines < top->count ? lines : top->count;
	int64_t sum = 0;

	buffer_addf(out, "Showing top %zu of %zu functions\n", count, top->count);
	buffer_addf(out, "%10s %6s %6s %10s %6s  %s\n", "flat", "flat%", "sum%", "cum", "cum%", "function");
	for (size_t i = 0; i < count; i++) {
		const struct report_row *row = &top->rows[i];
		char flat[64], cum[64];

		if (__builtin_add_overflow(sum, row->flat, &sum))
			sum = row->flat < 0 ? INT64_MIN : INT64_MAX;
		buffer_addf(out, "%10s %5.2f%% %5.2f%% %10s %5.2f%%  ",
		       scaled(row->flat, unit, flat, sizeof(flat)), percent(row->flat, top->total),
		       percent(sum, top->total), scaled(row->cum, unit, cum, sizeof(cum)),
		       percent(row->cum, top->total));
		add_name(out, row->name);
	}
}


int report_top(const struct profile *p, const struct report_view *v, struct buffer *out,
	       struct error *err)
{
	struct report_top top;
	int rc = report_top_rows(p, v->type, &top, err);

	if (!rc) {
		print_head(p, v->type, &top, out);
		print_rows(&top, strset_get(&p->strings, p->types[v->type].unit), v->nodecount, out);
	}
	report_top_release(&top);
	return rc;
}
