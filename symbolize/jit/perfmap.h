/*
 * /tmp/perf-PID.map: names of code that a JIT compiler wrote into memory. Each line is
 * "START SIZE NAME", with START and SIZE in base 16 (tools/perf/Documentation/jit-interface.txt in
 * the kernel's sources).
 */
#ifndef SYMBOLIZE_JIT_PERFMAP_H
#define SYMBOLIZE_JIT_PERFMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/ranges.h"

struct error;
struct process;

/* {0} is empty. */
struct perfmap {
	const char **all; /* names as in the file, in its order */
	size_t count, room, bad_lines;
	struct ranges code; /* addresses in the process; `of` indexes all */
	struct arena names;
};

void perfmap_release(struct perfmap *m);

/* Reads the whole text, once; broken lines are counted and left out. ERR_NOMEM. */
int perfmap_parse(struct perfmap *m, const void *data, size_t len);

/* Finds and reads the map of a process in its own /tmp. Only a regular file, not a link to one,
 * that belongs to the process's user or to root is accepted. ERR_NOTFOUND, ERR_PERM, ERR_LIMIT,
 * ERR_IO, ERR_NOMEM. */
int perfmap_load(struct perfmap *m, const struct process *p, struct error *err);

/* The name of the code at an address, or NULL. */
const char *perfmap_find(const struct perfmap *m, uint64_t addr);

#endif
