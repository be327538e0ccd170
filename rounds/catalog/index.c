/* The index is written to a new file and renamed. When it is read, each number is checked against
 * the tables that it refers to before a row is taken. */
#include "rounds/catalog/index.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/descriptor.h"
#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/printable.h"
#include "rounds/catalog/rows.h"

static const char magic[] = "sampler catalog 1\n";

/* 100,000 batches take some 40 MiB. */
enum { INDEX_BYTES = 1 << 28, MAGIC = sizeof(magic) - 1 };

static void catalog_index_put(struct buffer *b, uint32_t value, int *rc)
{
	*rc |= buffer_add(b, &value, sizeof(value));
}

static int catalog_index_put_all(const struct catalog *c, struct buffer *b)
{
	int rc = 0;

	catalog_index_put(b, c->strings.count, &rc);
	catalog_index_put(b, (uint32_t)c->count, &rc);
	catalog_index_put(b, (uint32_t)c->item_count, &rc);
	for (uint32_t i = 0; i < c->strings.count; i++) {
		const struct strset_entry *s = &c->strings.entries[i];

		catalog_index_put(b, (uint32_t)s->len, &rc);
		rc |= buffer_add(b, s->text, s->len);
	}
	for (size_t i = 0; i < c->count; i++)
		rc |= buffer_add(b, &c->rows[i], CATALOG_ROW_KEPT);
	for (size_t i = 0; i < c->item_count; i++)
		rc |= buffer_add(b, &c->items[i], sizeof(c->items[i]));
	return rc ? ERR_NOMEM : 0;
}

/* A copy, without the rows that have trouble: their strings and items are not to be kept. */
static int write_good(const struct catalog *c, struct buffer *out)
{
	struct catalog good;
	int rc = catalog_init(&good);

	for (size_t i = 0; !rc && i < c->count; i++)
		if (!c->rows[i].trouble)
			rc = catalog_copy(&good, c, &c->rows[i]);
	if (!rc)
		rc = catalog_index_put_all(&good, out);
	catalog_release(&good);
	return rc;
}

int batchindex_write(const struct catalog *c, struct buffer *out)
{
	struct buffer body = { 0 };
	uint64_t hash;
	int rc = write_good(c, &body);

	hash = XXH3_64bits(body.data, body.len);
	if (!rc)
		rc = buffer_add(out, magic, MAGIC) | buffer_add(out, &hash, sizeof(hash)) |
		     buffer_add(out, body.data, body.len);
	buffer_release(&body);
	return rc ? ERR_NOMEM : 0;
}

static bool is_printable(const char *text, size_t len)
{
	size_t at = 0, size;

	while (at < len && printable_next(text + at, len - at, &size))
		at += size;
	return at == len;
}

/* Each string once, printable: they are shown. */
static int get_strings(struct catalog *c, struct cursor *from, uint32_t count)
{
	for (uint32_t i = 0; i < count && !from->failed; i++) {
		uint64_t len = cursor_uint(from, 4);
		const char *text = (const char *)cursor_bytes(from, len);
		uint32_t id = 0;

		if (text && !is_printable(text, len))
			cursor_fail(from, "a text that is not printable");
		if (from->failed)
			break;
		if (strset_add(&c->strings, text, len, &id))
			return ERR_NOMEM;
		if (id != i)
			cursor_fail(from, "a string occurs twice");
	}
	return 0;
}

static void check_string(const struct catalog *c, struct cursor *from, uint32_t id)
{
	if (id >= c->strings.count)
		cursor_fail(from, "no such string");
}

/* Rows first, whose items follow all rows in the same order. */
static int get_rows(struct catalog *c, struct cursor *from, uint64_t count, uint64_t *items)
{
	uint64_t first = 0;

	for (uint64_t i = 0; i < count; i++) {
		const uint8_t *bytes = cursor_bytes(from, CATALOG_ROW_KEPT);
		struct catalog_row r = { .trouble = 0 };

		if (bytes)
			memcpy(&r, bytes, CATALOG_ROW_KEPT);
		check_string(c, from, r.series);
		check_string(c, from, r.command);
		check_string(c, from, r.host);
		check_string(c, from, r.ended);
		if (r.items > *items - first)
			cursor_fail(from, "no such items");
		if (from->failed)
			break;
		if (catalog_add(c, &r))
			return ERR_NOMEM;
		c->rows[i].first_item = (uint32_t)first;
		c->rows[i].items = r.items;
		first += r.items;
	}
	*items = first;
	return 0;
}

