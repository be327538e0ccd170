#include "sampler/announce.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "sampler/member.h"
#include "sampler/round.h"
#include "symbolize/symbolizer.h"
#include "target/image.h"
#include "target/modmap.h"

struct place {
	const struct image *image;
	uint64_t addr;
};

struct symbolizer *announce_symbolizer(const struct round *r, struct symbolizer *const *symbolizers,
				       const struct image *image)
{
	const struct process *owner = modmap_owner(r->members[0]->maps, image);

	for (uint32_t i = 0; i < r->member_count; i++)
		if (&r->members[i]->process == owner)
			return symbolizers[i];
	return symbolizers[0];
}

static int by_image(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	uint32_t id_x = image_id(x->image), id_y = image_id(y->image);

	if (id_x != id_y)
		return id_x < id_y ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Distinct ones, by image. */
static size_t list_places(const struct stackset *stacks, struct place *places)
{
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < stacks->frame_count; i++) {
		const struct frame *f = &stacks->frames[i];

		if (f->image)
			places[count++] = (struct place){ f->image,
							  frame_code_address(f->addr, f->kind) };
	}
	if (count)
		qsort(places, count, sizeof(*places), by_image);
	for (size_t i = 0; i < count; i++)
		if (!i || by_image(&places[i], &places[kept - 1]))
			places[kept++] = places[i];
	return kept;
}

/* The addresses of the first place's image; *next is the first place of another one. */
static int announce_image(struct symbolizer *s, const struct place *places, size_t count,
			  size_t *next)
{
	uint64_t *addrs = malloc(count * sizeof(*addrs));
	size_t n = 0;
	int rc;

	if (!addrs)
		return ERR_NOMEM;
	for (; n < count && places[n].image == places[0].image; n++)
		addrs[n] = places[n].addr;
	rc = symbolizer_prepare(s, places[0].image, addrs, n);
	free(addrs);
	*next += n;
	return rc;
}

int announce(const struct round *r, struct symbolizer *const *symbolizers)
{
	struct place *places = malloc((r->stacks.frame_count + 1) * sizeof(*places));
	size_t count, i = 0;
	int rc = places ? 0 : ERR_NOMEM;

	if (rc)
		return rc;
	count = list_places(&r->stacks, places);
	while (!rc && i < count)
		rc = announce_image(announce_symbolizer(r, symbolizers, places[i].image), &places[i],
				    count - i, &i);
	free(places);
	return rc;
}
