/*
 * jit-PID.dump: what a JIT compiler reports about its code, with source lines
 * (tools/perf/Documentation/jitdump-specification.txt in the kernel's sources).
 *
 * A compiler that writes the file maps the file's first page executable. perf finds the file by
 * this mapping, and sampler does the same. The records of loaded code, moved code and lines are
 * read. Code bytes and unwinding information are skipped.
 */
#ifndef SYMBOLIZE_JIT_JITDUMP_H
#define SYMBOLIZE_JIT_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/ranges.h"

struct error;
struct process;

struct jitdump_function {
	const char *name;
	uint64_t start, size; /* address in the process, bytes */
	uint64_t index;	      /* by which records of moved code refer to it */
	size_t first_line, line_count;
};

struct jitdump_line {
	uint64_t offset; /* bytes from the function's start, plus line_shift */
	const char *file;
	uint32_t line, column; /* 0: unknown */
};

struct jitdump {
	struct jitdump_function *functions; /* in the file's order */
	size_t count, room;
	struct jitdump_line *lines;
	size_t line_count, line_room;
	struct ranges code; /* `of` indexes functions; the later one wins */
	size_t bad_records;
	uint64_t line_shift; /* by how many bytes the addresses of all lines are too high */
	struct arena text;
};

/* {0} is an empty table; release makes it one again. */
void jitdump_release(struct jitdump *d);

/* Is this the name of a jitdump file? */
bool jitdump_is_name(const char *name);

/* Reads the whole file's bytes, once. A last record that is cut off is left out, broken ones are
 * counted. ERR_FORMAT (not a jitdump file, or another machine's), ERR_NOMEM. */
int jitdump_parse(struct jitdump *d, const void *data, size_t len, struct error *err);

/* Reads a process's file. Errors as of jitfile_read and jitdump_parse. */
int jitdump_load(struct jitdump *d, const struct process *p, const char *path, struct error *err);

/* The function at an address, or NULL; *line is its line there, or NULL if that is not known. */
const struct jitdump_function *jitdump_find(const struct jitdump *d, uint64_t addr,
					    const struct jitdump_line **line);

#endif
