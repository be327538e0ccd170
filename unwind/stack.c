/* Frames, pcs and stack pointers are three arrays that grow together, so that a walk which needs
 * the frames alone touches little memory. */
#include "unwind/stack.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/room.h"

void stack_release(struct stack *s)
{
	free(s->frames);
	free(s->pcs);
	free(s->sps);
	free(s->managed);
	*s = (struct stack){ 0 };
}

int stack_reserve(struct stack *s)
{
	size_t room = s->room, sps_room = s->room, need = s->room + 1;

	if (room_for((void **)&s->frames, &room, need, sizeof(*s->frames)) ||
	    room_for((void **)&s->sps, &sps_room, need, sizeof(*s->sps)) ||
	    room_for((void **)&s->pcs, &s->room, need, sizeof(*s->pcs)))
		return ERR_NOMEM;
	return 0;
}

int stack_push(struct stack *s, const struct image *image, uint64_t addr, enum frame_kind kind)
{
	if (s->count == s->room && stack_reserve(s))
		return ERR_NOMEM;
	s->pcs[s->count] = addr;
	s->sps[s->count] = 0;
	s->frames[s->count++] = (struct frame){ .image = image, .addr = addr, .kind = kind };
	return 0;
}

const char *stack_end_name(enum stack_end end)
{
	static const char *const names[STACK_ENDS] = {
		[STACK_OUTERMOST] = "outermost frame",
		[STACK_NO_UNWIND_INFO] = "no unwind information",
		[STACK_COPY_EXHAUSTED] = "stack copy exhausted",
		[STACK_MEMORY_UNREADABLE] = "memory unreadable",
		[STACK_NO_ADVANCE] = "did not advance",
		[STACK_TOO_MANY_FRAMES] = "too many frames",
		[STACK_RUNTIME_IN_DOUBT] = "runtime's frame in doubt",
	};

	return end < STACK_ENDS ? names[end] : "unknown";
}
