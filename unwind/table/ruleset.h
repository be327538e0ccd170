/*
 * A set of rules, each kept once and identified by a number.
 *
 * A module uses the same few hundred rules for its hundreds of thousands of addresses. Expressions
 * are kept once each, too, and a rule names them by their place. So two rules are equal when their
 * bytes are.
 */
#ifndef UNWIND_TABLE_RULESET_H
#define UNWIND_TABLE_RULESET_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/hashindex.h"
#include "unwind/table/rule.h"

struct cfi_section;

struct ruleset {
	struct cfi_rule *rules; /* by number; [0] is all zeros and not a rule */
	size_t count, room;
	struct buffer expressions; /* each after its length, which takes two bytes */
	struct hashindex rule_index, expression_index;
	uint64_t effort; /* bytes that may still be hashed */
};

/* Initializes a set that accepts rules until `effort` bytes have been hashed. ERR_NOMEM. The caller
 * calls ruleset_release in either case. */
int ruleset_init(struct ruleset *set, uint64_t effort);
void ruleset_release(struct ruleset *set);

/* Adds a rule, or finds an equal one; its expressions are given as places in the section. *number
 * is the rule's number. ERR_LIMIT: too many rules, expressions or hashed bytes; ERR_FORMAT: an
 * expression is broken or too long; ERR_NOMEM. */
int ruleset_add(struct ruleset *set, const struct cfi_section *section, const struct cfi_rule *read,
		uint16_t *number);

#endif
