/* Rules and expressions are found by hashes of their bytes. The effort for expressions has a bound,
 * because a file may name one expression in each of its entries. */
#include "unwind/table/ruleset.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/room.h"
#include "unwind/table/cfi.h"
#include "unwind/table/form.h"

int ruleset_init(struct ruleset *set, uint64_t effort)
{
	memset(set, 0, sizeof(*set));
	set->effort = effort;
	set->room = 64;
	set->count = 1;
	set->rules = calloc(set->room, sizeof(*set->rules));
	return set->rules ? 0 : ERR_NOMEM;
}

void ruleset_release(struct ruleset *set)
{
	free(set->rules);
	buffer_release(&set->expressions);
	hashindex_release(&set->rule_index);
	hashindex_release(&set->expression_index);
}

struct expression {
	const uint8_t *text;
	size_t len;
};

static bool same_expression(const void *owner, uint32_t place, const void *key)
{
	const uint8_t *kept = ((const struct ruleset *)owner)->expressions.data + place;
	const struct expression *e = key;
	uint16_t len;

	memcpy(&len, kept, sizeof(len));
	return len == e->len && !memcmp(kept + sizeof(len), e->text, len);
}

static int add_expression(struct ruleset *set, const struct expression *e, uint64_t hash)
{
	size_t place = set->expressions.len;

	if (place + sizeof(uint16_t) + e->len > EXPRESSIONS_MAX)
		return ERR_LIMIT;
	if (buffer_add(&set->expressions, &(uint16_t){ (uint16_t)e->len }, sizeof(uint16_t)) ||
	    buffer_add(&set->expressions, e->text, e->len))
		return ERR_NOMEM;
	return hashindex_add(&set->expression_index, hash, (uint32_t)place);
}

static bool can_afford(struct ruleset *set, size_t bytes)
{
	bool can = set->effort >= bytes;

	set->effort -= can ? bytes : set->effort;
	return can;
}

/* Keeps the expression at place `from` of the section; *place is its place in the set. */
static int keep_expression(struct ruleset *set, const struct cfi_section *s, int32_t from,
			   int32_t *place)
{
	struct expression e;
	struct cursor c;
	uint64_t hash;
	uint32_t known;

	if (from < 0 || (size_t)from >= s->len)
		return ERR_FORMAT;
	cursor_init(&c, s->data + from, s->len - (size_t)from, "expression");
	e.len = cursor_uleb(&c);
	e.text = cursor_bytes(&c, e.len);
	if (!e.text || e.len > EXPRESSION_MAX)
		return ERR_FORMAT;
	if (!can_afford(set, e.len))
		return ERR_LIMIT;
	hash = hash_bytes(e.text, e.len);
	known = hashindex_find(&set->expression_index, hash, same_expression, set, &e);
	*place = (int32_t)(known == HASHINDEX_NONE ? set->expressions.len : known);
	return known == HASHINDEX_NONE ? add_expression(set, &e, hash) : 0;
}

static bool is_expression(const struct column *col)
{
	return col->kind == COLUMN_SAVED_EXPR || col->kind == COLUMN_IS_EXPR;
}

static int keep_expressions(struct ruleset *set, const struct cfi_section *s, struct cfi_rule *rule)
{
	int32_t place;

	if (rule->cfa_reg == CFA_EXPRESSION) {
		int rc = keep_expression(set, s, rule->cfa_value, &rule->cfa_value);

		if (rc)
			return rc;
	}
	for (uint32_t left = rule->said; left; left &= left - 1) {
		struct column *col = &rule->columns[__builtin_ctz(left)];
		int rc = is_expression(col) ? keep_expression(set, s, col->value, &place) : 0;

		if (rc)
			return rc;
		if (is_expression(col))
			col->value = place;
	}
	return 0;
}

static bool ruleset_same_rule(const void *owner, uint32_t number, const void *key)
{
	const struct ruleset *set = owner;

	return !memcmp(&set->rules[number], key, sizeof(struct cfi_rule));
}

static int ruleset_add_rule(struct ruleset *set, const struct cfi_rule *rule, uint64_t hash,
			    uint16_t *number)
{
	if (set->count > RULES_MAX)
		return ERR_LIMIT;
	if (room_for((void **)&set->rules, &set->room, set->count + 1, sizeof(*set->rules)) ||
	    hashindex_add(&set->rule_index, hash, (uint32_t)set->count))
		return ERR_NOMEM;
	*number = (uint16_t)set->count;
	set->rules[set->count++] = *rule;
	return 0;
}

int ruleset_add(struct ruleset *set, const struct cfi_section *section, const struct cfi_rule *read,
		uint16_t *number)
{
	struct cfi_rule rule = *read;
	uint64_t hash;
	uint32_t known;
	int rc = can_afford(set, sizeof(rule)) ? keep_expressions(set, section, &rule) : ERR_LIMIT;

	if (rc)
		return rc;
	hash = hash_bytes(&rule, sizeof(rule));
	known = hashindex_find(&set->rule_index, hash, ruleset_same_rule, set, &rule);
	if (known == HASHINDEX_NONE)
		return ruleset_add_rule(set, &rule, hash, number);
	*number = (uint16_t)known;
	return 0;
}
