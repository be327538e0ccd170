/*
 * Where the runtime's heap-allocated structures have what: g, m, runtime/pprof.Profile.
 *
 * Read from the type descriptors of the very program (goruntime/gotypes.h), which survive
 * stripping; so forks of Go that add fields are read right, too. What is never on Go's heap
 * is in goruntime/golayout.h.
 */
#ifndef GORUNTIME_GOFIELDS_H
#define GORUNTIME_GOFIELDS_H

#include <stdint.h>

struct error;
struct gotypes;

/* Offsets in bytes; GO_NO_FIELD (goruntime/gotypes.h) for what this release, or this program,
 * does not have. */
struct gofields {
	struct {
		uint32_t bytes; /* its size */
		uint32_t m, sp, pc, bp; /* the last three of sched; stack.lo, stack.hi are first */
		uint32_t syscall_sp, syscall_pc, status, goid, wait_since, wait_reason;
		uint32_t tracking_seq, locked_m, go_pc, start_pc, labels;
		uint32_t parent;	   /* parentGoid, from 1.21 on */
		uint32_t running_cleanups; /* from 1.24 or 1.25 on */
		uint32_t bubble;	   /* *synctestBubble, from 1.25 on */
		uint32_t ancestors;	   /* *[]ancestorInfo */
	} g;
	struct {
		uint32_t bytes, id, g0, gsignal, curg, procid, all_link, create_stack, vdso_sp, vdso_pc;
		uint32_t syscall_tick; /* differs from one system call to the next */
	} m;
	struct {
		uint32_t id;
	} bubble; /* runtime.synctestBubble; only in programs that have it */
	struct {
		uint32_t bytes, name, stacks /* m */, count, write;
	} profile; /* runtime/pprof.Profile; only in programs that use that package */
};

/* ERR_FORMAT: a field that every release has is missing; the message names it. `t` is loaded;
 * its shift is set here. */
int gofields_find(struct gofields *f, struct gotypes *t, struct error *err);

#endif
