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

enum { BLOCK_SHARED = 1, BLOCK_NEXT = 2 };

enum { PASSES = 8 }; /* shared blocks that jump to others */

struct blocks_code {
	const struct ruby_loop *loop;
	const uint8_t *bytes; /* from loop->core on */
	size_t len;
	uint8_t *kinds; /* BLOCK_… of each byte */
};

/* `mov REG, (REG)`: the pc is a frame's first field. */
static bool blocks_is_store(const struct insn *i)
{
	return insn_is(i, 0x89) && i->wide && i->in_memory && !i->rip && !i->disp &&
	       i->index == HW_NONE;
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
		enum flow flow;

		if (insn_decode(c->bytes + at, c->len - at, &i))
			return;
		flow = insn_flow(&i);
		if (flow == FLOW_AWAY || flow == FLOW_TABLE)
			blocks_mark(c, from, at + i.len, BLOCK_NEXT);
		if (flow != FLOW_ON || blocks_is_store(&i))
			from = at + i.len;
	}
}

/* Marks the block at `from`. False: it was marked. */
static bool blocks_share(struct blocks_code *c, size_t from)
{
	size_t at = from;
	struct insn i;

	if (c->kinds[from] & BLOCK_SHARED)
		return false;
	do {
		if (at >= c->len || insn_decode(c->bytes + at, c->len - at, &i) ||
		    (at > from && ruby_loop_starts(c->loop, c->loop->core + at)))
			break;
		at += i.len;
	} while (insn_goes_on(&i));
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
		enum flow flow;
		uint64_t to;

		if (insn_decode(c->bytes + at, c->len - at, &i))
			return false;
		flow = insn_flow(&i);
		to = insn_target(&i, at + i.len);
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
