/* The counts are in an array by image number. The images with the most guessed frames are kept
 * sorted while the array is gone through. */
#include "sampler/account/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/room.h"

void ledger_release(struct ledger *l)
{
	free(l->images);
	memset(l, 0, sizeof(*l));
}

/* NULL when out of memory. */
static struct ledger_entry *ledger_entry_of(struct ledger *l, const struct image *image)
{
	size_t id = image_id(image);

	if (room_for_zeros((void **)&l->images, &l->room, id + 1, sizeof(*l->images)))
		return NULL;
	return &l->images[id];
}

int ledger_count(struct ledger *l, const struct stack *walk)
{
	l->all.ends[walk->end]++;
	for (size_t i = 0; i < walk->count; i++) {
		const struct image *image = walk->frames[i].image;
		struct ledger_entry *e = image ? ledger_entry_of(l, image) : NULL;

		if (image && !e)
			return ERR_NOMEM;
		if (i + 1 < walk->count) {
			l->all.found[walk->frames[i + 1].source]++;
			if (e)
				e->found[walk->frames[i + 1].source]++;
		} else if (e) {
			e->ends[walk->end]++;
		}
	}
	return 0;
}

const struct ledger_entry *ledger_of(const struct ledger *l, uint32_t id)
{
	static const struct ledger_entry none;

	return id < l->room ? &l->images[id] : &none;
}

uint64_t ledger_guessed(const struct ledger_entry *e)
{
	return e->found[FRAME_BY_CODE] + e->found[FRAME_BY_FRAME_POINTER] + e->found[FRAME_BY_SCAN];
}

/* Inserts an image at its place, if it has more guessed frames than one of those listed. */
static void insert(struct ledger_guesses *g, const char *name, uint64_t frames)
{
	int at = LEDGER_NAMES;

	while (at && frames > g->frames[at - 1])
		at--;
	if (at == LEDGER_NAMES)
		return;
	for (int i = LEDGER_NAMES - 1; i > at; i--) {
		memcpy(g->name[i], g->name[i - 1], LEDGER_NAME_LEN);
		g->frames[i] = g->frames[i - 1];
	}
	snprintf(g->name[at], LEDGER_NAME_LEN, "%s", name);
	g->frames[at] = frames;
}

void ledger_guesses(const struct ledger *l, const struct modmap *maps, struct ledger_guesses *g)
{
	size_t count;
	struct image *const *images = modmap_images(maps, &count);

	memset(g, 0, sizeof(*g));
	for (size_t i = 0; i < count && i < l->room; i++)
		insert(g, image_name(images[i]), ledger_guessed(&l->images[i]));
}
