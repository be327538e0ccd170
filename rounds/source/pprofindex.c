/*
 * A row is `<tr><td>COUNT</td><td><a href='…'>NAME</a></td></tr>`. The name is escaped by
 * html.EscapeString, so it has no '<' and no quote. Everything else is skipped. The name is
 * used, not the reference, which Go makes from it.
 */
#include "rounds/source/pprofindex.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/room.h"

struct pprofindex_row {
	uint64_t count;
	size_t name; /* offset in `names`, NUL-terminated */
};

struct pprofindex {
	struct pprofindex_row *rows;
	size_t row_count, room;
	struct buffer names;
};

static const char ROW[] = "<tr><td>", LINK[] = "</td><td><a href='", LINK_END[] = "'>",
		  ROW_END[] = "</a></td></tr>";

/* The runtime's profiles (runtime/pprof, lockProfiles) and the handlers beside them.
 * goroutineleak (Go 1.26) runs a GC, which the user has not requested. */
static const char *const known[] = { "allocs",	      "block",	      "cmdline", "goroutine",
				     "goroutineleak", "heap",	      "mutex",	 "profile",
				     "symbol",	      "threadcreate", "trace" };

static bool pprofindex_take(struct cursor *c, const char *literal)
{
	size_t len = strlen(literal);

	if (cursor_left(c) < len || memcmp(c->pos, literal, len))
		return false;
	c->pos += len;
	return true;
}

/* Moves behind the next `what`; if there is none, to the end, and returns false. */
static bool pprofindex_skip_behind(struct cursor *c, const char *what)
{
	const uint8_t *at = memmem(c->pos, cursor_left(c), what, strlen(what));

	c->pos = at ? at + strlen(what) : c->end;
	return at;
}

/* Skips the reference and the quote behind it. It has no '<', so no byte is passed twice. */
static bool skip_reference(struct cursor *c)
{
	while (cursor_left(c) && *c->pos != '\'' && *c->pos != '<')
		c->pos++;
	return pprofindex_take(c, LINK_END);
}

static bool take_count(struct cursor *c, uint64_t *count)
{
	if (!cursor_left(c) || *c->pos < '0' || *c->pos > '9')
		return false;
	*count = cursor_number(c, 10);
	return !c->failed;
}

/* html.EscapeString writes these five and no others. */
static char take_char(struct cursor *c)
{
	static const struct {
		const char *escape;
		char is;
	} escapes[] = { { "&amp;", '&' },
			{ "&#39;", '\'' },
			{ "&lt;", '<' },
			{ "&gt;", '>' },
			{ "&#34;", '"' } };

	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++)
		if (pprofindex_take(c, escapes[i].escape))
			return escapes[i].is;
	return (char)cursor_byte(c);
}

/* Appends a name. *good false: it has a NUL, which no request could contain. */
static int pprofindex_take_name(struct pprofindex *index, struct cursor *c, bool *good)
{
	int rc = 0;

	while (!rc && cursor_left(c) && *c->pos != '<') {
		char ch = take_char(c);

		*good = *good && ch;
		rc = buffer_add(&index->names, &ch, 1);
	}
	return rc ? rc : buffer_add(&index->names, "", 1);
}

/* Takes a row. If it is not valid, the search for the next row begins behind its ROW. */
static int pprofindex_take_row(struct pprofindex *index, struct cursor *c)
{
	struct pprofindex_row row = { .name = index->names.len };
	struct cursor try = *c;
	bool good = true;
	int rc;

	if (!take_count(&try, &row.count) || !pprofindex_take(&try, LINK) || !skip_reference(&try))
		return 0;
	rc = pprofindex_take_name(index, &try, &good);
	if (rc)
		return rc;
	if (!good || index->names.len == row.name + 1 || !pprofindex_take(&try, ROW_END)) {
		index->names.len = row.name;
		return 0;
	}
	*c = try;
	if (room_for((void **)&index->rows, &index->room, index->row_count + 1, sizeof(row)))
		return ERR_NOMEM;
	index->rows[index->row_count++] = row;
	return 0;
}

int pprofindex_parse(struct pprofindex **out, const void *page, size_t len, struct error *err)
{
	struct pprofindex *index = calloc(1, sizeof(*index));
	struct cursor c;
	int rc = index ? 0 : ERR_NOMEM;

	cursor_init(&c, page, len, "the index of profiles");
	while (!rc && pprofindex_skip_behind(&c, ROW))
		rc = pprofindex_take_row(index, &c);
	if (rc)
		error_nomem(err);
	else if (!index->row_count)
		rc = error_set(err, ERR_FORMAT, "it is no index of net/http/pprof");
	if (rc) {
		pprofindex_free(index);
		index = NULL;
	}
	*out = index;
	return rc;
}

void pprofindex_free(struct pprofindex *index)
{
	if (!index)
		return;
	free(index->rows);
	buffer_release(&index->names);
	free(index);
}

static const char *pprofindex_name_of(const struct pprofindex *index, size_t row)
{
	return (const char *)index->names.data + index->rows[row].name;
}

bool pprofindex_count(const struct pprofindex *index, const char *name, uint64_t *count)
{
	for (size_t i = 0; i < index->row_count; i++) {
		if (!strcmp(pprofindex_name_of(index, i), name)) {
			*count = index->rows[i].count;
			return true;
		}
	}
	return false;
}

static bool pprofindex_is_known(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(name, known[i]))
			return true;
	return false;
}

static bool pprofindex_is_in(const struct buffer *names, size_t from, const char *name)
{
	for (size_t at = from; at < names->len; at += strlen((char *)names->data + at) + 1)
		if (!strcmp((char *)names->data + at, name))
			return true;
	return false;
}

int pprofindex_custom(const struct pprofindex *index, size_t max, struct buffer *names)
{
	size_t from = names->len, count = 0;

	for (size_t i = 0; i < index->row_count && count < max; i++) {
		const char *name = pprofindex_name_of(index, i);

		if (pprofindex_is_known(name) || pprofindex_is_in(names, from, name))
			continue;
		if (buffer_add(names, name, strlen(name) + 1))
			return ERR_NOMEM;
		count++;
	}
	return 0;
}
