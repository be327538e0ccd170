/* Tables of lines with the index that Ruby makes of them (succ_index_table_create()), and ones that
 * lie. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "fake.h"

enum { ENTRIES = 400 };

static struct arena arena;
static struct interp_code code;

static void release(void)
{
	arena_release(&arena);
}

TestSuite(rubylines, .fini = release);

/* Where the entries of a table begin. */
static unsigned places[ENTRIES];

static unsigned entries_before(unsigned count, unsigned word)
{
	unsigned n = 0;

	while (n < count && places[n] <= word)
		n++;
	return n;
}

static void put_index(uint64_t at, unsigned count, unsigned size)
{
	for (unsigned word = 0; word < 54; word++) {
		uint64_t slot = at + word / 9 * 8, old = memory_word(fake, slot - FAKE);

		if (word / 9 * 9 < size + 8)
			put(slot, old | (uint64_t)entries_before(count, word) << word % 9 * 7);
	}
	for (unsigned block = 54; block < size; block += 512) {
		uint64_t to = at + 48 + (block - 54) / 512 * 80, ranks = 0;
		unsigned rank = entries_before(count, block - 1);

		put32(to, rank);
		for (unsigned part = 0; part < 8; part++) {
			unsigned first = block + part * 64;
			uint64_t bits = 0;

			if (part)
				ranks |= (uint64_t)(entries_before(count, first - 1) - rank)
					 << (part - 1) * 9;
			for (unsigned n = 0; n < count; n++)
				if (places[n] - first < 64)
					bits |= 1ull << (places[n] - first);
			put(to + 16 + 8 * part, bits);
		}
		put(to + 8, ranks);
	}
}

/* An iseq of `size` words; a new line begins each `step` words. */
static uint64_t make(unsigned size, unsigned step)
{
	const struct ruby_layout *l = fake_rt.layout;
	uint64_t iseq = fake_iseq(ISEQ_METHOD, "total", 7, size), body = fake_body(iseq);
	unsigned count = (size + step - 1) / step;
	uint64_t table = fake_alloc(count * l->insn_entry), index = fake_alloc(48 + 80 * 8);

	cr_assert_leq(count, ENTRIES);
	for (unsigned n = 0; n < count; n++) {
		places[n] = n * step;
		put32(table + n * l->insn_entry, 100 + n);
	}
	put(body + l->insns + INSNS_TABLE, table);
	put32(body + l->insns + INSNS_COUNT, count);
	put(body + l->insns + INSNS_INDEX, index);
	put_index(index, count, size);
	return iseq;
}

static int resolve(uint64_t iseq)
{
	return ruby_resolve(&fake_rt, &fake_memory.memory,
			    &(struct interp_identity){ .code = iseq }, &arena, &code);
}

static uint32_t line_at(uint64_t at)
{
	uint32_t line, column;

	ruby_line(&fake_rt, &code, at, &line, &column);
	cr_assert_eq(column, 0);
	return line;
}

static void check(unsigned size, unsigned step)
{
	uint64_t iseq = make(size, step);

	cr_assert_eq(resolve(iseq), 0);
	cr_assert_eq(line_at(fake_code(iseq)), 100);
	for (unsigned word = 1; word <= size; word++)
		cr_assert_eq(line_at(fake_code(iseq) + 8 * word), 100 + (word - 1) / step,
			     "%u words, word %u", size, word);
	cr_assert_eq(line_at(fake_code(iseq) + 8 * size + 8), 0);
	cr_assert_eq(line_at(fake_code(iseq) - 8), 0);
	cr_assert_eq(line_at(fake_code(iseq) + 4), 0);
}

Test(rubylines, the_word_in_front_of_the_pc_has_the_line_of_its_entry)
{
	static const unsigned releases[] = { 300, 301, 302, 303, 304, 400 };

	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
		fake_begin(releases[i] / 100, releases[i] % 100);
		check(2, 1);
		check(10, 3);
		check(53, 2);
		check(54, 2);
		check(55, 2);
		check(63, 4);
		check(600, 3);
		check(1300, 7);
	}
}

