/*
 * What a function's code does with variables, in its order.
 *
 * Where it is not enough that a function names a variable (goruntime/gorefs.h): many are named
 * by many, but one is loaded here, compared with 2 there, and stored right after another.
 */
#ifndef GORUNTIME_GOUSES_H
#define GORUNTIME_GOUSES_H

#include <stddef.h>
#include <stdint.h>

struct gopclntab;
struct image;

enum gouse_kind {
	GOUSE_ADDRESS = 1, /* lea: its address is taken, also for atomic operations */
	GOUSE_LOAD,	   /* mov to a register, extended or not */
	GOUSE_STORE,	   /* mov from a register or of a number */
	GOUSE_COMPARE,	   /* with a number: `number` */
	GOUSE_OTHER,	   /* whatever else: add, inc, xchg, comparison with a register */
	GOUSE_NUMBER,	   /* no variable: a register is compared with `number` */
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

/* Fills uses[i] for each function; a function that is not there, or has too much code, does
 * nothing. `image` is the table's. Nothing is found but in x86-64 code. ERR_NOMEM; release in
 * any case. */
int gouses_load(struct gouses *uses, struct gopclntab *t, const struct image *image,
		const char *const *functions, size_t count);
void gouses_release(struct gouses *uses, size_t count);

#endif
