/*
 * Go's compiler puts no data between instructions, so a function's code is decoded from its first
 * byte to its last. A byte that does not begin an instruction is skipped.
 */
#include "runtimes/go/find/uses.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "runtimes/go/find/insn.h"
#include "runtimes/go/find/refs.h"

struct uses_reading {
	struct gouses *uses;
	const struct image *image;
};

static int uses_add(const struct uses_reading *r, size_t function, const struct gouse *use)
{
	struct gouses *u = &r->uses[function];

	if (use->kind != GOUSE_NUMBER && !gorefs_variable(r->image, use->address))
		return 0;
	if (room_for((void **)&u->all, &u->room, u->count + 1, sizeof(*u->all)))
		return ERR_NOMEM;
	u->all[u->count++] = *use;
	return 0;
}

static int uses_read_code(void *ctx, size_t function, uint64_t entry, const uint8_t *code,
			  size_t len)
{
	const struct uses_reading *r = ctx;
	size_t at = 0;
	int rc = 0;

	while (at < len && !rc) {
		struct gouse use = { 0 };

		at += goinsn_use(code + at, len - at, entry + at, &use);
		if (use.kind)
			rc = uses_add(r, function, &use);
	}
	return rc;
}

int gouses_load(struct gouses *uses, struct gopclntab *t, const struct image *image,
		const char *const *functions, size_t count)
{
	struct uses_reading r = { uses, image };

	memset(uses, 0, count * sizeof(*uses));
	return gorefs_codes(t, functions, count, uses_read_code, &r);
}

void gouses_release(struct gouses *uses, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(uses[i].all);
	memset(uses, 0, count * sizeof(*uses));
}
