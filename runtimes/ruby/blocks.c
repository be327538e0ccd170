/*
 * Blocks of the loop's code: which of them several instructions share, and which end an
 * instruction.
 *
 * Compilers join equal blocks, and move rare ones away. Such a block stands in one instruction's
 * code, but the thread may have come from another one's. It is recognized by a machine jump into
 * the middle of an instruction's code out of another one's, or out of such a block, and ends where
 * it jumps away.
 *
 * An instruction's code ends with an indirect jump to the next one's. Behind the last store before
 * it, the pc is that of the next instruction, also after a jump of Ruby's.
 */
#include <stdlib.h>

#include "base/error.h"
#include "runtimes/ruby/loop.h"
#ifdef __x86_64__
#include "unwind/code/insn_x86_64.h"
#endif

#ifdef __x86_64__

enum {
	OP_JCC = 0x70,	   /* to 0x7f */
	OP_JCC_FAR = 0x80, /* to 0x8f, behind 0f */
	OP_CALL = 0xe8,
	OP_JMP = 0xe9,
	OP_JMP_NEAR = 0xeb,
	OP_RET = 0xc3,
	OP_STORE = 0x89,
	OP_GROUP_5 = 0xff, /* in the field `reg`: */
	GROUP_5_CALL = 2,
	GROUP_5_JMP = 4,
};

enum blocks_flow { FLOW_ON, FLOW_BRANCH, FLOW_JUMP, FLOW_INDIRECT, FLOW_CALL, FLOW_RETURN };

enum { BLOCK_SHARED = 1, BLOCK_NEXT = 2 };

enum { PASSES = 8 }; /* shared blocks that jump to others */

struct blocks_code {
	const struct ruby_loop *loop;
	const uint8_t *bytes; /* from loop->core on */
	size_t len;
	uint8_t *kinds; /* BLOCK_… of each byte */
};

static enum blocks_flow flow_of(const struct insn *i)
{
	uint8_t op = i->opcode, group = i->reg & 7;

	if (i->map == MAP_0F && (op & 0xf0) == OP_JCC_FAR)
		return FLOW_BRANCH;
	if (i->map != MAP_ONE)
		return FLOW_ON;
	if ((op & 0xf0) == OP_JCC)
		return FLOW_BRANCH;
	if (op == OP_JMP || op == OP_JMP_NEAR)
		return FLOW_JUMP;
	if (op == OP_GROUP_5 && group == GROUP_5_JMP)
		return FLOW_INDIRECT;
	if (op == OP_CALL || (op == OP_GROUP_5 && group == GROUP_5_CALL))
		return FLOW_CALL;
	return op == OP_RET ? FLOW_RETURN : FLOW_ON;
}

/* `mov REG, (REG)`: the pc is a frame's first field. */
static bool blocks_is_store(const struct insn *i)
{
	return i->map == MAP_ONE && i->opcode == OP_STORE && i->wide && i->in_memory && !i->rip &&
	       !i->disp && i->index == HW_NONE;
}

static void blocks_mark(struct blocks_code *c, size_t from, size_t to, uint8_t kind)
{
	for (size_t at = from; at < to; at++)
		c->kinds[at] |= kind;
}

static void blocks_find_ends(struct blocks_code *c)
{
	size_t from = 0;
	struct insn i;

	for (size_t at = 0; at < c->len; at += i.len) {
		enum blocks_flow flow;

		if (insn_decode(c->bytes + at, c->len - at, &i))
			return;
		flow = flow_of(&i);
		if (flow == FLOW_INDIRECT)
			blocks_mark(c, from, at + i.len, BLOCK_NEXT);
		if (flow != FLOW_ON || blocks_is_store(&i))
			from = at + i.len;
	}
}

/* Marks the block at `from`. False: it was marked. */
static bool blocks_share(struct blocks_code *c, size_t from)
{
	enum blocks_flow flow = FLOW_ON;
	size_t at = from;
	struct insn i;

	if (c->kinds[from] & BLOCK_SHARED)
		return false;
	while (flow == FLOW_ON || flow == FLOW_BRANCH || flow == FLOW_CALL) {
		if (at >= c->len || insn_decode(c->bytes + at, c->len - at, &i) ||
		    (at > from && ruby_loop_starts(c->loop, c->loop->core + at)))
			break;
		flow = flow_of(&i);
		at += i.len;
	}
	blocks_mark(c, from, at, BLOCK_SHARED);
	return true;
}

/* Looks at all jumps once. Returns false if no block was marked. */
static bool find_shared(struct blocks_code *c)
{
	const struct ruby_loop *loop = c->loop;
	bool changed = false;
	struct insn i;

	for (size_t at = 0; at < c->len; at += i.len) {
		enum blocks_flow flow;
		uint64_t to;

		if (insn_decode(c->bytes + at, c->len - at, &i))
			return false;
		flow = flow_of(&i);
		to = at + i.len + (uint64_t)i.imm;
		if ((flow != FLOW_JUMP && flow != FLOW_BRANCH) || to >= c->len ||
		    ruby_loop_starts(loop, loop->core + to))
			continue;
		if (c->kinds[at] & BLOCK_SHARED || ruby_loop_place(loop, loop->core + at) !=
							   ruby_loop_place(loop, loop->core + to))
			changed |= blocks_share(c, to);
	}
	return changed;
}

static int blocks_keep(struct ruby_loop *loop, const uint8_t *kinds, size_t len)
{
	size_t count = 0;

	for (size_t at = 0; at < len; at++)
		count += kinds[at] && (!at || kinds[at] != kinds[at - 1]);
	loop->blocks = calloc(count + 1, sizeof(*loop->blocks));
	if (!loop->blocks)
		return ERR_NOMEM;
	for (size_t at = 0, end; at < len; at = end) {
		for (end = at + 1; end < len && kinds[end] == kinds[at];)
			end++;
		if (kinds[at])
			loop->blocks[loop->block_count++] = (struct ruby_block){
				loop->core + at, loop->core + end, kinds[at] & BLOCK_SHARED,
				kinds[at] & BLOCK_NEXT
			};
	}
	return 0;
}

int ruby_find_blocks(struct ruby_loop *loop, const uint8_t *bytes, size_t len)
{
	struct blocks_code c = { loop, bytes, len, calloc(len, 1) };
	int rc;

	if (!c.kinds)
		return ERR_NOMEM;
	blocks_find_ends(&c);
	for (unsigned i = 0; i < PASSES && find_shared(&c); i++)
		continue;
	rc = blocks_keep(loop, c.kinds, len);
	free(c.kinds);
	return rc;
}

#else

/* Without a decoder, none is known. */
int ruby_find_blocks(struct ruby_loop *loop, const uint8_t *bytes, size_t len)
{
	(void)loop, (void)bytes, (void)len;
	return 0;
}

#endif
