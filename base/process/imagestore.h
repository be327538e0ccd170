/* The images of one or several maps (modmap.h): each file that is mapped is opened once. */
#ifndef BASE_PROCESS_IMAGESTORE_H
#define BASE_PROCESS_IMAGESTORE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/process/mapping.h"

struct image;
struct maps_line;
struct process;

/* Where an image was first seen. */
struct imageorigin {
	const struct process *process; /* NULL: all have it */
	uint64_t inode;
	dev_t dev;
	struct mapping first; /* set by the map */
};

struct imagestore {
	struct image **images;	     /* by image_id; owned */
	struct imageorigin *origins; /* parallel to images */
	size_t count, room, origin_room;
	unsigned users; /* maps */
};

/* One map less uses the store. The last one frees it. */
void imagestore_leave(struct imagestore *s);

/* Takes over the image, which has that origin; frees it when out of memory (ERR_NOMEM). */
int imagestore_keep(struct imagestore *s, struct image *image, const struct imageorigin *origin);

/* The image of a line of the process's maps, which is opened if it is not known. It belongs to the
 * store. NULL: out of memory. */
struct image *imagestore_of(struct imagestore *s, const struct process *process,
			    const struct maps_line *line);

#endif
