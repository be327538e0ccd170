/* The records are sorted once, when the folder is read, and appended to after that. One pass from
 * the oldest on decides which batches must go. */
#include "rounds/batch/retention.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/room.h"
#include "rounds/batch/dir.h"
#include "rounds/batch/event.h"

struct retention_record {
	struct batch_name name;
	int64_t born_ns; /* CLOCK_BOOTTIME; negative: before the boot */
	uint64_t bytes;
};

struct retention {
	struct retention_limits limits;
	const char *series, *key_text;
	struct retention_record *records; /* the oldest first */
	size_t count, room;
	uint64_t bytes;
};

struct retention_loading {
	struct retention *p;
	int dir;
	uid_t owner;
	bool no_memory;
};

int retention_new(struct retention **p, const struct retention_limits *limits, const char *series,
		  const char *key_text, struct error *err)
{
	*p = calloc(1, sizeof(**p));
	if (!*p)
		return error_nomem(err);
	**p = (struct retention){ .limits = *limits, .series = series, .key_text = key_text };
	return 0;
}

void retention_free(struct retention *p)
{
	if (p)
		free(p->records);
	free(p);
}

/* Without limits nothing is ever removed, and no records are needed. */
static bool has_limits(const struct retention *p)
{
	return p->limits.keep || p->limits.max_bytes || p->limits.max_age_ns;
}

static bool retention_add_record(struct retention *p, const struct retention_record *r)
{
	if (room_for((void **)&p->records, &p->room, p->count + 1, sizeof(*r)))
		return false;
	p->records[p->count++] = *r;
	p->bytes += r->bytes;
	return true;
}

/* Is a sampler at work for this key? Locks of ended samplers are swept already. Text that is no
 * valid key counts as alive: its batch is not ours to remove. */
static bool is_alive(int dir, const char *key_text)
{
	char name[BATCH_HIDDEN_ROOM], again[BATCH_KEY_ROOM];
	struct stat st;

	batch_lock_name(key_text, name);
	return batch_hidden_parse(name, again) != BATCH_LOCK ||
	       !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW);
}

static bool retention_is_ours(const struct retention_loading *l, int batch)
{
	int fd = openat(batch, EVENT_FILE,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char head[EVENT_HEAD_BYTES], key_text[BATCH_KEY_ROOM];
	ssize_t len = -1;
	struct stat st;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		len = read(fd, head, sizeof(head));
	close(fd);
	return len > 0 && event_is_of(head, (size_t)len, l->p->series, key_text) &&
	       (!strcmp(key_text, l->p->key_text) || !is_alive(l->dir, key_text));
}

static int64_t born_ns(int64_t start_s)
{
	int64_t now_s = (int64_t)(clock_ns(CLOCK_REALTIME) / NS_PER_S);
	int64_t age_s = start_s < now_s ? now_s - start_s : 0;

	/* Ages of many years, which only a broken clock can cause, do not fit into ns. */
	age_s = age_s < INT32_MAX ? age_s : INT32_MAX;
	return (int64_t)clock_ns(CLOCK_BOOTTIME) - age_s * (int64_t)NS_PER_S;
}

static int retention_load_entry(void *ctx, const struct dirent *entry)
{
	const char *name = entry->d_name;
	struct retention_loading *l = ctx;
	struct retention_record r = { 0 };
	int batch;

	if (!batch_name_parse(name, &r.name))
		return 0;
	batch = batchdir_open_batch(l->dir, name, l->owner);
	if (batch < 0)
		return 0;
	r.born_ns = born_ns(r.name.start_s);
	if (retention_is_ours(l, batch) && !batchdir_bytes(batch, &r.bytes))
		l->no_memory = !retention_add_record(l->p, &r);
	close(batch);
	return l->no_memory;
}

static int by_age(const void *a, const void *b)
{
	const struct batch_name *x = &((const struct retention_record *)a)->name,
				*y = &((const struct retention_record *)b)->name;

	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	return (x->start_s > y->start_s) - (x->start_s < y->start_s);
}

int retention_load(struct retention *p, int dir, uid_t owner, struct error *err)
{
	struct retention_loading l = { .p = p, .dir = dir, .owner = owner };
	int rc = 0;

	p->count = 0;
	p->bytes = 0;
	if (has_limits(p))
		rc = batchdir_each(dir, retention_load_entry, &l);
	if (l.no_memory)
		return error_nomem(err);
	if (rc)
		return error_errno(err, ERR_IO, "cannot list the folder of batches");
	if (p->count)
		qsort(p->records, p->count, sizeof(*p->records), by_age);
	return 0;
}

void retention_add(struct retention *p, const struct batch_name *name, uint64_t bytes)
{
	struct retention_record r = { .name = *name,
				      .bytes = bytes,
				      .born_ns = (int64_t)clock_ns(CLOCK_BOOTTIME) };

	if (has_limits(p))
		retention_add_record(p, &r);
}

/* `left` batches are there, and `r` is the oldest of them. */
static bool has_to_go(const struct retention *p, const struct retention_record *r, size_t left,
		      int64_t now_ns)
{
	const struct retention_limits *limits = &p->limits;
	int64_t age_ns = now_ns - r->born_ns;

	return (limits->keep && left > limits->keep) ||
	       (limits->max_bytes && p->bytes > limits->max_bytes && left > 1) ||
	       (limits->max_age_ns && age_ns > 0 && (uint64_t)age_ns > limits->max_age_ns);
}

void retention_apply(struct retention *p, int dir, uid_t owner)
{
	int64_t now_ns = (int64_t)clock_ns(CLOCK_BOOTTIME);
	char name[BATCH_NAME_ROOM];
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		const struct retention_record *r = &p->records[i];

		if (has_to_go(p, r, p->count - i + kept, now_ns)) {
			batch_name_text(&r->name, name);
			batchdir_remove_batch(dir, name, p->key_text, owner);
			p->bytes -= r->bytes;
		} else {
			p->records[kept++] = *r;
		}
	}
	p->count = kept;
}
