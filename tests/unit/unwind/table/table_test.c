/* The table: gaps, which of several entries counts, rules and expressions that are kept once each,
 * and too many of them. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "unwind/table/table.h"
#include "tests/unit/unwind/cfi_bytes.h"

static struct buffer eh, debug;

static void tear_down(void)
{
	buffer_release(&eh);
	buffer_release(&debug);
}

TestSuite(table, .fini = tear_down);

static struct cfi_section section_of(const struct buffer *b, bool eh_frame)
{
	return (struct cfi_section){
		.data = b->data, .len = b->len, .eh_frame = eh_frame, .ident = ident
	};
}

/* Compiles .eh_frame first, .debug_frame second; either may be empty. */
static struct cfi_table *compile_range(uint64_t base, uint64_t limit)
{
	struct cfi_section sections[2] = { section_of(&eh, true), section_of(&debug, false) };
	struct cfi_table *table = NULL;

	cr_assert_eq(cfi_table_compile(sections, 2, base, limit, &table, NULL), 0);
	return table;
}

/* The CFA's distance from rsp; 0: there is no rule. */
static int32_t cfa_at(const struct cfi_table *t, uint64_t pc)
{
	const struct cfi_rule *r = rule_at(t, pc);

	return r ? r->cfa_value : 0;
}

static struct cfi_table_info info_of(const struct cfi_table *t)
{
	struct cfi_table_info info;

	cfi_table_info(t, &info);
	return info;
}

Test(table, of_nothing_has_no_rule)
{
	struct cfi_table *t = compile_range(0, 0);

	cr_assert_null(rule_at(t, 0));
	cr_assert_null(rule_at(t, UINT64_MAX));
	cr_assert_eq(info_of(t).rows, 0);
	cfi_table_free(t);
}

Test(table, gaps_have_no_rule_and_neighbours_merge)
{
	size_t cie = put_cie(&eh, "zR");
	struct cfi_table *t;

	/* Not in the order of addresses, as when a linker sorts functions. */
	put_fde(&eh, cie, 0x3000, 0x100, CODE(""));
	put_fde(&eh, cie, 0x1000, 0x100, CODE(""));
	put_fde(&eh, cie, 0x1100, 0x100, CODE(""));
	put_fde(&eh, cie, 0x1200, 0x10, CODE("\x0e\x10"));
	t = compile_range(0x1000, 0x10000);
	cr_assert_eq(cfa_at(t, 0xfff), 0);
	cr_assert_eq(cfa_at(t, 0x1000), 8);
	cr_assert_eq(cfa_at(t, 0x11ff), 8);
	cr_assert_eq(cfa_at(t, 0x1200), 16);
	cr_assert_eq(cfa_at(t, 0x120f), 16);
	cr_assert_eq(cfa_at(t, 0x1210), 0);
	cr_assert_eq(cfa_at(t, 0x2fff), 0);
	cr_assert_eq(cfa_at(t, 0x3000), 8);
	cr_assert_eq(cfa_at(t, 0x3100), 0);
	cr_assert_eq(info_of(t).rows, 5, "the first two are one");
	cr_assert_eq(info_of(t).rules, 2);
	cfi_table_free(t);
}

/* Four bytes, and at most a twelfth of an index entry of four bytes. */
Test(table, a_row_takes_less_than_four_and_a_half_bytes)
{
	size_t cie = put_cie(&eh, "zR");
	struct cfi_table_info few, many;
	struct cfi_table *t;

	put_fde(&eh, cie, 0x1000, 0x10, CODE("\x41\x0e\x10"));
	t = compile_range(0, UINT32_MAX);
	few = info_of(t);
	cfi_table_free(t);
	for (uint64_t i = 1; i <= 10000; i++)
		put_fde(&eh, cie, 0x1000 + i * 0x20, 0x10, CODE("\x41\x0e\x10"));
	t = compile_range(0, UINT32_MAX);
	many = info_of(t);
	cfi_table_free(t);
	cr_assert_eq(many.rows - few.rows, 30000);
	cr_assert_geq(many.bytes - few.bytes, 4 * 30000);
	cr_assert_lt(many.bytes - few.bytes, 4.5 * 30000);
	cr_assert_eq(many.rules, few.rules);
}

/* Rows are found wherever pages begin and end: the distances between rows are from one byte to more
 * than the largest page. */
