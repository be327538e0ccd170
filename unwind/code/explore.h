/*
 * Follows code from one instruction along all ways that lead on from there, up to an instruction
 * that its user looks for.
 *
 * The user carries a state along each way and says what an instruction does to it. Conditional
 * jumps cannot be predicted: one way goes on behind the jump, the other one waits with a copy of
 * the state. A place that a jump has led to is not entered twice, so loops end.
 *
 * For searches that end at the first way that leads there. What all ways have in common at a place
 * is framestate.h's; what the first way finds at each instruction, V8's (runtimes/v8/shapes.h).
 */
#ifndef UNWIND_CODE_EXPLORE_H
#define UNWIND_CODE_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/code/insn_x86_64.h"

enum { EXPLORE_JOINS = 256 };

enum explored {
	EXPLORED_ON,
	EXPLORED_ENDED, /* the way leads to nothing */
	EXPLORED_FOUND,
};

/* The user's own structure begins with it. */
struct explorer {
	/* Copies up to `len` bytes of code at `pc`; returns how many there are. */
	size_t (*read)(struct explorer *e, uint64_t pc, uint8_t *code, size_t len);
	/* Passes an instruction, which is at `code` with up to `len` bytes in all. The way's pc is
	 * behind it, and may be changed. */
	enum explored (*pass)(struct explorer *e, void *way, const struct insn *insn,
			      const uint8_t *code, size_t len);
	unsigned left;	   /* instructions that may still be read */
	void *waiting;	   /* room for `room` states of `size` bytes; each begins with */
	size_t size, room; /* its pc, a uint64_t */
	size_t count;	   /* states that wait */
	uint64_t joins[EXPLORE_JOINS]; /* targets of jumps so far */
	size_t join_count;
	bool lost; /* a way could not be followed to its end */
};

/* For an explorer whose `read` and `pass` are set. The room for its joins and ways is not cleared,
 * which would cost more than most searches. `waiting`: room for `room` states of `size` bytes. */
static inline void explore_begin(struct explorer *e, unsigned left, void *waiting, size_t size,
				 size_t room)
{
	e->left = left;
	e->waiting = waiting;
	e->size = size;
	e->room = room;
	e->count = e->join_count = 0;
	e->lost = false;
}

/* Follows `way` and those that it branches into. True: one leads to EXPLORED_FOUND; *way is its
 * state there. */
bool explore(struct explorer *e, void *way);

/* For `pass`, at a jump to `target`. */
enum explored explore_jump(struct explorer *e, void *way, uint64_t target);

/* The same at a conditional one. */
enum explored explore_branch(struct explorer *e, const void *way, uint64_t target);

static inline enum explored explore_end(bool found)
{
	return found ? EXPLORED_FOUND : EXPLORED_ENDED;
}

/* For `pass`, where a way cannot be followed. */
enum explored explore_lose(struct explorer *e);

#endif
