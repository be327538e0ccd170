/*
 * /tmp/perf-PID.map: names of code that a JIT compiler wrote into memory.
 * Lines "START SIZE NAME", START and SIZE in base 16 (tools/perf/Documentation/
 * jit-interface.txt in the kernel's sources).
 */
#ifndef SYMBOLIZE_PERFMAP_H
#define SYMBOLIZE_PERFMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct error;
struct process;

struct perfmap_entry {
	uint64_t start, end; /* addresses in the process, end exclusive */
	const char *name;
	size_t line; /* in the file: of two that overlap the later is right */
};

struct perfmap {
	struct perfmap_entry *entries; /* by start, no two overlap */
	size_t count, room, bad_lines;
	struct arena names;
};

void perfmap_init(struct perfmap *m);
void perfmap_release(struct perfmap *m);

/* Reads the text; lines that are broken are counted and left out. ERR_NOMEM. */
int perfmap_parse(struct perfmap *m, const void *data, size_t len);

/* Finds and reads the map of a process in its own /tmp. Only a regular file that
 * belongs to the process's user or to root is believed. ERR_NOTFOUND, ERR_PERM,
 * ERR_LIMIT, ERR_IO, ERR_NOMEM. */
int perfmap_load(struct perfmap *m, const struct process *p, struct error *err);

/* The name of the code at an address, or NULL. */
const struct perfmap_entry *perfmap_find(const struct perfmap *m, uint64_t addr);

#endif
