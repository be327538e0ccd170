/* A kind of runtime is a row of one of two tables: languages, whose frames are a chain beside the
 * native stack, and compilers, whose frames the walk steps through. An image's notes say what it
 * lacks. */
#include "runtimes/interps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "base/room.h"
#include "runtimes/beam/beam.h"
#include "runtimes/codes.h"
#include "runtimes/cpython/cpython.h"
#include "runtimes/gdbjit/gdbjit.h"
#include "runtimes/hotspot/hotspot.h"
#include "runtimes/managed.h"
#include "runtimes/names.h"
#include "runtimes/php/php.h"
#include "runtimes/ruby/ruby.h"
#include "runtimes/v8/v8.h"
#include "unwind/stack.h"

enum {
	/* A runtime that cannot be read may be amid a change: at first it is looked at again
	 * soon. */
	SOON_NS = 10000000,
	SOON_TRIES = 10,
	RETRY_NS = 100000000, /* a runtime that is not ready is looked at again; one that cannot be
			       * read, and states, */
	COST_FACTOR = 100,    /* in a hundredth of the time at most */
	STATES_AGE_NS = 2000000,
};

static const struct interp_ops *const languages[] = { &cpython_ops, &ruby_ops, &php_ops,
						      &beam_stack_ops };

static const struct managed_ops *const compilers[] = { &hotspot_ops, &v8_ops, &beam_ops,
						       &gdbjit_ops };

enum {
	LANGUAGES = sizeof(languages) / sizeof(*languages),
	COMPILERS = sizeof(compilers) / sizeof(*compilers),
	SEARCHED = LANGUAGES + COMPILERS,
};

_Static_assert(SEARCHED - 1 == INTERP_LANGUAGES,
	       "each has an image of its own, but for the BEAM's two");
/* Bit n of an image's notes: it does not have language n, or compiler n - LANGUAGES. */
_Static_assert(SEARCHED < 32, "an image's notes have a bit for each");

struct interps {
	const struct process *process;
	struct interp_set set;
	const struct image *images[INTERP_RUNTIMES]; /* of the runtimes */
	uint64_t biases[INTERP_RUNTIMES];
	struct interp_codes *codes[INTERP_RUNTIMES];
	uint8_t *met; /* by image id: bit n: runtime n has met it */
	size_t met_room;
	uint64_t generation;  /* of the maps at the last search */
	unsigned refusals;    /* searches in a row that met a runtime that could not be read */
	uint64_t retry_ns;    /* when to search again, if */
	bool waits;	      /* at the last search a runtime was not ready, as far as it is now; */
	struct error refused; /* one could not be read; code 0: none */
	struct memory_live live;
	struct buffer states[INTERP_RUNTIMES]; /* struct interp_state */
	uint32_t reading;		       /* counts readings of states */
	uint64_t due_ns;
	struct interp_shown *shown;
	size_t shown_room;
	struct interp_runs runs;
	struct managed managed;
	struct stack expanded;
};

int interps_new(struct interps **out, const struct process *process)
{
	struct interps *i = calloc(1, sizeof(*i));

	if (!i)
		return ERR_NOMEM;
	i->process = process;
	memory_live_init(&i->live, process->pid);
	*out = i;
	return 0;
}

void interps_free(struct interps *i)
{
	if (!i)
		return;
	for (unsigned k = 0; k < i->set.count; k++) {
		i->set.at[k].ops->free(i->set.at[k].rt);
		interp_codes_release(i->codes[k]);
		free(i->codes[k]);
		buffer_release(&i->states[k]);
	}
	interp_runs_release(&i->runs);
	managed_release(&i->managed);
	stack_release(&i->expanded);
	free(i->shown);
	free(i->met);
	free(i);
}

const struct interp_set *interps_set(const struct interps *i)
{
	return i && i->set.count ? &i->set : NULL;
}

bool interps_refused(const struct interps *i)
{
	return i->refused.code;
}

bool interps_remark(const struct interps *i, char line[INTERP_REMARK])
{
	if (i->refused.code) {
		snprintf(line, INTERP_REMARK, "interpreted functions left out: %s",
			 i->refused.text);
		return true;
	}
	for (unsigned k = 0; k < i->set.count; k++) {
		const struct interp_runtime *r = &i->set.at[k];

		if (r->ops->is_new && r->ops->is_new(r->rt)) {
			snprintf(line, INTERP_REMARK,
				 "%s is newer than this sampler: its functions are found by the "
				 "offsets that it publishes",
				 (const char *)r->rt);
			return true;
		}
	}
	return false;
}

