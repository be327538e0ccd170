/* Each image with the function runtime.morestack is tried. Its first instructions tell where a
 * thread keeps its g, and the live types tell the offsets; both must be found. */
#include "runtimes/go/find/runtime.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/process/gomodule.h"
#include "base/process/gopclntab.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "runtimes/go/find/types.h"

enum { CODE_BYTES = 48, TLS_FAR = 1 << 20 };

static const char MARK[] = "runtime.morestack"; /* in every runtime, and not in plugins */

#define OF(member) offsetof(struct goruntime, member)

static const struct gotypes_want of_g[] = {
	{ OF(g.m), "m", NULL, false },
	{ OF(g.sp), "sched", "sp", false },
	{ OF(g.pc), "sched", "pc", false },
	{ OF(g.bp), "sched", "bp", false },
	{ OF(goroutine.goid), "goid", NULL, true },
	{ OF(goroutine.labels), "labels", NULL, true },
};

static const struct gotypes_want of_m[] = {
	{ OF(m.g0), "g0", NULL, false },	  { OF(m.gsignal), "gsignal", NULL, false },
	{ OF(m.curg), "curg", NULL, false },	  { OF(m.ncgo), "ncgo", NULL, false },
	{ OF(m.vdso_sp), "vdsoSP", NULL, false }, { OF(m.vdso_pc), "vdsoPC", NULL, false },
	{ OF(m.isextra), "isextra", NULL, true }, /* 1.16 has none */
	{ OF(m.procid), "procid", NULL, true },	  { OF(m.alllink), "alllink", NULL, true },
};

static bool find_runtime_find_fields(struct goruntime *rt, struct gotypes *t)
{
	uint64_t g = gotypes_struct(t, "runtime.g"), m = gotypes_struct(t, "runtime.m");
	uint32_t stack;

	return g && m && gotypes_learn_shift(t, g) && gotypes_field(t, g, "stack", &stack, NULL) &&
	       !stack && !gotypes_fields(t, g, of_g, sizeof(of_g) / sizeof(*of_g), rt) &&
	       !gotypes_fields(t, m, of_m, sizeof(of_m) / sizeof(*of_m), rt);
}

/*
 * Only the code tells where the running g is stored, in particular where symbols are stripped and C
 * has thread-local variables, too. runtime.morestack begins by loading it, in one of the ways of
 * the ABI ("ELF Handling For Thread-Local Storage", 4.4.6 and 4.4.7, and what linkers make of
 * them):
 *   mov %fs:OFFSET,%reg
 *   mov $OFFSET,%rcx; mov %fs:(%rcx),%reg
 *   mov DISTANCE(%rip),%rcx; mov %fs:(%rcx),%reg
 */
static bool find_tls(struct goruntime *rt, struct gopclntab *t, const struct go_function *f,
		     uint64_t bias, const struct memory *memory)
{
	uint8_t code[CODE_BYTES];
	int32_t number;

	if (!gopclntab_code(t, f->entry, code, sizeof(code)))
		return false;
	for (unsigned i = 0; i + 12 < sizeof(code); i++) {
		const uint8_t *c = code + i;

		if (c[0] == 0x64 && (c[1] & 0xfb) == 0x48 && c[2] == 0x8b && (c[3] & 0xc7) == 4 &&
		    c[4] == 0x25) {
			memcpy(&number, c + 5, sizeof(number));
			rt->tls = number;
			return true;
		}
		if (c[0] != 0x48 || c[7] != 0x64 || c[9] != 0x8b)
			continue;
		memcpy(&number, c + 3, sizeof(number));
		rt->tls = number;
		if (c[1] == 0xc7 && c[2] == 0xc1)
			return true;
		if (c[1] == 0x8b && c[2] == 0x0d)
			return !memory_read_u64(memory,
						f->entry + bias + i + 7 + (uint64_t)(int64_t)number,
						(uint64_t *)&rt->tls);
	}
	return false;
}

static int understand(struct goruntime *rt, struct gopclntab *t, const struct go_function *f,
		      uint64_t bias, const struct memory *memory)
{
	struct gotypes types;
	int rc = gotypes_load(&types, gopclntab_module(t), bias, memory);

	if (rc)
		return rc;
	if (!find_runtime_find_fields(rt, &types) || !find_tls(rt, t, f, bias, memory) ||
	    rt->tls > TLS_FAR || rt->tls < -TLS_FAR)
		rc = ERR_FORMAT;
	gotypes_release(&types);
	return rc;
}

/* Tries one image. ERR_NOTFOUND: its file does not contain the runtime. */
static int try_image(struct goruntime *rt, const struct image *image, uint64_t bias,
		     const struct memory *memory)
{
	struct go_function f;
	struct gopclntab *t;
	int rc = gopclntab_open(image, &t);

	if (rc)
		return rc == ERR_NOMEM ? rc : ERR_NOTFOUND;
	memset(rt, 0, sizeof(*rt));
	rt->image = image;
	rt->bias = bias;
	rc = gopclntab_named(t, MARK, &f) ? understand(rt, t, &f, bias, memory) : ERR_NOTFOUND;
	/* 1.17 split gogo into two functions, of which the second changes stacks. */
	if (!rc && (gopclntab_named(t, "gogo", &f) || gopclntab_named(t, "runtime.gogo", &f))) {
		rt->gogo = f.entry;
		rt->gogo_end = f.end;
	}
	/* The linker leaves this function out of programs that do not use it. */
	if (!rc && !gopclntab_named(t, "runtime/pprof.runtime_setProfLabel", &f))
		rt->goroutine.labels = GO_NO_FIELD;
	gopclntab_close(t);
	return rc;
}

int goruntime_find(struct goruntime *rt, const struct modmap *maps, const struct memory *memory)
{
	size_t count;
	struct image *const *images = modmap_images(maps, &count);
	int rc, found = ERR_NOTFOUND;

	for (size_t i = 0; i < count; i++) {
		const struct mapping *range = modmap_range_of(maps, images[i]);

		if (!range || *image_notes(images[i]) & IMAGE_WITHOUT_GO)
			continue;
		rc = try_image(rt, images[i], range->bias, memory);
		if (!rc || rc == ERR_NOMEM)
			return rc;
		if (rc == ERR_NOTFOUND)
			*image_notes(images[i]) |= IMAGE_WITHOUT_GO;
		else
			found = ERR_FORMAT;
	}
	return found;
}
