/*
 * Where the runtime's variables are, found by the code that uses them.
 *
 * A stripped program has no symbols of variables, but functions keep their names
 * (target/gopclntab.h), and their code names variables by their distance. Which function
 * uses which fields of which structure is known; so a structure is at the one address for
 * which all of these are there. That also shows that the fields are where we believe.
 */
#ifndef GORUNTIME_GOREFS_H
#define GORUNTIME_GOREFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gopclntab;
struct image;

enum { GO_CLUE_FIELDS = 6 };

/* Addresses that the code of one function names, as far as they are variables'. */
struct gorefs {
	uint64_t *all; /* image addresses; owned */
	size_t count, room;
};

/* A function's fields: their distances from the structure's start. */
struct goclue {
	const struct gorefs *refs; /* the function's */
	unsigned count;
	uint32_t fields[GO_CLUE_FIELDS];
};

/* Fills refs[i] for each function; a function that is not there, or has too much code, names
 * nothing. `image` is the table's. ERR_NOMEM; release in any case. */
int gorefs_load(struct gorefs *refs, struct gopclntab *t, const struct image *image,
		const char *const *functions, size_t count);
void gorefs_release(struct gorefs *refs, size_t count);

/* Calls `each` with the code of each function that is there, in any order; not with what is more
 * than 64 KB. ERR_NOMEM, and what it returned. */
typedef int gorefs_code(void *ctx, size_t function, uint64_t entry, const uint8_t *code, size_t len);
int gorefs_codes(struct gopclntab *t, const char *const *functions, size_t count,
		 gorefs_code *each, void *ctx);

/* Is there a variable at an image address, or could there be? */
bool gorefs_variable(const struct image *image, uint64_t addr);

/* The image address of the structure (a multiple of 8) to which all clues lead. 0;
 * ERR_NOTFOUND when there is none, or more than one. */
int gorefs_find(const struct goclue *clues, size_t count, uint64_t *address);

#endif
