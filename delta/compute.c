/*
 * Computes one delta after the other, each in six passes over the bytes of the profile (the same as
 * in the reference, fastdelta of dd-trace-go):
 *
 *	1 index			strings, types, mappings, functions, locations
 *	2 aggregate		samples with the same stack and labels are added up
 *	3 write samples		selected columns become new minus old
 *	4 write records		types, mappings, the needed locations, and the rest
 *	5 write functions	the needed ones
 *	6 write strings		the needed ones; the others become empty
 *
 * Going over the bytes once more costs little compared with the work of a pass: to skip a record,
 * two numbers are read. To save a pass, more would have to be kept in memory.
 *
 * All errors of a profile are found in passes 1 and 2, which write nothing.
 */
#include "delta/compute.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "pprof/wire/gzip.h"

enum { MAX_SIZE = 1 << 30 };

/* The columns of Go's runtime/pprof that count from the start of the process
 * (src/runtime/pprof/pprof.go, printCountCycleProfile; protomem.go, writeHeapProto). */
static const struct delta_type known_types[][2] = {
	{ { "alloc_objects", "count" }, { "alloc_space", "bytes" } },
	{ { "contentions", "count" }, { "delay", "nanoseconds" } },
};

static bool is_count(const struct delta_type *type)
{
	return !strcmp(type->unit, "count");
}

/* Go's runtime counts cycles and divides them by a frequency that it measures anew for each profile
 * (runtime/runtime.go, ticksPerSecond), so a time can decrease by nanoseconds while nothing
 * happens. The count beside it tells whether something did. */
static void find_measured(struct delta_computer *dc)
{
	bool counted = false;

	for (size_t i = 0; i < dc->options.type_count; i++)
		counted |= is_count(&dc->types[i]);
	for (size_t i = 0; i < dc->options.type_count; i++)
		dc->measured[i] = counted && !strcmp(dc->types[i].unit, "nanoseconds");
}

static int compute_set_types(struct delta_computer *dc, const struct delta_type *types,
			     size_t count)
{
	dc->types = calloc(count, sizeof(*dc->types));
	dc->measured = calloc(count, sizeof(*dc->measured));
	dc->columns = calloc(count, sizeof(*dc->columns));
	dc->came = calloc(count, sizeof(*dc->came));
	dc->options.types = dc->types;
	dc->options.type_count = dc->types ? count : 0;
	for (size_t i = 0; dc->types && i < count; i++) {
		dc->types[i].type = strdup(types[i].type);
		dc->types[i].unit = strdup(types[i].unit);
		if (!dc->types[i].type || !dc->types[i].unit)
			return ERR_NOMEM;
	}
	state_init(&dc->state, count);
	if (!dc->types || !dc->columns || !dc->came || !dc->measured)
		return ERR_NOMEM;
	find_measured(dc);
	return 0;
}

int delta_new(struct delta_computer **out, const struct delta_options *options, struct error *err)
{
	struct delta_computer *dc = calloc(1, sizeof(*dc));

	if (!dc)
		return error_nomem(err);
	dc->options = *options;
	dc->options.type_count = 0;
	if (!dc->options.forget_after)
		dc->options.forget_after = 1;
	if (!dc->options.max_size || dc->options.max_size > MAX_SIZE)
		dc->options.max_size = MAX_SIZE;
	index_init(&dc->index);
	dc->reader.index = &dc->index;
	if (keyer_init(&dc->reader.keyer) ||
	    (options->type_count && compute_set_types(dc, options->types, options->type_count))) {
		delta_free(dc);
		return error_nomem(err);
	}
	*out = dc;
	return 0;
}

void delta_free(struct delta_computer *dc)
{
	if (!dc)
		return;
	index_release(&dc->index);
	state_release(&dc->state);
	keyer_release(&dc->reader.keyer);
	buffer_release(&dc->plain);
	for (size_t i = 0; i < dc->options.type_count; i++) {
		free((char *)(uintptr_t)dc->types[i].type);
		free((char *)(uintptr_t)dc->types[i].unit);
	}
	free(dc->types);
	free(dc->columns);
	free(dc->came);
	free(dc->measured);
	free(dc->reader.values);
	free(dc->entries);
	free(dc->sums.values);
	free(dc->sums.written);
	free(dc);
}

const struct delta_stats *delta_stats(const struct delta_computer *dc)
{
	return &dc->last_stats;
}