Test(rubylines, a_table_of_one_entry_has_no_index)
{
	uint64_t iseq;

	fake_begin(3, 3);
	iseq = fake_iseq(ISEQ_METHOD, "total", 7, 12);
	cr_assert_eq(resolve(iseq), 0);
	cr_assert_eq(code.first_line, 7);
	cr_assert_eq(line_at(fake_code(iseq) + 8), 7);
	cr_assert_eq(line_at(0), 0);
}

static const uint64_t insn_codes[] = { FAKE_CORE + 0x100, FAKE_CORE + 0x200, FAKE_CORE + 0x300 };

/* Three instructions of one word each, two of line 100 and one of line 101. */
static uint64_t three_insns(void)
{
	static uint64_t codes[3];
	static uint16_t numbers[] = { 0, 1, 2 };
	static uint8_t lengths[] = { 1, 1, 1 };
	uint64_t iseq;

	memcpy(codes, insn_codes, sizeof(codes));
	fake_begin(3, 3);
	fake_rt.loop.codes = codes;
	fake_rt.loop.numbers = numbers;
	fake_rt.loop.lengths = lengths;
	fake_rt.loop.count = 3;
	iseq = make(3, 2);
	for (unsigned i = 0; i < 3; i++)
		put(fake_code(iseq) + 8 * i, codes[i]);
	cr_assert_eq(resolve(iseq), 0);
	return fake_code(iseq) + 16;
}

Test(rubylines, the_instruction_in_which_the_thread_is_decides)
{
	uint64_t pc = three_insns();

	cr_assert_eq(line_at(pc), 100);
	cr_assert_eq(line_at(pc | (2ull << AT_SHIFT)), 100, "the one in front of the pc");
	cr_assert_eq(line_at(pc | (3ull << AT_SHIFT)), 101, "the one at the pc");
	cr_assert_eq(line_at(pc | (1ull << AT_SHIFT)), 100, "neither");
	cr_assert_eq(line_at(pc | ((1ull | AT_NEXT) << AT_SHIFT)), 101, "it has just jumped");
	cr_assert_eq(line_at(pc | ((3ull | AT_CALLS) << AT_SHIFT)), 100, "in a call");
	cr_assert_eq(line_at(pc | ((uint64_t)AT_BETWEEN << AT_SHIFT)), 0);
	cr_assert_eq(line_at((pc - 16) | ((uint64_t)AT_BETWEEN << AT_SHIFT)), 100);
}

Test(rubylines, code_that_is_no_chain_of_instructions_is_not_used)
{
	uint64_t pc = three_insns();
	uint64_t iseq = make(3, 2);

	(void)pc;
	put(fake_code(iseq), insn_codes[0]);
	put(fake_code(iseq) + 8, FAKE_CORE + 0x101);
	cr_assert_eq(resolve(iseq), 0);
	cr_assert_eq(line_at((fake_code(iseq) + 16) | (3ull << AT_SHIFT)), 100);
}

Test(rubylines, tables_that_lie_are_refused)
{
	const uint64_t far = 0x7fff00000000;
	uint64_t iseq, insns;

	fake_begin(3, 4);
	iseq = make(100, 5);
	insns = fake_body(iseq) + fake_rt.layout->insns;
	put32(insns + INSNS_COUNT, 19);
	cr_assert_eq(resolve(iseq), ERR_FORMAT);
	put32(insns + INSNS_COUNT, 101);
	cr_assert_eq(resolve(iseq), ERR_FORMAT);
	put32(insns + INSNS_COUNT, UINT32_MAX);
	cr_assert_eq(resolve(iseq), ERR_FORMAT);
	put32(insns + INSNS_COUNT, 20);
	cr_assert_eq(resolve(iseq), 0);
	put(insns + INSNS_INDEX, far);
	cr_assert_eq(resolve(iseq), ERR_FORMAT);
	iseq = make(100, 5);
	put(fake_body(iseq) + fake_rt.layout->insns + INSNS_TABLE, far);
	cr_assert_eq(resolve(iseq), ERR_FORMAT);
	iseq = make(100, 5);
	put32(fake_body(iseq) + BODY_SIZE, UINT32_MAX);
	cr_assert_eq(resolve(iseq), ERR_FORMAT);
	iseq = make(100, 5);
	put(fake_body(iseq) + BODY_CODE, far);
	cr_assert_eq(resolve(iseq), 0);
	cr_assert_eq(line_at(far + 8), 100);
}
