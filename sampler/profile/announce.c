/* Places are sorted by image and address, and duplicates removed whenever the array is full, so it
 * grows with the distinct places and not with the frames. */
#include "sampler/profile/announce.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/room.h"
#include "sampler/member/member.h"
#include "symbolize/symbolizer.h"

enum { ROOM_MIN = 1 << 10 };

static int by_image(const void *a, const void *b)
{
	const struct announced *x = a, *y = b;
	uint32_t id_x = image_id(x->image), id_y = image_id(y->image);

	if (id_x != id_y)
		return id_x < id_y ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Sorts the places and removes duplicates. */
static void announce_settle(struct announcement *a)
{
	size_t kept = 0;

	if (a->count)
		qsort(a->all, a->count, sizeof(*a->all), by_image);
	for (size_t i = 0; i < a->count; i++)
		if (!i || by_image(&a->all[i], &a->all[kept - 1]))
			a->all[kept++] = a->all[i];
	a->count = kept;
}

int announce_place(struct announcement *a, const struct image *image, uint64_t addr)
{
	/* Distinct places are few and repeat often, so duplicates are removed first; the array is
	 * only doubled if it is then still half full. */
	if (a->count == a->room) {
		announce_settle(a);
		if (a->count >= a->room / 2 &&
		    room_for((void **)&a->all, &a->room, a->room ? a->room + 1 : ROOM_MIN,
			     sizeof(*a->all)))
			return ERR_NOMEM;
	}
	a->all[a->count++] = (struct announced){ image, addr };
	return 0;
}

/* Passes the addresses in the image of the first place to its symbolizer; *n: how many. */
static int send_image(struct symbolizer *s, const struct announced *places, size_t count, size_t *n)
{
	uint64_t *addrs = malloc(count * sizeof(*addrs));
	int rc;

	if (!addrs)
		return ERR_NOMEM;
	for (*n = 0; *n < count && places[*n].image == places[0].image; ++*n)
		addrs[*n] = places[*n].addr;
	rc = symbolizer_prepare(s, places[0].image, addrs, *n);
	free(addrs);
	return rc;
}

struct symbolizer *symbolizers_of(const struct symbolizers *s, const struct image *image)
{
	const struct process *owner = modmap_owner(s->members[0]->maps, image);

	for (size_t i = 0; i < s->count; i++)
		if (&s->members[i]->process == owner)
			return s->all[i];
	return s->all[0];
}

int announce_send(struct announcement *a, const struct symbolizers *s)
{
	size_t i = 0, n = 0;
	int rc = 0;

	announce_settle(a);
	for (; !rc && i < a->count; i += n)
		rc = send_image(symbolizers_of(s, a->all[i].image), &a->all[i], a->count - i, &n);
	free(a->all);
	memset(a, 0, sizeof(*a));
	return rc;
}
