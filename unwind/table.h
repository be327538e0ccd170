/*
 * An image's CFI, compiled: sorted addresses, each with the number of its rule.
 *
 * Rows take six bytes: four for the address as a distance from the table's
 * base, two for the rule; a module has hundreds of distinct rules, not
 * thousands. Where no CFI covers, a row says so.
 */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include <stdint.h>

#include "unwind/cfi.h"
#include "unwind/rule.h"

struct cfi_table;
struct error;
struct image;

/* Compiles an image's .eh_frame and .debug_frame. An image without CFI gives a
 * table without rows, and entries that are broken are left out. ERR_NOMEM. */
int cfi_table_build(const struct image *image, struct cfi_table **table, struct error *err);

/* The same of .eh_frame alone: what Go writes to .debug_frame its pclntab says better. */
int cfi_table_build_beside_go(const struct image *image, struct cfi_table **table,
			      struct error *err);

/* Compiles sections given as bytes, for addresses in [base, limit); the first
 * section wins where two cover the same address. */
int cfi_table_compile(const struct cfi_section *sections, size_t count, uint64_t base,
		      uint64_t limit, struct cfi_table **table, struct error *err);

void cfi_table_free(struct cfi_table *table);

/* The rule at an image address, or NULL where no CFI covers it. */
const struct cfi_rule *cfi_table_find(const struct cfi_table *table, uint64_t addr);

/* An expression of a rule, by its place; the length through *len. */
const uint8_t *cfi_table_expression(const struct cfi_table *table, int32_t place, size_t *len);

struct cfi_table_info {
	uint64_t rows, rules, bytes, broken;
};
void cfi_table_info(const struct cfi_table *table, struct cfi_table_info *info);

#endif
