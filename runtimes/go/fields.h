/*
 * The field offsets of the runtime's heap-allocated structures: g, m, runtime/pprof.Profile.
 *
 * They are read from the type descriptors in the program itself (runtimes/go/find/types.h), which
 * survive stripping. So they are right for forks of Go that add fields, too. Structures that are
 * never on Go's heap are in runtimes/go/find/layout.h.
 */
#ifndef RUNTIMES_GO_FIELDS_H
#define RUNTIMES_GO_FIELDS_H

#include <stdint.h>

struct error;
struct gotypes;

/* Offsets in bytes; GO_NO_FIELD (runtimes/go/find/types.h) for a field that this release, or this
 * program, does not have. */
struct gofields {
	struct {
		uint32_t bytes;		/* size of a g */
		uint32_t m, sp, pc, bp; /* the last three of sched; stack.lo, stack.hi are first */
		uint32_t syscall_sp, syscall_pc, status, goid, wait_since, wait_reason;
		uint32_t tracking_seq, locked_m, go_pc, start_pc, labels;
		uint32_t parent;	   /* parentGoid, since 1.21 */
		uint32_t running_cleanups; /* since 1.24 or 1.25 */
		uint32_t bubble;	   /* *synctestBubble, since 1.25 */
		uint32_t ancestors;	   /* *[]ancestorInfo */
	} g;
	struct {
		uint32_t bytes, id, g0, gsignal, curg, procid, all_link, create_stack, vdso_sp,
			vdso_pc;
		uint32_t syscall_tick; /* differs from one system call to the next */
	} m;
	struct {
		uint32_t id;
	} bubble; /* runtime.synctestBubble; only in programs that have it */
	struct {
		uint32_t bytes, name, stacks /* m */, write;
	} profile; /* runtime/pprof.Profile; only in programs that use that package */
};

/* ERR_FORMAT: a field that every release has is missing; the message names it. `t` must be loaded;
 * its shift is set here. */
int gofields_find(struct gofields *f, struct gotypes *t, struct error *err);

#endif
