/* The states that wait are a small stack. Where there is no room for another, its way is lost. */
#include "unwind/code/explore.h"

#include <string.h>

enum explored explore_lose(struct explorer *e)
{
	e->lost = true;
	return EXPLORED_ENDED;
}

/* True when no earlier jump led to `pc`. */
static bool explore_join(struct explorer *e, uint64_t pc)
{
	for (size_t i = 0; i < e->join_count; i++)
		if (e->joins[i] == pc)
			return false;
	if (e->join_count == EXPLORE_JOINS) {
		e->lost = true;
		return false;
	}
	e->joins[e->join_count++] = pc;
	return true;
}

enum explored explore_jump(struct explorer *e, void *way, uint64_t target)
{
	memcpy(way, &target, sizeof(target));
	return explore_join(e, target) ? EXPLORED_ON : EXPLORED_ENDED;
}

enum explored explore_branch(struct explorer *e, const void *way, uint64_t target)
{
	char *to = (char *)e->waiting + e->count * e->size;

	if (!explore_join(e, target))
		return EXPLORED_ON;
	if (e->count == e->room) {
		e->lost = true;
		return EXPLORED_ON;
	}
	memcpy(to, way, e->size);
	memcpy(to, &target, sizeof(target));
	e->count++;
	return EXPLORED_ON;
}

static enum explored explore_follow(struct explorer *e, void *way)
{
	uint64_t *pc = way;
	enum explored result = EXPLORED_ON;

	while (result == EXPLORED_ON) {
		uint8_t code[2 * INSN_LENGTH_MAX];
		size_t len = e->left ? e->read(e, *pc, code, sizeof(code)) : 0;
		struct insn insn;

		if (!len || insn_decode(code, len, &insn))
			return explore_lose(e);
		e->left--;
		*pc += insn.len;
		result = e->pass(e, way, &insn, code, len);
	}
	return result;
}

bool explore(struct explorer *e, void *way)
{
	enum explored result = explore_follow(e, way);

	while (result != EXPLORED_FOUND && e->count) {
		memcpy(way, (char *)e->waiting + --e->count * e->size, e->size);
		result = explore_follow(e, way);
	}
	return result == EXPLORED_FOUND;
}
