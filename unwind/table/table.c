/* The finished table: its memory, and the search in it. */
#include "unwind/table/table.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/table/form.h"

/* The bytes after struct cfi_table that a table of this shape takes; 0 when a bound is exceeded. */
static size_t table_length(const struct table_shape *s)
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
	size_t len = table_length(s);
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
