/* The parts are read one by one, merged as they come, and dropped. Of counters that run from a
 * process's start the older snapshot is subtracted by delta/delta.h. */
#include "cli/rounds/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "delta/delta.h"
#include "pprof/columns.h"
#include "pprof/file/read.h"
#include "pprof/merge.h"
#include "pprof/profile.h"
#include "pprof/validate.h"
#include "cli/common/cli.h"
#include "cli/common/readprofile.h"
#include "cli/rounds/parts.h"
#include "rounds/batch/name.h"
#include "rounds/catalog/catalog.h"

struct adding {
	const char *folder;
	const struct catalog *c;
	uint64_t max_size;
};

int folder_option(struct folder_options *o, int option, char *value, struct error *err)
{
	if (option != 't')
		return range_option(&o->range, option, value, err);
	o->type = value;
	return 0;
}

bool folder_is(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int folder_check(const struct folder_options *o, char **paths, int count, struct error *err)
{
	if (!o->type && !range_given(&o->range))
		return 0;
	for (int i = 0; i < count; i++)
		if (folder_is(paths[i]))
			return 0;
	return error_set(err, ERR_USAGE, "'%s' chooses batches, and there is no folder of batches",
			 o->type       ? "-t" :
			 o->range.from ? "--from" :
			 o->range.to   ? "--to" :
			 o->range.last ? "--last" :
					 "--tag");
}

/* Other users may write to the folder: a link or a pipe is not opened. */
static int file_path(const struct adding *a, size_t row, const char *file, char **path,
		     struct error *err)
{
	char name[BATCH_NAME_ROOM];
	struct stat st;

	batch_name_text(&a->c->rows[row].name, name);
	if (asprintf(path, "%s/%s/%s", a->folder, name, file) < 0) {
		*path = NULL;
		return error_nomem(err);
	}
	if (lstat(*path, &st))
		return error_errno(err, ERR_IO, "cannot read '%s'", *path);
	return S_ISREG(st.st_mode) ? 0 : error_set(err, ERR_FORMAT, "'%s' is no file", *path);
}

static int folder_load(const struct adding *a, size_t row, const char *file, struct buffer *bytes,
		       struct error *err)
{
	char *path = NULL;
	int rc = file_path(a, row, file, &path, err);

	if (!rc)
		rc = profile_load(bytes, path, a->max_size, err);
	free(path);
	return rc;
}

static int folder_take(void *out, const void *data, size_t len, struct error *err)
{
	return out && buffer_add(out, data, len) ? error_nomem(err) : 0;
}

/* The sum of the first column, of Go's profiles the number of events. */
static int count_events(const struct adding *a, const struct buffer *bytes, int64_t *sum,
			struct error *err)
{
	struct profile p = { 0 };
	int rc = profile_init(&p) ? error_nomem(err) :
				    profile_parse(&p, bytes->data, bytes->len, a->max_size, err);

	*sum = 0;
	for (size_t i = 0; !rc && p.type_count && i < p.sample_count; i++)
		*sum += p.values[p.samples[i].first_value];
	profile_release(&p);
	return rc;
}

/* Delays do not tell: two samplers measure the clock's speed, and the second one's may be lower. */
static int is_another_program(const struct adding *a, const struct buffer *old,
			      const struct buffer *now, bool *another, struct error *err)
{
	int64_t before, after = 0;
	int rc = count_events(a, old, &before, err);

	if (!rc)
		rc = count_events(a, now, &after, err);
	*another = after < before;
	return rc;
}

static int folder_subtract(const struct adding *a, const struct buffer *old,
			   const struct buffer *now, struct buffer *difference, struct error *err)
{
	const struct delta_options o = { .allow_negative = true, .max_size = a->max_size };
	struct delta_computer *dc = NULL;
	int rc = delta_new(&dc, &o, err);

	if (!rc && old)
		rc = delta_compute(dc, old->data, old->len, folder_take, NULL, err);
	if (!rc)
		rc = delta_compute(dc, now->data, now->len, folder_take, difference, err);
	delta_free(dc);
	return rc;
}

/* What came between two snapshots. */
static int read_difference(const struct adding *a, const struct part *part, struct profile *p,
			   struct error *err)
{
	struct buffer old = { 0 }, now = { 0 }, difference = { 0 };
	bool another = false;
	int rc = folder_load(a, part->old_row, part->old, &old, err);

	if (!rc)
		rc = folder_load(a, part->row, part->file, &now, err);
	if (!rc && part->may_reset)
		rc = is_another_program(a, &old, &now, &another, err);
	if (!rc)
		rc = folder_subtract(a, another ? NULL : &old, &now, &difference, err);
	if (!rc)
		rc = profile_init(p) ?
			     error_nomem(err) :
			     profile_parse(p, difference.data, difference.len, a->max_size, err);
	if (!rc)
		rc = profile_validate(p, err);
	buffer_release(&old);
	buffer_release(&now);
	buffer_release(&difference);
	return rc;
}

static int folder_read_part(const struct adding *a, const struct part *part, struct profile *p,
			    struct error *err)
{
	char *path = NULL;
	int rc;

	if (part->old)
		return read_difference(a, part, p, err);
	rc = file_path(a, part->row, part->file, &path, err);
	if (!rc)
		rc = readprofile(p, path, a->max_size, err);
	free(path);
	return rc;
}

/* Go's columns of what is in use are inuse_objects and inuse_space. */
static void keep_columns(struct profile *p, enum part_of of)
{
	for (size_t i = 0; of != PART_ALL && i < p->type_count; i++) {
		bool state = !strncmp(strset_get(&p->strings, p->types[i].type), "inuse_", 6);

		if (state != (of == PART_STATE))
			profile_zero_column(p, i);
	}
}

/* A state has no duration, and its file may be that of a part which is added, too. */
static int folder_add_part(const struct adding *a, const struct part *part, struct merge *m,
			   struct error *err)
{
	struct profile p = { 0 };
	int rc = folder_read_part(a, part, &p, err);

	if (!rc) {
		keep_columns(&p, part->of);
		if (part->of == PART_STATE)
			p.duration_nanos = 0;
		rc = merge_add_common(m, &p, err);
	}
	profile_release(&p);
	return rc;
}

static int folder_add_parts(const struct adding *a, const struct parts *parts, struct profile *sum,
			    struct error *err)
{
	struct merge *m;
	int rc = merge_new(&m, err);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < parts->count; i++)
		rc = folder_add_part(a, &parts->list[i], m, err);
	if (!rc)
		return merge_finish(m, sum, err);
	merge_free(m);
	return rc;
}

