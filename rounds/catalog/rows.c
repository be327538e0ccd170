/* Rows, items and strings are three arrays; a row has the range of its items, and texts are numbers
 * of strings, so a catalog is copied row by row without pointers. */
#include "rounds/catalog/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/room.h"

int catalog_init(struct catalog *c)
{
	*c = (struct catalog){ 0 };
	return strset_init(&c->strings);
}

void catalog_release(struct catalog *c)
{
	strset_release(&c->strings);
	free(c->rows);
	free(c->items);
	*c = (struct catalog){ 0 };
}

int catalog_add(struct catalog *c, const struct catalog_row *row)
{
	if (room_for((void **)&c->rows, &c->room, c->count + 1, sizeof(*row)))
		return ERR_NOMEM;
	c->rows[c->count] = *row;
	c->rows[c->count].first_item = (uint32_t)c->item_count;
	c->rows[c->count++].items = 0;
	return 0;
}

int catalog_add_item(struct catalog *c, enum catalog_kind kind, const char *name, const char *text,
		     const char *note)
{
	struct catalog_item item = { .kind = kind };

	if (strset_addz(&c->strings, name, &item.name) ||
	    strset_addz(&c->strings, text, &item.text) ||
	    strset_addz(&c->strings, note, &item.note) ||
	    room_for((void **)&c->items, &c->item_room, c->item_count + 1, sizeof(item)))
		return ERR_NOMEM;
	c->items[c->item_count++] = item;
	c->rows[c->count - 1].items++;
	return 0;
}

int catalog_copy(struct catalog *c, const struct catalog *from, const struct catalog_row *row)
{
	struct catalog_row copy = *row;
	int rc = strset_addz(&c->strings, catalog_text(from, row->series), &copy.series) |
		 strset_addz(&c->strings, catalog_text(from, row->command), &copy.command) |
		 strset_addz(&c->strings, catalog_text(from, row->host), &copy.host) |
		 strset_addz(&c->strings, catalog_text(from, row->ended), &copy.ended) |
		 strset_addz(&c->strings, catalog_text(from, row->trouble), &copy.trouble);

	if (rc || catalog_add(c, &copy))
		return ERR_NOMEM;
	for (size_t i = 0; !rc && i < row->items; i++) {
		const struct catalog_item *item = &from->items[row->first_item + i];

		rc = catalog_add_item(c, item->kind, catalog_text(from, item->name),
				      catalog_text(from, item->text),
				      catalog_text(from, item->note));
	}
	return rc;
}

const struct catalog_item *catalog_next(const struct catalog *c, const struct catalog_row *row,
					enum catalog_kind kind, const struct catalog_item *after)
{
	size_t at = after ? (size_t)(after - c->items) + 1 : row->first_item;

	for (; at < (size_t)row->first_item + row->items; at++)
		if (c->items[at].kind == kind)
			return &c->items[at];
	return NULL;
}

int64_t catalog_start(const struct catalog_row *row)
{
	int64_t ns;

	return __builtin_mul_overflow(row->name.start_s, (int64_t)NS_PER_S, &ns) ? INT64_MAX : ns;
}

int64_t catalog_end(const struct catalog_row *row)
{
	int64_t ns, duration = row->duration_ns < INT64_MAX ? (int64_t)row->duration_ns : INT64_MAX;

	return __builtin_add_overflow(catalog_start(row), duration, &ns) ? INT64_MAX : ns;
}

bool catalog_tagged(const struct catalog *c, const struct catalog_row *row, const char *key,
		    const char *value)
{
	const struct catalog_item *tag = NULL;

	while ((tag = catalog_next(c, row, CATALOG_TAG, tag)))
		if (!strcmp(catalog_text(c, tag->name), key) &&
		    !strcmp(catalog_text(c, tag->text), value))
			return true;
	return false;
}

bool catalog_same_process(const struct catalog_row *a, const struct catalog_row *b)
{
	uint64_t x = a->process_start_ns, y = b->process_start_ns;

	return a->series == b->series && a->host == b->host && a->pid == b->pid &&
	       (!x || !y || (x < y ? y - x : x - y) <= 2 * NS_PER_S);
}
