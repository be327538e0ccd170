/*
 * An image's CFI, compiled: sorted addresses, each with the number of its rule.
 *
 * A row takes four bytes. An index over pages of addresses and the rules are additional (form.h). A
 * range without CFI has a row that says so.
 */
#ifndef UNWIND_TABLE_TABLE_H
#define UNWIND_TABLE_TABLE_H

#include <stdint.h>

#include "unwind/table/cfi.h"
#include "unwind/table/rule.h"
#include "unwind/table/shortrule.h"

struct cfi_table;
struct error;
struct image;

/* Compiles an image's .eh_frame and .debug_frame. An image without CFI gives a table without rows;
 * broken entries are left out. The caller frees *table with cfi_table_free. ERR_NOMEM. */
int cfi_table_build(const struct image *image, struct cfi_table **table, struct error *err);

/* Compiles sections given as bytes, for addresses in [base, limit). Where two sections cover the
 * same address, the first one wins. The sections are not needed afterwards. ERR_NOMEM. */
int cfi_table_compile(const struct cfi_section *sections, size_t count, uint64_t base,
		      uint64_t limit, struct cfi_table **table, struct error *err);

void cfi_table_free(struct cfi_table *table);

/* The rule at an image address, owned by the table; NULL where no CFI covers it. */
const struct short_rule *cfi_table_find(const struct cfi_table *table, uint64_t addr);

/* The long rule of a short rule that is RULE_IS_LONG, owned by the table. */
const struct cfi_rule *cfi_table_long_rule(const struct cfi_table *table,
					   const struct short_rule *rule);

/* The bytes of the expression at a place that a rule names; *len is its length in bytes. Owned by
 * the table. */
const uint8_t *cfi_table_expression(const struct cfi_table *table, int32_t place, size_t *len);

struct cfi_table_info {
	uint64_t rows, rules;
	uint64_t bytes;	 /* memory of the whole table */
	uint64_t broken; /* entries left out */
};
void cfi_table_info(const struct cfi_table *table, struct cfi_table_info *info);

#endif
