// links: sampler/unwind
/*
 * Any bytes as a table in a cache file with correct checksums: the shape and then the table's
 * contents. A table that is accepted must be harmless: it is used for lookups everywhere, and
 * for every expression that a rule names.
 *
 * If the first byte is even, the file gets a head like one of ours, so that the checks after the
 * checksum are reached. If it is odd, the bytes are the whole file.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sampler/unwind/table/form.h"
#include "sampler/unwind/table/sections.h"
#include "sampler/unwind/table/table.h"
#include "sampler/unwind/tablecache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const unsigned char ident[EI_NIDENT] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 };

static volatile uint8_t sink;

static void use_expression(const struct cfi_table *t, int32_t place)
{
	size_t len;
	const uint8_t *text = cfi_table_expression(t, place, &len);

	if (len > EXPRESSION_MAX)
		abort();
	for (size_t i = 0; i < len; i++)
		sink ^= text[i];
}

static void use_rule(const struct cfi_table *t, const struct cfi_rule *rule)
{
	if (rule->cfa_reg == CFA_EXPRESSION)
		use_expression(t, rule->cfa_value);
	else if (rule->cfa_reg >= CFA_BASES)
		abort();
	for (unsigned n = 0; n < DWARF_COUNT; n++) {
		const struct column *col = &rule->columns[n];

		if (col->kind == COLUMN_REGISTER && (unsigned)col->value >= DWARF_COUNT)
			abort();
		if (col->kind == COLUMN_SAVED_EXPR || col->kind == COLUMN_IS_EXPR)
			use_expression(t, col->value);
	}
}

static void use(const struct cfi_table *t)
{
	uint64_t span = (uint64_t)t->shape.pages << t->shape.shift, step = span / 1500 + 1;

	for (uint64_t at = 0; at < span + 2 * step; at += at < 300 ? 1 : step) {
		struct cfi_rule rule;

		if (cfi_table_rule_at(t, t->shape.base + at, &rule))
			use_rule(t, &rule);
	}
}

/* Writes a head that fits, and then the table. False if the length is not that of the shape:
 * such a file is refused by its length. */
static bool put_head(int fd, const uint8_t *data, size_t size, const struct cfi_source *source)
{
	char head[TABLECACHE_HEAD];
	struct table_shape shape;
	struct cfi_table *t;
	bool good;

	if (size < sizeof(shape))
		return false;
	memcpy(&shape, data, sizeof(shape));
	if (!table_len(&shape) || table_len(&shape) != size - sizeof(shape))
		return false;
	t = table_new(&shape);
	if (!t)
		return false;
	memcpy(t->data, data + sizeof(shape), t->len);
	good = tablecache_make_head(head, source, 1, t) == 0 &&
	       write(fd, head, sizeof(head)) == sizeof(head) &&
	       write(fd, t->data, t->len) == (ssize_t)t->len;
	cfi_table_free(t);
	return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cfi_source source = {
		.sections = { { .data = ident, .len = sizeof(ident), .ident = ident } }, .count = 1
	};
	struct cfi_table *t;
	int fd;

	if (!size)
		return 0;
	fd = memfd_create("table", MFD_CLOEXEC);
	if (*data & 1 ? write(fd, data + 1, size - 1) == (ssize_t)size - 1 :
			put_head(fd, data + 1, size - 1, &source)) {
		uint64_t len = (uint64_t)lseek(fd, 0, SEEK_CUR);

		lseek(fd, 0, SEEK_SET);
		t = tablecache_read(fd, len, &source);
		if (t)
			use(t);
		cfi_table_free(t);
	}
	close(fd);
	return 0;
}
