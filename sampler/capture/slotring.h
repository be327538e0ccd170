/* Slots on their way from one thread, which puts them in, to another one, which takes them out. */
#ifndef SAMPLER_CAPTURE_SLOTRING_H
#define SAMPLER_CAPTURE_SLOTRING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct slot;

enum { SLOTRING_MOST = 64 }; /* a power of two */

/* Zeroed: empty. */
struct slotring {
	struct slot *at[SLOTRING_MOST];
	atomic_uint in, out;
};

static inline bool slotring_is_empty(struct slotring *r)
{
	return r->out == r->in;
}

static inline bool slotring_is_full(struct slotring *r)
{
	return r->in - r->out == SLOTRING_MOST;
}

/* The ring is not full. */
static inline void slotring_put(struct slotring *r, struct slot *slot)
{
	r->at[r->in % SLOTRING_MOST] = slot;
	r->in++;
}

/* NULL: it is empty. */
static inline struct slot *slotring_take(struct slotring *r)
{
	struct slot *slot = slotring_is_empty(r) ? NULL : r->at[r->out % SLOTRING_MOST];

	r->out += slot != NULL;
	return slot;
}

#endif
