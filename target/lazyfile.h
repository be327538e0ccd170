/*
 * An image's file, read in blocks when they are first asked for.
 *
 * For tables of tens of megabytes of which a few kilobytes are needed here and
 * there. Nothing is mapped (target/image.h says why), and what is kept is bounded:
 * past the bound all blocks are given up and read again.
 */
#ifndef TARGET_LAZYFILE_H
#define TARGET_LAZYFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct lazyfile;

/* For an image with an ELF file, which must outlive it. ERR_NOTFOUND for one without,
 * ERR_IO, ERR_NOMEM. */
int lazyfile_open(const struct image *image, struct lazyfile **f);
void lazyfile_close(struct lazyfile *f);

/* Copies `len` bytes at a file offset; false when the file does not have them all (any
 * more), or when out of memory. */
bool lazyfile_read(struct lazyfile *f, uint64_t offset, void *buf, size_t len);

/* The same for an image address. All bytes must lie in one segment. */
bool lazyfile_read_at(struct lazyfile *f, uint64_t addr, void *buf, size_t len);

/* Bytes of blocks kept at present. */
size_t lazyfile_memory(const struct lazyfile *f);

#endif