Test(table, rows_near_and_far)
{
	size_t cie = put_cie(&eh, "zR");
	uint64_t pc = 0x1000;
	struct cfi_table *t;

	for (uint64_t i = 0; i < 36; pc += 1ull << (i++ % 18))
		put_fde(&eh, cie, pc, (1ull << (i % 18)) - i % 2, CODE("\x0e\x10"));
	t = compile_range(0x800, UINT32_MAX);
	pc = 0x1000;
	cr_assert_eq(cfa_at(t, 0x800), 0);
	cr_assert_eq(cfa_at(t, pc - 1), 0);
	for (uint64_t i = 0; i < 36; pc += 1ull << (i++ % 18)) {
		cr_assert_eq(cfa_at(t, pc), 16, "%lx", pc);
		cr_assert_eq(cfa_at(t, pc + (1ull << (i % 18)) - 1), i % 2 ? 0 : 16, "%lx", pc);
	}
	cr_assert_eq(cfa_at(t, pc), 0);
	cfi_table_free(t);
}

Test(table, of_overlapping_entries_the_one_that_begins_first_keeps_what_it_covers)
{
	size_t cie = put_cie(&eh, "zR");
	struct cfi_table *t;

	put_fde(&eh, cie, 0x1080, 0x100, CODE("\x0e\x20\x02\x90\x0e\x28")); /* its end remains */
	put_fde(&eh, cie, 0x1000, 0x100, CODE("\x0e\x10"));
	put_fde(&eh, cie, 0x1010, 0x10, CODE("\x0e\x18"));  /* inside */
	put_fde(&eh, cie, 0x1000, 0x100, CODE("\x0e\x30")); /* the same again */
	t = compile_range(0, 0x10000);
	for (uint64_t pc = 0x1000; pc < 0x1100; pc++)
		cr_assert_eq(cfa_at(t, pc), 16, "%lx", pc);
	cr_assert_eq(cfa_at(t, 0x1100), 32);
	cr_assert_eq(cfa_at(t, 0x110f), 32);
	cr_assert_eq(cfa_at(t, 0x1110), 40);
	cr_assert_eq(cfa_at(t, 0x117f), 40);
	cr_assert_eq(cfa_at(t, 0x1180), 0);
	cfi_table_free(t);
}

Test(table, debug_frame_fills_the_gaps_of_eh_frame)
{
	size_t cie = put_cie(&eh, "zR"), other = put_debug_cie(&debug);
	struct cfi_table *t;

	put_fde(&eh, cie, 0x1100, 0x100, CODE("\x0e\x10"));
	put_fde(&eh, cie, 0x1300, 0x100, CODE("\x0e\x18"));
	put_debug_fde(&debug, other, 0x1080, 0x400, CODE("\x0e\x40\x03\x00\x02\x0e\x48"));
	put_debug_fde(&debug, other, 0x1000, 0x10, CODE("\x0e\x50"));
	put_debug_fde(&debug, other, 0x1120, 0x10, CODE("\x0e\x58"));
	t = compile_range(0, 0x10000);
	cr_assert_eq(cfa_at(t, 0x1000), 0x50);
	cr_assert_eq(cfa_at(t, 0x1010), 0);
	cr_assert_eq(cfa_at(t, 0x1080), 0x40);
	cr_assert_eq(cfa_at(t, 0x10ff), 0x40);
	cr_assert_eq(cfa_at(t, 0x1100), 0x10);
	cr_assert_eq(cfa_at(t, 0x1120), 0x10);
	cr_assert_eq(cfa_at(t, 0x11ff), 0x10);
	cr_assert_eq(cfa_at(t, 0x1200), 0x40);
	cr_assert_eq(cfa_at(t, 0x1280), 0x48);
	cr_assert_eq(cfa_at(t, 0x1300), 0x18);
	cr_assert_eq(cfa_at(t, 0x1400), 0x48);
	cr_assert_eq(cfa_at(t, 0x147f), 0x48);
	cr_assert_eq(cfa_at(t, 0x1480), 0);
	cfi_table_free(t);
}

