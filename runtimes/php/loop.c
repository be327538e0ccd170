/*
 * The code of PHP's evaluation loop: execute_ex, and the part of it that GCC has moved away.
 *
 * Warnings and exceptions are raised from that .cold part, and they call a script's handlers. In
 * stripped files it has no name. It has an entry of CFI, whose first row is that of the middle of a
 * function: execute_ex's frame is there already. Of the entries with this first row it is the one
 * that execute_ex has jumps to.
 */
#include <stdlib.h>
#include <string.h>

#include "base/process/elfsymbol.h"
#include "runtimes/php/runtime.h"
#include "unwind/table/cfi.h"
#include "unwind/table/rule.h"
#include "unwind/table/sections.h"

enum {
	PARTS_MAX = 64,
	CODE_MAX = 1 << 20, /* bytes of execute_ex; it has about 40,000 */
	JUMPS_MIN = 4,	    /* a table or an immediate may look like one */
};

struct php_loop_part {
	uint64_t start, end;
	unsigned jumps;
};

struct php_loop_search {
	struct cfi_sink sink;
	uint64_t loop;	       /* execute_ex */
	uint64_t start, end;   /* of the present entry */
	bool first;	       /* no row of it was seen */
	struct cfi_rule frame; /* execute_ex's largest */
	bool for_parts;	       /* second pass */
	struct php_loop_part parts[PARTS_MAX];
	size_t count;
};

static int php_loop_begin_entry(struct cfi_sink *sink, uint64_t start, uint64_t end)
{
	struct php_loop_search *s = (struct php_loop_search *)sink;

	s->start = start;
	s->end = end;
	s->first = true;
	return 0;
}

static bool php_loop_same_frame(const struct cfi_rule *a, const struct cfi_rule *b)
{
	return a->cfa_reg == b->cfa_reg && a->cfa_value == b->cfa_value && a->said == b->said;
}

static int see_row(struct cfi_sink *sink, uint64_t pc, const struct cfi_rule *rule)
{
	struct php_loop_search *s = (struct php_loop_search *)sink;

	if (!s->for_parts && s->start == s->loop && rule->cfa_value > s->frame.cfa_value)
		s->frame = *rule;
	if (s->for_parts && s->first && s->start != s->loop && pc == s->start &&
	    php_loop_same_frame(rule, &s->frame) && s->count < PARTS_MAX)
		s->parts[s->count++] = (struct php_loop_part){ s->start, s->end, 0 };
	s->first = false;
	return 0;
}

static void php_loop_end_entry(struct cfi_sink *sink, bool good)
{
	(void)sink, (void)good;
}

#ifdef __x86_64__
enum { STEP = 1, LOOKED_AT = 6 };

/* Where the jump at c[at], if it is one, leads to, from its own address on. */
static int64_t php_loop_jump(const uint8_t *c)
{
	bool conditional = c[0] == 0x0f && (c[1] & 0xf0) == 0x80; /* jcc rel32 */
	int32_t distance;

	if (!conditional && c[0] != 0xe9) /* jmp rel32 */
		return 0;
	memcpy(&distance, c + 1 + conditional, sizeof(distance));
	return (int64_t)distance + 5 + conditional;
}
#elif defined(__aarch64__)
enum { STEP = 4, LOOKED_AT = 4 };

static int64_t signed_field(uint32_t insn, unsigned at, unsigned bits)
{
	return (int64_t)((uint64_t)(insn >> at) << (64 - bits)) >> (64 - bits);
}

static int64_t php_loop_jump(const uint8_t *c)
{
	uint32_t insn;

	memcpy(&insn, c, sizeof(insn));
	if (insn >> 26 == 0x05) /* b */
		return 4 * signed_field(insn, 0, 26);
	if (insn >> 24 == 0x54 || (insn & 0x7e000000) == 0x34000000) /* b.cond, cbz, cbnz */
		return 4 * signed_field(insn, 5, 19);
	if ((insn & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		return 4 * signed_field(insn, 5, 14);
	return 0;
}
#endif

static void count_jumps(struct php_loop_search *s, const uint8_t *code, uint64_t size)
{
	for (uint64_t at = 0; at + LOOKED_AT <= size; at += STEP) {
		uint64_t to = s->loop + at + (uint64_t)php_loop_jump(code + at);

		for (size_t i = 0; i < s->count; i++)
			s->parts[i].jumps += to - s->parts[i].start <
					     s->parts[i].end - s->parts[i].start;
	}
}

static const struct php_loop_part *most_jumps(const struct php_loop_search *s)
{
	const struct php_loop_part *most = NULL;

	for (size_t i = 0; i < s->count; i++)
		if (s->parts[i].jumps >= JUMPS_MIN && (!most || s->parts[i].jumps > most->jumps))
			most = &s->parts[i];
	return most;
}

static void php_loop_find_parts(struct php_loop_search *s, const struct image *image)
{
	struct cfi_source source;

	cfi_source_open(&source, image);
	for (int pass = 0; pass < 2; pass++) {
		s->for_parts = pass;
		for (size_t i = 0; i < source.count; i++)
			cfi_read(&source.sections[i], &s->sink);
	}
	cfi_source_close(&source);
}

void php_find_loop(struct php_runtime *rt, const struct image *image, uint64_t bias, uint64_t addr,
		   uint64_t size)
{
	struct php_loop_search s = { .sink = { .begin = php_loop_begin_entry,
					       .row = see_row,
					       .end = php_loop_end_entry },
				     .loop = addr };
	const struct php_loop_part *cold;
	uint8_t *code;

	rt->loop[0] = (struct php_range){ bias + addr, bias + addr + size };
	code = size <= CODE_MAX ? malloc(size) : NULL;
	if (!code)
		return;
	if (elfsymbol_bytes(image, addr, code, size)) {
		php_loop_find_parts(&s, image);
		count_jumps(&s, code, size);
	}
	cold = most_jumps(&s);
	if (cold)
		rt->loop[1] = (struct php_range){ bias + cold->start, bias + cold->end };
	free(code);
}
