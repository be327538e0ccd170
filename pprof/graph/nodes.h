/*
 * Finds the distinct frames of a profile in a view: functions, lines, files, addresses, modules or
 * threads, each once, with the name to print.
 *
 * google/pprof rewrites the profile (Profile.Aggregate) and then makes nodes from it
 * (internal/graph, NodeInfo). Here the profile is not changed: a node's key leaves out what the
 * view does not distinguish.
 */
#ifndef PPROF_GRAPH_NODES_H
#define PPROF_GRAPH_NODES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hashindex.h"
#include "base/strset.h"
#include "pprof/view.h"

/* The comparable part of NodeInfo: frames with the same key are one node. */
struct node_key {
	uint64_t address;
	int64_t line, column, start_line;
	uint32_t name, file, objfile; /* name, objfile: the profile's strings; file: of `files` */
	uint32_t zero;
};

struct node {
	struct node_key key;
	const char *label; /* what is printed, not NUL-terminated */
	size_t label_len;
};

struct nodes {
	const struct profile *p;
	enum report_by by;
	struct node *list;
	size_t count, room;
	uint32_t *frames;  /* numbers of nodes, by location, innermost first */
	size_t *first;	   /* location `id` has frames[first[id - 1]] to frames[first[id] - 1] */
	uint32_t *threads; /* REPORT_BY_THREAD: each sample's only node; else NULL */
	struct strset files;
	uint32_t *file_of; /* by string of the profile: number in files + 1 */
	struct hashindex index;
	struct arena labels;
};

/* Makes the nodes. 0, ERR_NOMEM, or ERR_LIMIT: the labels together are longer than PRINTER_MAX
 * (base/printer.h). The caller calls nodes_release, after an error too. The profile must
 * outlive *n. */
int nodes_init(struct nodes *n, const struct profile *p, enum report_by by);
void nodes_release(struct nodes *n);

/* The nodes of location `i` of a sample (0 is the leaf), innermost first; *count is their number.
 * By thread, a sample has one node, whatever its stack. */
const uint32_t *nodes_at(const struct nodes *n, size_t sample, size_t i, size_t *count);

/* How many locations a sample has for nodes_at. */
size_t nodes_depth(const struct nodes *n, size_t sample);

/* Compares labels byte by byte. Nodes with the same label are ordered by key, so that reports are
 * reproducible; google/pprof leaves their order undefined. */
int nodes_compare(const struct nodes *n, uint32_t a, uint32_t b);

#endif
