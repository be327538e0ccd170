/* Each derivation reads, changes and packs a profile. Deltas have a computer for each type, which
 * remembers the snapshot of the round before. */
#include "rounds/derive.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "delta/delta.h"
#include "pprof/columns.h"
#include "pprof/file/read.h"
#include "pprof/labels.h"
#include "pprof/merge.h"
#include "pprof/profile.h"
#include "pprof/scale.h"
#include "pprof/validate.h"
#include "pprof/wire/encode.h"
#include "pprof/wire/gzip.h"

static int derive_to_buffer(void *out, const void *data, size_t len, struct error *err)
{
	return buffer_add(out, data, len) ? error_nomem(err) : 0;
}

/* Packs the profile unless `rc` is an error, and releases it in any case. */
static int derive_write_out(struct profile *p, int rc, struct buffer *out, struct error *err)
{
	if (!rc)
		rc = profile_pack(p, out, err);
	profile_release(p);
	return rc;
}

/* The caller releases the profile, after an error too. */
static int read_in(struct profile *p, const void *data, size_t len, struct error *err)
{
	int rc;

	memset(p, 0, sizeof(*p));
	if (profile_init(p))
		return error_nomem(err);
	rc = profile_parse(p, data, len, DERIVE_BYTES, err);
	return rc ? rc : profile_validate(p, err);
}

/* Go's heap profile has these four, in this order (runtime/pprof, writeHeapProto). */
static int derive_read_heap(struct profile *p, const void *data, size_t len, struct error *err)
{
	static const char *const types[] = { "alloc_objects", "alloc_space", "inuse_objects",
					     "inuse_space" };
	int rc = read_in(p, data, len, err);

	for (size_t i = 0; !rc && i < 4; i++)
		if (profile_column(p, types[i]) != i)
			rc = error_set(err, ERR_USAGE, "no heap profile: it has no '%s'", types[i]);
	return rc;
}

int derive_allocs(const void *data, size_t len, struct buffer *out, struct error *err)
{
	struct profile p;
	int rc = derive_read_heap(&p, data, len, err);

	if (!rc)
		p.default_type = p.types[1].type;
	return derive_write_out(&p, rc, out, err);
}

int derive_inuse(const void *data, size_t len, struct buffer *out, struct error *err)
{
	struct profile p;
	int rc = derive_read_heap(&p, data, len, err);

	if (!rc) {
		profile_zero_column(&p, 0);
		profile_zero_column(&p, 1);
		rc = profile_compact(&p, err);
	}
	return derive_write_out(&p, rc, out, err);
}

/* Reads one of the two snapshots, its first two columns. */
static int read_alloc(struct profile *p, const void *data, size_t len, struct error *err)
{
	static const size_t columns[] = { 0, 1 };
	int rc = derive_read_heap(p, data, len, err);

	return rc ? rc : profile_keep_columns(p, columns, 2) ? error_nomem(err) : 0;
}

/* `first` is negated already. The caller releases *difference, after an error too. */
static int derive_subtract(const struct profile *first, const struct profile *second,
			   struct profile *difference, struct error *err)
{
	struct merge *m = NULL;
	int rc = merge_new(&m, err);

	if (!rc)
		rc = merge_add(m, first, err);
	if (!rc)
		rc = merge_add(m, second, err);
	if (!rc)
		return merge_finish(m, difference, err);
	merge_free(m);
	return rc;
}

/* Between two snapshots of one process no value decreases. */
static int check_not_negative(const struct profile *p, struct error *err)
{
	for (size_t i = 0; i < p->sample_count; i++)
		for (size_t j = 0; j < p->type_count; j++)
			if (p->values[p->samples[i].first_value + j] < 0)
				return error_set(err, ERR_FORMAT,
						 "counters ran backwards: the "
						 "snapshots are of two processes");
	return 0;
}

int derive_alloc(const void *first, size_t first_len, const void *second, size_t second_len,
		 struct buffer *out, struct error *err)
{
	struct profile a, b, difference = { 0 };
	int rc = read_alloc(&a, first, first_len, err),
	    rc_b = read_alloc(&b, second, second_len, err);

	rc = rc ? rc : rc_b;
	if (!rc) {
		profile_scale(&a, -1);
		rc = derive_subtract(&a, &b, &difference, err);
	}
	if (!rc)
		rc = check_not_negative(&difference, err);
	if (!rc) {
		difference.default_type = difference.types[1].type;
		difference.duration_nanos = b.time_nanos > a.time_nanos ?
						    b.time_nanos - a.time_nanos :
						    0;
	}
	profile_release(&a);
	profile_release(&b);
	return derive_write_out(&difference, rc, out, err);
}

int derive_cpu(const void *data, size_t len, struct buffer *out, struct error *err)
{
	size_t columns[2];
	struct profile p;
	int rc = read_in(&p, data, len, err);

	columns[0] = profile_column(&p, "samples");
	columns[1] = profile_column(&p, "cpu");
	if (!rc && (columns[0] == p.type_count || columns[1] == p.type_count))
		rc = error_set(err, ERR_USAGE, "no samples of CPU time");
	if (!rc) {
		profile_zero_without(&p, columns[1]);
		p.default_type = p.types[columns[1]].type;
		if (profile_keep_columns(&p, columns, 2) || profile_remove_label(&p, "state") ||
		    profile_remove_label(&p, "syscall"))
			rc = error_nomem(err);
	}
	return derive_write_out(&p, rc ? rc : profile_compact(&p, err), out, err);
}

/* Deltas. */

/* computers[type] is made when it is first needed. */
struct derive_deltas {
	struct delta_computer *computers[CAPTURE_TYPES];
	struct gzip_stream *zip;
};

int derive_deltas_new(struct derive_deltas **d, struct error *err)
{
	*d = calloc(1, sizeof(**d));
	return *d ? 0 : error_nomem(err);
}

void derive_deltas_forget(struct derive_deltas *d)
{
	for (int i = 0; i < CAPTURE_TYPES; i++) {
		delta_free(d->computers[i]);
		d->computers[i] = NULL;
	}
}

void derive_deltas_free(struct derive_deltas *d)
{
	if (!d)
		return;
	derive_deltas_forget(d);
	gzip_stream_free(d->zip);
	free(d);
}

static int to_zip(void *zip, const void *data, size_t len, struct error *err)
{
	return gzip_stream_write(zip, data, len, err);
}

int derive_delta(struct derive_deltas *d, enum capture_type type, const void *data, size_t len,
		 struct buffer *out, const struct delta_stats **stats, struct error *err)
{
	const struct delta_options options = { .max_size = DERIVE_BYTES };
	int rc = 0;

	if (!d->computers[type])
		rc = delta_new(&d->computers[type], &options, err);
	if (!rc && !d->zip)
		rc = gzip_stream_new(&d->zip, GZIP_STREAM_LEVEL, err);
	if (rc)
		return rc;
	gzip_stream_begin(d->zip, derive_to_buffer, out);
	rc = delta_compute(d->computers[type], data, len, to_zip, d->zip, err);
	if (!rc)
		rc = gzip_stream_end(d->zip, err);
	*stats = delta_stats(d->computers[type]);
	return rc;
}
