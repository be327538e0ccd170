/*
 * The Go runtime of a process: the field offsets of its structures.
 *
 * Found from outside: the module that contains the runtime, the layout of its types g, m and gobuf
 * (runtimes/go/find/types.h), and where a thread keeps the g that it runs.
 */
#ifndef RUNTIMES_GO_FIND_RUNTIME_H
#define RUNTIMES_GO_FIND_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "runtimes/go/find/types.h" /* GO_NO_FIELD */

struct image;
struct memory;
struct modmap;

struct goruntime {
	const struct image *image; /* of the module with the runtime */
	uint64_t bias;		   /* address in the process - image address */
	uint64_t gogo, gogo_end;   /* image addresses; 0: not found */
	int64_t tls;		   /* of the running g; bytes from the thread pointer (fs_base) */
	/* Offsets in bytes. isextra, procid, alllink, goid and labels may be GO_NO_FIELD. */
	struct {
		uint32_t m, sp, pc, bp;
	} g; /* the last three of sched */
	struct {
		uint32_t g0, gsignal, curg, ncgo, isextra, vdso_sp, vdso_pc, procid, alllink;
	} m;
	struct {
		uint32_t goid, labels;
	} goroutine; /* of g; no labels where no function sets them */
};

/* Finds the runtime in a process with these maps and this memory. rt->image is borrowed from the
 * maps. ERR_NOTFOUND: none of its modules has a Go runtime; ERR_FORMAT: a runtime that is not
 * supported, or perhaps has not been relocated yet; ERR_NOMEM. That a file has none is noted in its
 * image (IMAGE_WITHOUT_GO), so it is opened once for all processes that map it. */
int goruntime_find(struct goruntime *rt, const struct modmap *maps, const struct memory *memory);

#endif
