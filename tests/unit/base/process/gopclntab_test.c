/* Made-up tables of functions in each of Go's formats, whole and damaged. */
#include <criterion/criterion.h>

#include "base/error.h"
#include "base/process/gopclntab.h"
#include "base/process/image.h"
#include "tests/unit/base/process/goimage.h"

static const struct made_function functions[] = {
	{ .name = "runtime.goexit", .flags = GO_TOP_FRAME | GO_ASSEMBLY },
	{ .name = "main.main", .depth = 0x80 },
	{ .name = "main.(*T).run",
	  .depth = 0x10000,
	  .inlined = "main.small",
	  .id = 3,
	  .inlined_id = 22 },
	{ .name = "c_code", .foreign = true },
	{ .name = "main.last", .depth = 24 },
};

enum { COUNT = sizeof(functions) / sizeof(*functions) };

static uint64_t code_of(unsigned number, unsigned byte)
{
	return MADE_TEXT + number * MADE_FUNCTION + byte;
}

static int open_bytes(const uint8_t *file, size_t len, struct image **image, struct gopclntab **t)
{
	cr_assert_eq(image_open_bytes(file, len, "/made/here", image, NULL), 0);
	return gopclntab_open(*image, t);
}

static void open_made(enum go_format format, struct image **image, struct gopclntab **t)
{
	uint8_t *file = made_file(format, functions, COUNT);

	cr_assert_eq(open_bytes(file, MADE_END, image, t), 0);
	free(file);
}

#define EACH_FORMAT(name) \
	static void check_##name(struct gopclntab *t); \
	Test(gopclntab, name) \
	{ \
		for (enum go_format format = GO_1_16; format <= GO_1_20; format++) { \
			struct gopclntab *t; \
			struct image *image; \
			open_made(format, &image, &t); \
			check_##name(t); \
			gopclntab_close(t); \
			image_free(image); \
		} \
	} \
	static void check_##name(struct gopclntab *t)

EACH_FORMAT(finds_the_function_that_covers_an_address)
{
	struct go_function f;
	char name[64];

	cr_assert(!gopclntab_find(t, MADE_TEXT - 1, &f));
	cr_assert(!gopclntab_find(t, code_of(COUNT, 0), &f));
	for (unsigned i = 0; i < COUNT; i++)
		for (unsigned byte = 0; byte < MADE_FUNCTION; byte += 51) {
			cr_assert(gopclntab_find(t, code_of(i, byte), &f));
			cr_assert_eq(f.entry, code_of(i, 0));
			cr_assert_eq(f.end, code_of(i + 1, 0));
			cr_assert_eq(f.flags, functions[i].flags);
			cr_assert(gopclntab_name(t, f.name, name, sizeof(name)));
			cr_assert_str_eq(name, functions[i].name);
		}
}

EACH_FORMAT(knows_how_deep_the_stack_is)
{
	struct go_function f;
	int32_t depth;

	for (unsigned i = 0; i < COUNT; i++) {
		cr_assert(gopclntab_find(t, code_of(i, 0), &f));
		cr_assert_eq(gopclntab_stack(t, &f, code_of(i, 3), &depth), !functions[i].foreign);
		if (functions[i].foreign)
			continue;
		cr_assert_eq(depth, 0);
		cr_assert(gopclntab_stack(t, &f, code_of(i, 4), &depth));
		cr_assert_eq(depth, functions[i].depth);
		cr_assert(gopclntab_stack(t, &f, code_of(i, 255), &depth));
		cr_assert(!gopclntab_stack(t, &f, code_of(i + 1, 0), &depth));
	}
}

