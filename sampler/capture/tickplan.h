/* When the ticks of a ticker come: at a random moment of each period, fewer on an idle CPU and
 * where the budget is small. */
#ifndef SAMPLER_CAPTURE_TICKPLAN_H
#define SAMPLER_CAPTURE_TICKPLAN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pace;

/* A tick to come. Periods are counted from pace.start_ns. */
struct planned {
	/* It stands for so many periods, up to this one, and may come in any of them. */
	uint64_t stands_for, last;
	uint64_t due, withheld; /* for figures: since the one before; left out to keep the budget */
	unsigned ticks; /* for figures: itself, and those that are left out on an idle CPU */
	_Atomic uint64_t due_ns;
	_Atomic uint64_t note_ns; /* when another ticker is to note for it; 0: not */
	atomic_bool noted;	  /* it has */
};

/* Two ticks are known ahead, so that the ticker that notes for one knows when before it goes to
 * sleep. It reads what is atomic here. */
struct tickplan {
	struct planned next[2];	       /* by their numbers' parity */
	unsigned turn;		       /* which of these is the next one */
	unsigned idle;		       /* ticks without a sample before it */
	_Atomic uint64_t note_took_ns; /* how long noting took last */
	atomic_bool crowded;	       /* many threads have run between two ticks */
};

/* Plans the first two ticks. `random` is the state of roster_random. */
void tickplan_start(struct tickplan *p, const struct pace *pace, uint64_t *random);

struct planned *tickplan_next(struct tickplan *p);

/* Plans the tick after the next one, which becomes the next: it stands for the periods that follow,
 * and comes in any of them. Those that are over already are left out. */
void tickplan_advance(struct tickplan *p, const struct pace *pace, uint64_t *random);

/* The next tick that is to be noted for, and when: *ns, UINT64_MAX if there is none. `p` may be
 * NULL. */
struct planned *tickplan_to_note(struct tickplan *p, uint64_t *ns);

#endif