Test(table, entries_outside_the_code_are_left_out)
{
	size_t cie = put_cie(&eh, "zR");
	struct cfi_table *t;

	put_fde(&eh, cie, 0x0ff0, 0x20, CODE("")); /* begins before it */
	put_fde(&eh, cie, 0x1ff0, 0x20, CODE("")); /* ends after it */
	put_fde(&eh, cie, 0x1100, UINT64_MAX, CODE(""));
	put_fde(&eh, cie, 0, 0x10, CODE(""));	/* dropped by the linker: not broken */
	put_fde(&eh, cie, 0x1200, 0, CODE("")); /* no length: not broken */
	put_fde(&eh, cie, 0x1300, 0x10, CODE(""));
	t = compile_range(0x1000, 0x2000);
	cr_assert_eq(info_of(t).broken, 3);
	cr_assert_eq(info_of(t).rows, 2);
	cr_assert_eq(cfa_at(t, 0x1300), 8);
	cfi_table_free(t);
}

Test(table, at_the_end_of_the_address_space)
{
	const uint64_t base = UINT64_MAX - 0xffff;
	size_t cie = put_cie(&eh, "zR");
	struct cfi_table *t;

	put_fde(&eh, cie, base + 0x100, 0x100, CODE(""));
	put_fde(&eh, cie, 0x100, 0x100, CODE(""));
	t = compile_range(base, UINT64_MAX);
	cr_assert_eq(cfa_at(t, base + 0x100), 8);
	cr_assert_eq(cfa_at(t, base + 0x200), 0);
	cr_assert_eq(cfa_at(t, 0x100), 0);
	cr_assert_eq(cfa_at(t, UINT64_MAX), 0);
	cr_assert_eq(info_of(t).broken, 1);
	cfi_table_free(t);
}

Test(table, expressions_are_kept_once)
{
	static const char drap[] = "\x0f\3\x76\x78\x06"; /* def_cfa_expression: *(rbp-8) */
	size_t cie = put_cie(&eh, "zR"), other = put_debug_cie(&debug), len;
	const uint8_t *text;
	struct cfi_table *t;

	for (uint64_t i = 0; i < 100; i++) {
		put_fde(&eh, cie, 0x1000 + i * 0x20, 0x10, drap, 5);
		put_debug_fde(&debug, other, 0x8000 + i * 0x20, 0x10, drap, 5);
	}
	t = compile_range(0, 0x10000);
	cr_assert_eq(info_of(t).rules, 1);
	text = cfi_table_expression(t, rule_at(t, 0x8000)->cfa_value, &len);
	cr_assert_eq(len, 3);
	cr_assert_arr_eq(text, "\x76\x78\x06", 3);
	cfi_table_free(t);
}

Test(table, an_expression_of_no_end_is_refused)
{
	size_t cie = put_cie(&eh, "zR");
	char code[4 + 600] = "\x0f\xd8\x04"; /* 600 bytes */
	struct cfi_table *t;

	memset(code + 3, 0x96, sizeof(code) - 3);
	put_fde(&eh, cie, 0x1000, 0x100, code, sizeof(code));
	put_fde(&eh, cie, 0x2000, 0x100, CODE(""));
	t = compile_range(0, 0x10000);
	cr_assert_eq(info_of(t).broken, 1);
	cr_assert_eq(cfa_at(t, 0x1000), 0);
	cr_assert_eq(cfa_at(t, 0x2000), 8);
	cfi_table_free(t);
}

/* Entries alternate between two CIEs that have the same slot in the reader's cache, so that each
 * entry would require running the instructions of its CIE again. No time is measured: it is enough
 * that the test ends. */
Test(table, cies_that_drive_each_other_out_are_given_up)
{
	enum { FDES = 20000, LONG = 900, SLOTS = 16 };
	char code[LONG] = "\x0c\7\x08\x90\1";
	size_t cies[2];
	struct cfi_table *t;

	cies[0] = put_cie_with(&eh, false, "zR", "\x04", 1, code, sizeof(code));
	do
		cies[1] = put_cie_with(&eh, false, "zR", "\x04", 1, code, sizeof(code));
	while ((cies[0] >> 3 ^ cies[0] >> 7) % SLOTS != (cies[1] >> 3 ^ cies[1] >> 7) % SLOTS);
	for (uint64_t i = 0; i < FDES; i++)
		put_fde(&eh, cies[i % 2], 0x1000 + i * 0x20, 0x10, CODE(""));
	t = compile_range(0, UINT32_MAX);
	cr_assert_eq(cfa_at(t, 0x1000), 8);
	cr_assert_gt(info_of(t).broken, FDES / 2);
	cr_assert_lt(info_of(t).broken, FDES);
	cfi_table_free(t);
}

