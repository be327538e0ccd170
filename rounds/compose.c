/*
 * Types are handled in the order of the table (rounds/source/capture.h). A file that cannot
 * be made, or that the disk has no room for, becomes a skipped entry, and the other files do not
 * depend on it. The whole batch fails only without a folder, without event.json or without memory.
 */
#include "rounds/compose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/room.h"
#include "delta/delta.h"
#include "rounds/collect/collection.h"
#include "rounds/derive.h"
#include "rounds/lap.h"
#include "rounds/options.h"
#include "rounds/source/capture.h"

struct composing {
	struct composed *c;
	struct lap *lap;
	const struct rounds_options *o;
	struct derive_deltas *deltas;
	struct batch_entry *entries; /* copied to the arena when all are there */
	size_t count, room;
	struct buffer samples; /* of the recording, compressed */
	struct {
		const struct collection_item *items;
		size_t count;
	} came[LAP_ASKS]; /* what the source gave */
	bool no_memory;
};

/* Copies a text into the arena, which lives as long as the batch's event. */
static const char *compose_keep(struct composing *k, const char *text)
{
	const char *copy = arena_copy(k->c->arena, text, strlen(text));

	k->no_memory |= !copy;
	return copy ? copy : "";
}

static void compose_add_entry(struct composing *k, const struct batch_entry *entry)
{
	if (room_for((void **)&k->entries, &k->room, k->count + 1, sizeof(*entry)))
		k->no_memory = true;
	else
		k->entries[k->count++] = *entry;
}

static void skip(struct composing *k, enum capture_type type, const char *why)
{
	compose_add_entry(k, &(struct batch_entry){ .type = captures[type].name,
						    .why_not = compose_keep(k, why) });
}

/* Writes a file, and adds its entry. */
static void compose_put(struct composing *k, const struct batch_entry *entry, const void *data,
			size_t len)
{
	struct batch_entry e = *entry;
	struct error err;

	e.bytes = len;
	if (batch_add(k->c->batch, e.file, data, len, &err)) {
		e.why_not = compose_keep(k, err.text);
		e.file = NULL;
	}
	compose_add_entry(k, &e);
}

/* Writes a derived profile; `rc` is the result of deriving it. */
static void put_made(struct composing *k, const struct batch_entry *entry, int rc,
		     const struct buffer *made, const struct error *err)
{
	struct batch_entry e = *entry;

	if (rc) {
		e.why_not = compose_keep(k, rc == ERR_NOMEM ? "out of memory" : err->text);
		e.file = NULL;
		compose_add_entry(k, &e);
	} else {
		compose_put(k, &e, made->data, made->len);
	}
}

/* Samples. */

static int read_samples(struct composing *k, struct error *err)
{
	int fd = k->lap->samples.fd;
	struct stat st;

	if (fstat(fd, &st) || st.st_size <= 0 || st.st_size > DERIVE_BYTES)
		return error_set(err, ERR_IO, "its profile was not written");
	if (lseek(fd, 0, SEEK_SET) || buffer_read(&k->samples, fd, (size_t)st.st_size) ||
	    k->samples.len < (size_t)st.st_size)
		return error_set(err, ERR_IO, "its profile cannot be read");
	return 0;
}

static void put_samples(struct composing *k, enum capture_type type)
{
	const struct batch_entry e = { .type = captures[type].name, .file = captures[type].file };
	struct error err = k->lap->no_samples;
	struct buffer made = { 0 };

	if (!err.code && !k->samples.len)
		read_samples(k, &err);
	if (err.code)
		skip(k, type, err.text);
	else if (type == CAPTURE_CPU && k->o->recording.wall)
		put_made(k, &e, derive_cpu(k->samples.data, k->samples.len, &made, &err), &made,
			 &err);
	else
		compose_put(k, &e, k->samples.data, k->samples.len);
	buffer_release(&made);
}

/* Go's profiles. */

