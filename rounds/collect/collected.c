/*
 * A record is a type (COLLECTED_END for the last), flags, the lengths of name, reason, note
 * and data and the time, in 8 bytes each; then the three texts, each with a NUL, and the data.
 * A COLLECTED_MEMORY record is its type, the length of its data, and the data.
 */
#include "rounds/collect/collected.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/room.h"
#include "rounds/collect/customname.h"

enum { COLLECTED_END = 1000, COLLECTED_MEMORY };

enum collected_flag { FLAG_DATA = 1, FLAG_WHY_NOT = 2, FLAG_NOTE = 4, FLAG_CUT = 8 };

static int collected_write_all(int fd, const void *data, size_t len, struct error *err)
{
	if (!descriptor_write(fd, data, len))
		return error_errno(err, ERR_IO, "cannot hand over a profile");
	return 0;
}

static size_t text_length(const char *text)
{
	return text ? strnlen(text, COLLECTED_TEXT - 1) : 0;
}

static int collected_write_text(int fd, const char *text, struct error *err)
{
	int rc = collected_write_all(fd, text, text_length(text), err);

	return rc ? rc : collected_write_all(fd, "", 1, err);
}

int collected_write(int fd, const struct collection_item *item, struct error *err)
{
	uint64_t flags = (item->data ? FLAG_DATA : 0) | (item->why_not ? FLAG_WHY_NOT : 0) |
			 (item->note ? FLAG_NOTE : 0) | (item->cut ? FLAG_CUT : 0);
	uint64_t head[] = { item->type,
			    flags,
			    text_length(item->name),
			    text_length(item->why_not),
			    text_length(item->note),
			    item->data ? item->len : 0,
			    (uint64_t)item->time_nanos };
	int rc = collected_write_all(fd, head, sizeof(head), err);

	rc = rc ? rc : collected_write_text(fd, item->name, err);
	rc = rc ? rc : collected_write_text(fd, item->why_not, err);
	rc = rc ? rc : collected_write_text(fd, item->note, err);
	return rc ? rc : collected_write_all(fd, item->data, item->data ? item->len : 0, err);
}

int collected_write_memory(int fd, const void *data, size_t len, struct error *err)
{
	uint64_t head[] = { COLLECTED_MEMORY, len };
	int rc = collected_write_all(fd, head, sizeof(head), err);

	return rc ? rc : collected_write_all(fd, data, len, err);
}

int collected_write_end(int fd, struct error *err)
{
	uint64_t end = COLLECTED_END;

	return collected_write_all(fd, &end, sizeof(end), err);
}

/* Reading. */

static const char *collected_take_text(struct cursor *c, uint64_t len)
{
	char *text;

	if (len >= COLLECTED_TEXT)
		cursor_fail(c, "a text is too long");
	text = (char *)cursor_bytes(c, len + 1);
	if (!text)
		return "";
	printable(text, len + 1);
	return text;
}

static bool collected_is_there(const struct collected *c, enum capture_type type)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->items[i].type == type)
			return true;
	return false;
}

static void collected_check(const struct collected *all, const struct collection_item *item,
			    unsigned types, struct cursor *c)
{
	bool custom = item->type == CAPTURE_CUSTOM;

	if (!(types & CAPTURE_BIT(item->type)))
		cursor_fail(c, "that was not requested");
	else if (!custom && (*item->name || collected_is_there(all, item->type)))
		cursor_fail(c, "a profile is there twice");
	else if (custom && *item->name && !customname_good(item->name))
		cursor_fail(c, "a profile's name is bad");
	else if (!item->data == !item->why_not || (custom && item->data && !*item->name))
		cursor_fail(c, "a profile needs either data or a reason why there is none");
}

static void collected_take_item(struct collected *all, struct collection_item *item, uint64_t type,
				unsigned types, struct cursor *c)
{
	uint64_t flags = cursor_uint(c, 8), name = cursor_uint(c, 8), why_not = cursor_uint(c, 8);
	uint64_t note = cursor_uint(c, 8), len = cursor_uint(c, 8);

	if (type >= CAPTURE_TYPES) {
		cursor_fail(c, "there is no such type");
		return;
	}
	item->type = (enum capture_type)type;
	item->time_nanos = (int64_t)cursor_uint(c, 8);
	item->name = collected_take_text(c, name);
	item->why_not = collected_take_text(c, why_not);
	item->note = collected_take_text(c, note);
	item->data = cursor_bytes(c, len);
	item->len = len;
	if (!(flags & FLAG_WHY_NOT))
		item->why_not = NULL;
	if (!(flags & FLAG_NOTE))
		item->note = NULL;
	if (!(flags & FLAG_DATA))
		item->data = NULL;
	item->cut = flags & FLAG_CUT;
	if (!c->failed)
		collected_check(all, item, types, c);
}

static void take_memory(struct collected *all, struct cursor *c)
{
	uint64_t len = cursor_uint(c, 8);
	const uint8_t *data = cursor_bytes(c, len);

	if (data && all->memory)
		cursor_fail(c, "what is remembered is there twice");
	all->memory = data;
	all->memory_len = data ? len : 0;
}

static int collected_add(struct collected *c, const struct collection_item *item)
{
	if (room_for((void **)&c->items, &c->room, c->count + 1, sizeof(*item)))
		return ERR_NOMEM;
	c->items[c->count++] = *item;
	return 0;
}

int collected_read(struct collected *all, void *data, size_t len, unsigned types, struct error *err)
{
	struct cursor c;

	cursor_init(&c, data, len, "the collection");
	while (cursor_left(&c)) {
		uint64_t type = cursor_uint(&c, 8);
		struct collection_item item = { 0 };

		if (type == COLLECTED_END && !c.failed) {
			all->whole = true;
			break;
		}
		if (type == COLLECTED_MEMORY && !c.failed) {
			take_memory(all, &c);
			continue;
		}
		if (all->count == COLLECTED_ITEMS)
			cursor_fail(&c, "there are too many items");
		collected_take_item(all, &item, type, types, &c);
		if (c.failed)
			break;
		if (collected_add(all, &item))
			return error_nomem(err);
	}
	return cursor_error(&c, err);
}

int collected_fill(struct collected *c, unsigned types, const char *why_not)
{
	for (int i = 0; i < CAPTURE_TYPES; i++) {
		struct collection_item item = { .type = (enum capture_type)i,
						.name = "",
						.why_not = why_not };

		if (types & CAPTURE_BIT(i) && !collected_is_there(c, item.type) &&
		    collected_add(c, &item))
			return ERR_NOMEM;
	}
	return 0;
}

void collected_release(struct collected *c)
{
	free(c->items);
	*c = (struct collected){ 0 };
}
