/*
 * When rounds begin.
 *
 * The caller passes the time: `boot_ns` of CLOCK_BOOTTIME, which also runs during suspend, and
 * `real_ns`, unix time, which may jump. Only an aligned schedule uses `real_ns`.
 */
#ifndef ROUNDS_SCHEDULE_H
#define ROUNDS_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct schedule {
	uint64_t every_ns;		      /* from start to start */
	bool align;			      /* to multiples of every_ns since 1970 */
	uint64_t rounds;		      /* how many; 0: no end */
	uint64_t begun;			      /* rounds so far */
	uint64_t missed;		      /* slots in which no round could begin */
	uint64_t first_boot_ns, last_boot_ns; /* start of the schedule; of the last round */
	uint64_t slot;			      /* number of the last one used */
};

void schedule_init(struct schedule *s, uint64_t every_ns, bool align, uint64_t rounds,
		   uint64_t boot_ns, int64_t real_ns);

/* Time in ns until the next round is due: 0: now; UINT64_MAX: there are no more. Clocks jump, so
 * it is to be called again before all of that time has passed. */
uint64_t schedule_wait(struct schedule *s, uint64_t boot_ns, int64_t real_ns);

/* A round begins, after schedule_wait has returned 0; perhaps late in its slot. Slots that have
 * passed completely are counted as missed. */
void schedule_begin(struct schedule *s, uint64_t boot_ns, int64_t real_ns);

/* Time in ns until the end of the slot in which the round began: a longer round would delay the
 * next one. */
uint64_t schedule_left(const struct schedule *s, uint64_t boot_ns, int64_t real_ns);

#endif
