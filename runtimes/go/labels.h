/* Reads pprof labels of goroutines (runtime/pprof/label.go, runtime/proflabel.go). */
#ifndef RUNTIMES_GO_LABELS_H
#define RUNTIMES_GO_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct golabels;
struct memory;

struct golabel {
	const char *key, *value; /* bytes from the target, cut at GO_LABEL_MAX; NUL-terminated */
	size_t key_len, value_len;
};

enum { GO_LABEL_MAX = 4096, GO_LABELS_MAX = 256 };

/* `memory` is the process's (perhaps through a cache) and is not owned. `minor` is the release
 * (golayout): up to 1.23 labels are a map, then a slice. The caller frees *l with golabels_free.
 * ERR_NOMEM. */
int golabels_new(struct golabels **l, const struct memory *memory, unsigned minor);
void golabels_free(struct golabels *l);

/* Turns the caching of sets by their addresses on or off (the default). Drops what was cached: a GC
 * may have freed a set, and another object may be at its address. So caching is correct only as
 * long as no GC ends, or while all threads are stopped. */
void golabels_remember(struct golabels *l, bool remember);

/* Reads the set at an address (g.labels, not 0); *labels is sorted by key and valid until the next
 * call. A set never changes, and its goroutine keeps it alive. So what was read is the goroutine's
 * set if g.labels is still the same address afterwards. ERR_FORMAT: it is not a valid set;
 * ERR_NOMEM. */
int golabels_read(struct golabels *l, uint64_t address, const struct golabel **labels,
		  size_t *count);

#endif
