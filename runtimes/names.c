/* A place is found by a hash of its struct, whose texts are numbers in one strset. Images of an
 * earlier round of the same processes are used again. */
#include "runtimes/names.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/room.h"

int interp_names_init(struct interp_names *n, struct modmap *maps)
{
	static atomic_uint_fast64_t serial;

	*n = (struct interp_names){ .maps = maps, .serial = ++serial };
	return strset_init(&n->texts);
}

void interp_names_release(struct interp_names *n)
{
	strset_release(&n->texts);
	free(n->places);
	hashindex_release(&n->index);
	memset(n, 0, sizeof(*n));
}

/* The image of an earlier round of the same processes. */
static const struct image *image_of_before(const struct interp_names *n, const char *mapping)
{
	size_t count;
	struct image *const *images = modmap_images(n->maps, &count);

	for (size_t i = 0; i < count; i++)
		if (!image_elf(images[i]) && !strcmp(image_path(images[i]), mapping))
			return images[i];
	return NULL;
}

int interp_names_language(struct interp_names *n, const char *mapping, uint32_t *language)
{
	struct image *image;

	for (uint32_t i = 0; i < INTERP_LANGUAGES; i++) {
		*language = i;
		if (n->images[i] && !strcmp(image_path(n->images[i]), mapping))
			return 0;
		if (n->images[i])
			continue;
		n->images[i] = image_of_before(n, mapping);
		if (n->images[i])
			return 0;
		image = image_open_none(mapping);
		if (!image || modmap_keep(n->maps, image))
			return ERR_NOMEM;
		n->images[i] = image;
		return 0;
	}
	return ERR_NOMEM;
}

static bool runtimes_names_is_same(const void *owner, uint32_t id, const void *key)
{
	return !memcmp(&((const struct interp_names *)owner)->places[id], key,
		       sizeof(struct interp_function));
}

int interp_names_place(struct interp_names *n, const struct interp_function *f, uint32_t *place)
{
	uint64_t hash = hash_bytes(f, sizeof(*f));

	*place = hashindex_find(&n->index, hash, runtimes_names_is_same, n, f);
	if (*place != HASHINDEX_NONE)
		return 0;
	if (room_for((void **)&n->places, &n->room, n->count + 1ul, sizeof(*n->places)) ||
	    hashindex_add(&n->index, hash, n->count))
		return ERR_NOMEM;
	n->places[n->count] = *f;
	*place = n->count++;
	return 0;
}

int interp_names_special(struct interp_names *n, const char *text, uint32_t language,
			 uint32_t *place)
{
	struct interp_function f = { .language = language };

	return strset_addz(&n->texts, text, &f.name) ? ERR_NOMEM : interp_names_place(n, &f, place);
}

const struct interp_function *interp_names_find(const struct interp_names *n,
						const struct image *image, uint64_t addr)
{
	for (uint32_t i = 0; image && i < INTERP_LANGUAGES; i++)
		if (n->images[i] == image && addr < n->count)
			return &n->places[addr];
	return NULL;
}
