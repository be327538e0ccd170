/* Attributes are searched from the first, at each '$' of a line. What they replace to has a bound,
 * because values may contain other names. */
#include "pprof/legacy/attrs.h"

#include <string.h>

#include "base/error.h"
#include "pprof/legacy/text.h"

/* A value may contain $names and so can double with each line. Harmless files have a
 * handful of attributes and short lines. */
enum { TEXT_MAX = 1 << 20 };

void attrs_release(struct attrs *a)
{
	arena_release(&a->arena);
	buffer_release(&a->replaced);
}

int attrs_add(struct attrs *a, struct cursor line, struct error *err)
{
	ptrdiff_t equals = text_find(&line, "=");
	struct cursor name, value;
	struct attr *attr = &a->entries[a->count];
	char *text;

	if (equals < 0)
		return 0;
	name = text_piece(&line, 0, (size_t)equals);
	value = text_piece(&line, (size_t)equals + 1, cursor_left(&line));
	text_trim(&name);
	text_trim(&value);
	if (a->count == ATTRS_MAX || a->arena.total > TEXT_MAX)
		return error_set(err, ERR_LIMIT,
				 "a memory map may set %d names, and %d bytes of values", ATTRS_MAX,
				 TEXT_MAX);
	attr->name_len = cursor_left(&name) + 1;
	attr->value_len = cursor_left(&value);
	text = arena_alloc(&a->arena, attr->name_len);
	attr->value = arena_copy(&a->arena, value.pos, attr->value_len);
	if (!text || !attr->value)
		return error_nomem(err);
	text[0] = '$';
	memcpy(text + 1, name.pos, attr->name_len - 1);
	attr->name = text;
	a->count++;
	return 0;
}

static const struct attr *attrs_find(const struct attrs *a, const struct cursor *c)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct attr *attr = &a->entries[i];
		size_t len = attr->name_len;

		if (cursor_left(c) >= len && c->pos[len - 1] == (uint8_t)attr->name[len - 1] &&
		    memcmp(c->pos, attr->name, len) == 0)
			return attr;
	}
	return NULL;
}

int attrs_replace(struct attrs *a, struct cursor *line, struct error *err)
{
	struct cursor c = *line;
	int rc = 0;

	if (!a->count || text_find(line, "$") < 0)
		return 0;
	a->replaced.len = 0;
	while (!rc && cursor_left(&c)) {
		const struct attr *attr = *c.pos == '$' ? attrs_find(a, &c) : NULL;

		rc = attr ? buffer_add(&a->replaced, attr->value, attr->value_len) :
			    buffer_add(&a->replaced, c.pos, 1);
		cursor_bytes(&c, attr ? attr->name_len : 1);
		if (a->replaced.len > TEXT_MAX)
			return error_set(err, ERR_LIMIT, "more than %d bytes with what is set",
					 TEXT_MAX);
	}
	cursor_init(line, a->replaced.data, a->replaced.len, line->what);
	return rc ? error_nomem(err) : 0;
}
