/*
 * The form of a finished table, for build.c, which makes it, and table.c, which reads it.
 *
 * The addresses are divided into pages of 1 << shift bytes, with about a dozen rows each. A row has
 * the low bits of its address and the number of its rule, four bytes together. A search touches one
 * cache line of the index, one or two of the rows, and one of the rules.
 *
 * Rejected: merging rows across the padding between functions, which would remove up to 18 % of the
 * rows: the table would then cover addresses that the file's CFI does not cover. One byte for the
 * number of a rule where there are at most 256: it needs another array, so another cache line in
 * each search, and saves less than a byte a row.
 */
#ifndef UNWIND_TABLE_FORM_H
#define UNWIND_TABLE_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/table/rule.h"
#include "unwind/table/shortrule.h"

enum {
	NO_RULE = 0,	     /* not the number of any rule */
	RULES_MAX = 65535,   /* a rule's number has 16 bits */
	PAGE_SHIFT_MAX = 16, /* a row has 16 bits for its address */
	/* Bounds on the memory and time that a file can cost. The largest known programs have a
	 * third of these rows. */
	ROWS_MAX = 1 << 24,
	EXPRESSION_MAX = 512,	   /* bytes of one expression, which bounds the time of a step */
	EXPRESSIONS_MAX = 1 << 20, /* bytes of all expressions */
};

struct cfi_row {
	uint16_t pc; /* within its page */
	uint16_t rule;
};

/* How many elements of each kind a table has. */
struct table_shape {
	uint64_t base; /* address of the first page */
	uint32_t shift, pages;
	uint32_t rows;
	uint32_t rules, long_rules; /* rules are numbered from 1 on, long rules from 0 on */
	uint32_t expressions; /* bytes; each expression follows its length, which takes two bytes */
	uint32_t broken;      /* entries that were left out */
};

struct cfi_table {
	struct table_shape shape;
	size_t len;		     /* of what follows, bytes */
	struct cfi_rule *long_rules; /* by number: cfa_value of a short rule */
	uint32_t *index; /* index[page]: number of rows before the page; has pages + 1 elements */
	struct short_rule *rules; /* by number; [0] is not used */
	struct cfi_row *rows;	  /* [0] is in force below all others and has no rule */
	uint8_t *expressions;
	uint8_t data[]; /* all of the above arrays, in this order */
};

/* Allocates a zeroed table of this shape, freed with cfi_table_free; NULL when out of memory or
 * when a bound is exceeded. */
struct cfi_table *table_new(const struct table_shape *shape);

#endif