/* Of the parts' batches. */
static void times(const struct catalog *c, const struct parts *p, char from[24], char to[24])
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < p->count; i++) {
		const struct catalog_row *row = &c->rows[p->list[i].row];

		first = catalog_start(row) < first ? catalog_start(row) : first;
		last = catalog_end(row) > last ? catalog_end(row) : last;
	}
	range_time(first, from);
	range_time(last, to);
}

static void folder_tell(const struct catalog *c, const struct parts *p, const char *type)
{
	char from[24], to[24];

	times(c, p, from, to);
	cli_say("%s of %s%zu %s of '%s'%s, %s to %s (UTC)", type, p->is_state ? "the last of " : "",
		p->batches - p->without, p->batches - p->without == 1 ? "batch" : "batches",
		p->series[0], p->programs > 1 ? " and other programs" : "", from, to);
	if (p->without)
		cli_say("%zu more have no %s: sampler rounds says why", p->without, type);
	if (p->cut)
		cli_say("%zu began to count before that time, and what came in them is "
			"not known: left out",
			p->cut);
	if (p->programs > 1)
		cli_say("'%s' and '%s' are added up; --tag process.executable.name:NAME "
			"chooses one",
			p->series[0], p->series[1]);
}

static int folder_read_range(struct profile *p, const char *path, const struct batch_range *r,
			     const char *type, uint64_t max_size, struct error *err)
{
	struct parts parts = { 0 };
	struct catalog c = { 0 };
	struct adding a = { path, &c, max_size };
	int rc = catalog_open(&c, path, err);

	if (!rc)
		rc = parts_choose(&parts, &c, r, type, path, err);
	if (!rc && !parts.count)
		rc = error_set(
			err, ERR_NOTFOUND,
			"what %s of that time counts began before it: a longer range has more",
			type);
	if (!rc)
		rc = folder_add_parts(&a, &parts, p, err);
	if (!rc)
		folder_tell(&c, &parts, type);
	parts_release(&parts);
	catalog_release(&c);
	return rc;
}

int folder_read(struct profile *p, const char *path, const struct folder_options *o,
		uint64_t back_ns, uint64_t max_size, struct error *err)
{
	struct batch_range r;
	int rc;

	if (!folder_is(path))
		return readprofile(p, path, max_size, err);
	*p = (struct profile){ 0 };
	rc = range_make(&r, &o->range, (int64_t)clock_ns(CLOCK_REALTIME), err);
	if (rc)
		return rc;
	range_back(&r, back_ns);
	return folder_read_range(p, path, &r, o->type ? o->type : "cpu", max_size, err);
}
