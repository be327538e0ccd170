// links: symbolize
/* Which symbol covers an address: assembled tables, a test for each rule. */
#include <libelf.h>
#include <string.h>

#include "symbolize/files/elfsyms.h"
#include "symbolize/symbolizer.h"
#include "tests/unit/symbolize/workshop.h"

static struct elfsyms syms;
static struct image *image;

static void enter(void)
{
	workshop_enter();
	need("cc");
}

static void leave(void)
{
	elfsyms_release(&syms);
	image_free(image);
	workshop_leave();
}

TestSuite(elfsyms, .init = enter, .fini = leave);

/* Assembles functions at fixed addresses: .text begins at 0x401000. */
static void assemble(const char *text, const char *link_flags)
{
	write_file("a.s", text, strlen(text));
	cr_assert(run("cc -c a.s -o a.o"));
	cr_assert(run("ld -Ttext=0x401000 -e 0x401000 %s a.o -o a", link_flags));
	image = open_image("a");
}

static void load(uint32_t type, bool whole)
{
	elfsyms_init(&syms);
	cr_assert(elfsyms_add(&syms, image_elf(image), type, whole) >= 0);
	cr_assert_eq(elfsyms_settle(&syms), 0);
}

static void expect(uint64_t addr, const char *name)
{
	const struct elfsym *got = elfsyms_find(&syms, addr);

	cr_assert_eq(got != NULL, name != NULL, "%#lx: %s", addr, got ? got->name : "nothing");
	if (name)
		cr_assert_str_eq(got->name, name);
}

#define FUNCTION(name, size) ".type " name ", @function\n.size " name ", " size "\n"
#define GLOBAL(name, size) ".globl " name "\n" FUNCTION(name, size)

Test(elfsyms, end_where_they_say)
{
	assemble(".text\n" GLOBAL("one", "8") GLOBAL("two", "4")
			 FUNCTION("three", "4") "one: .skip 16\ntwo: .skip 16\nthree: .skip 16\n",
		 "");
	load(SHT_SYMTAB, true);
	expect(0x400fff, NULL);
	expect(0x401000, "one");
	expect(0x401007, "one");
	expect(0x401008, NULL);
	expect(0x401013, "two");
	expect(0x401014, NULL);
	expect(0x401023, "three");
	expect(0x401024, NULL);
}

static const char unsized[] = ".text\n.globl bare\n.type bare, @function\n" GLOBAL(
	"sized",
	"8") "bare: .skip 16\nlabel: .skip 16\n.globl notype\nnotype: .skip 16\nsized: .skip 32\n";

Test(elfsyms, without_a_size_reach_to_the_next_where_none_can_be_missing)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s%s", unsized, FUNCTION("local", "8") "local: .skip 8\n");
	assemble(text, "");
	load(SHT_SYMTAB, true);
	expect(0x401000, "bare");
	expect(0x40100f, "bare");
	expect(0x401010, NULL);
	expect(0x40101f, NULL);
	expect(0x401020, "notype");
	expect(0x40102f, "notype");
	expect(0x401030, "sized");
	expect(0x401038, NULL);
	expect(0x401050, "local");
}

Test(elfsyms, without_a_size_are_a_point_where_locals_were_stripped)
{
	assemble(unsized, "");
	load(SHT_SYMTAB, true);
	expect(0x401000, "bare");
	expect(0x401001, NULL);
	expect(0x401020, "notype");
	expect(0x401021, NULL);
	expect(0x401037, "sized");
}

Test(elfsyms, without_a_size_are_a_point_in_tables_that_lack_functions)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s%s", unsized, FUNCTION("local", "8") "local: .skip 8\n");
	assemble(text, "-shared");
	load(SHT_DYNSYM, false);
	expect(0x401000, "bare");
	expect(0x401001, NULL);
	expect(0x401030, "sized");
	expect(0x401050, NULL);
}

Test(elfsyms, without_a_size_end_with_their_section)
{
	assemble(
		".section .one, \"ax\"\n.globl first\n.type first, @function\nfirst: .skip 16\n"
		".section .two, \"ax\"\n.globl second\n.type second, @function\nsecond: .skip 8\n" FUNCTION(
			"local", "4") "local: .skip 4\n",
		"--section-start=.one=0x402000 --section-start=.two=0x402020");
	load(SHT_SYMTAB, true);
	expect(0x40200f, "first");
	expect(0x402010, NULL);
	expect(0x402027, "second");
	expect(0x402028, "local");
}

