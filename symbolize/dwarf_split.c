#include "symbolize/dwarf_split.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "symbolize/dwarf_die.h"
#include "symbolize/linetable.h"
#include "symbolize/sections.h"

enum { PATH_ROOM = 4352 };

/* libdw opens the .dwo file itself, by the name and the folder that
 * stand in the unit: in our view of the file system, and for mmap(2). So look
 * first that it is a file and not, say, a FIFO that we would wait on for ever. */
static bool is_file(const char *dir, const char *sub, const char *name)
{
	char path[2 * PATH_ROOM];
	struct stat st;
	int len = snprintf(path, sizeof(path), "%s/%s/%s", dir, sub, name);

	return len > 0 && (size_t)len < sizeof(path) && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool may_open_split(Dwarf_Die *die, const char *dir)
{
	const char *name = die_string(die, DW_AT_dwo_name);
	const char *comp_dir = die_string(die, DW_AT_comp_dir);

	if (!name)
		name = die_string(die, DW_AT_GNU_dwo_name);
	if (!name)
		return false;
	if (*name == '/')
		return is_file("", "", name);
	comp_dir = comp_dir ? comp_dir : "";
	if (*comp_dir == '/')
		return is_file("", comp_dir, name) || (dir && is_file(dir, "", name));
	return dir && (is_file(dir, comp_dir, name) || is_file(dir, "", name));
}

void dwarf_find_split(const Dwarf_Die *skeleton, const char *dir, Dwarf_Die *code)
{
	Dwarf_Die die = *skeleton, split;
	uint8_t type;

	memset(&split, 0, sizeof(split));
	if (dwarf_cu_info(die.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) ||
	    type != DW_UT_skeleton || !may_open_split(&die, dir))
		return;
	if (!dwarf_cu_info(die.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) && split.addr)
		*code = split;
}

static void find_section(Elf *elf, const char *split_name, const char *name, struct cursor *c)
{
	if (!section_bytes(elf, split_name, c))
		section_bytes(elf, name, c);
}

int dwarf_split_files(const Dwarf_Die *code, const char *folder, struct linetable **files)
{
	Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(code->cu));
	struct line_sections sections;
	int rc;

	if (!section_bytes(elf, ".debug_line.dwo", &sections.line))
		return 0;
	find_section(elf, ".debug_line_str.dwo", ".debug_line_str", &sections.line_str);
	find_section(elf, ".debug_str.dwo", ".debug_str", &sections.str);
	rc = linetable_new(files, &sections, 0, folder);
	return rc == ERR_NOMEM ? rc : 0;
}
