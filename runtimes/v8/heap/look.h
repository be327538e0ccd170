/*
 * A look at V8's objects, that can tell afterwards whether it was one.
 *
 * The program runs meanwhile, and its collector moves objects and frees them. So what was read of
 * each object's head is remembered, and all heads are read again when the look is over: by a second
 * reading, because v8_runtime.memory has what it has read before. If all are as they were, what was
 * read between was of these objects: memory is used again from its start on, so no text or table is
 * overwritten before its head.
 */
#ifndef RUNTIMES_V8_HEAP_LOOK_H
#define RUNTIMES_V8_HEAP_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtimes/v8/heap/runtime.h"

struct v8_layout;

enum { V8_HEADS = 1024, V8_HEAD_MAX = 128, V8_HEADS_BYTES = 48 << 10 };

struct v8_look {
	const struct v8_runtime *rt;
	const struct v8_layout *layout;
	struct v8_head {
		uint64_t addr;
		uint32_t len;
		uint32_t at; /* in `bytes` */
	} heads[V8_HEADS];
	size_t count;
	uint8_t bytes[V8_HEADS_BYTES], again[V8_HEADS_BYTES];
	size_t used;
	bool full;   /* there were more */
	size_t kept; /* bytes of tables that were copied, in all looks; the owner's to set back */
};

void v8_look_begin(struct v8_look *look, const struct v8_runtime *rt,
		   const struct v8_layout *layout);

/* Reads the first `len` bytes, at most V8_HEAD_MAX, of a tagged object, and remembers them. *type
 * is its instance type. ERR_FORMAT: there is no object. */
int v8_look_head(struct v8_look *look, uint64_t object, void *head, size_t len, int *type);

/* Is all that was remembered still there? */
bool v8_look_holds(struct v8_look *look);

#endif
