/*
 * The interpreted functions of a round or a dump: each distinct place, a line of a function, has a
 * number.
 *
 * A frame of a stack is an image and an address. An interpreted one is the image "[python]" (or
 * "[ruby]", "[php]") and the number of its place. So stacks are kept, merged and counted like all
 * others, and processes that run the same program share their places.
 */
#ifndef RUNTIMES_NAMES_H
#define RUNTIMES_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "base/strset.h"

struct image;
struct modmap;

enum { INTERP_LANGUAGES = 7 };

struct interp_function {
	uint32_t name, file; /* in interp_names.texts */
	uint32_t first_line;
	uint32_t line, column; /* 0: not known */
	uint32_t language;     /* index into interp_names.images */
};

struct interp_names {
	struct modmap *maps;			      /* borrowed: it owns the images */
	const struct image *images[INTERP_LANGUAGES]; /* NULL: not met yet */
	struct strset texts;
	struct interp_function *places;
	uint32_t count;
	size_t room;
	struct hashindex index;
	uint64_t serial; /* differs for any two */
};

/* For the processes whose maps share their images with `maps`. ERR_NOMEM. */
int interp_names_init(struct interp_names *n, struct modmap *maps);
void interp_names_release(struct interp_names *n);

/* The image of the language whose mapping has this name. ERR_NOMEM. */
int interp_names_language(struct interp_names *n, const char *mapping, uint32_t *language);

/* The number of a place. ERR_NOMEM. */
int interp_names_place(struct interp_names *n, const struct interp_function *f, uint32_t *place);

/* The number of a place that says `text` instead of a function's name: "[unknown]". ERR_NOMEM. */
int interp_names_special(struct interp_names *n, const char *text, uint32_t language,
			 uint32_t *place);

/* The place of a frame; NULL: it is no interpreted one. Borrowed until a place is added. */
const struct interp_function *interp_names_find(const struct interp_names *n,
						const struct image *image, uint64_t addr);

#endif
