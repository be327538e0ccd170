/*
 * Who made a goroutine, and who made that one: stacks as they were then, which the runtime keeps
 * with GODEBUG=tracebackancestors=N, and prints behind a goroutine's own.
 *
 * Source: runtime/traceback.go (printAncestorTraceback), proc.go (saveAncestors) of Go 1.18 to
 * 1.27.
 */
#ifndef GOPROFILE_ANCESTRY_H
#define GOPROFILE_ANCESTRY_H

#include <stddef.h>

struct go_goroutine;
struct goparse_frame;
struct goparse_stack;
struct traceback;

struct ancestry {
	struct goparse_stack *stacks; /* the creator's first */
	struct goparse_frame *frames;
	size_t count, room, frame_count, frame_room;
};

void ancestry_release(struct ancestry *a);

/* Those of a goroutine, until the next call; none where they cannot be read, or are not its own
 * any more. ERR_NOMEM. */
int ancestry_read(struct ancestry *a, struct traceback *t, const struct go_goroutine *r);

#endif
