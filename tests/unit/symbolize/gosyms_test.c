/* Lookups in a Go module that has no symbols but its pclntab. */
#include <criterion/criterion.h>

#include "base/process/gopclntab.h"
#include "base/process/image.h"
#include "symbolize/symbolizer.h"
#include "tests/unit/base/process/goimage.h"

static const struct made_function functions[] = {
	{ .name = "main.main", .depth = 0x80 },
	{ .name = "main.(*T[...]).run", .depth = 0x10, .inlined = "main.small" },
	{ .name = "c_code", .foreign = true },
};

static struct symbolizer *symbolizer;
static struct image *image;
static struct symbol found;

static void enter(enum go_format format, unsigned flags)
{
	uint8_t *file = made_file(format, functions, 3);

	cr_assert_eq(image_open_bytes(file, MADE_END, "/made/here", &image, NULL), 0);
	free(file);
	cr_assert_eq(symbolizer_new(&symbolizer, NULL, flags), 0);
}

static void look_up(unsigned number, unsigned byte)
{
	cr_assert_eq(symbolizer_lookup(symbolizer, image, MADE_TEXT + number * MADE_FUNCTION + byte,
				       &found),
		     0);
}

static void leave(void)
{
	symbolizer_free(symbolizer);
	image_free(image);
}

TestSuite(gosyms, .fini = leave);

static void expect(size_t i, const char *name, uint32_t line, uint32_t start_line)
{
	cr_assert_str_eq(found.frames[i].name, name);
	cr_assert_str_eq(found.frames[i].system_name, name);
	cr_assert_str_eq(found.frames[i].file, "/src/made.go");
	cr_assert_eq(found.frames[i].line, line);
	cr_assert_eq(found.frames[i].start_line, start_line);
}

Test(gosyms, functions_and_lines)
{
	enter(GO_1_20, 0);
	look_up(0, 40);
	cr_assert_eq(found.count, 1);
	expect(0, "main.main", 11, 9);
	cr_assert(symbolizer_has_lines(symbolizer, image));
	cr_assert(!symbolizer_has_inlines(symbolizer, image));
	cr_assert(strstr(symbolizer_note(symbolizer, image), "3 functions from Go's pclntab"));
}

Test(gosyms, inlined_calls)
{
	for (enum go_format format = GO_1_16; format <= GO_1_20; format++) {
		enter(format, 0);
		look_up(1, 40);
		cr_assert_eq(found.count, 2);
		expect(0, "main.small", 21, format == GO_1_20 ? 77 : 0);
		expect(1, "main.(*T[...]).run", 20, format == GO_1_20 ? 19 : 0);
		cr_assert(symbolizer_has_inlines(symbolizer, image));
		if (format != GO_1_20)
			leave();
	}
}

Test(gosyms, inlined_calls_left_out)
{
	enter(GO_1_20, SYMBOLIZE_NO_INLINE);
	look_up(1, 40);
	cr_assert_eq(found.count, 1);
	expect(0, "main.(*T[...]).run", 20, 19);
}

/* pclntab has the name of C's code but not its extent: only a symbol table can name it. */
Test(gosyms, other_compilers_code_is_not_gos)
{
	enter(GO_1_20, 0);
	look_up(2, 40);
	cr_assert_eq(found.count, 0);
	look_up(3, 0);
	cr_assert_eq(found.count, 0);
}
