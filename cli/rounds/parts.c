/* A row's files come from the catalog, so that no profile is read to choose. Processes are told
 * apart by their number and start; a snapshot's predecessor is the nearest of the same process. */
#include "cli/rounds/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/room.h"
#include "cli/rounds/range.h"
#include "rounds/catalog/rows.h"
#include "rounds/source/capture.h"

/* Without --from the range begins with its first batch. A process that rounds follow from its start
 * on began a moment before. */
#define START_SLACK_NS (2 * (int64_t)NS_PER_S)

enum over_rounds { ADDS, GROWS, LASTS };

struct choosing {
	struct parts *p;
	const struct catalog *c;
	const char *type; /* as asked for */
	enum over_rounds over;
	bool of_heap;
	int64_t from; /* when the range begins */
	struct error *err;
	/* Of each batch in the range that has the type: its row and its file. */
	struct have {
		size_t row;
		const char *file;
		bool first; /* of its process */
	} *have;
	size_t count, room;
};

static bool is_custom(const char *type)
{
	return !strncmp(type, "custom-", strlen("custom-"));
}

static int find_type(const char *name, enum capture_type *type, struct error *err)
{
	unsigned set;
	int rc = capture_parse(is_custom(name) ? "custom" : name, &set, err);

	if (rc)
		return rc;
	for (*type = 0; set >> *type != 1; ++*type)
		if (set >> *type & 1)
			return error_set(err, ERR_USAGE, "'%s' is more than one type", name);
	if (*type == CAPTURE_CUSTOM && !is_custom(name))
		return error_set(err, ERR_USAGE,
				 "'custom' is no profile by itself; its file's "
				 "name without .pprof is one: custom-NAME");
	if (*type == CAPTURE_METRICS)
		return error_set(err, ERR_USAGE,
				 "metrics are no profile: sampler rounds shows them");
	if (*type == CAPTURE_TRACE)
		return error_set(err, ERR_USAGE, "a trace is no profile: go tool trace shows it");
	return 0;
}

static enum over_rounds over_rounds(enum capture_type type)
{
	if (captures[type].delta_file)
		return GROWS;
	return type == CAPTURE_CPU || type == CAPTURE_WALL || type == CAPTURE_ALLOC ? ADDS : LASTS;
}

static int parts_add_part(struct choosing *k, const struct part *part)
{
	struct parts *p = k->p;

	if (room_for((void **)&p->list, &p->room, p->count + 1, sizeof(*part)))
		return error_nomem(k->err);
	p->list[p->count++] = *part;
	return 0;
}

/* The row's item of this kind and type; of custom profiles the one that was asked for. */
static const struct catalog_item *parts_find(const struct choosing *k, size_t row,
					     enum catalog_kind kind)
{
	const char *type = is_custom(k->type) ? "custom" : k->type, *file;
	const struct catalog_item *item = NULL;
	size_t len = strlen(k->type);

	while ((item = catalog_next(k->c, &k->c->rows[row], kind, item))) {
		file = catalog_text(k->c, item->text);
		if (strcmp(catalog_text(k->c, item->name), type) != 0)
			continue;
		if (!is_custom(k->type) ||
		    (!strncmp(file, k->type, len) && !strcmp(file + len, ".pprof")))
			return item;
	}
	return NULL;
}

static void note_series(struct parts *p, const char *series)
{
	for (size_t i = 0; i < p->programs && i < 2; i++)
		if (!strcmp(p->series[i], series))
			return;
	if (p->programs < 2)
		p->series[p->programs] = series;
	p->programs++;
}

static bool same_process(const struct choosing *k, size_t a, size_t b)
{
	return catalog_same_process(&k->c->rows[k->have[a].row], &k->c->rows[k->have[b].row]);
}

/* The nearest snapshot before the i-th that is of the same process; -1: none. */
static long previous(const struct choosing *k, size_t i)
{
	long at = (long)i - 1;

	while (at >= 0 && !same_process(k, (size_t)at, i))
		at--;
	return at;
}

static int parts_gather(struct choosing *k, const struct batch_range *r)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < k->c->count; i++) {
		const struct catalog_row *row = &k->c->rows[i];
		const struct catalog_item *item;

		if (!range_has(r, k->c, row))
			continue;
		k->p->batches++;
		item = parts_find(k, i, CATALOG_FILE);
		k->p->without += !item;
		if (!item)
			continue;
		note_series(k->p, catalog_text(k->c, row->series));
		first = catalog_start(row) < first ? catalog_start(row) : first;
		if (room_for((void **)&k->have, &k->room, k->count + 1, sizeof(*k->have)))
			return error_nomem(k->err);
		k->have[k->count] = (struct have){ i, catalog_text(k->c, item->text), false };
		k->have[k->count].first = previous(k, k->count) < 0;
		k->count++;
	}
	k->from = r->from != INT64_MIN ? r->from : first - START_SLACK_NS;
	return 0;
}

static bool began_in_range(const struct choosing *k, const struct catalog_row *row)
{
	return row->process_start_ns && row->process_start_ns <= INT64_MAX &&
	       (int64_t)row->process_start_ns >= k->from;
}

