/*
 * Writes "sampled" profiles (https://www.speedscope.app/file-format-schema.json), one for each
 * thread that samples are labelled with, and one for all samples without a thread. Of a difference,
 * each side has its own profiles, because weights cannot be negative. Equal stacks are one sample:
 * a pprof file does not contain when they were taken.
 *
 * All samples are in one tree. The nodes below its root are the threads (of a difference: each
 * thread twice, once for each side), so each subtree becomes one profile of the file.
 */
#include "pprof/flame/reports.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/room.h"
#include "pprof/graph/calltree.h"
#include "pprof/flame/difference.h"
#include "pprof/flame/frames.h"
#include "pprof/graph/measure.h"
#include "pprof/profile.h"

static const size_t TEXT_MAX = 1u << 30;

struct speedscope_scope {
	const struct profile *p;
	const struct report_view *v;
	bool difference;
	struct frames *frames;
	struct strset groups; /* names of the file's profiles; 0 is "": no thread */
	struct buffer name;   /* name of the current group, or the title */
	uint32_t *path;	      /* the current stack: group, frames */
	size_t path_room;
	struct calltree tree;
	struct json json;
};

static int find_group(struct speedscope_scope *s, size_t sample, bool base, uint32_t *group)
{
	const char *side = base ? "base" : "new";
	uint32_t thread;

	if (frames_thread(s->frames, sample, &thread))
		return ERR_NOMEM;
	s->name.len = 0;
	if (s->difference && buffer_addf(&s->name, "%s%s", side, thread ? ": " : ""))
		return ERR_NOMEM;
	if (buffer_addf(&s->name, "%s", strset_get(frames_strings(s->frames), thread)))
		return ERR_NOMEM;
	return strset_add(&s->groups, (const char *)s->name.data, s->name.len, group);
}

static int speedscope_add_sample(struct speedscope_scope *s, size_t sample, struct error *err)
{
	int64_t value = s->p->values[s->p->samples[sample].first_value + s->v->type], sides[SIDES];
	const uint32_t *ids;
	size_t count;
	int rc;

	if (!value)
		return 0;
	rc = frames_of(s->frames, sample, &ids, &count, err);
	if (rc)
		return rc;
	if (room_for((void **)&s->path, &s->path_room, count + 1, sizeof(*s->path)) ||
	    find_group(s, sample, value < 0, &s->path[0]))
		return error_nomem(err);
	memcpy(s->path + 1, ids, count * sizeof(*ids));
	difference_split(value, sides);
	value = measure_sum(sides[SIDE_NEW], sides[SIDE_BASE]); /* one of them is 0 */
	return calltree_add(&s->tree, s->path, count + 1, &value, err);
}

/* False when no more can be added. */
static bool speedscope_goes_on(struct speedscope_scope *s)
{
	if (!s->json.rc && s->json.out->len > TEXT_MAX)
		s->json.rc = ERR_LIMIT;
	return !s->json.rc;
}

static void speedscope_add_frames(struct speedscope_scope *s)
{
	const struct strset *strings = frames_strings(s->frames);

	for (uint32_t i = 0; i < frames_count(s->frames) && speedscope_goes_on(s); i++) {
		const struct report_frame *f = frames_get(s->frames, i);
		const struct strset_entry *name = &strings->entries[f->name];
		const struct strset_entry *file = &strings->entries[f->file];

		json_add(&s->json, i ? ",\n{\"name\":" : "\n{\"name\":");
		json_add_string(&s->json, name->text, name->len);
		if (file->len) {
			json_add(&s->json, ",\"file\":");
			json_add_string(&s->json, file->text, file->len);
		}
		if (f->line > 0)
			json_addf(&s->json, ",\"line\":%" PRId64, f->line);
		json_add(&s->json, "}");
	}
}

/* Adds a stack as the numbers of its frames, outermost first. */
static void speedscope_add_stack(struct speedscope_scope *s, uint32_t node)
{
	uint32_t depth = s->tree.nodes[node].depth - 1;

	if (room_for((void **)&s->path, &s->path_room, depth + 1, sizeof(*s->path))) {
		s->json.rc = ERR_NOMEM;
		return;
	}
	for (uint32_t i = depth; i > 0; i--, node = s->tree.nodes[node].parent)
		s->path[i - 1] = s->tree.nodes[node].frame;
	json_add(&s->json, "[");
	for (uint32_t i = 0; i < depth && speedscope_goes_on(s); i++)
		json_addf(&s->json, i ? ",%" PRIu32 : "%" PRIu32, s->path[i]);
	json_add(&s->json, "]");
}

