/*
 * The form of a finished table, for those who make one (table_build.c, and
 * tablecache.c from a file) and table.c, which reads it.
 *
 * One piece of memory without pointers in it, so that it can be written and read
 * as it is. The addresses are cut into pages of 1 << shift bytes, so many that a page
 * has about a dozen rows. A row has the low bits of its address and the number of its
 * rule, four bytes together, so that a search touches a line of the index, one or two
 * of the rows, and one of the rules.
 *
 * Rejected: merging rows across the padding between functions, which takes up to
 * 18 % of the rows away: it says something about addresses of which the file says
 * nothing. A byte for the rule's number where 256 do: another array, so another
 * cache line in each search, for less than a byte a row.
 */
#ifndef UNWIND_TABLE_FORM_H
#define UNWIND_TABLE_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/rule.h"
#include "unwind/shortrule.h"

enum {
	NO_RULE = 0,		/* the number that no rule has */
	RULES_MAX = 65535,	/* numbers take 16 bits */
	PAGE_SHIFT_MAX = 16,	/* a row has 16 bits of its address */
	/* Bounds on what a file can make us keep and do. The largest programs known
	 * have a third of these rows. */
	ROWS_MAX = 1 << 24,
	EXPRESSION_MAX = 512,	/* bytes of one, which bounds the time of a step */
	EXPRESSIONS_MAX = 1 << 20,
};

struct cfi_row {
	uint16_t pc; /* within its page */
	uint16_t rule;
};

/* How much of everything there is. */
struct table_shape {
	uint64_t base;	/* address of the first page */
	uint32_t shift, pages;
	uint32_t rows;
	uint32_t rules, long_rules; /* numbers from 1 on */
	uint32_t expressions; /* bytes; each expression behind its length, two bytes */
	uint32_t broken; /* entries that were left out */
};

struct cfi_table {
	struct table_shape shape;
	size_t len; /* of what follows, bytes */
	struct cfi_rule *long_rules; /* by number - 1 */
	uint32_t *index; /* [page]: so many rows lie before it; one more than pages */
	struct short_rule *rules; /* by number; [0] is nothing */
	struct cfi_row *rows;	 /* [0] is in force below all others: no rule */
	uint8_t *expressions;
	uint8_t data[]; /* all of these, in this order */
};

/* The bytes behind struct cfi_table for all of this; 0 when a bound is exceeded. */
size_t table_len(const struct table_shape *shape);

/* A table with room for all of this, zeroed; NULL when out of memory or when a
 * bound is exceeded. */
struct cfi_table *table_new(const struct table_shape *shape);

/* True when nothing that the table says can lead out of it. For tables whose
 * bytes come from elsewhere. */
bool table_is_sound(const struct cfi_table *table);

#endif
