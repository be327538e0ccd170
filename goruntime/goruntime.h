/*
 * The Go runtime of a process: where its structures have what.
 *
 * Found from outside: which module has it, how its types g, m and gobuf are laid out
 * (goruntime/gotypes), and where a thread keeps the g that it runs.
 */
#ifndef GORUNTIME_GORUNTIME_H
#define GORUNTIME_GORUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "goruntime/gotypes.h" /* GO_NO_FIELD */

struct image;
struct memory;
struct modmap;

struct goruntime {
	const struct image *image; /* of the module with the runtime */
	uint64_t bias;	/* address in the process - image address */
	uint64_t gogo, gogo_end; /* image addresses; 0: not known */
	int64_t tls;	/* of the running g, from the thread pointer (fs_base) */
	/* Offsets in bytes. */
	struct { uint32_t m, sp, pc, bp; } g; /* the last three of sched */
	struct {
		uint32_t g0, gsignal, curg, ncgo, isextra, vdso_sp, vdso_pc, procid, alllink;
	} m;
	struct { uint32_t goid, labels; } who; /* of g; no labels where nothing sets any */
	/* isextra, procid, alllink, goid and labels may be GO_NO_FIELD. */
};

/* What is remembered from search to search; {0} at first. */
struct goruntime_search {
	uint8_t *rejected; /* by image id: it has no Go, or no runtime */
	size_t room;
};

void goruntime_search_release(struct goruntime_search *s);

/* Finds the runtime in a process with these maps, whose memory is read. ERR_NOTFOUND when
 * none of its modules is Go's; ERR_FORMAT for a runtime that is not understood, perhaps
 * because it has not been relocated yet; ERR_NOMEM. */
int goruntime_find(struct goruntime *rt, struct goruntime_search *s, const struct modmap *maps,
		   const struct memory *memory);

#endif
