/* The slot is found by double hashing, as section 7.3.5.3 says, and leads to a row of offsets and
 * one of sizes. Each number is read with a cursor, at its offset in the table. */
#include "symbolize/dwarf/dwpindex.h"

#include <string.h>

#include "base/cursor.h"

enum { COLUMNS_MAX = 16, ID = 8, NUMBER = 4 };

struct dwpindex_table {
	struct cursor start; /* after the header */
	unsigned version;
	uint64_t columns, units, slots;
};

/* Each count has four bytes, so no product of two exceeds 64 bits. */
static bool dwpindex_read_header(struct dwpindex_table *t, const void *index, size_t len)
{
	struct cursor *c = &t->start;

	cursor_init(c, index, len, ".debug_cu_index");
	t->version = (unsigned)cursor_uint(c, 4); /* two bytes and padding since DWARF 5 */
	t->columns = cursor_uint(c, 4);
	t->units = cursor_uint(c, 4);
	t->slots = cursor_uint(c, 4);
	if (c->failed || (t->version != 2 && t->version != 5) || t->columns > COLUMNS_MAX ||
	    !t->slots || t->slots & (t->slots - 1))
		return false;
	return t->slots * (ID + NUMBER) + (2 * t->units + 1) * t->columns * NUMBER <=
	       cursor_left(c);
}

static uint64_t dwpindex_number_at(const struct dwpindex_table *t, uint64_t offset, unsigned bytes)
{
	struct cursor c = t->start;

	cursor_bytes(&c, offset);
	return cursor_uint(&c, bytes);
}

/* The unit's row, from 1; 0: not found. */
static uint64_t dwpindex_find_row(const struct dwpindex_table *t, uint64_t id)
{
	uint64_t mask = t->slots - 1, slot = id & mask, step = ((id >> 32) & mask) | 1;

	for (uint64_t i = 0; i < t->slots; i++, slot = (slot + step) & mask) {
		uint64_t row = dwpindex_number_at(t, t->slots * ID + slot * NUMBER, NUMBER);

		if (!row)
			return 0;
		if (dwpindex_number_at(t, slot * ID, ID) == id)
			return row <= t->units ? row : 0;
	}
	return 0;
}

/* The section of a DW_SECT_* number, or DWP_SECTIONS for one that is not needed here. */
static enum dwp_section section_of(uint64_t number, unsigned version)
{
	switch (number) {
	case 1:
		return DWP_INFO;
	case 3:
		return DWP_ABBREV;
	case 6:
		return DWP_STR_OFFSETS;
	case 8: /* in version 2 it is .debug_macro */
		return version == 5 ? DWP_RNGLISTS : DWP_SECTIONS;
	}
	return DWP_SECTIONS;
}

bool dwpindex_find(const void *index, size_t len, uint64_t id, struct dwp_part parts[DWP_SECTIONS])
{
	uint64_t row, columns, offsets, sizes;
	struct dwpindex_table t;

	memset(parts, 0, DWP_SECTIONS * sizeof(*parts));
	if (!dwpindex_read_header(&t, index, len) || !(row = dwpindex_find_row(&t, id)))
		return false;
	columns = t.slots * (ID + NUMBER);
	offsets = columns + row * t.columns * NUMBER; /* row 0 has the columns' section numbers */
	sizes = offsets + t.units * t.columns * NUMBER;
	for (uint64_t i = 0; i < t.columns; i++) {
		enum dwp_section s = section_of(
			dwpindex_number_at(&t, columns + i * NUMBER, NUMBER), t.version);

		if (s != DWP_SECTIONS)
			parts[s] = (struct dwp_part){
				dwpindex_number_at(&t, offsets + i * NUMBER, NUMBER),
				dwpindex_number_at(&t, sizes + i * NUMBER, NUMBER)
			};
	}
	return true;
}
