/*
 * The lines of an iseq.
 *
 * insns_info.body has an entry for each run of instructions with the same line; where these begin
 * is in a succinct index (succ_index.c, or iseq.c up to 3.2): for each of the first 54 words of
 * code the number of entries that begin at it or before, nine bits each, seven to eight bytes;
 * behind these, blocks of 512 words: the number of entries before the block, seven numbers of nine
 * bits for those before its second to eighth part, and a bit for each word at which an entry
 * begins. Here the index is turned into the places themselves. A table of one entry has no index.
 *
 * Ruby's own backtraces take the entry of the word in front of the pc, because the pc is moved on
 * at an instruction's beginning (vm_backtrace.c, calc_pos()). A profiler also meets a thread that
 * has come to an instruction and has not moved the pc on, or that has just jumped: then the word in
 * front may belong to a line that was never executed. So the code, in words, is read as well, and
 * where the thread is in the loop's code, the instruction in which it is decides.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/ruby/runtime.h"

enum {
	CODE_MAX = 1 << 20,  /* words of an iseq */
	INSNS_MAX = 1 << 14, /* words of code up to which instructions are told apart */
	IMMEDIATE = 54,	     /* IMMEDIATE_TABLE_SIZE */
	PER_WORD = 9,
	BLOCK = 512,
	BLOCK_BYTES = 80,
	BLOCK_RANKS = 8,
	BLOCK_BITS = 16,
};

struct ruby_lines {
	uint64_t code; /* address of the first word */
	uint32_t size; /* words */
	uint32_t first_line;
	uint32_t count;	  /* entries */
	uint32_t *places; /* words at which they begin, ascending; the first is 0 */
	uint32_t *lines;
	uint32_t insn_count; /* 0: the code was not read */
	uint32_t *starts;    /* words at which instructions begin */
	uint16_t *numbers;   /* of these instructions, plus one; 0: not known */
};

static uint32_t ruby_lines_rank(const uint8_t *index, uint32_t word)
{
	uint32_t in, part, before;
	const uint8_t *block;

	if (word < IMMEDIATE)
		return memory_word(index, word / PER_WORD * 8) >> (word % PER_WORD * 7) & 0x7f;
	block = index + IMMEDIATE / PER_WORD * 8 + (word - IMMEDIATE) / BLOCK * BLOCK_BYTES;
	in = (word - IMMEDIATE) % BLOCK;
	part = in / 64;
	before = part ? memory_word(block, BLOCK_RANKS) >> ((part - 1) * 9) & 0x1ff : 0;
	return memory_u32(block, 0) + before +
	       (uint32_t)__builtin_popcountll(memory_word(block, BLOCK_BITS + 8 * part)
					      << (63 - in % 64));
}

static size_t index_bytes(uint32_t size)
{
	if (size < IMMEDIATE)
		return (size + 8) / PER_WORD * 8;
	return IMMEDIATE / PER_WORD * 8 + (size - IMMEDIATE + BLOCK - 1) / BLOCK * BLOCK_BYTES;
}

/* Inverts the index. False: it is none of a table with that many entries. */
static bool read_places(struct ruby_lines *l, const uint8_t *index)
{
	uint32_t entries = 0;

	for (uint32_t word = 0; word < l->size; word++) {
		uint32_t now = ruby_lines_rank(index, word);

		if (now == entries)
			continue;
		if (now != entries + 1 || now > l->count || (!entries && word))
			return false;
		l->places[entries++] = word;
	}
	return entries == l->count;
}

static int read_index(struct ruby_lines *l, const struct memory *memory, uint64_t addr)
{
	size_t bytes = index_bytes(l->size);
	uint8_t *index;
	int rc;

	if (l->count == 1) {
		l->places[0] = 0;
		return 0;
	}
	index = malloc(bytes);
	if (!index)
		return ERR_NOMEM;
	rc = memory->read(memory, addr, index, bytes) || !read_places(l, index) ? ERR_FORMAT : 0;
	free(index);
	return rc;
}

static int read_table(const struct ruby_runtime *rt, struct ruby_lines *l,
		      const struct memory *memory, uint64_t addr)
{
	size_t size = rt->layout->insn_entry;
	uint8_t *table = malloc(l->count * size);
	int rc;

	if (!table)
		return ERR_NOMEM;
	rc = memory->read(memory, addr, table, l->count * size) ? ERR_FORMAT : 0;
	for (uint32_t i = 0; !rc && i < l->count; i++)
		l->lines[i] = memory_u32(table, i * size);
	free(table);
	return rc;
}

