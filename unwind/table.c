/*
 * Passes:
 *   1. collect: entries and their rows as the sections give them, rules and
 *      expressions kept once each
 *   2. sort the entries by address; of entries that overlap the earlier wins,
 *      and .eh_frame before .debug_frame
 *   3. emit: rows in order, "no rule" rows into the gaps, equal neighbours
 *      merged
 *
 * Rejected: a page index over the rows. A binary search in 100,000 rows costs
 * 17 steps, and the walk's cache (unwinder.c) answers nine lookups of ten.
 */
#include "unwind/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/hashindex.h"

enum { RULES_MAX = 65535, NO_RULE = 0 };

struct row {
	uint32_t pc; /* from the table's base */
	uint16_t rule;
};

struct entry { /* an FDE */
	uint32_t start, end;
	uint32_t first_row, rows;
	uint32_t section;
};

struct cfi_table {
	uint64_t base;
	uint32_t *pcs;
	uint16_t *rule_of; /* parallel to pcs */
	size_t rows, broken;
	struct cfi_rule *rules; /* rules[NO_RULE] is not used */
	size_t rule_count, rule_room;
	struct buffer expressions;
};

struct builder {
	struct cfi_sink sink; /* first: the sink's functions get its address */
	struct cfi_table *table;
	const struct cfi_section *section;
	uint32_t section_number;
	uint64_t limit;
	struct row *rows;
	size_t row_count, row_room;
	struct entry *entries;
	size_t entry_count, entry_room;
	struct hashindex rule_index;
	struct cfi_rule last_rule; /* as read, before expressions were moved */
	uint16_t last_number;
	bool nomem;
};

/* Pass 1. */

static int make_room(void **array, size_t *room, size_t count, size_t size)
{
	size_t more = *room ? *room * 2 : 1024;
	void *p;

	if (count < *room)
		return 0;
	p = realloc(*array, more * size);
	if (!p)
		return ERR_NOMEM;
	*array = p;
	*room = more;
	return 0;
}

static int begin_entry(struct cfi_sink *sink, uint64_t start, uint64_t end)
{
	struct builder *b = (struct builder *)sink;
	uint64_t base = b->table->base;

	if (start < base || end > b->limit || end - base > UINT32_MAX)
		return ERR_LIMIT;
	if (make_room((void **)&b->entries, &b->entry_room, b->entry_count, sizeof(*b->entries))) {
		b->nomem = true;
		return ERR_NOMEM;
	}
	b->entries[b->entry_count++] = (struct entry){
		(uint32_t)(start - base), (uint32_t)(end - base), (uint32_t)b->row_count, 0,
		b->section_number
	};
	return 0;
}

/* Keeps an expression: copied from the section with its length before it. */
static int keep_expression(struct builder *b, int32_t *place)
{
	const struct cfi_section *s = b->section;
	const uint8_t *text;
	struct cursor c;
	uint64_t len;

	if (*place < 0 || (size_t)*place >= s->len)
		return ERR_FORMAT;
	cursor_init(&c, s->data + *place, s->len - (size_t)*place, "expression");
	len = cursor_uleb(&c);
	text = cursor_bytes(&c, len);
	if (!text || len > UINT16_MAX || b->table->expressions.len > INT32_MAX / 2)
		return ERR_FORMAT;
	*place = (int32_t)b->table->expressions.len;
	if (buffer_add(&b->table->expressions, &(uint16_t){ (uint16_t)len }, 2) ||
	    buffer_add(&b->table->expressions, text, len)) {
		b->nomem = true;
		return ERR_NOMEM;
	}
	return 0;
}

static int keep_expressions(struct builder *b, struct cfi_rule *rule)
{
	if (rule->cfa_reg == CFA_EXPRESSION && keep_expression(b, &rule->cfa_value))
		return ERR_FORMAT;
	for (unsigned i = 0; i < DWARF_COUNT; i++) {
		struct column *col = &rule->columns[i];

		if ((col->kind == COLUMN_SAVED_EXPR || col->kind == COLUMN_IS_EXPR) &&
		    keep_expression(b, &col->value))
			return ERR_FORMAT;
	}
	return 0;
}

