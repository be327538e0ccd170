/*
 * An image's CFI, compiled: sorted addresses, each with the number of its rule.
 *
 * A row takes four bytes, an index over pages of addresses and the rules come on
 * top: table_form.h says how. Where no CFI covers, a row says so.
 */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/cfi.h"
#include "unwind/rule.h"
#include "unwind/shortrule.h"

struct cfi_table;
struct error;
struct image;

/* Compiles an image's .eh_frame and .debug_frame. An image without CFI gives a
 * table without rows, and entries that are broken are left out. ERR_NOMEM. */
int cfi_table_build(const struct image *image, struct cfi_table **table, struct error *err);

/* Compiles sections given as bytes, for addresses in [base, limit); the first
 * section wins where two cover the same address. */
int cfi_table_compile(const struct cfi_section *sections, size_t count, uint64_t base,
		      uint64_t limit, struct cfi_table **table, struct error *err);

void cfi_table_free(struct cfi_table *table);

/* The rule at an image address, or NULL where no CFI covers it. */
const struct short_rule *cfi_table_find(const struct cfi_table *table, uint64_t addr);

/* What a rule that RULE_IS_LONG stands for. */
const struct cfi_rule *cfi_table_long_rule(const struct cfi_table *table,
					   const struct short_rule *rule);

/* The rule at an image address in the long form, whatever it is kept as. False where
 * no CFI covers it. */
bool cfi_table_rule_at(const struct cfi_table *table, uint64_t addr, struct cfi_rule *rule);

/* An expression of a rule, by its place; the length through *len. */
const uint8_t *cfi_table_expression(const struct cfi_table *table, int32_t place, size_t *len);

struct cfi_table_info {
	uint64_t rows, rules;
	uint64_t bytes;	 /* memory of all of the table */
	uint64_t broken; /* entries left out */
};
void cfi_table_info(const struct cfi_table *table, struct cfi_table_info *info);

#endif
