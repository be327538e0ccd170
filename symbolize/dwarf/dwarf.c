/*
 * Time and memory stay in proportion to the file: walks go forward only, ranges are read on a
 * budget and chains of origins are bounded (die.c), and nesting has a limit (unit.c).
 */
#include "symbolize/dwarf/dwarf.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/ranges.h"
#include "base/room.h"
#include "symbolize/dwarf/die.h"
#include "symbolize/dwarf/linetable.h"
#include "symbolize/dwarf/skeleton.h"
#include "symbolize/dwarf/unit.h"
#include "symbolize/files/debugelf.h"
#include "symbolize/files/sections.h"

enum { RANGES_BUDGET = 1 << 23, DECODED_MAX = 32, LISTED_AT_ONCE = 128 };

struct dwarf_entry {
	Dwarf_Die die;
	struct dwarf_unit *decoded; /* NULL: not decoded now */
};

struct dwarf_index {
	Dwarf *dwarf;
	const struct debugelf *elf;
	struct cursor info; /* .debug_info */
	struct line_sections lines;
	struct dwarf_file file;
	struct dwarf_entry *units;
	size_t count, room;
	struct ranges code; /* `of` indexes units */
	struct dwarf_entry
		*decoded[DECODED_MAX]; /* a ring; once it is full, the oldest is at `next` */
	unsigned next;
};

/* If a unit does not give the ranges of its code, those of its functions are used. */
static int add_function_ranges(struct dwarf_index *x, const Dwarf_Die *die, uint32_t n)
{
	const struct ranges *ranges;
	struct dwarf_unit *unit;
	int rc = 0;

	if (dwarf_unit_new(&unit, die, &x->file))
		return ERR_NOMEM;
	ranges = dwarf_unit_ranges(unit);
	for (size_t i = 0; !rc && i < ranges->count; i++)
		rc = ranges_add(&x->code, ranges->all[i].start, ranges->all[i].end, n);
	dwarf_unit_free(unit);
	return rc;
}

static int add_unit_ranges(struct dwarf_index *x, Dwarf_Die *die, uint32_t n, bool skeleton)
{
	if (!dwarf_hasattr(die, DW_AT_ranges) && !dwarf_hasattr(die, DW_AT_high_pc))
		return add_function_ranges(x, die, n);
	if (skeleton)
		return skeleton_add_ranges(die, &x->code, n, &x->file.budget);
	return die_add_ranges(die, &x->code, n, &x->file.budget);
}

static int list_units(struct dwarf_index *x)
{
	Dwarf_CU *unit = NULL;
	struct skeleton ignored;
	Dwarf_Die die;
	uint8_t type;

	while (dwarf_get_units(x->dwarf, unit, &unit, NULL, &type, &die, NULL) == 0) {
		bool skeleton = skeleton_read(&die, &ignored);

		if (type != DW_UT_compile && !skeleton)
			continue;
		if (room_for((void **)&x->units, &x->room, x->count + 1, sizeof(*x->units)))
			return ERR_NOMEM;
		x->units[x->count++] = (struct dwarf_entry){ .die = die };
		if (add_unit_ranges(x, &die, (uint32_t)x->count - 1, skeleton))
			return ERR_NOMEM;
		/* Only the heads of units are needed, but the kernel maps what is around them. */
		if (x->count % LISTED_AT_ONCE == 0)
			debugelf_drop(x->elf, x->info.start, cursor_left(&x->info));
	}
	debugelf_drop(x->elf, x->info.start, cursor_left(&x->info));
	ranges_inner_wins(&x->code);
	return ranges_settle(&x->code);
}

int dwarf_index_new(struct dwarf_index **out, Dwarf *dwarf, struct split *split,
		    const struct debugelf *debugelf)
{
	struct dwarf_index *x = calloc(1, sizeof(*x));
	Elf *elf = dwarf_getelf(dwarf);

	if (!x)
		return ERR_NOMEM;
	x->dwarf = dwarf;
	x->elf = debugelf;
	section_bytes(elf, ".debug_info", &x->info);
	section_bytes(elf, ".debug_line", &x->lines.line);
	section_bytes(elf, ".debug_line_str", &x->lines.line_str);
	section_bytes(elf, ".debug_str", &x->lines.str);
	x->file = (struct dwarf_file){ split, &x->lines, RANGES_BUDGET };
	if (list_units(x)) {
		dwarf_index_free(x);
		return ERR_NOMEM;
	}
	*out = x;
	return 0;
}

/* The unit's strings stay valid: dropped pages are read again at the next access. */
static void forget(const struct dwarf_index *x, struct dwarf_entry *u)
{
	const void *bytes;
	size_t len;

	if (!u)
		return;
	for (unsigned i = 0; (bytes = dwarf_unit_bytes(u->decoded, i, &len)); i++)
		debugelf_drop(x->elf, bytes, len);
	dwarf_unit_free(u->decoded);
	u->decoded = NULL;
}

void dwarf_index_free(struct dwarf_index *x)
{
	if (!x)
		return;
	for (unsigned i = 0; i < DECODED_MAX; i++)
		forget(x, x->decoded[i]);
	free(x->units);
	ranges_release(&x->code);
	free(x);
}

static int decode(struct dwarf_index *x, struct dwarf_entry *u)
{
	if (u->decoded)
		return 0;
	if (dwarf_unit_new(&u->decoded, &u->die, &x->file))
		return ERR_NOMEM;
	forget(x, x->decoded[x->next]);
	x->decoded[x->next] = u;
	x->next = (x->next + 1) % DECODED_MAX;
	return 0;
}

int dwarf_index_find(struct dwarf_index *x, uint64_t addr,
		     struct dwarf_frame frames[DWARF_DEPTH_MAX])
{
	const struct range *r = ranges_find(&x->code, addr);
	struct dwarf_entry *u;

	memset(&frames[0], 0, sizeof(frames[0]));
	if (!r)
		return 0;
	u = &x->units[r->of];
	return decode(x, u) ? ERR_NOMEM : dwarf_unit_find(u->decoded, addr, frames);
}

static int by_unit(const void *a, const void *b, void *index)
{
	const uint64_t *x = a, *y = b;
	const struct ranges *code = &((const struct dwarf_index *)index)->code;
	const struct range *of_x = ranges_find(code, *x), *of_y = ranges_find(code, *y);
	uint32_t unit_x = of_x ? of_x->of : UINT32_MAX, unit_y = of_y ? of_y->of : UINT32_MAX;

	if (unit_x != unit_y)
		return unit_x < unit_y ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

void dwarf_index_order(const struct dwarf_index *x, uint64_t *addrs, size_t count)
{
	if (count)
		qsort_r(addrs, count, sizeof(*addrs), by_unit, (void *)(uintptr_t)x);
}
