// links: symbolize/dwarf
/*
 * Files of split DWARF: "5" or "4", and "p" for a package, eight bytes for a unit's id, and then
 * the file. A unit made from it must be one that libdw can open.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/image.h"
#include "symbolize/dwarf/die.h"
#include "symbolize/dwarf/skeleton.h"
#include "symbolize/dwarf/skim.h"
#include "symbolize/dwarf/splitfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 10, DIES_MAX = 1000 };

static void read_names(const Dwarf_Die *unit_die)
{
	struct skim_unit *unit;
	struct skim_die die;
	struct skim s;

	if (skim_unit_new(&unit, unit_die))
		abort();
	skim_begin(&s, unit, NULL);
	for (int n = 0; n < DIES_MAX && skim_next(&s, &die); n++) {
		Dwarf_Die full = skim_libdw_die(unit, die.addr);
		const char *name = die_string(&full, DW_AT_name);
		volatile size_t len = name ? strlen(name) : 0;

		(void)len;
	}
	skim_unit_free(unit);
}

static void read_view(const struct elfview *v, uint64_t low_pc)
{
	Elf *elf = elfview_open(v);
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	Dwarf_Addr base;
	Dwarf_CU *unit;
	Dwarf_Die die;
	uint8_t type;

	if (!dwarf || dwarf_get_units(dwarf, NULL, &unit, NULL, &type, &die, NULL))
		abort();
	if (type != DW_UT_compile || dwarf_lowpc(&die, &base) || base != low_pc)
		abort();
	read_names(&die);
	dwarf_end(dwarf);
	elf_end(elf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t some[256];
	struct bytes program = { some, sizeof(some) };
	struct skeleton s = { .low_pc = 0x1234 };
	struct splitfile *file;
	struct image *image;
	struct elfview v;

	if (size < HEADER || size > 1 << 20)
		return 0;
	s.version = data[0] == '5' ? 5 : 4;
	memcpy(&s.id, data + 2, sizeof(s.id));
	if (image_open_bytes(data + HEADER, size - HEADER, "/fuzzed", &image, NULL) ||
	    splitfile_open(&file, image, data[1] == 'p'))
		return 0;
	if (splitfile_unit(file, &s, program, program, &v) == 0) {
		read_view(&v, s.low_pc);
		elfview_release(&v);
	}
	splitfile_close(file);
	return 0;
}