static const struct collection_item *compose_find(const struct composing *k, enum lap_ask what,
						  enum capture_type type)
{
	for (size_t i = 0; i < k->came[what].count; i++)
		if (k->came[what].items[i].type == type)
			return &k->came[what].items[i];
	return NULL;
}

static void put_delta(struct composing *k, enum capture_type type, const void *data, size_t len)
{
	const struct delta_stats *stats = NULL;
	struct batch_entry e = { .type = captures[type].name,
				 .file = captures[type].delta_file,
				 .delta = true };
	struct buffer made = { 0 };
	struct error err;
	int rc = derive_delta(k->deltas, type, data, len, &made, &stats, &err);

	if (!rc && stats && stats->reset)
		e.note = "counters ran backwards: whole";
	else if (!rc && stats && stats->first)
		e.note = "the first: whole";
	put_made(k, &e, rc, &made, &err);
	buffer_release(&made);
}

static void put_alloc(struct composing *k, const struct collection_item *second)
{
	const struct collection_item *first = compose_find(k, LAP_BEFORE, CAPTURE_HEAP);
	struct batch_entry e = { .type = captures[CAPTURE_ALLOC].name,
				 .file = captures[CAPTURE_ALLOC].file };
	struct buffer made = { 0 };
	struct error err = k->lap->answers[LAP_BEFORE].none;
	int rc;

	if (!first || !first->data) {
		skip(k, CAPTURE_ALLOC,
		     first && first->why_not ? first->why_not :
		     err.code		     ? err.text :
					       "there is no snapshot of the start");
		return;
	}
	e.note = first->note ? first->note : second->note;
	/* Both requests were then under way at once, and either may have been answered first. */
	if (first->time_nanos >= k->lap->end_ns) {
		skip(k, CAPTURE_ALLOC, "the snapshot of the start came after the round's end");
		return;
	}
	rc = derive_alloc(first->data, first->len, second->data, second->len, &made, &err);
	put_made(k, &e, rc, &made, &err);
	buffer_release(&made);
}

/* Writes a profile that the source gave, or one derived from it, and the delta. */
static void put_with_delta(struct composing *k, enum capture_type type, const char *note,
			   const void *data, size_t len)
{
	compose_put(k,
		    &(struct batch_entry){ .type = captures[type].name,
					   .file = captures[type].file,
					   .note = note },
		    data, len);
	if (k->o->delta && captures[type].delta_file)
		put_delta(k, type, data, len);
}

/* Writes the heap profile, or one that is derived from it. */
static void put_heap(struct composing *k, enum capture_type type,
		     const struct collection_item *item)
{
	struct buffer made = { 0 };
	struct error err;
	int rc;

	if (type == CAPTURE_ALLOC) {
		put_alloc(k, item);
		return;
	}
	if (type == CAPTURE_HEAP) {
		put_with_delta(k, type, item->note, item->data, item->len);
		return;
	}
	rc = type == CAPTURE_INUSE ? derive_inuse(item->data, item->len, &made, &err) :
				     derive_allocs(item->data, item->len, &made, &err);
	if (rc)
		skip(k, type, rc == ERR_NOMEM ? "out of memory" : err.text);
	else
		put_with_delta(k, type, item->note, made.data, made.len);
	buffer_release(&made);
}

static void put_custom(struct composing *k)
{
	char file[300];
	bool any = false;

	for (size_t i = 0; i < k->came[LAP_AFTER].count; i++) {
		const struct collection_item *item = &k->came[LAP_AFTER].items[i];

		if (item->type != CAPTURE_CUSTOM)
			continue;
		any = true;
		if (!item->data) {
			skip(k, CAPTURE_CUSTOM, item->why_not ? item->why_not : "it did not come");
			continue;
		}
		snprintf(file, sizeof(file), "custom-%s.pprof", item->name);
		compose_put(k,
			    &(struct batch_entry){ .type = "custom",
						   .file = compose_keep(k, file),
						   .note = item->note },
			    item->data, item->len);
	}
	if (!any)
		skip(k, CAPTURE_CUSTOM, "the program has registered none");
}