struct managed_walker *interps_walker(struct interps *i)
{
	return managed_walker(&i->managed);
}

bool interps_thread(struct interps *i, pid_t own_tid, struct managed_thread *thread)
{
	return managed_thread(&i->managed, own_tid, thread);
}

bool interps_any(const struct interps *i)
{
	return i->set.count || i->managed.count;
}

bool interps_compile(const struct interps *i)
{
	return i->managed.count;
}

bool interps_beside(const struct interps *i)
{
	return i->set.count;
}

/* Finding. */

static bool is_found(const struct interps *i, const struct interp_ops *ops,
		     const struct mapping *range)
{
	for (unsigned k = 0; k < i->set.count; k++)
		if (i->set.at[k].ops == ops && i->images[k] == range->image &&
		    i->biases[k] == range->bias && !i->set.at[k].gone)
			return true;
	return false;
}

static int interps_add(struct interps *i, const struct interp_ops *ops, void *rt,
		       const struct mapping *range)
{
	unsigned k = i->set.count;
	struct interp_codes *codes = k < INTERP_RUNTIMES ? calloc(1, sizeof(*codes)) : NULL;

	if (!codes) {
		ops->free(rt);
		return k < INTERP_RUNTIMES ? ERR_NOMEM : 0;
	}
	i->codes[k] = codes;
	i->images[k] = range->image;
	i->biases[k] = range->bias;
	i->set.at[k] = (struct interp_runtime){ .ops = ops, .rt = rt, .known = &codes->known };
	i->set.count++;
	i->due_ns = 0;
	return 0;
}

static int look_for_language(struct interps *i, const struct interp_ops *ops,
			     const struct mapping *range, struct error *why)
{
	void *rt;
	int rc;

	if (is_found(i, ops, range))
		return 0;
	rc = ops->find(&rt, range->image, range->bias, &i->live.memory, why);
	return rc ? rc : interps_add(i, ops, rt, range);
}

static int look_for_compiler(struct interps *i, const struct managed_ops *ops,
			     const struct mapping *range, struct error *why)
{
	void *rt;
	int rc;

	if (managed_has(&i->managed, ops, range))
		return 0;
	rc = ops->find(&rt, range->image, range->bias, &i->live.memory, why);
	if (!rc)
		managed_add(&i->managed, ops, rt, range);
	return rc;
}

static int look_into(struct interps *i, unsigned language, const struct mapping *range)
{
	struct error why = { 0 };
	int rc = language < LANGUAGES ?
			 look_for_language(i, languages[language], range, &why) :
			 look_for_compiler(i, compilers[language - LANGUAGES], range, &why);

	if (rc == ERR_NOTFOUND)
		*image_notes(range->image) |= 1u << language;
	if (rc == ERR_FORMAT)
		i->refused = why;
	i->waits |= rc == ERR_BUSY;
	return rc == ERR_NOMEM ? rc : 0;
}

static void drop_unmapped(struct interps *i, const struct modmap *maps)
{
	for (unsigned k = 0; k < i->set.count; k++) {
		const struct mapping *range = modmap_range_of(maps, i->images[k]);

		i->set.at[k].gone = !range || range->bias != i->biases[k];
	}
	managed_refresh(&i->managed, maps);
}

static void interps_meet(struct interps *i, const struct image *image)
{
	for (unsigned k = 0; k < i->set.count; k++) {
		const struct interp_runtime *r = &i->set.at[k];
		uint8_t *met = &i->met[image_id(image)], bit = (uint8_t)(1 << k);

		if (r->ops->meet && !(*met & bit))
			r->ops->meet(r->rt, image);
		*met |= bit;
	}
}

/* `cost`: of the search, CPU time in ns. */
static uint64_t until_retry(const struct interps *i, uint64_t cost)
{
	if (i->refused.code && i->refusals <= SOON_TRIES)
		return SOON_NS;
	return RETRY_NS + (i->waits ? 0 : cost * COST_FACTOR);
}

