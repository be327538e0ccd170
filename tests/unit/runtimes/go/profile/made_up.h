/*
 * A program that does not exist: main.main calls main.outer, into which main.middle and
 * main.inner are inlined; main.again calls itself. Each function has 0x100 bytes.
 */
#ifndef TESTS_UNIT_GOPROFILE_MADE_UP_H
#define TESTS_UNIT_GOPROFILE_MADE_UP_H

#include <string.h>

#include "base/error.h"
#include "runtimes/go/session/pcframes.h"
#include "runtimes/go/stacks/callers.h"

enum {
	INNER = 0x1011,	 /* a call in main.inner, inlined into main.middle */
	MIDDLE = 0x1021, /* the inlined call of it, in main.middle, inlined into main.outer */
	OUTER = 0x1031,	 /* the inlined call of that, in main.outer */
	MAIN = 0x2041,
	AGAIN = 0x3051,
	MALLOC = 0x4061, /* runtime.mallocgc */
	MAPS = 0x5071,	 /* internal/runtime/maps.grow */
	EXIT = 0x6081,	 /* runtime.goexit */
	GENERIC = 0x7091,
	GENERIC_IN = 0x7011, /* another instance, inlined into GENERIC */
	FOREIGN = 0x90000,
};

static const struct made_up_frame {
	uint64_t pc;
	struct gocallers_frame frame;
} made_up[] = {
	{ INNER, { "main.inner", "/src/a.go", 11, 10, 0x1000, true } },
	{ MIDDLE, { "main.middle", "/src/a.go", 21, 20, 0x1000, true } },
	{ OUTER, { "main.outer", "/src/a.go", 31, 30, 0x1000, false } },
	{ MAIN, { "main.main", "/src/main.go", 41, 40, 0x2000, false } },
	{ AGAIN, { "main.again", "/src/main.go", 51, 50, 0x3000, false } },
	{ MALLOC, { "runtime.mallocgc", "/go/malloc.go", 61, 60, 0x4000, false } },
	{ MALLOC + 1, { "runtime.mallocgc", "/go/malloc.go", 61, 60, 0x4000, false } },
	{ MAPS, { "internal/runtime/maps.grow", "/go/maps.go", 71, 70, 0x5000, false } },
	{ MAPS + 1, { "internal/runtime/maps.grow", "/go/maps.go", 71, 70, 0x5000, false } },
	{ EXIT, { "runtime.goexit", "/go/asm.s", 81, 80, 0x6000, false } },
	{ EXIT + 1, { "runtime.goexit", "/go/asm.s", 81, 80, 0x6000, false } },
	{ GENERIC_IN, { "main.F[go.shape.string]", "/src/g.go", 91, 90, 0x7000, true } },
	{ GENERIC, { "main.F[go.shape.int]", "/src/g.go", 92, 90, 0x7000, false } },
};

static inline bool made_up_frame(void *ctx, uint64_t pc, struct gocallers_frame *f)
{
	(void)ctx;
	for (size_t i = 0; i < sizeof(made_up) / sizeof(made_up[0]); i++)
		if (made_up[i].pc == pc) {
			*f = made_up[i].frame;
			return true;
		}
	return false;
}

/* The logical frames of the physical frame of main.outer, from `pc` on. */
static inline int made_up_expand(void *ctx, uint64_t pc, uint64_t *pcs, size_t room, size_t *count)
{
	static const uint64_t all[] = { INNER, MIDDLE, OUTER };

	(void)ctx;
	*count = 0;
	for (size_t i = 0; i < 3 && *count < room; i++)
		if (*count || all[i] == pc)
			pcs[(*count)++] = all[i];
	return 0;
}

static inline void made_up_init(struct pcframes *frames, unsigned minor)
{
	struct pcframes_source source = { .frame = made_up_frame,
					  .expand = made_up_expand,
					  .minor = minor };

	pcframes_init(frames, &source);
}

#endif
