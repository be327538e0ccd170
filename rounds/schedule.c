/*
 * Slots follow one another every_ns apart. Without alignment they are counted on the boot clock
 * from the start of the schedule: the k-th begins exactly k times every_ns later, however long
 * rounds take. Time in suspend counts. Aligned slots are counted on the wall clock. After that
 * clock jumps, the slot of the new time counts. If it was set back, that slot counts as used, and
 * the next round begins in the slot behind it. Otherwise the schedule would wait until the old time
 * is reached again.
 */
#include "rounds/schedule.h"

void schedule_init(struct schedule *s, uint64_t every_ns, bool align, uint64_t rounds,
		   uint64_t boot_ns, int64_t real_ns)
{
	uint64_t now = real_ns > 0 ? (uint64_t)real_ns : 0;

	*s = (struct schedule){ .every_ns = every_ns ? every_ns : 1,
				.align = align,
				.rounds = rounds,
				.first_boot_ns = boot_ns };
	/* A slot that has begun already is not used, unless it begins right now. */
	if (align)
		s->slot = (now ? now - 1 : 0) / s->every_ns;
}

/* The time on the clock that the slots are counted on. */
static uint64_t on_grid(const struct schedule *s, uint64_t boot_ns, int64_t real_ns)
{
	if (s->align)
		return real_ns > 0 ? (uint64_t)real_ns : 0;
	return boot_ns > s->first_boot_ns ? boot_ns - s->first_boot_ns : 0;
}

uint64_t schedule_wait(struct schedule *s, uint64_t boot_ns, int64_t real_ns)
{
	uint64_t now = on_grid(s, boot_ns, real_ns), slot = now / s->every_ns;

	if (s->rounds && s->begun >= s->rounds)
		return UINT64_MAX;
	if (!s->begun && !s->align)
		return 0;
	if (slot < s->slot)
		s->slot = slot; /* set back: the current slot counts as used */
	return slot > s->slot ? 0 : (s->slot + 1) * s->every_ns - now;
}

/* Number of slots that went by since the last round, without those that a clock's jump skips. */
static uint64_t gone_by(const struct schedule *s, uint64_t boot_ns, uint64_t slot)
{
	uint64_t slots = s->align ? (boot_ns - s->last_boot_ns + s->every_ns / 2) / s->every_ns :
				    slot - s->slot;

	return slots ? slots - 1 : 0;
}

void schedule_begin(struct schedule *s, uint64_t boot_ns, int64_t real_ns)
{
	uint64_t slot = on_grid(s, boot_ns, real_ns) / s->every_ns;

	if (s->begun)
		s->missed += gone_by(s, boot_ns, slot);
	s->slot = slot;
	s->last_boot_ns = boot_ns;
	s->begun++;
}

uint64_t schedule_left(const struct schedule *s, uint64_t boot_ns, int64_t real_ns)
{
	return s->every_ns - on_grid(s, boot_ns, real_ns) % s->every_ns;
}
