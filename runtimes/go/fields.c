/* Each field is a row: its place in struct gofields, its name in Go, and whether some releases lack
 * it. One that must be there and is not is reported by its name. */
#include "runtimes/go/fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "runtimes/go/find/types.h"

#define OF(member) offsetof(struct gofields, member)

static const struct gotypes_want of_g[] = {
	{ OF(g.m), "m", NULL, false },
	{ OF(g.sp), "sched", "sp", false },
	{ OF(g.pc), "sched", "pc", false },
	{ OF(g.bp), "sched", "bp", false },
	{ OF(g.syscall_sp), "syscallsp", NULL, false },
	{ OF(g.syscall_pc), "syscallpc", NULL, false },
	{ OF(g.status), "atomicstatus", NULL, false },
	{ OF(g.goid), "goid", NULL, false },
	{ OF(g.wait_since), "waitsince", NULL, false },
	{ OF(g.wait_reason), "waitreason", NULL, false },
	{ OF(g.tracking_seq), "trackingSeq", NULL, false },
	{ OF(g.locked_m), "lockedm", NULL, false },
	{ OF(g.go_pc), "gopc", NULL, false },
	{ OF(g.start_pc), "startpc", NULL, false },
	{ OF(g.labels), "labels", NULL, false },
	{ OF(g.parent), "parentGoid", NULL, true },
	{ OF(g.running_cleanups), "runningCleanups", NULL, true },
	{ OF(g.bubble), "bubble", NULL, true },
	{ OF(g.ancestors), "ancestors", NULL, true },
};

static const struct gotypes_want of_m[] = {
	{ OF(m.id), "id", NULL, false },
	{ OF(m.g0), "g0", NULL, false },
	{ OF(m.gsignal), "gsignal", NULL, false },
	{ OF(m.curg), "curg", NULL, false },
	{ OF(m.procid), "procid", NULL, false },
	{ OF(m.all_link), "alllink", NULL, false },
	{ OF(m.create_stack), "createstack", NULL, false },
	{ OF(m.vdso_sp), "vdsoSP", NULL, false },
	{ OF(m.vdso_pc), "vdsoPC", NULL, false },
	{ OF(m.syscall_tick), "syscalltick", NULL, true },
};

static const struct gotypes_want of_profile[] = {
	{ OF(profile.name), "name", NULL, false },
	{ OF(profile.stacks), "m", NULL, false },
	{ OF(profile.write), "write", NULL, false },
};

#define FIND(t, type, list, into) \
	gotypes_fields(t, type, list, sizeof(list) / sizeof(*(list)), into)

int gofields_find(struct gofields *f, struct gotypes *t, struct error *err)
{
	uint64_t g = gotypes_struct(t, "runtime.g"), m = gotypes_struct(t, "runtime.m");
	uint64_t profile = gotypes_struct(t, "pprof.Profile");
	uint64_t bubble = gotypes_struct(t, "runtime.synctestBubble");
	const char *missing;

	memset(f, 0xff, sizeof(*f)); /* GO_NO_FIELD */
	if (!g || !m || !gotypes_learn_shift(t, g))
		return error_set(err, ERR_FORMAT,
				 "the types of Go's runtime are not found in the program");
	missing = FIND(t, g, of_g, f);
	if (!missing)
		missing = FIND(t, m, of_m, f);
	if (missing)
		return error_set(err, ERR_FORMAT, "Go's runtime has no field '%s' in this program",
				 missing);
	f->g.bytes = gotypes_size(t, g);
	f->m.bytes = gotypes_size(t, m);
	if (!bubble || !gotypes_field(t, bubble, "id", &f->bubble.id, NULL))
		f->bubble.id = GO_NO_FIELD;
	if (profile && !FIND(t, profile, of_profile, f))
		f->profile.bytes = gotypes_size(t, profile);
	else
		memset(&f->profile, 0xff, sizeof(f->profile));
	return 0;
}
