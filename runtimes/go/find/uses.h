/*
 * The uses of variables in a function's code, in their order.
 *
 * For cases where the reference alone is not enough (runtimes/go/find/refs.h): many functions refer
 * to many variables, but a particular variable is loaded in one, compared with 2 in another, and
 * stored right after another variable in a third.
 */
#ifndef RUNTIMES_GO_FIND_USES_H
#define RUNTIMES_GO_FIND_USES_H

#include <stddef.h>
#include <stdint.h>

struct gopclntab;
struct image;

enum gouse_kind {
	GOUSE_ADDRESS = 1, /* lea: its address is taken, including for atomic operations */
	GOUSE_LOAD,	   /* mov to a register, extended or not */
	GOUSE_STORE,	   /* mov from a register or an immediate */
	GOUSE_COMPARE,	   /* compared with the immediate `number` */
	GOUSE_OTHER,	   /* any other: add, inc, xchg, comparison with a register */
	GOUSE_NUMBER,	   /* not a variable: a register is compared with `number` */
};

struct gouse {
	uint64_t address; /* image address in a writable segment; 0 with GOUSE_NUMBER */
	int64_t number;
	enum gouse_kind kind;
};

struct gouses {
	struct gouse *all; /* owned */
	size_t count, room;
};

/* Fills uses[i] for each function. It is empty for a function that does not exist or has too much
 * code. `image` is the table's. Only x86-64 code is understood. ERR_NOMEM. The caller calls
 * gouses_release in either case. */
int gouses_load(struct gouses *uses, struct gopclntab *t, const struct image *image,
		const char *const *functions, size_t count);
void gouses_release(struct gouses *uses, size_t count);

#endif
