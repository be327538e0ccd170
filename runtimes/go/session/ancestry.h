/*
 * The ancestors of a goroutine: its creator, the creator's creator, and so on, with their stacks at
 * the time of creation. The runtime keeps them with GODEBUG=tracebackancestors=N and prints them
 * behind the goroutine's own stack.
 *
 * Source: runtime/traceback.go (printAncestorTraceback), proc.go (saveAncestors) of Go 1.18 to
 * 1.27.
 */
#ifndef RUNTIMES_GO_SESSION_ANCESTRY_H
#define RUNTIMES_GO_SESSION_ANCESTRY_H

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

/* Reads the ancestors of a goroutine into *a ({0} is empty), valid until the next call. There are
 * none if they cannot be read or are no longer its own. ERR_NOMEM. */
int ancestry_read(struct ancestry *a, struct traceback *t, const struct go_goroutine *r);

#endif
