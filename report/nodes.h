/*
 * What the frames of a profile are, seen as a view asks for it: functions, lines, files,
 * addresses, modules or threads; each once, with the name to print.
 *
 * google/pprof rewrites the profile (Profile.Aggregate) and then makes nodes of it
 * (internal/graph, NodeInfo); here the profile stays as it is, and a node's key leaves out
 * what the view does not ask for.
 */
#ifndef REPORT_NODES_H
#define REPORT_NODES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hashindex.h"
#include "base/strset.h"
#include "report/view.h"

/* NodeInfo's comparable part: two frames with the same are one node. */
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
	uint32_t *frames;  /* numbers of nodes; a location's, innermost first, are */
	size_t *first;	   /* frames[first[id - 1]] to frames[first[id]] */
	uint32_t *threads; /* REPORT_BY_THREAD: each sample's only node; else NULL */
	struct strset files;
	uint32_t *file_of; /* by string of the profile: number in files + 1 */
	struct hashindex index;
	struct arena labels;
};

/* 0, ERR_NOMEM, or ERR_LIMIT when the names together are beyond reason (report/text.h).
 * To be released in any case. The profile must outlive it. */
int nodes_init(struct nodes *n, const struct profile *p, enum report_by by);
void nodes_release(struct nodes *n);

/* The nodes of a sample's frame `i` (0 is the leaf), innermost first, through *count. By
 * thread a sample has one frame, whatever its stack. */
const uint32_t *nodes_at(const struct nodes *n, size_t sample, size_t i, size_t *count);

/* How many frames the sample has to ask for. */
size_t nodes_depth(const struct nodes *n, size_t sample);

/* The order of names, byte by byte. Nodes of one name go by their keys, so that reports
 * repeat; google/pprof leaves those to chance. */
int nodes_compare(const struct nodes *n, uint32_t a, uint32_t b);

#endif
