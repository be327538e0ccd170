/*
 * The address ranges of a process and their images.
 *
 * Only executable ranges are kept. Memory to which a file's text was moved counts as that file's.
 * The map owns its images. An image lives as long as the map, also after the target has unmapped
 * it, because earlier stacks point to it. The generation changes with every refresh that changed a
 * range; caches keyed by absolute address must be dropped then.
 */
#ifndef BASE_PROCESS_MODMAP_H
#define BASE_PROCESS_MODMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process/mapping.h"

struct error;
struct image;
struct modmap;
struct process;
struct spans;

/* Makes an empty map. `process` is the process whose maps modmap_refresh reads; it is not owned and
 * may be NULL in tests. ERR_NOMEM. */
int modmap_new(struct modmap **m, const struct process *process);

/* The same, sharing the images of another map: a file that both have mapped is one image, and
 * image_id counts the images of both. They may be freed in any order. */
int modmap_new_beside(struct modmap **m, const struct process *process, struct modmap *other);
void modmap_free(struct modmap *m);

/* Reads the process's maps again, also after it has executed another program. ERR_GONE when it has
 * ended, ERR_PERM, ERR_IO, ERR_FORMAT, ERR_NOMEM. On error the old ranges stay. */
int modmap_refresh(struct modmap *m, struct error *err);

/* Adds one range by hand, for tests and recorded stacks. The map takes over the image. Ranges must
 * not overlap. ERR_NOMEM. */
int modmap_add(struct modmap *m, const struct mapping *range);

/* Takes over an image that is mapped nowhere. ERR_NOMEM: the image is freed. */
int modmap_keep(struct modmap *m, struct image *image);

/* The executable range that holds the address, or NULL. Valid until the next refresh. */
const struct mapping *modmap_find(const struct modmap *m, uint64_t addr);

/* The lowest range at which an image is mapped now, or NULL. Valid until the next refresh. */
const struct mapping *modmap_range_of(const struct modmap *m, const struct image *image);

/* The image with a variable at this address: a writable segment of the image holds it. *at is its
 * image address. NULL: it is no variable of an image that is mapped now. */
const struct image *modmap_variable(const struct modmap *m, uint64_t addr, uint64_t *at);

/* All executable ranges, by address. Valid until the next refresh. */
const struct mapping *modmap_ranges(const struct modmap *m, size_t *count);

/* The writable mappings, executable or not, as of the last refresh. Any thread may look at them. */
const struct spans *modmap_spans(const struct modmap *m);

/* A number that differs between any two states of any maps. */
uint64_t modmap_generation(const struct modmap *m);

/* All images seen so far by the maps that share them, indexed by image_id; their number through
 * *count. Valid until an image is added. */
struct image *const *modmap_images(const struct modmap *m, size_t *count);

/* The first range at which an image was seen; a profile describes the image by it. Valid until an
 * image is added. */
const struct mapping *modmap_first_range(const struct modmap *m, const struct image *image);

/* The process in whose maps an image was first seen: debug files are looked for in its view of the
 * file system. NULL if the map has no process. */
const struct process *modmap_owner(const struct modmap *m, const struct image *image);

#endif
