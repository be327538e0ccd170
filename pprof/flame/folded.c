/*
 * Writes a line for each distinct stack, "outermost;…;innermost VALUE", in the order of the names.
 * ';' in a name becomes ':', what a terminal would act on a space. The tree's nodes are texts, not
 * frames, so stacks that read alike are added up. Lines with the value 0 are left out.
 *
 * For a difference, lines have two values, "… BASE NEW". difffolded.pl and inferno-diff-folded
 * write this form, and flamegraph.pl and inferno-flamegraph colour by it. speedscope does not read
 * it.
 */
#include "pprof/flame/reports.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/room.h"
#include "pprof/graph/calltree.h"
#include "pprof/flame/difference.h"
#include "pprof/flame/frames.h"
#include "pprof/flame/rank.h"
#include "pprof/profile.h"

static const size_t TEXT_MAX = 1u << 30;

static const char no_stack[] = "[no stack]";

struct folding {
	const struct profile *p;
	size_t type;
	struct frames *frames;
	struct strset texts;
	struct buffer text; /* one of them, while it is made */
	uint32_t *text_of;  /* by frame: its text + 1; 0: not made yet */
	size_t text_of_count, text_of_room;
	uint32_t *path; /* texts of the current stack */
	size_t path_room;
	struct calltree tree;
};

/* Adds a frame's name to the texts, with characters replaced that a line must not contain. */
static int folded_add_text(struct folding *f, uint32_t frame, uint32_t *text)
{
	const struct strset_entry *name =
		&frames_strings(f->frames)->entries[frames_get(f->frames, frame)->name];
	struct buffer *b = &f->text;
	int rc = 0;

	b->len = 0;
	for (size_t at = 0, size; !rc && at < name->len; at += size) {
		const char *c = name->text + at;
		bool shown = printable_next(c, name->len - at, &size);

		rc = buffer_add(b, !shown ? " " : *c == ';' ? ":" : c, shown ? size : 1);
	}
	return rc ? rc : strset_add(&f->texts, b->len ? (char *)b->data : "", b->len, text);
}

static int folded_text_of(struct folding *f, uint32_t frame, uint32_t *text)
{
	size_t count = frames_count(f->frames);
	int rc = 0;

	if (frame >= f->text_of_count) {
		if (room_for((void **)&f->text_of, &f->text_of_room, count, sizeof(*f->text_of)))
			return ERR_NOMEM;
		memset(f->text_of + f->text_of_count, 0,
		       (count - f->text_of_count) * sizeof(*f->text_of));
		f->text_of_count = count;
	}
	if (!f->text_of[frame]) {
		rc = folded_add_text(f, frame, &f->text_of[frame]);
		f->text_of[frame]++;
	}
	*text = f->text_of[frame] - 1;
	return rc;
}

static int folded_add_sample(struct folding *f, size_t sample, struct error *err)
{
	int64_t sides[SIDES], value = f->p->values[f->p->samples[sample].first_value + f->type];
	const uint32_t *ids;
	size_t count;
	int rc;

	if (!value)
		return 0;
	rc = frames_of(f->frames, sample, &ids, &count, err);
	if (rc)
		return rc;
	rc = room_for((void **)&f->path, &f->path_room, count, sizeof(*f->path));
	for (size_t i = 0; i < count && !rc; i++)
		rc = folded_text_of(f, ids[i], &f->path[i]);
	if (rc)
		return error_nomem(err);
	difference_split(value, sides);
	return calltree_add(&f->tree, f->path, count, sides, err);
}

static int add_path(struct folding *f, uint32_t node, struct buffer *out)
{
	uint32_t depth = f->tree.nodes[node].depth;
	int rc = 0;

	if (!depth)
		return buffer_add(out, no_stack, sizeof(no_stack) - 1);
	if (room_for((void **)&f->path, &f->path_room, depth, sizeof(*f->path)))
		return ERR_NOMEM;
	for (uint32_t i = depth; i > 0; i--) {
		f->path[i - 1] = f->tree.nodes[node].frame;
		node = f->tree.nodes[node].parent;
	}
	for (uint32_t i = 0; i < depth && !rc; i++) {
		const struct strset_entry *text = &f->texts.entries[f->path[i]];

		if (out->len > TEXT_MAX)
			return ERR_LIMIT;
		rc = i ? buffer_add(out, ";", 1) : 0;
		rc = rc ? rc : buffer_add(out, text->text, text->len);
	}
	return rc;
}

static int folded_add_line(struct folding *f, uint32_t node, bool difference, struct buffer *out)
{
	const int64_t *self = f->tree.self + (size_t)node * SIDES;
	int rc;

	if (!self[SIDE_NEW] && !self[SIDE_BASE])
		return 0;
	rc = add_path(f, node, out);
	if (!rc && difference)
		rc = buffer_addf(out, " %" PRId64, self[SIDE_BASE]);
	return rc ? rc : buffer_addf(out, " %" PRId64 "\n", self[SIDE_NEW]);
}

static int folded_add_lines(struct folding *f, struct buffer *out, struct error *err)
{
	bool difference = difference_detect(f->p, f->type);
	uint32_t *rank = NULL;
	int rc = rank_strings(&f->texts, &rank);

	if (!rc)
		rc = calltree_finish(&f->tree, rank, err);
	for (uint32_t node = 0; node != CALLTREE_NONE && !rc; node = calltree_next(&f->tree, node))
		rc = folded_add_line(f, node, difference, out);
	free(rank);
	if (rc)
		return error_set(err, rc,
				 rc == ERR_LIMIT ? "the folded stacks are more than 1 GiB" :
						   "out of memory");
	return 0;
}

static int folded_fold(struct folding *f, const struct report_view *v, struct buffer *out,
		       struct error *err)
{
	int rc = frames_new(&f->frames, f->p, v, err);

	if (rc)
		return rc;
	if (strset_init(&f->texts) || calltree_init(&f->tree, SIDES))
		return error_nomem(err);
	for (size_t i = 0; i < f->p->sample_count && !rc; i++)
		rc = folded_add_sample(f, i, err);
	return rc ? rc : folded_add_lines(f, out, err);
}

int report_folded(const struct profile *p, const struct report_view *v, struct buffer *out,
		  struct error *err)
{
	struct folding f = { .p = p, .type = v->type };
	int rc = folded_fold(&f, v, out, err);

	frames_free(f.frames);
	strset_release(&f.texts);
	calltree_release(&f.tree);
	free(f.text_of);
	buffer_release(&f.text);
	free(f.path);
	return rc;
}
