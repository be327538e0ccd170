/*
 * The ring into which the kernel writes the records of a CPU's events (perf_event_open(2), "MMAP
 * layout"). It is read in turns: up to the end that it had when the turn began.
 *
 * The kernel wrote what is in it. A broken record ends the turn: nothing tells where the next is.
 */
#ifndef SAMPLER_CAPTURE_EVENTRING_H
#define SAMPLER_CAPTURE_EVENTRING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sampler/capture/eventpace.h"

enum { EVENTRING_RECORD_MOST = 1 << 16 }; /* bytes: a record's length has 16 bits */

struct eventring {
	int fd;				   /* of the event that owns it */
	struct perf_event_mmap_page *head; /* NULL: not mapped */
	const uint8_t *data;
	size_t bytes;			 /* of data, a power of two */
	uint64_t end;			 /* so far it is read in this turn */
	struct perf_event_header next;	 /* its first record that is not read */
	uint64_t next_ns;		 /* the time of that; UINT64_MAX: there is none */
	enum eventpace_state pace_state; /* used by eventpace_count_of */
};

/* Maps the ring of r->fd. It has as many pages as hold `bytes`, between `least` and `most`, powers
 * of two; fewer where less may be locked. False: not even `least` may be. The caller calls
 * eventring_close in any case. */
bool eventring_map(struct eventring *r, size_t bytes, size_t least, size_t most);

/* Unmaps the ring and closes its event. */
void eventring_close(struct eventring *r);

/* What has come until now is read in this turn. Sets r->next and r->next_ns, as eventring_pass
 * does. */
void eventring_begin_turn(struct eventring *r);

/* Passes over the first record. The kernel may write over it from now on. */
void eventring_pass(struct eventring *r);

/* The process that the first record is about. */
pid_t eventring_process(const struct eventring *r);

/* The first record's body, without its header: borrowed from the ring until eventring_pass or,
 * where it goes round the ring's end, copied to `room`, which has EVENTRING_RECORD_MOST bytes. */
const uint8_t *eventring_body(const struct eventring *r, uint8_t *room, size_t *len);

/* Does a record that is not read yet tell that the process has executed a program? */
bool eventring_tells_exec(const struct eventring *r, pid_t pid);

#endif
