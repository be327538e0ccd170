/* A look's frames become one stack with the native walk: their code objects are proven, runs get
 * their anchors, frames their names, and merge.c puts them in their places. */
#include <stdio.h>

#include "base/room.h"
#include "runtimes/interpset.h"
#include "runtimes/names.h"

static int prove_by(struct interps *i, const struct interp_look *look, const struct memory *seen,
		    bool *proven)
{
	bool of_one;

	*proven = true;
	for (unsigned k = 0; k < look->count; k++) {
		if (!look->states[k])
			continue;
		if (interp_codes_prove(i->codes[k], &i->set.at[k], k, &look->copy.walk, seen,
				       &i->live.memory, &of_one))
			return ERR_NOMEM;
		*proven &= of_one;
	}
	return 0;
}

/* What there was no time to copy is still there, if the thread has not run until it was read. Such
 * a thread has no other look. */
static int interps_prove(struct interps *i, const struct interp_look *look,
			 const struct interp_context *context)
{
	bool proven;
	int rc = prove_by(i, look, &look->copy.memory, &proven);

	if (rc || proven || !context->stands_still || !context->stands_still(context->of))
		return rc;
	rc = prove_by(i, look, &i->live.memory, &proven);
	if (!rc && !context->stands_still(context->of))
		rc = prove_by(i, look, &look->copy.memory, &proven);
	return rc;
}

static int interps_name_frame(struct interps *i, const struct interp_frame *frame,
			      const struct interp_context *context, struct interp_shown *shown)
{
	const struct interp_runtime *r = &i->set.at[frame->runtime];
	uint32_t language;
	bool hidden;
	int rc;

	if (interp_names_language(context->names, r->ops->mapping, &language))
		return ERR_NOMEM;
	*shown = (struct interp_shown){ .anchor = frame->anchor,
					.runtime = frame->runtime,
					.wrapped = frame->flags & INTERP_WRAPPED,
					.language = (uint8_t)language };
	if (interp_names_special(context->names, "[not merged]", language, &shown->seam))
		return ERR_NOMEM;
	if (!interp_codes_place(i->codes[frame->runtime], r, frame, language, context->names,
				&shown->place, &hidden, &rc)) {
		context->counts[language].nameless++;
		rc = rc ? rc :
			  interp_names_special(context->names, "[unknown]", language,
					       &shown->place);
	}
	context->counts[language].lineless += frame->flags & INTERP_INEXACT ? 1 : 0;
	if (!hidden)
		shown->image = context->names->images[language];
	return rc;
}

/* Marks the last frame shown of each chain whose rest is missing. */
static int mark_cuts(struct interps *i, const struct interp_look *look,
		     const struct interp_context *context)
{
	unsigned marked = 0; /* bit n: runtime n is done */

	for (size_t n = look->copy.walk.count; n--;) {
		struct interp_shown *f = &i->shown[n];
		const struct interp_losses *lost = &look->losses[f->runtime];

		if (!f->image || marked >> f->runtime & 1)
			continue;
		marked |= 1u << f->runtime;
		if ((lost->cut || lost->broken) &&
		    interp_names_special(context->names, "[cut]", f->language, &f->cut))
			return ERR_NOMEM;
	}
	return 0;
}

static void set_anchors(struct interps *i, const struct interp_look *look,
			const struct stack *native, const struct interp_context *context)
{
	const struct interp_walk *walk = &look->copy.walk;
	size_t first = 0, end;

	for (; first < walk->count; first = end) {
		const struct interp_runtime *r = &i->set.at[walk->frames[first].runtime];

		end = first + 1;
		while (end < walk->count &&
		       walk->frames[end].runtime == walk->frames[first].runtime)
			end++;
		if (r->ops->anchor)
			r->ops->anchor(r->rt, context->maps, native, context->stack,
				       walk->frames + first, end - first);
	}
}

static int interps_count(const struct interps *i, const struct interp_look *look,
			 const struct interp_context *context)
{
	for (unsigned k = 0; k < look->count; k++) {
		const struct interp_runtime *r = &i->set.at[k];
		const struct interp_losses *lost = &look->losses[k];
		struct interp_counts *counts;
		uint32_t language;

		if (!look->states[k])
			continue;
		if (interp_names_language(context->names, r->ops->mapping, &language))
			return ERR_NOMEM;
		counts = &context->counts[language];
		if (!*counts->version)
			snprintf(counts->version, sizeof(counts->version), "%s",
				 (const char *)r->rt);
		for (size_t n = 0; n < look->copy.walk.count; n++)
			if (look->copy.walk.frames[n].runtime == k) {
				counts->stacks++;
				break;
			}
		counts->dropped += lost->dropped;
		counts->cut += lost->cut;
		counts->broken += lost->broken;
	}
	return 0;
}

/* Puts interpreted frames into the walk `native`. */
static int interps_merge_frames(struct interps *i, const struct interp_look *look,
				const struct stack *native, const struct interp_context *context,
				struct stack *out)
{
	const struct interp_walk *walk = &look->copy.walk;

	if (room_for((void **)&i->shown, &i->shown_room, walk->count, sizeof(*i->shown)) ||
	    interps_prove(i, look, context))
		return ERR_NOMEM;
	set_anchors(i, look, native, context);
	for (size_t n = 0; n < walk->count; n++)
		if (interps_name_frame(i, &walk->frames[n], context, &i->shown[n]))
			return ERR_NOMEM;
	if (mark_cuts(i, look, context))
		return ERR_NOMEM;
	return interp_merge(&i->runs, native, i->shown, walk->count, context->counts, out);
}

int interps_merge(struct interps *i, const struct interp_look *look, const struct stack *native,
		  const struct interp_context *context, struct stack *out, bool *merged)
{
	bool interpreted = look->any && look->copy.walk.count && native->count;

	*merged = interpreted || native->managed_count;
	if (look->any && interps_count(i, look, context))
		return ERR_NOMEM;
	if (native->managed_count) {
		if (managed_expand(&i->managed, native, context->names, context->counts,
				   interpreted ? &i->expanded : out))
			return ERR_NOMEM;
		native = &i->expanded;
	}
	return interpreted ? interps_merge_frames(i, look, native, context, out) : 0;
}