/* What came in the i-th round. */
static int add_growth(struct choosing *k, size_t i)
{
	const struct catalog_item *delta = parts_find(k, k->have[i].row, CATALOG_DELTA);
	struct part part = { .row = k->have[i].row,
			     .of = k->of_heap ? PART_GROWN : PART_ALL,
			     .file = k->have[i].file };
	const char *note = delta ? catalog_text(k->c, delta->note) : "";
	long before;

	if (delta && !strstr(note, "whole")) {
		part.file = catalog_text(k->c, delta->text);
		return parts_add_part(k, &part);
	}
	before = previous(k, i);
	if (before >= 0) {
		part.old = k->have[before].file;
		part.old_row = k->have[before].row;
		part.may_reset = strstr(note, "first") != NULL;
	} else if (!began_in_range(k, &k->c->rows[part.row])) {
		k->p->cut++;
		return 0;
	}
	return parts_add_part(k, &part);
}

/* Has another process of the same program begun behind the end of the i-th batch, and not before?
 * Processes that ran side by side have batches that overlap. */
static bool was_replaced(const struct choosing *k, size_t i)
{
	const struct catalog_row *row = &k->c->rows[k->have[i].row];

	for (size_t j = i + 1; j < k->count; j++) {
		const struct catalog_row *other = &k->c->rows[k->have[j].row];

		if (other->series == row->series && other->host == row->host &&
		    catalog_start(other) >= catalog_end(row) - (int64_t)NS_PER_S &&
		    k->have[j].first)
			return true;
	}
	return false;
}

static bool is_last_of_process(const struct choosing *k, size_t i)
{
	for (size_t j = i + 1; j < k->count; j++)
		if (same_process(k, i, j))
			return false;
	return true;
}

static int parts_add_states(struct choosing *k)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < k->count; i++)
		if (is_last_of_process(k, i) && !was_replaced(k, i))
			rc = parts_add_part(
				k, &(struct part){ .row = k->have[i].row,
						   .of = k->of_heap ? PART_STATE : PART_ALL,
						   .file = k->have[i].file });
	return rc;
}

static int parts_add_parts(struct choosing *k)
{
	int rc = 0;

	for (size_t i = 0; !rc && k->over == ADDS && i < k->count; i++)
		rc = parts_add_part(
			k, &(struct part){ .row = k->have[i].row, .file = k->have[i].file });
	for (size_t i = 0; !rc && k->over == GROWS && i < k->count; i++)
		rc = add_growth(k, i);
	if (!rc && (k->over == LASTS || k->of_heap))
		rc = parts_add_states(k);
	return rc;
}

/* Appends "cpu" to "heap, …" if it is not there yet. */
static void name_type(char *all, size_t room, const char *type)
{
	size_t len = strlen(all);
	char quoted[40];

	snprintf(quoted, sizeof(quoted), "'%.32s'", type);
	if (!strstr(all, quoted))
		snprintf(all + len, room - len, "%s%s", len ? ", " : "", quoted);
}

static int none_has_it(const struct choosing *k, const struct batch_range *r, const char *path)
{
	char all[300] = "";

	if (!k->p->batches)
		return range_empty(r, k->c, path, k->err);
	for (size_t i = 0; i < k->c->count; i++) {
		const struct catalog_row *row = &k->c->rows[i];
		const struct catalog_item *item = NULL;
		char file[32];

		while (range_has(r, k->c, row) &&
		       (item = catalog_next(k->c, row, CATALOG_FILE, item))) {
			const char *text = catalog_text(k->c, item->text),
				   *dot = strrchr(text, '.');

			if (!dot || strcmp(dot, ".pprof") != 0)
				continue; /* metrics.json, a trace */
			snprintf(file, sizeof(file), "%.*s", (int)strcspn(text, "."), text);
			name_type(all, sizeof(all),
				  is_custom(text) ? file : catalog_text(k->c, item->name));
		}
	}
	return error_set(k->err, ERR_NOTFOUND,
			 "none of the %zu batches in '%s' has the type '%s'; -t chooses one that "
			 "they have: %s",
			 k->p->batches, path, k->type, *all ? all : "there is none");
}

int parts_choose(struct parts *p, const struct catalog *c, const struct batch_range *r,
		 const char *type, const char *path, struct error *err)
{
	struct choosing k = { .p = p, .c = c, .type = type, .err = err };
	enum capture_type which;
	int rc;

	*p = (struct parts){ 0 };
	rc = find_type(type, &which, err);
	if (rc)
		return rc;
	k.over = over_rounds(which);
	p->is_state = k.over == LASTS;
	k.of_heap = which == CAPTURE_HEAP || which == CAPTURE_ALLOCS;
	rc = parts_gather(&k, r);
	if (!rc && !k.count)
		rc = none_has_it(&k, r, path);
	if (!rc)
		rc = parts_add_parts(&k);
	free(k.have);
	return rc;
}

void parts_release(struct parts *p)
{
	free(p->list);
	*p = (struct parts){ 0 };
}
