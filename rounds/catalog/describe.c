/* event.json and metrics.json are read member by member into a row on the stack, which is added to
 * the catalog only if all of it was good. Unknown members are skipped. */
#include "rounds/catalog/describe.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/jsonread.h"
#include "rounds/batch/event.h"
#include "rounds/batch/name.h"
#include "rounds/catalog/rows.h"

/* Bounds of what a hostile batch may take. An attribute has at most 1,024 bytes
 * (rounds/resource/attributes.h). */
enum { FILE_BYTES = 1 << 20, ITEMS = 1024, NAME_ROOM = 256, TEXT_ROOM = 1025 };

#define METRICS_FILE "metrics.json"

struct describe_reading {
	struct cursor c;
	struct catalog *to;
	struct catalog_row row; /* copied to the last row when all is read */
	size_t items;
	bool no_memory;
};

static void add_item(struct describe_reading *r, enum catalog_kind kind, const char *name,
		     const char *text, const char *note)
{
	if (++r->items > ITEMS)
		cursor_fail(&r->c, "too many entries");
	else if (!r->c.failed)
		r->no_memory |= catalog_add_item(r->to, kind, name, text, note) != 0;
}

static uint32_t describe_read_string(struct describe_reading *r)
{
	char text[TEXT_ROOM];
	uint32_t id = 0;

	jsonread_text(&r->c, text, sizeof(text));
	r->no_memory |= strset_addz(&r->to->strings, text, &id) != 0;
	return id;
}

static void read_tags(struct describe_reading *r)
{
	char key[NAME_ROOM], value[TEXT_ROOM];

	for (bool first = jsonread_open(&r->c, '{'); jsonread_more(&r->c, &first, '}');) {
		jsonread_key(&r->c, key, sizeof(key));
		jsonread_text(&r->c, value, sizeof(value));
		add_item(r, CATALOG_TAG, key, value, "");
	}
}

/* An entry of "profiles" or "skipped". */
static void describe_read_entry(struct describe_reading *r)
{
	char key[NAME_ROOM], type[NAME_ROOM] = "", file[NAME_ROOM] = "", text[TEXT_ROOM] = "";
	bool delta = false;

	for (bool first = jsonread_open(&r->c, '{'); jsonread_more(&r->c, &first, '}');) {
		jsonread_key(&r->c, key, sizeof(key));
		if (!strcmp(key, "type"))
			jsonread_text(&r->c, type, sizeof(type));
		else if (!strcmp(key, "file"))
			jsonread_text(&r->c, file, sizeof(file));
		else if (!strcmp(key, "note") || !strcmp(key, "why"))
			jsonread_text(&r->c, text, sizeof(text));
		else if (!strcmp(key, "delta"))
			delta = jsonread_bool(&r->c);
		else
			jsonread_skip(&r->c);
	}
	if (!*file)
		add_item(r, CATALOG_SKIPPED, type, text, "");
	else if (!batch_file_name_ok(file))
		cursor_fail(&r->c, "a file name that no batch has");
	else
		add_item(r, delta ? CATALOG_DELTA : CATALOG_FILE, type, file, text);
}

static void describe_read_entries(struct describe_reading *r)
{
	for (bool first = jsonread_open(&r->c, '['); jsonread_more(&r->c, &first, ']');)
		describe_read_entry(r);
}

static void read_sampling(struct describe_reading *r)
{
	char key[NAME_ROOM];

	for (bool first = jsonread_open(&r->c, '{'); jsonread_more(&r->c, &first, '}');) {
		jsonread_key(&r->c, key, sizeof(key));
		if (!strcmp(key, "samples"))
			r->row.samples = jsonread_uint(&r->c);
		else if (!strcmp(key, "target_cpu_ns"))
			r->row.target_cpu_ns = jsonread_uint(&r->c);
		else
			jsonread_skip(&r->c);
	}
	r->row.is_sampled = 1;
}

static void read_member(struct describe_reading *r, const char *key)
{
	if (!strcmp(key, "series"))
		r->row.series = describe_read_string(r);
	else if (!strcmp(key, "command"))
		r->row.command = describe_read_string(r);
	else if (!strcmp(key, "host"))
		r->row.host = describe_read_string(r);
	else if (!strcmp(key, "ended"))
		r->row.ended = describe_read_string(r);
	else if (!strcmp(key, "duration_ns"))
		r->row.duration_ns = jsonread_uint(&r->c);
	else if (!strcmp(key, "pid"))
		r->row.pid = jsonread_uint(&r->c);
	else if (!strcmp(key, "process_start_ns"))
		r->row.process_start_ns = jsonread_uint(&r->c);
	else if (!strcmp(key, "tags") || !strcmp(key, "resource"))
		read_tags(r);
	else if (!strcmp(key, "profiles") || !strcmp(key, "skipped"))
		describe_read_entries(r);
	else if (!strcmp(key, "sampler"))
		read_sampling(r);
	else
		jsonread_skip(&r->c);
}

