/*
 * The names of functions that no symbol names: by module and by where they begin in the unwind
 * table ("nginx!fun_54130"), if that is unknown, too, by module and address ("nginx+0x54137"). All
 * that shows such a function has its name from here.
 */
#ifndef UNWIND_TABLE_UNNAMED_H
#define UNWIND_TABLE_UNNAMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi_starts;
struct image;

/* Where functions begin, by image. {0} is to be passed to unnamed_init. */
struct unnamed {
	struct cfi_starts **starts; /* by image id; NULL: not needed yet */
	size_t count;
};

/* For images with ids below `count`. The caller calls unnamed_release, after an error too.
 * ERR_NOMEM. */
int unnamed_init(struct unnamed *u, size_t count);
void unnamed_release(struct unnamed *u);

/* Sets *start to the image address where the function at `addr` begins; 0: not known. *nameless: it
 * is a function without a symbol. A stub of a procedure linkage table has no symbol in any file, so
 * it is not nameless. ERR_NOMEM. */
int unnamed_start(struct unnamed *u, const struct image *image, uint64_t addr, uint64_t *start,
		  bool *nameless);

/* Writes the name and returns `text`. `image` NULL: "[unknown]"; start 0: not known. */
enum { UNNAMED_TEXT = 512 };
const char *unnamed_text(const struct image *image, uint64_t addr, uint64_t start,
			 char text[UNNAMED_TEXT]);

#endif