static void compose_put_go(struct composing *k, enum capture_type type)
{
	enum lap_ask what = type == CAPTURE_TRACE ? LAP_TRACE : LAP_AFTER;
	bool of_heap = CAPTURE_BIT(type) & CAPTURE_HEAPS;
	const struct collection_item *item = compose_find(k, what, of_heap ? CAPTURE_HEAP : type);
	const struct error *err = &k->lap->answers[what].none;

	if (!k->o->source) {
		skip(k, type, "there is no source of Go's profiles (--url)");
	} else if (!item || !item->data) {
		skip(k, type,
		     item && item->why_not ? item->why_not :
		     err->code		   ? err->text :
					     "it did not come");
	} else if (of_heap) {
		put_heap(k, type, item);
	} else {
		put_with_delta(k, type,
			       item->note ? item->note :
			       item->cut  ? "cut at its limit" :
					    NULL,
			       item->data, item->len);
	}
}

static void compose_put_metrics(struct composing *k)
{
	const struct lap *lap = k->lap;

	if (lap->metrics.len)
		compose_put(k,
			    &(struct batch_entry){ .type = "metrics",
						   .file = captures[CAPTURE_METRICS].file },
			    lap->metrics.data, lap->metrics.len);
	else
		skip(k, CAPTURE_METRICS,
		     lap->no_metrics.code ? lap->no_metrics.text : "there is no process to read");
}

/* The batch. */

static void compose_put_type(struct composing *k, enum capture_type type)
{
	if (captures[type].by == CAPTURE_BY_SAMPLING)
		put_samples(k, type);
	else if (captures[type].by == CAPTURE_BY_PROC)
		compose_put_metrics(k);
	else if (type == CAPTURE_CUSTOM && k->o->source && k->came[LAP_AFTER].count)
		put_custom(k);
	else
		compose_put_go(k, type);
}

/* The sampler's own statistics as JSON; NULL: nothing was sampled, or no memory. */
static const char *own_figures(struct composing *k)
{
	const struct recording_stats *s = &k->lap->stats;
	struct buffer out = { 0 };
	const char *text;

	if (!k->lap->sampled)
		return NULL;
	k->no_memory |= buffer_addf(
				&out,
				"{\"samples\": %lu, \"stacks\": %lu, \"ticks_due\": %lu, "
				"\"ticks\": %lu, \"withheld\": %lu, \"target_cpu_ns\": %lu, "
				"\"own_cpu_ns\": %lu, \"held\": {\"p50_ns\": %lu, "
				"\"p99_ns\": %lu, \"max_ns\": %lu, \"sum_ns\": %lu}}",
				s->samples, s->stacks, s->ticks_due, s->ticks, s->withheld,
				s->target_cpu_ns, s->own_cpu_ns, heldtime_percentile(&s->held, 50),
				heldtime_percentile(&s->held, 99), s->held.max, s->held.sum) != 0;
	k->no_memory |= buffer_add(&out, "", 1) != 0;
	text = k->no_memory ? NULL : compose_keep(k, (char *)out.data);
	buffer_release(&out);
	return text;
}

/* A tag replaces the attribute of its key, and "service" the service's name. */
static bool is_tagged(const struct rounds_options *o, const char *key)
{
	for (size_t i = 0; i < o->tag_count; i++)
		if (!strcmp(o->tags[i].key, key) ||
		    (!strcmp(o->tags[i].key, "service") && !strcmp(key, "service.name")))
			return true;
	return false;
}

/* The event says these itself, as sampler sees them; a process in a container sees other ones. */
static bool is_said(const char *key)
{
	return !strcmp(key, "process.pid") || !strcmp(key, "host.name") ||
	       !strcmp(key, "process.executable.build_id.gnu");
}