/* Two rules alternate that the memo cannot distinguish by their hashes, each with seven kilobytes
 * of expressions: for three bytes of CFI, seven thousand bytes would be hashed. */
Test(table, expressions_that_cost_too_much_are_given_up)
{
	enum { COLUMNS = 14, EXPRESSION = 500, ROWS = 20000 };
	static char code[COLUMNS * (4 + EXPRESSION) + 3 * ROWS];
	char *p = code;
	size_t cie = put_cie(&eh, "zR");
	struct cfi_table *t;

	put_fde(&eh, cie, 0x800, 0x10, CODE("\x0e\x20"));
	for (char n = 0; n < COLUMNS; n++) {
		*p++ = 0x10; /* DW_CFA_expression, but for rbx */
		*p++ = n == 3 ? 15 : n;
		*p++ = (char)(EXPRESSION % 128 + 128);
		*p++ = EXPRESSION / 128;
		memset(p, 0x96, EXPRESSION);
		p += EXPRESSION;
	}
	for (int i = 0; i < ROWS; i++) {
		*p++ = i % 2 ? 0x07 : 0x08; /* undefined, same_value: rbx */
		*p++ = 3;
		*p++ = 0x41;
	}
	put_fde(&eh, cie, 0x1000, ROWS, code, (size_t)(p - code));
	put_fde(&eh, cie, 0x800000, 0x10, CODE("\x0e\x20"));
	t = compile_range(0, UINT32_MAX);
	cr_assert_eq(info_of(t).broken, 1);
	cr_assert_eq(cfa_at(t, 0x1000), 0);
	cr_assert_eq(cfa_at(t, 0x800), 32);
	cr_assert_eq(cfa_at(t, 0x800000), 32, "what is known needs no effort");
	cfi_table_free(t);
}

Test(table, too_many_rules_leave_the_rest_out)
{
	enum { RULES = 70000 };
	size_t cie = put_cie(&eh, "zR");
	struct cfi_table *t;

	for (uint32_t i = 0; i < RULES; i++) {
		char code[] = { 0x0e, (char)(i | 0x80), (char)(i >> 7 | 0x80), (char)(i >> 14) };

		put_fde(&eh, cie, 0x1000 + i * 0x10, 0x10, code, sizeof(code));
	}
	put_fde(&eh, cie, 0x1000 + RULES * 0x10, 0x10, CODE("\x0e\x20"));
	t = compile_range(0, UINT32_MAX);
	cr_assert_eq(info_of(t).rules, 65535);
	cr_assert_eq(info_of(t).broken, RULES - 65535);
	cr_assert_eq(cfa_at(t, 0x1000 + 65534 * 0x10), 65534);
	cr_assert_null(rule_at(t, 0x1000 + 65535 * 0x10));
	cr_assert_eq(cfa_at(t, 0x1000 + RULES * 0x10), 32, "what is known still works");
	cfi_table_free(t);
}

/* Many entries in random order, each of them looked up: only so many reveal a memo that returns
 * another rule, or a sort that loses an entry. */
Test(table, a_crowd)
{
	enum { COUNT = 5000, STEP = 0x40 };
	static uint32_t order[COUNT];
	size_t cie = put_cie(&eh, "zR");
	struct cfi_table *t;

	srandom(7);
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t j = (uint32_t)random() % (i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		/* rbx saved at one of 100 offsets, a second row, a gap */
		char code[] = { (char)0x83, (char)(order[i] % 100 + 2), 0x48, 0x0e,
				(char)(order[i] % 90 + 16) };

		put_fde(&eh, cie, 0x10000 + (uint64_t)order[i] * STEP, STEP - 8, code,
			sizeof(code));
	}
	t = compile_range(0x10000, UINT32_MAX);
	for (uint32_t i = 0; i < COUNT; i++) {
		uint64_t pc = 0x10000 + (uint64_t)i * STEP;
		const struct cfi_rule *r = rule_at(t, pc);

		cr_assert_eq(r->columns[DWARF_RBX].value, -8 * (int32_t)(i % 100 + 2), "%u", i);
		cr_assert_eq(cfa_at(t, pc + 7), 8);
		cr_assert_eq(cfa_at(t, pc + 8), (int32_t)(i % 90 + 16));
		cr_assert_eq(cfa_at(t, pc + STEP - 8), 0);
	}
	cr_assert_eq(info_of(t).rows, 3 * COUNT);
	cfi_table_free(t);
}
