/* Finds the variables of a Go runtime in a process, as far as its counters need them. */
#ifndef RUNTIMES_GO_FIND_VARS_H
#define RUNTIMES_GO_FIND_VARS_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct golayout;
struct image;
struct memory;
struct process;

enum { GO_VERSION_BYTES = 64 };

struct govars {
	char version[GO_VERSION_BYTES]; /* as runtime.Version returns it, cut; printable */
	const struct golayout *layout;
	/* Addresses in the process; 0: not found. */
	uint64_t memstats, pacer, sched; /* runtime.memstats, gcController, sched */
	uint64_t allp, allgs;		 /* runtime.allp, allgs: slices */
	/* Offsets in runtime.p; GO_NO_FIELD: not known. mcache; the number of free gs. */
	uint32_t p_mcache, p_free;
};

/* Finds the variables in a process and its memory. ERR_NOTFOUND: it is not a Go program;
 * ERR_FORMAT: it is not supported, or perhaps has not been relocated yet; ERR_PERM, ERR_GONE,
 * ERR_NOMEM. */
int govars_find(struct govars *v, const struct process *process, const struct memory *memory,
		struct error *err);

/* The same for an image of a Go program that is mapped with this bias. */
int govars_of_image(struct govars *v, const struct image *image, uint64_t bias,
		    const struct memory *memory, struct error *err);

/* The number of GC cycles that have ended. It is incremented while the world is stopped, before any
 * object that was found dead is freed (runtime/mgc.go, gcMarkTermination). So if this number is the
 * same before a pointer in use is read and after the object to which it leads is read, that object
 * was not freed in between. False: it is not known. */
bool govars_gc_count(const struct govars *v, const struct memory *memory, uint32_t *count);

#endif
