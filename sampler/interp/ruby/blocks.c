/*
 * Blocks of the loop's code with which several instructions of Ruby end.
 *
 * An instruction's code ends with a jump to the next one's. Compilers join such ends, so where one
 * stands in an instruction's code, the thread may just as well come from another instruction, in
 * particular from a jump of Ruby's. It is recognized by a machine jump into the middle of an
 * instruction's code out of another one's, to a block that leads straight on to an indirect jump.
 */
#include <stdlib.h>

#include "base/error.h"
#include "sampler/interp/ruby/runtime.h"
#ifdef __x86_64__
#include "sampler/unwind/code/insn_x86_64.h"
#endif

#ifdef __x86_64__

enum {
	OP_JCC = 0x70,	   /* to 0x7f */
	OP_JCC_FAR = 0x80, /* to 0x8f, behind 0f */
	OP_CALL = 0xe8,
	OP_JMP = 0xe9,
	OP_JMP_NEAR = 0xeb,
	OP_RET = 0xc3,
	OP_GROUP_5 = 0xff, /* in the field `reg`: */
	GROUP_5_CALL = 2,
	GROUP_5_JMP = 4,
};

enum flow { FLOW_ON, FLOW_JUMP, FLOW_INDIRECT, FLOW_OTHER };

struct code {
	const struct ruby_loop *loop;
	const uint8_t *bytes; /* from loop->core on */
	size_t len;
	bool *shared; /* of each byte */
};

static enum flow flow_of(const struct insn *i)
{
	uint8_t op = i->opcode, group = i->reg & 7;

	if (i->map == MAP_0F && (op & 0xf0) == OP_JCC_FAR)
		return FLOW_JUMP;
	if (i->map != MAP_ONE)
		return FLOW_ON;
	if ((op & 0xf0) == OP_JCC || op == OP_JMP || op == OP_JMP_NEAR)
		return FLOW_JUMP;
	if (op == OP_GROUP_5 && group == GROUP_5_JMP)
		return FLOW_INDIRECT;
	return op == OP_CALL || op == OP_RET || (op == OP_GROUP_5 && group == GROUP_5_CALL) ?
		       FLOW_OTHER :
		       FLOW_ON;
}

/* Marks the block at `from` if it leads straight on to an indirect jump. */
static void mark(struct code *c, size_t from)
{
	enum flow flow = FLOW_ON;
	size_t at = from;
	struct insn i;

	while (flow == FLOW_ON) {
		if (at >= c->len || insn_decode(c->bytes + at, c->len - at, &i))
			return;
		flow = flow_of(&i);
		at += i.len;
	}
	if (flow == FLOW_INDIRECT)
		for (size_t k = from; k < at; k++)
			c->shared[k] = true;
}

static void look(struct code *c)
{
	const struct ruby_loop *loop = c->loop;
	struct insn i;

	for (size_t at = 0; at < c->len; at += i.len) {
		uint64_t to;

		if (insn_decode(c->bytes + at, c->len - at, &i))
			return;
		to = at + i.len + (uint64_t)i.imm;
		if (flow_of(&i) == FLOW_JUMP && to < c->len &&
		    !ruby_loop_starts(loop, loop->core + to) &&
		    ruby_loop_place(loop, loop->core + at) !=
			    ruby_loop_place(loop, loop->core + to))
			mark(c, to);
	}
}

static int keep(struct ruby_loop *loop, const bool *shared, size_t len)
{
	size_t count = 0;

	for (size_t at = 0; at < len; at++)
		count += shared[at] && (!at || !shared[at - 1]);
	loop->shared = calloc(count + 1, sizeof(*loop->shared));
	if (!loop->shared)
		return ERR_NOMEM;
	for (size_t at = 0; at < len; at++) {
		if (!shared[at])
			continue;
		loop->shared[loop->shared_count].start = loop->core + at;
		while (at < len && shared[at])
			at++;
		loop->shared[loop->shared_count++].end = loop->core + at;
	}
	return 0;
}

int ruby_find_shared(struct ruby_loop *loop, const uint8_t *bytes, size_t len)
{
	struct code c = { loop, bytes, len, calloc(len, sizeof(bool)) };
	int rc;

	if (!c.shared)
		return ERR_NOMEM;
	look(&c);
	rc = keep(loop, c.shared, len);
	free(c.shared);
	return rc;
}

#else

/* Without a decoder, none is known. */
int ruby_find_shared(struct ruby_loop *loop, const uint8_t *bytes, size_t len)
{
	(void)loop, (void)bytes, (void)len;
	return 0;
}

#endif
