/*
 * An image's file, read in blocks at their first use.
 *
 * Meant for tables of tens of megabytes of which a few kilobytes are needed here and there. Nothing
 * is mapped (base/process/image.h says why). Memory is bounded: at the bound (64 MiB) all blocks
 * are freed, and read again when they are needed.
 */
#ifndef BASE_PROCESS_LAZYFILE_H
#define BASE_PROCESS_LAZYFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct lazyfile;

/* The image must outlive it. ERR_NOTFOUND: the image has no ELF file; ERR_IO: also for a file of
 * more than 64 GiB; ERR_NOMEM. */
int lazyfile_open(const struct image *image, struct lazyfile **f);
void lazyfile_close(struct lazyfile *f);

/* Copies `len` bytes at an image address, all in one segment. False when the file does not have all
 * of them (any more), or when out of memory. */
bool lazyfile_read_at(struct lazyfile *f, uint64_t addr, void *buf, size_t len);

#endif
