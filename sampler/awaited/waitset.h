/*
 * What the waits of a round are for, each kept once. A stack's context refers to one by its number.
 *
 * A server with ten thousand connections has few of them: looks are brief (awaited.h), and beyond
 * WAITSET_MOST only the kind is kept. What a descriptor is, is asked once: the text of its link
 * names the socket, pipe or file. A set of descriptors may change: it is asked about again each
 * second.
 */
#ifndef SAMPLER_AWAITED_WAITSET_H
#define SAMPLER_AWAITED_WAITSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/hashindex.h"
#include "sampler/awaited/awaited.h"

enum { WAITSET_MOST = 1000 };

struct waitset_entry {
	enum awaited_kind kind;
	bool idle;	    /* waits for work */
	const char *object; /* "10.0.3.7:5432", a path; NULL: not known, or too many. Any bytes */
};

struct waitset {
	struct awaits *awaits; /* NULL: nothing is looked at */
	struct waitset_entry *entries;
	uint32_t count;
	size_t room;
	struct hashindex index;
	struct arena arena; /* objects */
	struct waitset_seen {
		uint64_t key; /* of a process's descriptor */
		uint64_t until_ns;
		uint32_t number;
	} *seen;
	uint32_t seen_count;
	size_t seen_room;
	struct hashindex seen_index;
};

/* Without peers addresses and paths are left out. {0} is a set that stays empty. ERR_NOMEM. */
int waitset_init(struct waitset *s, bool peers);
void waitset_release(struct waitset *s);

/* Finds what thread `tid` of the process waits for in `call`, as awaited_look; *number is its index
 * + 1, 0: not known. ERR_NOMEM. */
int waitset_look(struct waitset *s, const struct process *process, pid_t tid, char state,
		 const struct call *call, uint32_t *number);

/* The entry of a number. */
const struct waitset_entry *waitset_get(const struct waitset *s, uint32_t number);

#endif
