/* Frames found in advance, by address (symbolizer_prepare). */
#ifndef SYMBOLIZE_ANSWERS_H
#define SYMBOLIZE_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol;
struct symbol_frame;

struct answers {
	struct answer *all; /* by address once settled */
	size_t count, room;
	struct symbol_frame *frames; /* of all of them */
	size_t frame_count, frame_room;
};

/* {0} is empty; release makes it so again. */
void answers_release(struct answers *a);

/* Copies the frames; an address may be added once. ERR_NOMEM. */
int answers_add(struct answers *a, uint64_t addr, const struct symbol *symbol);

/* Makes it ready for answers_find; nothing can be added after. */
void answers_settle(struct answers *a);

bool answers_any(const struct answers *a);

/* True when there is an answer; its frames live as long as `a`. */
bool answers_find(const struct answers *a, uint64_t addr, struct symbol *symbol);

#endif