int interps_find(struct interps *i, const struct modmap *maps)
{
	uint64_t generation = modmap_generation(maps), cpu;
	size_t count, images;
	const struct mapping *ranges = modmap_ranges(maps, &count);
	int rc = 0;

	if (i->generation == generation &&
	    (!(i->waits || i->refused.code) || monotonic_ns() < i->retry_ns))
		return 0;
	cpu = thread_cpu_ns();
	modmap_images(maps, &images);
	if (room_for_zeros((void **)&i->met, &i->met_room, images + 1, 1))
		return ERR_NOMEM;
	i->generation = generation;
	i->waits = false;
	i->refused.code = 0;
	drop_unmapped(i, maps);
	for (size_t r = 0; !rc && r < count; r++) {
		if (!image_elf(ranges[r].image) || (r && ranges[r].image == ranges[r - 1].image))
			continue;
		for (unsigned l = 0; !rc && l < SEARCHED; l++)
			if (!(*image_notes(ranges[r].image) >> l & 1))
				rc = look_into(i, l, &ranges[r]);
	}
	for (size_t r = 0; i->set.count && r < count; r++)
		if (image_elf(ranges[r].image))
			interps_meet(i, ranges[r].image);
	i->refusals = i->refused.code ? i->refusals + 1 : 0;
	i->retry_ns = monotonic_ns() + until_retry(i, thread_cpu_ns() - cpu);
	return rc;
}

/* States of threads. */

/* The main thread has the process's number. What a child of fork(2) in C (a worker of uWSGI) has
 * recorded is its parent's number, unless libc is asked; the main thread has no successor. */
static void number_main(pid_t own_tid, struct buffer *states)
{
	struct interp_state *s = (struct interp_state *)states->data;

	for (size_t n = states->len / sizeof(*s); n; n--, s++)
		if (s->main || s->libc_tid == own_tid)
			s->own_tid = own_tid;
}

static int read_states(struct interps *i)
{
	uint64_t cpu = thread_cpu_ns();
	pid_t main_tid = process_own_tid(i->process, i->process->pid);
	int rc = 0;

	for (unsigned k = 0; !rc && k < i->set.count; k++) {
		const struct interp_runtime *r = &i->set.at[k];

		i->states[k].len = 0;
		if (!r->gone)
			rc = r->ops->threads(r->rt, &i->live.memory, &i->states[k]);
		number_main(main_tid, &i->states[k]);
	}
	i->reading++;
	i->due_ns = monotonic_ns() + STATES_AGE_NS + (thread_cpu_ns() - cpu) * COST_FACTOR;
	return rc;
}

static uint64_t interps_state_of(const struct buffer *states, pid_t own_tid, uint64_t tp)
{
	const struct interp_state *s = (const struct interp_state *)states->data;

	for (size_t n = states->len / sizeof(*s); n; n--, s++)
		if (s->any || (s->own_tid ? s->own_tid == own_tid : tp && s->tp == tp))
			return s->at;
	return 0;
}

/* True if the thread has any. */
static bool take_states(const struct interps *i, pid_t own_tid, struct interp_place *place)
{
	bool any = false;

	for (unsigned k = 0; k < i->set.count; k++) {
		place->states[k] = interps_state_of(&i->states[k], own_tid, place->tp);
		any |= place->states[k] != 0;
	}
	place->reading = i->reading;
	return any;
}

static bool has_state(const struct interps *i, const struct interp_place *place)
{
	for (unsigned k = 0; k < i->set.count; k++)
		if (place->states[k])
			return true;
	return false;
}

int interps_place(struct interps *i, pid_t own_tid, struct interp_place *place)
{
	if (!i->set.count || has_state(i, place))
		return 0;
	if (place->reading != i->reading && take_states(i, own_tid, place))
		return 0;
	if (monotonic_ns() < i->due_ns)
		return 0;
	if (read_states(i))
		return ERR_NOMEM;
	take_states(i, own_tid, place);
	return 0;
}

bool interps_task(struct interps *i, const struct interp_look *look, char *name, size_t room)
{
	const struct interp_runtime *r = &i->set.at[look->task_of];

	if (!look->any || !look->task || !r->ops->task_name)
		return false;
	*name = '\0';
	r->ops->task_name(r->rt, &look->copy.memory, &i->live.memory, look->task, name, room);
	return *name;
}

/* Merging. */

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
