/* A kind of runtime is a row of one of two tables: languages, whose frames are a chain beside the
 * native stack, and compilers, whose frames the walk steps through. Each ELF file is asked once for
 * each kind: the image's notes have the answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "base/room.h"
#include "runtimes/beam/beam.h"
#include "runtimes/cpython/cpython.h"
#include "runtimes/gdbjit/gdbjit.h"
#include "runtimes/hotspot/hotspot.h"
#include "runtimes/interpset.h"
#include "runtimes/names.h"
#include "runtimes/php/php.h"
#include "runtimes/ruby/ruby.h"
#include "runtimes/v8/v8.h"

enum {
	RETRY_NS =
		100000000, /* until a runtime that was not ready, or not readable, is tried again */
	SOON_NS = 10000000, /* the same for the first tries of one that is not readable: */
	SOON_TRIES = 10,    /* it may only be amid a change */
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
	free(i->noted);
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

void interps_wait(struct interps *i, pid_t own_tid, struct managed_wait *wait)
{
	managed_wait(&i->managed, own_tid, wait);
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

static void interps_note_image(struct interps *i, const struct image *image)
{
	for (unsigned k = 0; k < i->set.count; k++) {
		const struct interp_runtime *r = &i->set.at[k];
		uint8_t *noted = &i->noted[image_id(image)], bit = (uint8_t)(1 << k);

		if (r->ops->note_image && !(*noted & bit))
			r->ops->note_image(r->rt, image);
		*noted |= bit;
	}
}

/* `cost`: of the search, CPU time in ns. */
static uint64_t until_retry(const struct interps *i, uint64_t cost)
{
	if (i->refused.code && i->refusals <= SOON_TRIES)
		return SOON_NS;
	return RETRY_NS + (i->waits ? 0 : cost * INTERP_COST_FACTOR);
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
	if (room_for_zeros((void **)&i->noted, &i->noted_room, images + 1, 1))
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
			interps_note_image(i, ranges[r].image);
	i->refusals = i->refused.code ? i->refusals + 1 : 0;
	i->retry_ns = monotonic_ns() + until_retry(i, thread_cpu_ns() - cpu);
	return rc;
}
