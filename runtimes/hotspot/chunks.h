/*
 * The frames of a virtual thread that are in the heap.
 *
 * A virtual thread that goes on has only its youngest frames on the stack of its carrier. The
 * others are in StackChunk objects, as they were on the stack, and are brought back one or two at a
 * time: the oldest frame on the stack returns to the return barrier. The carrier's own frames
 * follow behind enterSpecial, whose frame is a ContinuationEntry, which has the Continuation, which
 * has the chunks.
 *
 *    start + 8 sp      the youngest frame; its pc in the word before it, rbp in the one before that
 *    start + 8 bottom  behind the oldest one, which returns to the older chunk, or to enterSpecial
 *
 * A frame of the interpreter has distances, in words, where it has addresses on a stack: to its fp
 * from where that is kept, and in fp[-1].
 *
 * The chunks are read after the thread went on. What it has brought back meanwhile is missing in
 * them, so they are all copied at once, and one must be the caller of the frame that returns to the
 * barrier:
 *
 * - The youngest one, if the bytecode there calls a method of that name, and no frame in the heap
 *   is one of such a method.
 * - The one behind that frame, if exactly one in the heap is of such a method: the thread was
 *   unmounted.
 * - With more, in a recursion, some may be missing. Then it is the youngest one only if all bytes
 *   of the frame on the stack are as they were when the thread was held: what brings frames back
 *   writes there.
 */
#ifndef RUNTIMES_HOTSPOT_CHUNKS_H
#define RUNTIMES_HOTSPOT_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

struct hotspot;
struct hotspot_chunks;
struct site;

/* In find. ERR_NOMEM. */
int hotspot_chunks_init(struct hotspot *hs);
void hotspot_chunks_free(struct hotspot_chunks *c);

/* A walk begins. */
void hotspot_chunks_begin(struct hotspot *hs);

/* Is this the address of the return barrier? */
bool hotspot_is_barrier(struct hotspot *hs, uint64_t addr);

/* Is the site's frame in a chunk? */
bool step_is_in_chunk(const struct site *s);

/* Notes a frame on the stack that a step was made from: it may return to the barrier. */
void step_was_on_stack(const struct site *s);

/* The steps from the barrier to the youngest frame in the heap, and from each frame there. */
int step_from_barrier(struct site *s);
int step_in_chunk(struct site *s);

#endif