/* Rules with expressions are told apart by the expressions' places, so that
 * equal ones of different entries count as different: they are few. */
static bool same_rule(const void *owner, uint32_t id, const void *key)
{
	const struct builder *b = owner;

	return !memcmp(&b->table->rules[id], key, sizeof(struct cfi_rule));
}

static bool has_expression(const struct cfi_rule *rule)
{
	bool found = rule->cfa_reg == CFA_EXPRESSION;

	for (unsigned i = 0; rule->said >> i; i++)
		found |= rule->columns[i].kind >= COLUMN_SAVED_EXPR;
	return found;
}

static int add_rule(struct builder *b, struct cfi_rule *rule, uint64_t hash, uint16_t *number)
{
	struct cfi_table *t = b->table;

	if (t->rule_count >= RULES_MAX)
		return ERR_LIMIT;
	if (make_room((void **)&t->rules, &t->rule_room, t->rule_count, sizeof(*t->rules)) ||
	    hashindex_add(&b->rule_index, hash, (uint32_t)t->rule_count)) {
		b->nomem = true;
		return ERR_NOMEM;
	}
	*number = (uint16_t)t->rule_count;
	t->rules[t->rule_count++] = *rule;
	return 0;
}

static int number_rule(struct builder *b, const struct cfi_rule *read, uint16_t *number)
{
	struct cfi_rule rule = *read;
	uint64_t hash;
	uint32_t id;

	if (has_expression(&rule) && keep_expressions(b, &rule))
		return ERR_FORMAT;
	rule.plain = rule_is_plain(&rule);
	hash = hash_bytes(&rule, sizeof(rule));
	id = hashindex_find(&b->rule_index, hash, same_rule, b, &rule);
	if (id == HASHINDEX_NONE)
		return add_rule(b, &rule, hash, number);
	*number = (uint16_t)id;
	return 0;
}

static int add_row(struct cfi_sink *sink, uint64_t pc, const struct cfi_rule *rule)
{
	struct builder *b = (struct builder *)sink;
	bool other = !b->last_number || memcmp(&b->last_rule, rule, sizeof(*rule));

	if (other) {
		if (number_rule(b, rule, &b->last_number)) {
			b->last_number = NO_RULE;
			return ERR_FORMAT;
		}
		b->last_rule = *rule;
	}
	if (b->row_count >= UINT32_MAX ||
	    make_room((void **)&b->rows, &b->row_room, b->row_count, sizeof(*b->rows))) {
		b->nomem = true;
		return ERR_NOMEM;
	}
	b->rows[b->row_count++] = (struct row){ (uint32_t)(pc - b->table->base), b->last_number };
	b->entries[b->entry_count - 1].rows++;
	return 0;
}

static void end_entry(struct cfi_sink *sink, bool good)
{
	struct builder *b = (struct builder *)sink;

	if (good)
		return;
	b->row_count = b->entries[--b->entry_count].first_row;
}

/* Pass 2. */

static int by_address(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return x->first_row < y->first_row ? -1 : 1;
}

/* Leaves out entries of later sections that an earlier section's entry covers
 * in part or whole. Entries are sorted; `n` is how many are kept. */
static size_t drop_overlaps(struct entry *entries, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		while (n && entries[n - 1].end > entries[i].start &&
		       entries[n - 1].section > entries[i].section)
			n--;
		if (!n || entries[n - 1].end <= entries[i].start)
			entries[n++] = entries[i];
	}
	return n;
}

/* Pass 3. */

static void emit(struct cfi_table *t, uint32_t pc, uint16_t rule)
{
	if (t->rows && t->pcs[t->rows - 1] == pc) {
		t->rule_of[t->rows - 1] = rule;
		return;
	}
	if (t->rows ? t->rule_of[t->rows - 1] == rule : rule == NO_RULE)
		return;
	t->pcs[t->rows] = pc;
	t->rule_of[t->rows++] = rule;
}

