/* A made-up Go program with functions that tracebacks treat specially, and a struct golive of
 * it. */
#ifndef TESTS_UNIT_GORUNTIME_GOTABLE_H
#define TESTS_UNIT_GORUNTIME_GOTABLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/gopclntab.h"
#include "base/process/image.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"
#include "tests/unit/base/process/goimage.h"

enum {
	WRAPPER_ID = 22, /* the function ID of wrappers in this program */
	TABLE_BIAS = 0x10000000,
};

enum table_function {
	GOEXIT,
	MAIN,
	RUN,
	FOREIGN,
	LAST,
	DEFERRETURN,
	WRAPPER,
	GOPANIC,
	SIGPANIC,
	PREEMPT,
	MOVES,
	CALLBACK,
	GENERIC,
	SYSTEM,
	FING,
	CLEANUPS,
	RUNTIME_MAIN,
	INLINES_WRAPPER,
	GOGO,
	TABLE_FUNCTIONS,
};

/* A struct of two bytes, an int32, an int passed in a register, a struct of an int, one that is too
 * far away, more than ten. */
static const uint8_t table_args[] = { 0xfe, 0,	  1,  1, 1,    0xfd, 4,	   4,	16,
				      8,    0xfe, 24, 8, 0xfd, 0xfb, 0xfc, 0xff };
static const uint8_t table_live[] = { 16, 2 }; /* from offset 16 on, only the second is live */

static const struct made_function table_functions[TABLE_FUNCTIONS] = {
	[GOEXIT] = { .name = "runtime.goexit", .flags = GO_TOP_FRAME | GO_ASSEMBLY },
	[MAIN] = { .name = "main.main", .depth = 0x80 },
	[RUN] = { .name = "main.(*T).run", .depth = 0x10, .inlined = "main.small" },
	[FOREIGN] = { .name = "c_code", .foreign = true },
	[LAST] = { .name = "main.last",
		   .depth = 24,
		   .args = { table_args, sizeof(table_args) },
		   .live = { table_live, sizeof(table_live) } },
	[DEFERRETURN] = { .name = "runtime.deferreturn", .depth = 8, .id = WRAPPER_ID },
	[WRAPPER] = { .name = "main.wrap", .depth = 8, .id = WRAPPER_ID },
	[GOPANIC] = { .name = "runtime.gopanic", .depth = 0x40 },
	[SIGPANIC] = { .name = "runtime.sigpanic", .depth = 8 },
	[PREEMPT] = { .name = "runtime.asyncPreempt.abi0", .depth = 16 },
	[MOVES] = { .name = "runtime.mcall", .depth = 8, .flags = GO_SP_WRITE },
	[CALLBACK] = { .name = "runtime.cgocallback", .depth = 8, .flags = GO_SP_WRITE },
	[GENERIC] = { .name = "main.F[go.shape.int]", .depth = 8 },
	[SYSTEM] = { .name = "runtime.bgsweep", .depth = 8 },
	[FING] = { .name = "runtime.runfinq", .depth = 8 },
	[CLEANUPS] = { .name = "runtime.runCleanups", .depth = 8 },
	[RUNTIME_MAIN] = { .name = "runtime.main", .depth = 8 },
	[INLINES_WRAPPER] = { .name = "main.outer",
			      .depth = 8,
			      .inlined = "main.(*O).Do",
			      .inlined_id = WRAPPER_ID },
	[GOGO] = { .name = "gogo", .flags = GO_SP_WRITE },
};

/* The address in the process of a byte of a function. */
static inline uint64_t table_pc(enum table_function f, unsigned byte)
{
	return TABLE_BIAS + MADE_TEXT + f * MADE_FUNCTION + byte;
}

static inline bool table_open(struct golive *live, struct image **image, const char *version)
{
	const struct golayout *layout = golayout_of(version);
	enum go_format format = layout && layout->minor < 20 ? GO_1_18 : GO_1_20;
	uint8_t *file = made_file(format, table_functions, TABLE_FUNCTIONS);
	bool opened = !image_open_bytes(file, MADE_END, "/made/here", image, NULL);

	free(file);
	memset(live, 0, sizeof(*live));
	live->rt.image = *image;
	live->rt.bias = TABLE_BIAS;
	live->vars.layout = layout;
	return opened && !gopclntab_open(*image, &live->table);
}

static inline void table_close(struct golive *live, struct image *image)
{
	gopclntab_close(live->table);
	image_free(image);
}

#endif