static int get_items(struct catalog *c, struct cursor *from, uint64_t count)
{
	const uint8_t *bytes = cursor_bytes(from, count * sizeof(*c->items));

	if (!bytes)
		return 0;
	c->items = calloc(count + 1, sizeof(*c->items));
	if (!c->items)
		return ERR_NOMEM;
	memcpy(c->items, bytes, count * sizeof(*c->items));
	c->item_count = count;
	c->item_room = count + 1;
	for (uint64_t i = 0; i < count; i++) {
		check_string(c, from, c->items[i].name);
		check_string(c, from, c->items[i].text);
		check_string(c, from, c->items[i].note);
		if (c->items[i].kind >= CATALOG_KINDS)
			cursor_fail(from, "no such kind");
	}
	return 0;
}

static int get_all(struct catalog *c, struct cursor *from)
{
	uint32_t strings = (uint32_t)cursor_uint(from, 4);
	uint64_t rows = cursor_uint(from, 4), items = cursor_uint(from, 4), used = items;
	int rc = get_strings(c, from, strings);

	if (!rc)
		rc = get_rows(c, from, rows, &used);
	if (!rc && used != items)
		cursor_fail(from, "items of no row");
	return rc ? rc : get_items(c, from, items);
}

int batchindex_read(struct catalog *c, const void *data, size_t len)
{
	struct cursor from;
	const uint8_t *head;
	uint64_t hash;
	int rc = 0;

	cursor_init(&from, data, len, INDEX_FILE);
	head = cursor_bytes(&from, MAGIC);
	hash = cursor_uint(&from, 8);
	if (!from.failed && memcmp(head, magic, MAGIC))
		cursor_fail(&from, "no index");
	if (!from.failed && hash != XXH3_64bits(from.pos, cursor_left(&from)))
		cursor_fail(&from, "changed");
	if (!from.failed)
		rc = get_all(c, &from);
	if (!rc && cursor_left(&from))
		cursor_fail(&from, "too long");
	return rc ? rc : from.failed ? ERR_FORMAT : 0;
}

static bool is_trusted(int dir, const struct stat *st)
{
	struct stat folder;

	return S_ISREG(st->st_mode) && st->st_size <= INDEX_BYTES && !fstat(dir, &folder) &&
	       (st->st_uid == geteuid() || st->st_uid == 0 || st->st_uid == folder.st_uid);
}

int batchindex_load(struct catalog *c, int dir)
{
	int fd = openat(dir, INDEX_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct buffer data = { 0 };
	struct stat st;
	int rc = ERR_FORMAT;

	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && is_trusted(dir, &st))
		rc = buffer_read(&data, fd, INDEX_BYTES);
	close(fd);
	if (!rc)
		rc = batchindex_read(c, data.data, data.len);
	buffer_release(&data);
	if (!rc || rc == ERR_NOMEM)
		return rc;
	catalog_release(c);
	return catalog_init(c);
}

/* The folder may be another user's, and we may be root: a new file is made, and the rename replaces
 * a link or a pipe that has the index's name. (base/file/outfile.h writes to what a link names.) No
 * fsync(2): after a crash a short index is none. */
void batchindex_save(const struct catalog *c, int dir)
{
	struct buffer data = { 0 };
	char name[40];
	int fd = -1;
	bool good;

	snprintf(name, sizeof(name), INDEX_FILE "-%d", getpid());
	if (!batchindex_write(c, &data))
		fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd >= 0) {
		good = descriptor_write(fd, data.data, data.len);
		good &= !close(fd);
		if (!good || renameat(dir, name, dir, INDEX_FILE))
			unlinkat(dir, name, 0);
	}
	buffer_release(&data);
}
