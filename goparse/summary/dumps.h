/*
 * Tells where another dump begins in one input: `curl …?debug=2 >>dumps.txt`, or a log with several
 * panics. Go never reuses an id (runtime/proc.go, newproc1), and a dump has each once, so a
 * goroutine that comes again is in another dump. The dump begins with the goroutine that printed
 * it, which runs, and which may be a new one: then the one behind it tells, unless the first dump
 * began otherwise.
 *
 * A thread of a process that crashes prints its goroutine once more (GOTRACEBACK=crash), which is
 * no other dump.
 */
#ifndef GOPARSE_SUMMARY_DUMPS_H
#define GOPARSE_SUMMARY_DUMPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hashindex.h"
#include "goparse/goparse.h"

/* The goroutines of the present dump: a bit for each, 64 to a block, because most ids are close to
 * each other. {0} is none. */
struct dumps {
	struct dumps_block {
		uint64_t number, bits;
	} *blocks;
	size_t count, room;
	struct hashindex index;
	bool any;	   /* a goroutine has come */
	bool led_by_first; /* the input's first goroutine has printed its dump */
};

void dumps_release(struct dumps *d);

/* Begins another input. */
void dumps_clear(struct dumps *d);

/* Takes the next goroutine. *begins: a dump begins with it, and is not the input's first. *again:
 * it is in the present dump once more. ERR_NOMEM. */
int dumps_add(struct dumps *d, const struct goparse_goroutine *g, bool *begins, bool *again);

#endif