EACH_FORMAT(knows_lines_and_inlined_calls)
{
	struct go_inlined inlined;
	struct go_function f;
	char text[64];
	uint32_t line;

	cr_assert(gopclntab_named(t, "main.(*T).run", &f));
	cr_assert(gopclntab_line(t, &f, code_of(2, 40), text, sizeof(text), &line));
	cr_assert_str_eq(text, "/src/made.go");
	cr_assert_eq(line, 31);
	cr_assert(!gopclntab_inlined(t, &f, code_of(2, 31), &inlined));
	cr_assert(!gopclntab_inlined(t, &f, code_of(2, 64), &inlined));
	cr_assert(gopclntab_inlined(t, &f, code_of(2, 40), &inlined));
	cr_assert(gopclntab_name(t, inlined.name, text, sizeof(text)));
	cr_assert_str_eq(text, "main.small");
	cr_assert_eq(inlined.call, code_of(2, 0));
	cr_assert_eq(inlined.id, 22);
	cr_assert_eq(f.id, 3);
	cr_assert(gopclntab_line(t, &f, inlined.call, text, sizeof(text), &line));
	cr_assert_eq(line, 30);
	cr_assert(gopclntab_named(t, "main.main", &f));
	cr_assert(!gopclntab_inlined(t, &f, code_of(1, 40), &inlined));
	cr_assert(!gopclntab_named(t, "main.none", &f));
}

EACH_FORMAT(cuts_long_names)
{
	char name[6];
	struct go_function f;

	cr_assert(gopclntab_find(t, code_of(1, 0), &f));
	cr_assert(gopclntab_name(t, f.name, name, sizeof(name)));
	cr_assert_str_eq(name, "main.");
	cr_assert(!gopclntab_name(t, UINT32_MAX, name, sizeof(name)));
}

Test(gopclntab, a_start_line_is_known_from_1_20_on)
{
	for (enum go_format format = GO_1_16; format <= GO_1_20; format++) {
		struct gopclntab *t;
		struct go_function f;
		struct image *image;

		open_made(format, &image, &t);
		cr_assert(gopclntab_find(t, code_of(1, 0), &f));
		cr_assert_eq(f.start_line, format == GO_1_20 ? 19 : 0);
		gopclntab_close(t);
		image_free(image);
	}
}

Test(gopclntab, a_file_without_one_has_none)
{
	uint8_t *file = made_file(GO_1_20, functions, COUNT);
	struct gopclntab *t;
	struct image *image;

	file[MADE_PCLNTAB] ^= 0x40;
	cr_assert_eq(open_bytes(file, MADE_END, &image, &t), ERR_NOTFOUND);
	image_free(image);
	free(file);
}

/* The table's addresses are relative to the text, whose address only moduledata has. */
Test(gopclntab, a_module_without_moduledata_is_not_understood)
{
	uint8_t *file = made_file(GO_1_20, functions, COUNT);
	struct gopclntab *t;
	struct image *image;

	file[MADE_DATA + 8]++;
	cr_assert_eq(open_bytes(file, MADE_END, &image, &t), ERR_FORMAT);
	image_free(image);
	free(file);
}

/* Each byte of the tables is replaced by one of a few values: nothing breaks, and a function that
 * is found contains the address. */
Test(gopclntab, damaged_tables_break_nothing)
{
	uint8_t *file = made_file(GO_1_20, functions, COUNT);
	static const uint8_t wrong[] = { 0, 1, 0x7f, 0x80, 0xff };

	for (unsigned at = MADE_PCLNTAB; at < MADE_PCLNTAB + 1024; at++) {
		uint8_t was = file[at];
		struct gopclntab *t;
		struct image *image;

		file[at] = wrong[at % sizeof(wrong)];
		if (!open_bytes(file, MADE_END, &image, &t)) {
			for (unsigned i = 0; i < COUNT * MADE_FUNCTION; i += 16) {
				struct go_inlined inlined;
				struct go_function f;
				char text[64];
				int32_t depth;
				uint32_t line;

				if (!gopclntab_find(t, MADE_TEXT + i, &f))
					continue;
				cr_assert(f.entry <= MADE_TEXT + i && MADE_TEXT + i < f.end);
				gopclntab_name(t, f.name, text, sizeof(text));
				gopclntab_stack(t, &f, MADE_TEXT + i, &depth);
				gopclntab_line(t, &f, MADE_TEXT + i, text, sizeof(text), &line);
				gopclntab_inlined(t, &f, MADE_TEXT + i, &inlined);
			}
			gopclntab_close(t);
		}
		image_free(image);
		file[at] = was;
	}
	free(file);
}
