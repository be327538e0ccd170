/* pprof labels of goroutines (runtime/pprof/label.go, runtime/proflabel.go). */
#ifndef GORUNTIME_GOLABELS_H
#define GORUNTIME_GOLABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct golabels;
struct memory;

struct golabel {
	const char *key, *value; /* foreign bytes, cut at GO_LABEL_MAX; NUL-terminated */
	size_t key_len, value_len;
};

enum { GO_LABEL_MAX = 4096, GO_LABELS_MAX = 256 };

/* `memory` is the process's (perhaps through a cache), `minor` the release (golayout): up to 1.23
 * a map, then a slice. Not owned. ERR_NOMEM. */
int golabels_new(struct golabels **l, const struct memory *memory, unsigned minor);
void golabels_free(struct golabels *l);

/* From now on, remember sets by their addresses, or do not (at first). What was remembered is
 * forgotten: a GC may have freed a set, and something else may stand at its address. So it is
 * right only as long as none has ended, or nobody runs. */
void golabels_remember(struct golabels *l, bool remember);

/* The set at an address (g.labels, not 0), sorted by key. Good until the next call. A set never
 * changes, and its goroutine keeps it: so it is that goroutine's if g.labels is, afterwards,
 * still that address. 0; ERR_FORMAT: what stands there is none; ERR_NOMEM. */
int golabels_read(struct golabels *l, uint64_t address, const struct golabel **labels,
		  size_t *count);

#endif
