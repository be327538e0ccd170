/*
 * When rounds begin.
 *
 * Time is told from outside: `boot_ns` of CLOCK_BOOTTIME, which also runs while the machine
 * is suspended, and `real_ns`, unix time, which may jump. Only what is aligned looks at that.
 */
#ifndef ROUNDS_SCHEDULE_H
#define ROUNDS_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct schedule {
	uint64_t every_ns;   /* from start to start */
	bool align;	     /* to multiples of every_ns since 1970 */
	uint64_t rounds;     /* how many; 0: no end */
	uint64_t begun;	     /* so many have */
	uint64_t missed;     /* slots in which none could begin */
	uint64_t first_boot_ns, last_boot_ns; /* when the schedule began; the last round */
	uint64_t slot;	     /* number of the one last used */
};

void schedule_init(struct schedule *s, uint64_t every_ns, bool align, uint64_t rounds,
		   uint64_t boot_ns, int64_t real_ns);

/* How long until the next round is to begin: 0 for now, UINT64_MAX when there is none any
 * more. To be asked again whenever less has passed than it said: clocks jump. */
uint64_t schedule_wait(struct schedule *s, uint64_t boot_ns, int64_t real_ns);

/* A round begins, now that schedule_wait said 0: late in its slot, perhaps; slots that have
 * passed altogether are missed. */
void schedule_begin(struct schedule *s, uint64_t boot_ns, int64_t real_ns);

/* How long until the slot ends that the round began in: what a round may last so that the
 * next one begins on time. */
uint64_t schedule_left(const struct schedule *s, uint64_t boot_ns, int64_t real_ns);

#endif
