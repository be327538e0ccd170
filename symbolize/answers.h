/* Frames found in advance, by address (symbolizer_prepare). */
#ifndef SYMBOLIZE_ANSWERS_H
#define SYMBOLIZE_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol;
struct symbol_frame;

struct answers {
	struct answer *all; /* sorted by address once settled */
	size_t count, room;
	struct symbol_frame *frames; /* of all answers */
	size_t frame_count, frame_room;
};

/* Frees all memory. The result is {0}, which is a set without answers. */
void answers_release(struct answers *a);

/* Copies the frames, but not their strings. An address may be added only once. ERR_NOMEM. */
int answers_add(struct answers *a, uint64_t addr, const struct symbol *symbol);

/* Makes it ready for answers_find; nothing can be added afterwards. */
void answers_settle(struct answers *a);

bool answers_any(const struct answers *a);

/* True when there is an answer; its frames live as long as `a`. */
bool answers_find(const struct answers *a, uint64_t addr, struct symbol *symbol);

#endif
