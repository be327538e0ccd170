#include "goruntime/gofields.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "goruntime/goruntime.h"
#include "goruntime/gotypes.h"

struct field {
	size_t to; /* in struct gofields */
	const char *name, *within; /* `within`: a field of the struct that this field is */
	bool optional;
};

#define OF(member) offsetof(struct gofields, member)

static const struct field of_g[] = {
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
};

static const struct field of_m[] = {
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

static const struct field of_profile[] = {
	{ OF(profile.name), "name", NULL, false },
	{ OF(profile.stacks), "m", NULL, false },
	{ OF(profile.count), "count", NULL, false },
	{ OF(profile.write), "write", NULL, false },
};

static bool find(const struct gotypes *t, uint64_t type, const struct field *f, uint32_t *offset)
{
	uint64_t inner;
	uint32_t at;

	if (!gotypes_field(t, type, f->name, offset, &inner))
		return false;
	if (!f->within)
		return true;
	at = *offset;
	if (!gotypes_field(t, inner, f->within, offset, NULL))
		return false;
	*offset += at;
	return true;
}

static const char *find_all(struct gofields *fields, const struct gotypes *t, uint64_t type,
			    const struct field *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t *offset = (uint32_t *)(void *)((char *)fields + list[i].to);

		if (find(t, type, &list[i], offset))
			continue;
		if (!list[i].optional)
			return list[i].name;
		*offset = GO_NO_FIELD;
	}
	return NULL;
}

/* g begins with stack, two words, and stackguard0, in every release: that shows how offsets
 * are written. */
static bool learn_shift(struct gotypes *t, uint64_t g)
{
	uint32_t guard;

	t->shift = 0;
	if (!gotypes_field(t, g, "stackguard0", &guard, NULL) || (guard != 16 && guard != 32))
		return false;
	t->shift = guard == 32;
	return true;
}

int gofields_find(struct gofields *f, struct gotypes *t, struct error *err)
{
	uint64_t g = gotypes_struct(t, "runtime.g"), m = gotypes_struct(t, "runtime.m");
	uint64_t profile = gotypes_struct(t, "pprof.Profile");
	uint64_t bubble = gotypes_struct(t, "runtime.synctestBubble");
	const char *missing;

	memset(f, 0xff, sizeof(*f)); /* GO_NO_FIELD */
	if (!g || !m || !learn_shift(t, g))
		return error_set(err, ERR_FORMAT, "the types of Go's runtime are not found in the program");
	missing = find_all(f, t, g, of_g, sizeof(of_g) / sizeof(*of_g));
	if (!missing)
		missing = find_all(f, t, m, of_m, sizeof(of_m) / sizeof(*of_m));
	if (missing)
		return error_set(err, ERR_FORMAT, "Go's runtime has no field '%s' in this program", missing);
	f->g.bytes = gotypes_size(t, g);
	f->m.bytes = gotypes_size(t, m);
	if (!bubble || !gotypes_field(t, bubble, "id", &f->bubble.id, NULL))
		f->bubble.id = GO_NO_FIELD;
	if (profile && !find_all(f, t, profile, of_profile, sizeof(of_profile) / sizeof(*of_profile)))
		f->profile.bytes = gotypes_size(t, profile);
	else
		memset(&f->profile, 0xff, sizeof(f->profile));
	return 0;
}