static void keep_attributes(struct composing *k)
{
	const struct attributes *from = &k->lap->attributes;
	struct batch_event *e = &k->c->event;
	struct batch_tag *to = arena_alloc(k->c->arena, from->count * sizeof(*to) + 1);

	k->no_memory |= !to;
	for (size_t i = 0; to && i < from->count; i++)
		if (!is_tagged(k->o, from->list[i].key) && !is_said(from->list[i].key))
			to[e->resource_count++] = (struct batch_tag){
				compose_keep(k, from->list[i].key),
				compose_keep(k, from->list[i].value)
			};
	e->resource = to;
}

static int compose_tell(struct composing *k, struct error *err)
{
	struct batch_event *e = &k->c->event;
	const struct lap *lap = k->lap;
	struct batch_entry *entries;
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	*e = (struct batch_event){ .start_ns = lap->start_ns,
				   .end_ns = lap->end_ns,
				   .duration_ns = lap->duration_ns,
				   .host = compose_keep(k, host),
				   .command = compose_keep(k, lap->command),
				   .build_id = compose_keep(k, lap->build_id),
				   .pid = lap->pid,
				   .process_start_ns = lap->process_start_ns,
				   .ended = lap->ended,
				   .version = k->o->version,
				   .tags = k->o->tags,
				   .tag_count = k->o->tag_count,
				   .entry_count = k->count,
				   .sampling = own_figures(k) };
	k->c->sampled = lap->sampled;
	k->c->samples = lap->stats.samples;
	k->c->target_cpu_ns = lap->stats.target_cpu_ns;
	keep_attributes(k);
	entries = arena_alloc(k->c->arena, k->count * sizeof(*entries) + 1);
	if (k->no_memory || !entries)
		return error_nomem(err);
	if (k->count)
		memcpy(entries, k->entries, k->count * sizeof(*entries));
	e->entries = entries;
	return 0;
}

int compose_batch(struct composed *c, struct lap *lap, struct batches *batches,
		  struct derive_deltas *deltas, struct error *err)
{
	struct composing k = { .c = c, .lap = lap, .o = lap->options, .deltas = deltas };
	int rc = batch_begin(batches, &c->batch, err);

	if (rc)
		return rc;
	for (int i = 0; i < LAP_ASKS; i++) {
		struct lap_answer *a = &lap->answers[i];

		if (a->collection)
			collection_items(a->collection, &k.came[i].items, &k.came[i].count,
					 &a->none);
	}
	for (int i = 0; i < CAPTURE_TYPES; i++)
		if (k.o->types & CAPTURE_BIT(i))
			compose_put_type(&k, i);
	rc = compose_tell(&k, err);
	if (!rc)
		rc = batch_commit(c->batch, &c->event, &c->path, err);
	buffer_release(&k.samples);
	free(k.entries);
	return rc;
}

/* Nearly all files are profiles, so their suffix is not shown. */
static size_t shown_length(const char *file)
{
	size_t len = strlen(file), end = strlen(".pprof");

	return len > end && !strcmp(file + len - end, ".pprof") ? len - end : len;
}

int compose_line(const struct composed *c, struct buffer *line)
{
	const char *name = strrchr(c->path, '/');
	const char *before = " ";
	int rc = buffer_addf(line, "batch %s:", name ? name + 1 : c->path);

	if (c->sampled) {
		rc |= buffer_addf(line, " %lu samples, %.2f s of CPU", c->samples,
				  (double)c->target_cpu_ns / NS_PER_S);
		before = "; ";
	}

	for (size_t i = 0; i < c->event.entry_count; i++) {
		const struct batch_entry *e = &c->event.entries[i];

		if (e->file) {
			rc |= buffer_addf(line, "%s%.*s", before, (int)shown_length(e->file),
					  e->file);
			before = ", ";
		}
	}
	before = "; skipped ";
	for (size_t i = 0; i < c->event.entry_count; i++) {
		const struct batch_entry *e = &c->event.entries[i];

		if (!e->file) {
			rc |= buffer_addf(line, "%s%s (%s)", before, e->type, e->why_not);
			before = ", ";
		}
	}
	return rc || buffer_add(line, "", 1) ? ERR_NOMEM : 0;
}
