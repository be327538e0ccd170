// links: unwind
/*
 * Any bytes as .eh_frame or .debug_frame, compiled to a table; then lookups, and every expression
 * that a rule names is evaluated, with memory that does not exist.
 *
 * The first byte says what the rest is: bit 0 .debug_frame; bit 1 both, one half each; bit 2 the
 * base of data-relative pointers is known; bit 3 addresses are near the end of the address space.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "unwind/expr.h"
#include "unwind/table/regs.h"
#include "unwind/table/table.h"
#include "tests/unit/unwind/rule_at.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEBUG_FRAME = 1, BOTH = 2, DATA_BASE = 4, HIGH = 8, CODE_SIZE = 0x20000 };

static int read_nothing(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	(void)m;
	if (addr % 7 == 0)
		return addr & 8 ? ERR_IO : ERR_SHORT;
	memset(buf, (int)(addr >> 3), len);
	return 0;
}

static void evaluate(const struct cfi_table *table, int32_t place)
{
	static const struct memory memory = { .read = read_nothing };
	static const struct regs regs = { .r = { 1, 2, 3, 4, 5, 6, 7, 0x7000 } };
	struct expr_context context = { .regs = &regs, .valid = 0x1ffff, .memory = &memory };
	uint64_t cfa = 0x7100, value;
	size_t len;
	const uint8_t *code = cfi_table_expression(table, place, &len);
	int rc = expr_evaluate(code, len, &context, &cfa, &value);

	if (rc && rc != ERR_FORMAT && rc != ERR_IO && rc != ERR_SHORT)
		abort();
	context.valid = 1u << DWARF_SP;
	expr_evaluate(code, len, &context, NULL, &value);
}

static void use_rule(const struct cfi_table *table, const struct cfi_rule *rule)
{
	if (rule->cfa_reg == CFA_EXPRESSION)
		evaluate(table, rule->cfa_value);
	else if (rule->cfa_reg >= CFA_BASES)
		abort();
	if (rule->said & ~REGS_ALL)
		abort();
	for (unsigned i = 0; i < DWARF_COUNT; i++) {
		const struct column *col = &rule->columns[i];

		if ((col->kind != COLUMN_DEFAULT) != (rule->said >> i & 1))
			abort();
		if (col->kind == COLUMN_REGISTER && (unsigned)col->value >= DWARF_COUNT)
			abort();
		if (col->kind == COLUMN_SAVED_EXPR || col->kind == COLUMN_IS_EXPR)
			evaluate(table, col->value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned char ident[EI_NIDENT] = { 0x7f,	    'E',	 'L',	    'F',
							ELFCLASS64, ELFDATA2LSB, EV_CURRENT };
	const struct short_rule *last = NULL;
	struct cfi_section sections[2];
	struct cfi_table_info info;
	struct cfi_table *table;
	uint64_t base;
	uint8_t flags;
	size_t half;

	if (!size)
		return 0;
	flags = *data++;
	size--;
	half = flags & BOTH ? size / 2 : size;
	base = flags & HIGH ? UINT64_MAX - CODE_SIZE : 0;
	sections[0] = (struct cfi_section){
		.data = data,
		.len = half,
		.vaddr = base + CODE_SIZE / 2,
		.data_base = flags & DATA_BASE ? 0x100 : 0,
		.eh_frame = !(flags & DEBUG_FRAME) || flags & BOTH,
		.ident = ident,
	};
	sections[1] = sections[0];
	sections[1].data = data + half;
	sections[1].len = size - half;
	sections[1].eh_frame = false;
	if (cfi_table_compile(sections, flags & BOTH ? 2 : 1, base, base + CODE_SIZE, &table, NULL))
		abort();
	cfi_table_info(table, &info);
	if (info.rows > size || info.rules > info.rows + size || info.broken > size)
		abort();
	if (cfi_table_find(table, base - 1) || cfi_table_find(table, base + CODE_SIZE))
		abort();
	for (uint64_t i = 0; i < CODE_SIZE; i += i < 256 ? 1 : 61) {
		const struct short_rule *found = cfi_table_find(table, base + i);
		struct cfi_rule rule;

		if (found && found != last && copy_rule_at(table, base + i, &rule))
			use_rule(table, &rule);
		last = found;
	}
	cfi_table_free(table);
	return 0;
}
