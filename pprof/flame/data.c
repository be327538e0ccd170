/*
 * The tree as flat arrays in JSON, for pprof/flame/page/flamegraph.js:
 *
 *   depth, frame    of each node, parents before children; the first is the root
 *   types[].new     each node's own value of a type; .base: that of the base, in a
 *                   difference
 *   frames          name, file, module (indexes of strings), line, hue of each frame
 *
 * A node's frame is an index in frames, or ROOT_FRAME, or LEFT_OUT_FRAME for everything that is
 * left out below its parent. Strings are cut at STRING_MAX bytes, more than a screen shows.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/room.h"
#include "pprof/flame/difference.h"
#include "pprof/flame/flame.h"
#include "pprof/flame/frames.h"
#include "pprof/flame/title.h"
#include "pprof/comments.h"
#include "pprof/profile.h"

enum { ROOT_FRAME = -2, LEFT_OUT_FRAME = -1, STRING_MAX = 1000, COMMENTS_MAX = 40 };

struct item {
	uint32_t node;
	bool rest; /* true: the item is what is left out below the node */
};

struct data {
	const struct flame *f;
	struct json json;
	struct item *items;
	size_t item_count, item_room;
	int64_t (*rest)[FLAME_TYPES * SIDES]; /* of the items with `rest`, in their order */
	size_t rest_count, rest_room;
	uint32_t *frame_number; /* by frame: its number in the JSON + 1 */
	uint32_t *frames;	/* the inverse: by number in the JSON */
	size_t frame_count;
	uint32_t *string_number; /* by string of frames_strings(): its number in the JSON + 1 */
	uint32_t *strings;
	size_t string_count;
};

static int add_item(struct data *d, uint32_t node, bool rest)
{
	if (room_for((void **)&d->items, &d->item_room, d->item_count + 1, sizeof(*d->items)))
		return ERR_NOMEM;
	d->items[d->item_count++] = (struct item){ node, rest };
	return 0;
}

static uint32_t kept_from(const struct flame *f, uint32_t node)
{
	while (node != CALLTREE_NONE && !f->kept[node])
		node = f->tree.nodes[node].next;
	return node;
}

/* Called when all kept children of a node are listed: adds an item if something below the node is
 * left out. */
static int add_rest(struct data *d, uint32_t node)
{
	const struct calltree *t = &d->f->tree;
	int64_t *sums, any = 0;

	if (room_for((void **)&d->rest, &d->rest_room, d->rest_count + 1, sizeof(*d->rest)))
		return ERR_NOMEM;
	sums = d->rest[d->rest_count];
	memset(sums, 0, sizeof(*d->rest));
	for (uint32_t c = t->nodes[node].first; c != CALLTREE_NONE; c = t->nodes[c].next)
		for (size_t i = 0; i < t->columns && !d->f->kept[c]; i++) {
			sums[i] = calltree_sum(sums[i], t->total[c * t->columns + i]);
			any |= sums[i];
		}
	if (!any)
		return 0;
	d->rest_count++;
	return add_item(d, node, true);
}

static int list_items(struct data *d)
{
	const struct calltree_node *nodes = d->f->tree.nodes;
	uint32_t n = 0, next;
	int rc;

	for (;;) {
		rc = add_item(d, n, false);
		next = kept_from(d->f, nodes[n].first);
		while (!rc && next == CALLTREE_NONE) {
			rc = add_rest(d, n);
			if (rc || n == 0)
				return rc;
			next = kept_from(d->f, nodes[n].next);
			if (next == CALLTREE_NONE)
				n = nodes[n].parent;
		}
		if (rc)
			return rc;
		n = next;
	}
}

static void number_string(struct data *d, uint32_t string)
{
	if (d->string_number[string])
		return;
	d->strings[d->string_count++] = string;
	d->string_number[string] = (uint32_t)d->string_count;
}