Test(elfsyms, with_a_size_speak_before_those_without)
{
	assemble(".text\n" GLOBAL("outer", "32") ".globl inner\n.type inner, @function\n" FUNCTION(
			 "local", "4") "outer: .skip 16\ninner: .skip 16\nlocal: .skip 4\n",
		 "");
	load(SHT_SYMTAB, true);
	expect(0x401010, "outer");
	expect(0x40101f, "outer");
}

Test(elfsyms, inside_others_win)
{
	assemble(".text\n" GLOBAL("outer", "48")
			 GLOBAL("inner", "16") "outer: .skip 16\ninner: .skip 48\n",
		 "");
	load(SHT_SYMTAB, true);
	expect(0x40100f, "outer");
	expect(0x401010, "inner");
	expect(0x40101f, "inner");
	expect(0x401020, "outer");
	expect(0x40102f, "outer");
	expect(0x401030, NULL);
}

Test(elfsyms, show_the_alias_that_others_call)
{
	assemble(".text\n" GLOBAL("__libc_work",
				  "16") GLOBAL("work", "16") ".weak able\n" FUNCTION("able", "16")
			 FUNCTION("a", "16") "__libc_work: work: able: a: .skip 16\n" GLOBAL(
				 "_Zsecond", "16") GLOBAL("_third", "16")
				 GLOBAL("_Zfirst", "16") "_Zsecond: _third: _Zfirst: .skip 16\n",
		 "");
	load(SHT_SYMTAB, true);
	expect(0x401000, "work");
	expect(0x401010, "_Zfirst");
}

Test(elfsyms, drop_their_version)
{
	const char *map = "V1 { global: work; };";

	write_file("map", map, strlen(map));
	assemble(".text\n" GLOBAL("work_1", "16") ".symver work_1, work@@V1\n"
						  "work_1: .skip 16\n",
		 "-shared --version-script=map");
	load(SHT_SYMTAB, true);
	expect(0x401000, "work");
}

Test(elfsyms, are_functions_and_no_data)
{
	assemble(".text\n.globl thing\n.type thing, @object\n.size thing, 16\nthing: .skip 16\n"
		 ".globl code\n.size code, 8\ncode: .skip 16\n"
		 ".data\n.globl data\n.size data, 8\ndata: .skip 16\n"
		 ".globl absolute\nabsolute = 0x401018\n",
		 "");
	load(SHT_SYMTAB, true);
	expect(0x401000, NULL);
	expect(0x401010, "code");
	expect(0x401018, NULL);
}

/* The same rule through the symbolizer: no symbol rather than the nearest one. */
Test(elfsyms, leave_gaps_unnamed)
{
	struct symbolizer *s;
	struct symbol symbol;

	assemble(".text\n" GLOBAL("one", "8") "one: .skip 64\n", "");
	cr_assert_eq(symbolizer_new(&s, NULL, 0), 0);
	cr_assert_eq(symbolizer_lookup(s, image, 0x401007, &symbol), 0);
	cr_assert_eq(symbol.count, 1);
	cr_assert_str_eq(symbol.frames[0].name, "one");
	cr_assert_eq(symbolizer_lookup(s, image, 0x401008, &symbol), 0);
	cr_assert_eq(symbol.count, 0);
	cr_assert_not(symbolizer_has_lines(s, image));
	cr_assert_str_eq(symbolizer_note(s, image), "1 functions from .symtab, no DWARF");
	symbolizer_free(s);
}

#define VARIABLE(name, size) ".type " name ", @object\n.size " name ", " size "\n"

Test(elfsyms, of_variables_are_objects_with_a_size_alone)
{
	assemble(".text\n" GLOBAL("one", "8") "one: .skip 16\n.data\n" VARIABLE("table", "40")
			 VARIABLE("nothing", "0") "table: .skip 48\nnothing: .skip 8\n",
		 "-Tdata=0x402000");
	elfsyms_init(&syms);
	syms.variables = true;
	cr_assert_eq(elfsyms_add(&syms, image_elf(image), SHT_SYMTAB, true), 1);
	cr_assert_eq(elfsyms_settle(&syms), 0);
	expect(0x402000, "table");
	expect(0x402027, "table");
	expect(0x402028, NULL);
	expect(0x402030, NULL);
	expect(0x401000, NULL);
}
