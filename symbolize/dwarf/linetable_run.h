/* The internals of a line table, for linetable.c and linetable_run.c. */
#ifndef SYMBOLIZE_DWARF_LINETABLE_RUN_H
#define SYMBOLIZE_DWARF_LINETABLE_RUN_H

#include "base/ranges.h"
#include "symbolize/dwarf/linetable.h"

struct line_file {
	const char *name, *folder;
};

struct line_sequence {
	uint64_t start;	  /* address */
	size_t first_row; /* its rows go up to the next sequence's first */
};

struct linetable {
	const uint8_t *bytes;
	size_t len;
	uint16_t version;
	uint8_t offset_size, min_length, max_ops, line_range, opcode_base;
	int8_t line_base;
	uint8_t lengths[256]; /* number of LEB128 operands, by standard opcode */
	const char **folders;
	size_t folder_count, folder_room;
	struct line_file *files;
	size_t file_count, file_room;
	struct line_row *rows;
	size_t row_count, row_room;
	struct line_sequence *starts;
	size_t start_count, start_room;
	struct ranges ranges; /* `of` indexes starts */
};

/* Runs the program at `c`. A broken one ends early. ERR_NOMEM. */
int linetable_run(struct linetable *t, struct cursor *c);

/* Adds a file; its name is borrowed. ERR_NOMEM. */
int linetable_add_file(struct linetable *t, const char *name, uint64_t folder);

#endif
