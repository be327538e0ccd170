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

struct ruleset {
	struct cfi_rule *rules; /* by number; [0] is all zeros */
	size_t count, room;
	struct buffer expressions;    /* each behind its length, two bytes */
	struct hashindex rule_index, expression_index;
	uint64_t effort; /* bytes that adding may still look at */
};

/* A set that gives up when `effort` bytes have been hashed. ERR_NOMEM. */
int ruleset_init(struct ruleset *set, uint64_t effort);
void ruleset_release(struct ruleset *set);

/* The number of a rule whose expressions are places in the section. ERR_LIMIT
 * when there are too many rules or expressions or it costs too much, ERR_FORMAT when an expression
 * is not one, ERR_NOMEM. */
int ruleset_add(struct ruleset *set, const struct cfi_section *section,
		const struct cfi_rule *read, uint16_t *number);

#endif