/* Ends a reading: the row is changed only if all was good. */
static int describe_end(struct describe_reading *r, size_t items_before, struct error *err)
{
	struct catalog_row *row = &r->to->rows[r->to->count - 1];

	jsonread_end(&r->c);
	if (r->c.failed || r->no_memory) {
		r->to->item_count = items_before;
		row->items = (uint32_t)(items_before - row->first_item);
		return r->c.failed ? cursor_error(&r->c, err) : error_nomem(err);
	}
	r->row.first_item = row->first_item;
	r->row.items = row->items;
	*row = r->row;
	return 0;
}

int describe_event(struct catalog *c, const void *data, size_t len, struct error *err)
{
	struct describe_reading r = { .to = c, .row = c->rows[c->count - 1] };
	size_t before = c->item_count;
	char key[NAME_ROOM];

	cursor_init(&r.c, data, len, EVENT_FILE);
	for (bool first = jsonread_open(&r.c, '{'); jsonread_more(&r.c, &first, '}');) {
		jsonread_key(&r.c, key, sizeof(key));
		read_member(&r, key);
	}
	return describe_end(&r, before, err);
}

/* Reads the member `name` of the value, an object or null: of a gauge "value", of a counter
 * "per_second". */
static double read_metric(struct cursor *c, const char *name)
{
	double value = NAN;
	char key[NAME_ROOM];

	if (jsonread_null(c))
		return value;
	for (bool first = jsonread_open(c, '{'); jsonread_more(c, &first, '}');) {
		jsonread_key(c, key, sizeof(key));
		if (!strcmp(key, name))
			value = jsonread_number(c);
		else
			jsonread_skip(c);
	}
	return value;
}

static void read_group(struct describe_reading *r, bool of_go)
{
	char key[NAME_ROOM];

	if (jsonread_null(&r->c))
		return;
	for (bool first = jsonread_open(&r->c, '{'); jsonread_more(&r->c, &first, '}');) {
		jsonread_key(&r->c, key, sizeof(key));
		if (!of_go && !strcmp(key, "cpu_seconds"))
			r->row.cpu = read_metric(&r->c, "per_second");
		else if (!of_go && !strcmp(key, "rss_bytes"))
			r->row.rss = read_metric(&r->c, "value");
		else if (of_go && !strcmp(key, "goroutines"))
			r->row.goroutines = read_metric(&r->c, "value");
		else
			jsonread_skip(&r->c);
	}
}

int describe_metrics(struct catalog *c, const void *data, size_t len, struct error *err)
{
	struct describe_reading r = { .to = c, .row = c->rows[c->count - 1] };
	char key[NAME_ROOM];

	cursor_init(&r.c, data, len, METRICS_FILE);
	for (bool first = jsonread_open(&r.c, '{'); jsonread_more(&r.c, &first, '}');) {
		jsonread_key(&r.c, key, sizeof(key));
		if (!strcmp(key, "process") || !strcmp(key, "go"))
			read_group(&r, key[0] == 'g');
		else
			jsonread_skip(&r.c);
	}
	return describe_end(&r, c->item_count, err);
}

/* No link is followed, and nothing but a file is read: a pipe would never end. */
static int describe_read_file(int batch, const char *name, struct buffer *data, struct error *err)
{
	int fd = openat(batch, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int rc = 0;

	data->len = 0;
	if (fd < 0 || fstat(fd, &st))
		rc = error_errno(err, ERR_IO, "cannot open %s", name);
	else if (!S_ISREG(st.st_mode))
		rc = error_set(err, ERR_FORMAT, "%s is no file", name);
	else if (st.st_size > FILE_BYTES)
		rc = error_set(err, ERR_LIMIT, "%s is longer than 1 MiB", name);
	else if ((rc = buffer_read(data, fd, FILE_BYTES)) == ERR_IO)
		error_errno(err, rc, "cannot read %s", name);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int read_batch(struct catalog *c, int batch, struct buffer *data, struct error *err)
{
	int rc = describe_read_file(batch, EVENT_FILE, data, err);
	const struct catalog_row *row;
	const struct catalog_item *file = NULL;

	if (!rc)
		rc = describe_event(c, data->data, data->len, err);
	row = &c->rows[c->count - 1];
	while (!rc && (file = catalog_next(c, row, CATALOG_FILE, file)))
		if (!strcmp(catalog_text(c, file->text), METRICS_FILE)) {
			rc = describe_read_file(batch, METRICS_FILE, data, err);
			return rc ? rc : describe_metrics(c, data->data, data->len, err);
		}
	return rc;
}

int describe_batch(struct catalog *c, int dir, const struct batch_name *name, uint64_t inode)
{
	struct catalog_row row = {
		.name = *name, .inode = inode, .cpu = NAN, .rss = NAN, .goroutines = NAN
	};
	struct buffer data = { 0 };
	char text[BATCH_NAME_ROOM];
	struct error err = { 0 };
	int rc = catalog_add(c, &row), batch;

	if (rc)
		return rc;
	batch_name_text(name, text);
	batch = openat(dir, text, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (batch < 0)
		rc = error_errno(&err, ERR_IO, "cannot open it");
	else
		rc = read_batch(c, batch, &data, &err);
	if (rc && rc != ERR_NOMEM)
		rc = strset_addz(&c->strings, err.text, &c->rows[c->count - 1].trouble);
	buffer_release(&data);
	if (batch >= 0)
		close(batch);
	return rc;
}
