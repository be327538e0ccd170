/*
 * Where the runtime's tables begin: the addresses of the variables from which its profiles are
 * read.
 *
 * They are found by the code that uses them, as in runtimes/go/find/vars.h, so that stripped
 * programs are read like any other. What the code does not tell is looked up in the symbol table.
 * What the linker has left out has no address: without pprof.Lookup there are no `profiles`.
 */
#ifndef RUNTIMES_GO_FIND_PLACES_H
#define RUNTIMES_GO_FIND_PLACES_H

#include <stdint.h>

struct gopclntab;
struct govars;
struct image;

/* Addresses in the process; 0: not found. */
struct goplaces {
	uint64_t all_gs;	     /* runtime.allgs: a slice of *g */
	uint64_t all_ms;	     /* runtime.allm: *m, linked by m.alllink */
	uint64_t heap, block, mutex; /* runtime.mbuckets, bbuckets, xbuckets: *bucket */
	uint64_t heap_cycle;	     /* runtime.mProfCycle; 1.18: runtime.mProf */
	uint64_t heap_lock;	     /* runtime.profMemActiveLock; 1.18: runtime.proflock: mutex */
	uint64_t heap_rate;	     /* runtime.MemProfileRate: int */
	uint64_t block_rate, mutex_rate; /* blockprofilerate, mutexprofilerate: uint64 */
	uint64_t ticks;			 /* runtime.ticks */
	uint64_t profiles;		 /* runtime/pprof.profiles.m: map[string]*Profile */
	uint64_t wait_reasons;		 /* runtime.waitReasonStrings: array of strings */
	uint64_t fing_status;		 /* runtime.fingStatus; 1.18: fingRunning: bool */
	uint64_t cache_alloc;	  /* runtime.mheap_.cachealloc: fixalloc; found by code only */
	uint64_t gc_cycles;	  /* runtime.work.cycles: uint32, cycles begun */
	uint64_t sweep_active;	  /* runtime.sweep.active.state: uint32 */
	uint64_t mem_profile_off; /* runtime.disableMemoryProfiling: bool */
};

/* Finds the places by the code only. `t` is the table of the image, which is mapped with this bias.
 * ERR_NOMEM. */
int goplaces_by_code(struct goplaces *p, struct gopclntab *t, const struct image *image,
		     uint64_t bias, const struct govars *vars);

/* Finds the places by the code, and the remaining ones by the symbols. ERR_NOMEM. */
int goplaces_find(struct goplaces *p, struct gopclntab *t, const struct image *image, uint64_t bias,
		  const struct govars *vars);

#endif
