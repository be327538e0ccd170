/*
 * A unit's part of .debug_line: the file and line of each address, and the unit's list of files.
 * DWARF 2 to 5 (section 6.2).
 *
 * libdw can do that, but it makes 72 bytes of each row, sorts the rows and keeps them until
 * dwarf_end: nine times the section's size. This reader keeps 16 bytes for each place where file,
 * line or column change, until the caller frees the table.
 */
#ifndef SYMBOLIZE_DWARF_LINETABLE_H
#define SYMBOLIZE_DWARF_LINETABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

struct linetable;

/* Empty cursors for missing sections. */
struct line_sections {
	struct cursor line, line_str, str;
};

struct line_row {
	uint32_t offset; /* from the start of its sequence */
	uint32_t file;	 /* for linetable_file */
	uint32_t line;	 /* 0: the code has no line */
	uint32_t column; /* 0 when unknown */
};

/* Reads the table at an offset of .debug_line; the sections must outlive it. Of a broken table,
 * what precedes the error is kept. `folder` is where the unit was compiled; it is borrowed and may
 * be NULL. ERR_FORMAT when even the header is broken, ERR_NOMEM. */
int linetable_new(struct linetable **table, const struct line_sections *sections, uint64_t offset,
		  const char *folder);
void linetable_free(struct linetable *table);

/* The row for an address, or NULL. */
const struct line_row *linetable_find(const struct linetable *table, uint64_t addr);

/* The name of a file by its number, in rows as in DW_AT_call_file; NULL when there is none. *folder
 * is the folder to which the name is relative, or NULL. The strings are those of the sections. */
const char *linetable_file(const struct linetable *table, uint64_t number, const char **folder);

/* The table's bytes in .debug_line. */
const void *linetable_bytes(const struct linetable *table, size_t *len);

#endif
