/*
 * What is mapped where: address ranges of a process -> images.
 *
 * Only executable ranges are kept. The map owns its images, and an image lives
 * as long as the map, also after the target has unmapped it: stacks taken
 * earlier point to it. The generation changes with every refresh that changed
 * something; caches keyed by absolute address must be dropped then.
 */
#ifndef TARGET_MODMAP_H
#define TARGET_MODMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct image;
struct modmap;
struct process;

struct mapping {
	uint64_t start, end; /* addresses in the process, end exclusive */
	uint64_t offset;     /* in the file, bytes */
	uint64_t bias;	     /* address in the process - image address */
	struct image *image; /* never NULL */
};

/* An empty map. `process` (not owned, may be NULL in tests) is whose maps
 * refresh reads. ERR_NOMEM. */
int modmap_new(struct modmap **m, const struct process *process);

/* The same, sharing the images of another map: a file that both have mapped is one
 * image, and image_id counts them all. They may be freed in any order. */
int modmap_new_beside(struct modmap **m, const struct process *process, struct modmap *other);
void modmap_free(struct modmap *m);

/* Reads the process's maps again, also after it has executed another program.
 * ERR_GONE when it has ended, ERR_PERM, ERR_NOMEM; then the old ranges stay. */
int modmap_refresh(struct modmap *m, struct error *err);

/* Adds one range by hand, for tests and recorded stacks; the map takes the
 * image over. Ranges must not overlap. ERR_NOMEM. */
int modmap_add(struct modmap *m, const struct mapping *range);

/* Takes an image over that is mapped nowhere. ERR_NOMEM: the image is freed. */
int modmap_keep(struct modmap *m, struct image *image);

/* The executable range that holds the address, or NULL. Valid until the next
 * refresh. */
const struct mapping *modmap_find(const struct modmap *m, uint64_t addr);

/* All executable ranges, by address. Valid until the next refresh. */
const struct mapping *modmap_ranges(const struct modmap *m, size_t *count);

/* Differs between any two states of any maps. */
uint64_t modmap_generation(const struct modmap *m);

/* All images ever seen (by those who share them), by image_id; count through *count. */
struct image *const *modmap_images(const struct modmap *m, size_t *count);

/* The first range that an image was seen at; a profile describes the image by
 * it. Valid as long as the map. */
const struct mapping *modmap_first_range(const struct modmap *m, const struct image *image);

/* In which process's maps an image was first seen: its view of the file system is the
 * one to look for debug files in. NULL for modmap_add. */
const struct process *modmap_owner(const struct modmap *m, const struct image *image);

#endif