static int emit_all(struct builder *b)
{
	struct cfi_table *t = b->table;
	size_t most = b->row_count + b->entry_count + 1;

	t->pcs = malloc(most * sizeof(*t->pcs));
	t->rule_of = malloc(most * sizeof(*t->rule_of));
	if (!t->pcs || !t->rule_of)
		return ERR_NOMEM;
	for (size_t i = 0; i < b->entry_count; i++) {
		const struct entry *e = &b->entries[i];

		for (uint32_t j = 0; j < e->rows; j++)
			emit(t, b->rows[e->first_row + j].pc, b->rows[e->first_row + j].rule);
		if (i + 1 == b->entry_count || b->entries[i + 1].start > e->end)
			emit(t, e->end, NO_RULE);
	}
	return 0;
}

/* Gives back what was reserved for the worst case. */
static void shrink(struct cfi_table *t)
{
	void *p = realloc(t->pcs, (t->rows + 1) * sizeof(*t->pcs));

	if (p)
		t->pcs = p;
	p = realloc(t->rule_of, (t->rows + 1) * sizeof(*t->rule_of));
	if (p)
		t->rule_of = p;
	p = realloc(t->rules, t->rule_count * sizeof(*t->rules));
	if (p)
		t->rules = p;
	t->rule_room = t->rule_count;
}

static int compile(struct builder *b, const struct cfi_section *sections, size_t count)
{
	uint16_t none;

	if (add_rule(b, &(struct cfi_rule){ 0 }, 0, &none))
		return ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		b->section = &sections[i];
		b->section_number = (uint32_t)i;
		b->last_number = NO_RULE;
		b->table->broken += cfi_read(&sections[i], &b->sink);
	}
	if (b->nomem)
		return ERR_NOMEM;
	if (b->entry_count)
		qsort(b->entries, b->entry_count, sizeof(*b->entries), by_address);
	b->entry_count = drop_overlaps(b->entries, b->entry_count);
	return emit_all(b);
}

int cfi_table_compile(const struct cfi_section *sections, size_t count, uint64_t base,
		      uint64_t limit, struct cfi_table **table, struct error *err)
{
	struct builder b = { .sink = { begin_entry, add_row, end_entry }, .limit = limit };
	int rc = ERR_NOMEM;

	b.table = calloc(1, sizeof(*b.table));
	if (b.table) {
		b.table->base = base;
		rc = compile(&b, sections, count);
	}
	free(b.rows);
	free(b.entries);
	hashindex_release(&b.rule_index);
	if (rc) {
		cfi_table_free(b.table);
		return error_set(err, rc, "out of memory");
	}
	shrink(b.table);
	*table = b.table;
	return 0;
}

void cfi_table_free(struct cfi_table *t)
{
	if (!t)
		return;
	free(t->pcs);
	free(t->rule_of);
	free(t->rules);
	buffer_release(&t->expressions);
	free(t);
}

const struct cfi_rule *cfi_table_find(const struct cfi_table *t, uint64_t addr)
{
	uint64_t pc = addr - t->base;
	const uint32_t *at = t->pcs;
	size_t n = t->rows;

	if (!n || addr < t->base || pc > UINT32_MAX || pc < *at)
		return NULL;
	/* The last row at or below pc; no branch depends on the data. */
	while (n > 1) {
		size_t half = n / 2;

		at += at[half] <= pc ? half : 0;
		n -= half;
	}
	n = t->rule_of[at - t->pcs];
	return n == NO_RULE ? NULL : &t->rules[n];
}

const uint8_t *cfi_table_expression(const struct cfi_table *t, int32_t place, size_t *len)
{
	uint16_t n;

	memcpy(&n, t->expressions.data + place, sizeof(n));
	*len = n;
	return t->expressions.data + place + sizeof(n);
}

void cfi_table_info(const struct cfi_table *t, struct cfi_table_info *info)
{
	info->rows = t->rows;
	info->rules = t->rule_count - 1;
	info->bytes = sizeof(*t) + t->rows * (sizeof(*t->pcs) + sizeof(*t->rule_of)) +
		      t->rule_count * sizeof(*t->rules) + t->expressions.room;
	info->broken = t->broken;
}