static void number_frame(struct data *d, uint32_t frame)
{
	const struct report_frame *r = frames_get(d->f->frames, frame);

	if (d->frame_number[frame])
		return;
	d->frames[d->frame_count++] = frame;
	d->frame_number[frame] = (uint32_t)d->frame_count;
	number_string(d, r->name);
	number_string(d, r->file);
	number_string(d, r->module);
}

static int number_frames(struct data *d)
{
	size_t frames = frames_count(d->f->frames), strings = frames_strings(d->f->frames)->count;

	d->frame_number = calloc(frames + 1, sizeof(*d->frame_number));
	d->frames = calloc(frames + 1, sizeof(*d->frames));
	d->string_number = calloc(strings + 1, sizeof(*d->string_number));
	d->strings = calloc(strings + 1, sizeof(*d->strings));
	if (!d->frame_number || !d->frames || !d->string_number || !d->strings)
		return ERR_NOMEM;
	number_string(d, 0);
	for (size_t i = 0; i < d->item_count; i++)
		if (d->items[i].node && !d->items[i].rest)
			number_frame(d, d->f->tree.nodes[d->items[i].node].frame);
	return 0;
}

/* Adds a string, cut between two characters if it is longer than STRING_MAX. */
static void add_string(struct data *d, const char *text, size_t len)
{
	static const char dots[] = "…";
	char cut[STRING_MAX + sizeof(dots)];

	if (len <= STRING_MAX) {
		json_add_string(&d->json, text, len);
		return;
	}
	for (len = STRING_MAX; len > STRING_MAX - 4 && ((unsigned char)text[len] & 0xc0) == 0x80;)
		len--;
	memcpy(mempcpy(cut, text, len), dots, sizeof(dots) - 1);
	json_add_string(&d->json, cut, len + sizeof(dots) - 1);
}

/* Adds an array of `count` numbers: of(d, i) for each i. */
static void add_numbers(struct data *d, const char *name, size_t count,
			int64_t (*of)(const struct data *d, size_t i))
{
	json_addf(&d->json, ",\n\"%s\":[", name);
	for (size_t i = 0; i < count; i++)
		json_addf(&d->json, i ? ",%" PRId64 : "%" PRId64, of(d, i));
	json_add(&d->json, "]");
}

static int64_t depth_of(const struct data *d, size_t i)
{
	return d->f->tree.nodes[d->items[i].node].depth + d->items[i].rest;
}

static int64_t frame_of(const struct data *d, size_t i)
{
	const struct item *item = &d->items[i];

	return item->rest  ? LEFT_OUT_FRAME :
	       !item->node ? ROOT_FRAME :
			     (int64_t)d->frame_number[d->f->tree.nodes[item->node].frame] - 1;
}

static const struct report_frame *frame_at(const struct data *d, size_t i)
{
	return frames_get(d->f->frames, d->frames[i]);
}

static int64_t name_of(const struct data *d, size_t i)
{
	return (int64_t)d->string_number[frame_at(d, i)->name] - 1;
}

static int64_t file_of(const struct data *d, size_t i)
{
	return (int64_t)d->string_number[frame_at(d, i)->file] - 1;
}

static int64_t module_of(const struct data *d, size_t i)
{
	return (int64_t)d->string_number[frame_at(d, i)->module] - 1;
}

static int64_t line_of(const struct data *d, size_t i)
{
	return frame_at(d, i)->line;
}

static int64_t hue_of(const struct data *d, size_t i)
{
	return flame_hue(d->f, d->frames[i]);
}

static void add_values(struct data *d, size_t type, int side)
{
	size_t rest = 0, column = type * (d->f->difference ? SIDES : 1) + (size_t)side;

	json_addf(&d->json, ",\n\"%s\":[", side == SIDE_NEW ? "new" : "base");
	for (size_t i = 0; i < d->item_count; i++)
		json_addf(&d->json, i ? ",%" PRId64 : "%" PRId64,
			  d->items[i].rest ? d->rest[rest++][column] :
					     flame_self(d->f, d->items[i].node, type, side));
	json_add(&d->json, "]");
}