static void add_weight(struct speedscope_scope *s, uint32_t node)
{
	json_addf(&s->json, "%" PRId64, s->tree.self[node]);
}

/* Calls `add` for each node of the group that has a value of its own, with separators between. */
static void speedscope_add_each(struct speedscope_scope *s, uint32_t group, const char *separator,
				void (*add)(struct speedscope_scope *s, uint32_t node))
{
	uint32_t end = calltree_skip(&s->tree, group);
	const char *before = "";

	for (uint32_t n = group; n != end && !s->json.rc; n = calltree_next(&s->tree, n)) {
		if (!s->tree.self[n])
			continue;
		json_add(&s->json, before);
		add(s, n);
		before = separator;
	}
}

/* FileFormat.ValueUnit in the schema; "none" if the unit is neither a time nor a size. */
static const char *speedscope_unit_of(const struct speedscope_scope *s)
{
	static const char *const units[] = { "nanoseconds", "microseconds", "milliseconds",
					     "seconds", "bytes" };
	const char *unit = strset_get(&s->p->strings, s->p->types[s->v->type].unit);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(unit, units[i]))
			return units[i];
	return "none";
}

static void add_profile(struct speedscope_scope *s, uint32_t group)
{
	const struct strset_entry *name = &s->groups.entries[s->tree.nodes[group].frame];

	if (!name->len)
		name = &s->p->strings.entries[s->p->types[s->v->type].type];
	json_add(&s->json, "\n{\"type\":\"sampled\",\"name\":");
	json_add_string(&s->json, name->text, name->len);
	json_addf(&s->json,
		  ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRId64 ",\n\"samples\":[",
		  speedscope_unit_of(s), s->tree.total[group]);
	speedscope_add_each(s, group, ",\n", speedscope_add_stack);
	json_add(&s->json, "],\n\"weights\":[");
	speedscope_add_each(s, group, ",", add_weight);
	json_add(&s->json, "]}");
}

static void speedscope_add_file(struct speedscope_scope *s)
{
	json_addf(&s->json,
		  "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		  "\n\"exporter\":\"sampler %s\",\"name\":",
		  SAMPLER_VERSION);
	s->name.len = 0;
	if (frames_title(s->p, s->v, &s->name))
		s->json.rc = ERR_NOMEM;
	json_add_string(&s->json, (const char *)s->name.data, s->name.len);
	json_add(&s->json, ",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[");
	speedscope_add_frames(s);
	json_add(&s->json, "]},\n\"profiles\":[");
	for (uint32_t g = s->tree.nodes[0].first; g != CALLTREE_NONE && !s->json.rc;
	     g = s->tree.nodes[g].next) {
		json_add(&s->json, g == s->tree.nodes[0].first ? "" : ",");
		add_profile(s, g);
	}
	json_add(&s->json, "]}\n");
}

static int scope(struct speedscope_scope *s, struct error *err)
{
	int rc = frames_new(&s->frames, s->p, s->v, err);

	if (rc)
		return rc;
	if (strset_init(&s->groups) || calltree_init(&s->tree, 1))
		return error_nomem(err);
	for (size_t i = 0; i < s->p->sample_count && !rc; i++)
		rc = speedscope_add_sample(s, i, err);
	if (!rc)
		rc = calltree_finish(&s->tree, NULL, err);
	if (rc)
		return rc;
	speedscope_add_file(s);
	rc = s->json.rc;
	if (rc)
		return error_set(err, rc,
				 rc == ERR_LIMIT ? "the stacks take more than 1 GiB of JSON" :
						   "out of memory");
	return 0;
}

int report_speedscope(const struct profile *p, const struct report_view *v, struct buffer *out,
		      struct error *err)
{
	struct speedscope_scope s = { .p = p, .v = v, .json = { out, 0 } };
	int rc;

	s.difference = difference_detect(p, v->type);
	rc = scope(&s, err);
	frames_free(s.frames);
	strset_release(&s.groups);
	buffer_release(&s.name);
	calltree_release(&s.tree);
	free(s.path);
	return rc;
}