/* The instructions, if all words of the code lead from one to the next. */
static int read_insns(const struct ruby_loop *loop, struct ruby_lines *l,
		      const struct memory *memory, struct arena *arena)
{
	uint64_t *code;
	uint32_t word = 0, count = 0;

	if (!loop->count || l->size > INSNS_MAX)
		return 0;
	code = malloc(l->size * sizeof(*code));
	l->starts = arena_alloc(arena, l->size * sizeof(*l->starts));
	l->numbers = arena_alloc(arena, l->size * sizeof(*l->numbers));
	if (!code || !l->starts || !l->numbers) {
		free(code);
		return ERR_NOMEM;
	}
	if (!memory->read(memory, l->code, code, l->size * sizeof(*code)))
		while (word < l->size) {
			unsigned number = ruby_loop_starts(loop, code[word]);

			if (!number || !loop->lengths[number - 1])
				break;
			l->starts[count] = word;
			l->numbers[count++] = (uint16_t)number;
			word += loop->lengths[number - 1];
		}
	l->insn_count = word == l->size ? count : 0;
	free(code);
	return 0;
}

int ruby_read_lines(const struct ruby_runtime *rt, const struct memory *memory, const void *body,
		    struct arena *arena, struct ruby_lines **lines)
{
	const char *insns = (const char *)body + rt->layout->insns;
	struct ruby_lines *l = arena_alloc(arena, sizeof(*l));
	int rc;

	if (!l)
		return ERR_NOMEM;
	*lines = l;
	l->code = memory_word(body, BODY_CODE);
	l->size = memory_u32(body, BODY_SIZE);
	l->first_line = memory_u32(body, BODY_LINE) >> rt->layout->line_shift;
	l->count = memory_u32(insns, INSNS_COUNT);
	if (l->size > CODE_MAX || l->count > l->size)
		return ERR_FORMAT;
	if (!l->count)
		return 0;
	l->places = arena_alloc(arena, l->count * sizeof(*l->places));
	l->lines = arena_alloc(arena, l->count * sizeof(*l->lines));
	if (!l->places || !l->lines)
		return ERR_NOMEM;
	rc = read_index(l, memory, memory_word(insns, INSNS_INDEX));
	rc = rc ? rc : read_table(rt, l, memory, memory_word(insns, INSNS_TABLE));
	return rc ? rc : read_insns(&rt->loop, l, memory, arena);
}

/* The last of `count` ascending places that is not behind `word`. */
static uint32_t last_place(const uint32_t *places, uint32_t count, uint32_t word)
{
	uint32_t low = 0;

	while (count > 1) {
		uint32_t half = count / 2;

		if (places[low + half] <= word)
			low += half;
		count -= half;
	}
	return low;
}

/* Is the instruction at the pc executed, or will it be next, and not the one in front of it? In a
 * call, the pc has moved on, except up to 3.2 for instructions that cannot fail. */
static bool ruby_lines_is_at(const struct ruby_runtime *rt, const struct ruby_lines *l,
			     uint32_t word, unsigned insn)
{
	unsigned number = insn & AT_NUMBER;
	bool at, before;
	uint32_t i;

	if (!insn || word >= l->size)
		return false;
	if (!l->insn_count) /* the pc is always at an instruction's beginning */
		return insn & AT_NEXT && !(insn & AT_CALLS);
	i = last_place(l->starts, l->insn_count, word);
	if (l->starts[i] != word)
		return false;
	at = number && l->numbers[i] == number;
	before = number && i && l->numbers[i - 1] == number;
	if (insn & AT_CALLS)
		return at && !before && rt->layout->release <= 302;
	return !before && (at || insn & AT_NEXT);
}

void ruby_line(const void *of, const struct interp_code *code, uint64_t at, uint32_t *line,
	       uint32_t *column)
{
	const struct ruby_runtime *rt = of;
	const struct ruby_lines *l = code->lines;
	uint64_t offset;
	uint32_t word;

	*line = *column = 0;
	if (!l)
		return;
	offset = (at & AT_PC) - l->code;
	if (offset % 8 || offset / 8 > l->size)
		return;
	word = (uint32_t)(offset / 8);
	if (!l->count) {
		*line = l->first_line;
		return;
	}
	if (word && at >> AT_SHIFT & AT_BETWEEN)
		return;
	if (!ruby_lines_is_at(rt, l, word, (unsigned)(at >> AT_SHIFT)))
		word -= word > 0;
	*line = l->lines[last_place(l->places, l->count, word)];
}