static void add_profile_string(struct data *d, uint32_t string)
{
	const struct strset_entry *e = &d->f->p->strings.entries[string];

	add_string(d, e->text, e->len);
}

static void add_type(struct data *d, size_t i)
{
	const struct profile_type *t = &d->f->p->types[d->f->types[i]];

	json_add(&d->json, i ? ",\n{\"type\":" : "{\"type\":");
	add_profile_string(d, t->type);
	json_add(&d->json, ",\"unit\":");
	add_profile_string(d, t->unit);
	add_values(d, i, SIDE_NEW);
	if (d->f->difference)
		add_values(d, i, SIDE_BASE);
	json_add(&d->json, "}");
}

static void add_title(struct data *d)
{
	struct buffer title = { 0 };

	if (title_add(d->f->p, d->f->v, &title))
		d->json.rc = ERR_NOMEM;
	add_string(d, (const char *)title.data, title.len);
	buffer_release(&title);
}

/* The comments of many runs are one line. */
static void add_comments(struct data *d)
{
	const struct profile *p = d->f->p;
	size_t count = p->comment_count < COMMENTS_MAX ? p->comment_count : COMMENTS_MAX;
	struct buffer line = { 0 };
	bool folded = false;

	if (comments_fold(p, &line, &folded))
		d->json.rc = ERR_NOMEM;
	if (folded)
		add_string(d, (const char *)line.data, line.len);
	for (size_t i = 0; !folded && i < count; i++) {
		json_add(&d->json, i ? ",\n" : "");
		add_profile_string(d, p->comments[i]);
	}
	buffer_release(&line);
}

static void add_head(struct data *d)
{
	const struct profile *p = d->f->p;

	json_add(&d->json, "{\"title\":");
	add_title(d);
	json_addf(&d->json,
		  ",\"time_nanos\":%" PRId64 ",\"duration_nanos\":%" PRId64
		  ",\n\"difference\":%s,\"type\":%zu,\"left_out\":%zu,\"comments\":[",
		  p->time_nanos, p->duration_nanos, d->f->difference ? "true" : "false",
		  d->f->shown, d->f->tree.count - d->f->kept_count);
	add_comments(d);
	json_add(&d->json, "]");
}

static void add_tables(struct data *d)
{
	const struct strset *strings = frames_strings(d->f->frames);

	json_add(&d->json, ",\n\"strings\":[");
	for (size_t i = 0; i < d->string_count; i++) {
		const struct strset_entry *e = &strings->entries[d->strings[i]];

		json_add(&d->json, i ? ",\n" : "");
		add_string(d, e->text, e->len);
	}
	json_addf(&d->json, "],\n\"frames\":{\"count\":%zu", d->frame_count);
	add_numbers(d, "name", d->frame_count, name_of);
	add_numbers(d, "file", d->frame_count, file_of);
	add_numbers(d, "module", d->frame_count, module_of);
	add_numbers(d, "line", d->frame_count, line_of);
	add_numbers(d, "hue", d->frame_count, hue_of);
	json_add(&d->json, "}");
}

static int add_all(struct data *d)
{
	if (list_items(d) || number_frames(d))
		return ERR_NOMEM;
	add_head(d);
	json_add(&d->json, ",\n\"types\":[");
	for (size_t i = 0; i < d->f->type_count; i++)
		add_type(d, i);
	json_add(&d->json, "]");
	add_tables(d);
	add_numbers(d, "depth", d->item_count, depth_of);
	add_numbers(d, "frame", d->item_count, frame_of);
	json_add(&d->json, "}");
	return d->json.rc;
}

int flame_add_data(const struct flame *f, struct buffer *json)
{
	struct data d = { .f = f, .json = { json, 0 } };
	int rc = add_all(&d);

	free(d.items);
	free(d.rest);
	free(d.frame_number);
	free(d.frames);
	free(d.string_number);
	free(d.strings);
	return rc;
}
