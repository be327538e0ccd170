/*
 * Rules, each kept once and known by a number.
 *
 * A module says the same few hundred things about its hundreds of thousands of
 * addresses. Rules are equal when they are as bytes, once their expressions,
 * too, are kept once each and named by their place.
 */
#ifndef UNWIND_RULESET_H
#define UNWIND_RULESET_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/hashindex.h"
#include "unwind/rule.h"

struct cfi_section;

enum {
	NO_RULE = 0,	   /* the number that no rule has */
	RULES_MAX = 65535, /* numbers take 16 bits */
};

struct ruleset {
	struct cfi_rule *rules; /* [0] is all zeros */
	size_t count, room;
	struct buffer expressions;    /* each behind its length, two bytes */
	struct hashindex rule_index, expression_index;
};

/* ERR_NOMEM. */
int ruleset_init(struct ruleset *set);
void ruleset_release(struct ruleset *set);

/* Nothing will be added any more: gives back what adding needed. */
void ruleset_seal(struct ruleset *set);

/* The number of a rule whose expressions are places in the section. ERR_LIMIT
 * when there are too many rules or expressions, ERR_FORMAT when an expression
 * is not one, ERR_NOMEM. */
int ruleset_add(struct ruleset *set, const struct cfi_section *section,
		const struct cfi_rule *read, uint16_t *number);

/* The expression at a place that a rule names; its length through *len. */
const uint8_t *ruleset_expression(const struct ruleset *set, int32_t place, size_t *len);

#endif
