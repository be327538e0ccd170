/* The finished table: its memory, its checks, and the search in it. */
#include "sampler/unwind/table/table.h"

#include <stdlib.h>
#include <string.h>

#include "sampler/unwind/table/form.h"

size_t table_len(const struct table_shape *s)
{
	if (s->rows > ROWS_MAX || s->rules > RULES_MAX || s->long_rules > s->rules ||
	    s->expressions > EXPRESSIONS_MAX || s->shift > PAGE_SHIFT_MAX ||
	    (uint64_t)s->pages << s->shift > (uint64_t)UINT32_MAX + (1 << PAGE_SHIFT_MAX) + 1)
		return 0;
	return s->long_rules * sizeof(struct cfi_rule) + (s->pages + 1ul) * sizeof(uint32_t) +
	       (s->rules + 1ul) * sizeof(struct short_rule) +
	       (s->rows + 1ul) * sizeof(struct cfi_row) + s->expressions;
}

struct cfi_table *table_new(const struct table_shape *s)
{
	size_t len = table_len(s);
	struct cfi_table *t = len ? calloc(1, sizeof(*t) + len) : NULL;

	if (!t)
		return NULL;
	t->shape = *s;
	t->len = len;
	t->long_rules = (struct cfi_rule *)t->data;
	t->index = (uint32_t *)(t->long_rules + s->long_rules);
	t->rules = (struct short_rule *)(t->index + s->pages + 1);
	t->rows = (struct cfi_row *)(t->rules + s->rules + 1);
	t->expressions = (uint8_t *)(t->rows + s->rows + 1);
	return t;
}

void cfi_table_free(struct cfi_table *t)
{
	free(t);
}

/* Is there a complete expression at this place? */
static bool is_expression(const struct cfi_table *t, int32_t place)
{
	uint16_t len;

	if (place < 0 || (uint64_t)place + sizeof(len) > t->shape.expressions)
		return false;
	memcpy(&len, t->expressions + place, sizeof(len));
	return len <= EXPRESSION_MAX && place + sizeof(len) + len <= t->shape.expressions;
}

static bool column_is_sound(const struct cfi_table *t, const struct cfi_rule *rule, unsigned n)
{
	const struct column *col = &rule->columns[n];

	if ((col->kind != COLUMN_DEFAULT) != (rule->said >> n & 1))
		return false;
	if (col->kind == COLUMN_REGISTER)
		return col->value >= 0 && col->value < DWARF_COUNT;
	if (col->kind == COLUMN_SAVED_EXPR || col->kind == COLUMN_IS_EXPR)
		return is_expression(t, col->value);
	return true;
}

static bool long_rule_is_sound(const struct cfi_table *t, const struct cfi_rule *rule)
{
	uint8_t signal_frame;

	memcpy(&signal_frame, &rule->signal_frame, 1);
	if (signal_frame > 1 || rule->said & ~REGS_ALL)
		return false;
	if (rule->cfa_reg == CFA_EXPRESSION ? !is_expression(t, rule->cfa_value) :
					      rule->cfa_reg >= CFA_BASES)
		return false;
	for (unsigned n = 0; n < DWARF_COUNT; n++)
		if (!column_is_sound(t, rule, n))
			return false;
	return true;
}

static bool short_rule_is_sound(const struct cfi_table *t, const struct short_rule *rule)
{
	int8_t deepest = NOT_SAVED;

	if (rule->cfa_reg == RULE_IS_LONG)
		return rule->cfa_value >= 0 && (uint32_t)rule->cfa_value < t->shape.long_rules;
	for (unsigned i = 0; i < SHORT_SLOTS; i++) {
		if (rule->slots[i] > NOT_SAVED)
			return false;
		deepest = rule->slots[i] < deepest ? rule->slots[i] : deepest;
	}
	return rule->cfa_reg < CFA_BASES && rule->deepest == deepest;
}

/* True when the rows ascend within each page, as a search needs, and name existing rules. */
static bool rows_are_sound(const struct cfi_table *t)
{
	const struct table_shape *s = &t->shape;
	uint32_t wrong = t->rows[0].rule != NO_RULE || t->index[0] || t->index[s->pages] != s->rows;

	for (uint32_t i = 0; i < s->pages; i++) {
		if (t->index[i] > t->index[i + 1] || t->index[i + 1] > s->rows)
			return false;
		for (uint32_t n = t->index[i] + 1; n < t->index[i + 1]; n++)
			wrong |= t->rows[n].pc >= t->rows[n + 1].pc;
	}
	for (uint32_t n = 1; n <= s->rows; n++)
		wrong |= t->rows[n].rule > s->rules;
	return !wrong;
}

bool table_is_sound(const struct cfi_table *t)
{
	if (!rows_are_sound(t))
		return false;
	for (uint32_t i = 1; i <= t->shape.rules; i++)
		if (!short_rule_is_sound(t, &t->rules[i]))
			return false;
	for (uint32_t i = 0; i < t->shape.long_rules; i++)
		if (!long_rule_is_sound(t, &t->long_rules[i]))
			return false;
	return true;
}

const struct short_rule *cfi_table_find(const struct cfi_table *t, uint64_t addr)
{
	uint64_t pc = addr - t->shape.base, page = pc >> t->shape.shift;
	const struct cfi_row *row = t->rows;
	uint32_t low = (uint32_t)pc & ((1u << t->shape.shift) - 1), left;

	if (page >= t->shape.pages)
		return NULL;
	/* Start with the row in force where the page begins, then find the last row at or below pc.
	 * No branch depends on the data. */
	row += t->index[page];
	left = t->index[page + 1] - t->index[page];
	while (left) {
		uint32_t half = left - left / 2;

		row += row[half].pc <= low ? half : 0;
		left -= half;
	}
	return row->rule == NO_RULE ? NULL : &t->rules[row->rule];
}

const struct cfi_rule *cfi_table_long_rule(const struct cfi_table *t, const struct short_rule *rule)
{
	return &t->long_rules[rule->cfa_value];
}

bool cfi_table_rule_at(const struct cfi_table *t, uint64_t addr, struct cfi_rule *rule)
{
	const struct short_rule *found = cfi_table_find(t, addr);

	if (!found)
		return false;
	if (found->cfa_reg == RULE_IS_LONG)
		*rule = *cfi_table_long_rule(t, found);
	else
		short_rule_expand(rule, found);
	return true;
}

const uint8_t *cfi_table_expression(const struct cfi_table *t, int32_t place, size_t *len)
{
	uint16_t n;

	memcpy(&n, t->expressions + place, sizeof(n));
	*len = n;
	return t->expressions + place + sizeof(n);
}

void cfi_table_info(const struct cfi_table *t, struct cfi_table_info *info)
{
	info->rows = t->shape.rows;
	info->rules = t->shape.rules;
	info->bytes = sizeof(*t) + t->len;
	info->broken = t->shape.broken;
}