/* The index of the column of a type, or type_count. */
static size_t compute_find_column(const struct index *x, const struct delta_type *type)
{
	struct key want[2] = { key_of(type->type, strlen(type->type)),
			       key_of(type->unit, strlen(type->unit)) };
	size_t i = 0;

	while (i < x->types.count && !(key_equal(x->types.list[i][0], want[0]) &&
				       key_equal(x->types.list[i][1], want[1])))
		i++;
	return i;
}

static int choose_types(struct delta_computer *dc, struct error *err)
{
	for (size_t i = 0; i < sizeof(known_types) / sizeof(*known_types); i++)
		if (compute_find_column(&dc->index, &known_types[i][0]) < dc->index.types.count &&
		    compute_find_column(&dc->index, &known_types[i][1]) < dc->index.types.count)
			return compute_set_types(dc, known_types[i], 2) ? error_nomem(err) : 0;
	return error_set(
		err, ERR_USAGE,
		"no heap, block or mutex profile of Go: which columns count from the start must be said");
}

static bool is_named_twice(const struct delta_computer *dc, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (dc->columns[j] == dc->columns[i])
			return true;
	return false;
}

static int find_columns(struct delta_computer *dc, struct error *err)
{
	size_t count = dc->index.types.count;
	int rc = dc->types ? 0 : choose_types(dc, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < dc->options.type_count; i++) {
		dc->columns[i] = compute_find_column(&dc->index, &dc->types[i]);
		if (dc->columns[i] == count)
			return error_set(err, ERR_USAGE, "the profile has no sample type '%s/%s'",
					 dc->types[i].type, dc->types[i].unit);
		if (is_named_twice(dc, i))
			return error_set(err, ERR_USAGE, "the sample type '%s/%s' is named twice",
					 dc->types[i].type, dc->types[i].unit);
	}
	memset(dc->came, 0, dc->options.type_count * sizeof(*dc->came));
	dc->reader.columns = count;
	if (room_for((void **)&dc->reader.values, &dc->reader.value_room, count,
		     sizeof(*dc->reader.values)))
		return error_nomem(err);
	return 0;
}

/* Prepares for the next profile and sets the statistics of this one. */
static void compute_turn(struct delta_computer *dc)
{
	dc->stats.vanished = state_turn(&dc->state, dc->options.forget_after);
	dc->stats.known = dc->state.count - dc->state.forgotten;
	dc->stats.state_bytes = state_size(&dc->state);
	dc->last_time = dc->index.time;
	dc->has_last_time = dc->index.has_time;
	dc->begun = true;
	dc->stats.types = dc->types;
	dc->stats.came = dc->came;
	dc->stats.type_count = dc->options.type_count;
	dc->last_stats = dc->stats;
}

static int compute(struct delta_computer *dc, const void *data, size_t len, struct error *err)
{
	struct cursor profile;
	int rc;

	if (len > dc->options.max_size)
		return error_set(err, ERR_LIMIT, "more than %zu bytes", dc->options.max_size);
	cursor_init(&profile, data, len, "profile");
	rc = index_read(&dc->index, profile, err);
	if (!rc)
		rc = find_columns(dc, err);
	if (!rc)
		rc = pass2_aggregate(dc, profile, err);
	if (rc)
		return rc;
	dc->stats.reset = dc->backwards && !dc->options.allow_negative;
	if (!pass3_write_samples(dc, profile) && !pass4_write_records(dc, profile) &&
	    !pass5_write_functions(dc, profile))
		pass6_write_strings(dc, profile);
	return output_end(&dc->output);
}

int delta_compute(struct delta_computer *dc, const void *data, size_t len, delta_sink *sink,
		  void *ctx, struct error *err)
{
	int rc = 0;

	if (!dc->begun)
		state_clear(&dc->state);
	dc->stats = (struct delta_stats){ .first = !dc->begun };
	output_begin(&dc->output, sink, ctx, err);
	if (gzip_detect(data, len)) {
		dc->plain.len = 0;
		rc = gzip_uncompress(data, len, dc->options.max_size, &dc->plain, err);
		data = dc->plain.data;
		len = dc->plain.len;
	}
	if (!rc)
		rc = compute(dc, data, len, err);
	if (rc)
		dc->begun = false;
	else
		compute_turn(dc);
	return rc;
}
