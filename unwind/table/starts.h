/*
 * Where functions begin, by CFI: an entry (FDE) covers one function, or a part of one that the
 * compiler has moved away (DWARF 5, 6.4.1; gcc's .cold parts have entries of their own).
 *
 * For code without symbols this is all that is known of a function: its name is lost, but addresses
 * of one function can still be told from those of another.
 *
 * A procedure linkage table is no function, although GNU ld gives it one entry. It is recognized by
 * its section's name, so a file without section headers gives no starts.
 *
 * Rejected: a search in .eh_frame_hdr for each address. It names entries, whose ends stand in
 * .eh_frame, it is missing where there is only .debug_frame, and its search is one more parser.
 */
#ifndef UNWIND_TABLE_STARTS_H
#define UNWIND_TABLE_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi_starts;
struct image;

/* Reads an image's entries, 16 bytes of memory for each. An image without CFI gives an empty set.
 * The caller frees *starts with cfi_starts_free. ERR_NOMEM. */
int cfi_starts_read(struct cfi_starts **starts, const struct image *image);

/* The same, with the entries of procedure linkage tables, also of a file without section headers:
 * for cfi_starts_extent. */
int cfi_starts_read_all(struct cfi_starts **starts, const struct image *image);
void cfi_starts_free(struct cfi_starts *starts);

/* Has the image any entries? */
bool cfi_starts_any(const struct cfi_starts *starts);

/* The image address where the function that covers `addr` begins; 0: unknown. */
uint64_t cfi_starts_find(const struct cfi_starts *starts, uint64_t addr);

/* An entry covers [start, end). */
struct cfi_extent {
	uint64_t start, end;
	bool lands; /* exceptions may land in it */
};

/* The entry that covers the image address `addr`. False: there is none. */
bool cfi_starts_extent(const struct cfi_starts *starts, uint64_t addr, struct cfi_extent *extent);

/* Memory of the whole set, bytes. */
size_t cfi_starts_bytes(const struct cfi_starts *starts);

#endif
