/* Made-up code that refers to variables in a program's data. */
#include <criterion/criterion.h>

#include "base/error.h"
#include "base/process/gopclntab.h"
#include "base/process/image.h"
#include "runtimes/go/find/uses.h"
#include "tests/unit/base/process/goimage.h"

enum {
	FUNCTIONS = 2,
	FIRST = MADE_TEXT,
	SECOND = MADE_TEXT + MADE_FUNCTION,
	VARIABLE = MADE_DATA + 0x400
};

static const char *const names[] = { "runtime.first", "runtime.second", "runtime.missing" };
static char code[FUNCTIONS][MADE_FUNCTION];
static size_t len[FUNCTIONS];
static struct image *image;
static struct gopclntab *table;
static struct gouses uses[3];

/* Puts an instruction: its first bytes, the distance to `address`, and an operand of zeros. */
static void name(int function, const char *opcode, size_t opcode_len, size_t operand,
		 uint64_t address)
{
	char *at = code[function] + len[function];
	size_t all = opcode_len + 4 + operand;
	int32_t distance = (int32_t)((int64_t)address -
				     (int64_t)(MADE_TEXT + (uint64_t)function * MADE_FUNCTION +
					       len[function] + all));

	memset(at, 0, all);
	memcpy(at, opcode, opcode_len);
	memcpy(at + opcode_len, &distance, sizeof(distance));
	len[function] += all;
}

static void lea(int function, uint64_t address)
{
	name(function, "\x48\x8d\x05", 3, 0, address); /* lea X(%rip),%rax */
}

static void load(void)
{
	const struct made_function functions[FUNCTIONS] = {
		{ .name = names[0], .code = code[0], .code_len = len[0] },
		{ .name = names[1], .code = code[1], .code_len = len[1] },
	};
	uint8_t *file = made_file(GO_1_20, functions, FUNCTIONS);

	cr_assert_eq(image_open_bytes(file, MADE_END, "/made", &image, NULL), 0);
	free(file);
	cr_assert_eq(gopclntab_open(image, &table), 0);
	cr_assert_eq(gouses_load(uses, table, image, names, 3), 0);
}

static void leave(void)
{
	gouses_release(uses, 3);
	gopclntab_close(table);
	image_free(image);
}

TestSuite(gouses, .fini = leave);

Test(gouses, a_structure_is_where_its_fields_are_named)
{
	const struct goclue clues[] = { { &uses[0], 3, { 8, 16, 24 } }, { &uses[1], 1, { 40 } } };
	uint64_t at;

	lea(0, VARIABLE + 8);
	name(0, "\x83\x3d", 2, 1, VARIABLE + 16);     /* cmpl $0,X(%rip) */
	name(0, "\x48\xc7\x05", 3, 4, VARIABLE + 24); /* movq $0,X(%rip) */
	lea(0, VARIABLE + 0x100);
	name(1, "\x66\xc7\x05", 3, 2, VARIABLE + 40); /* movw $0,X(%rip) */
	load();
	cr_assert_eq(gouses_find(clues, 2, &at), 0);
	cr_assert_eq(at, VARIABLE);
}

Test(gouses, each_clue_must_fit)
{
	const struct goclue missing_field[] = { { &uses[0], 3, { 0, 8, 16 } } };
	const struct goclue elsewhere[] = { { &uses[0], 2, { 0, 8 } }, { &uses[1], 1, { 8 } } };
	const struct goclue no_function[] = { { &uses[0], 2, { 0, 8 } }, { &uses[2], 1, { 0 } } };
	const struct goclue nothing[] = { { &uses[2], 1, { 0 } } };
	uint64_t at;

	lea(0, VARIABLE);
	lea(0, VARIABLE + 8);
	lea(1, VARIABLE + 0x10);
	load();
	cr_assert_eq(gouses_find(missing_field, 1, &at), ERR_NOTFOUND);
	cr_assert_eq(gouses_find(elsewhere, 2, &at), ERR_NOTFOUND);
	cr_assert_eq(gouses_find(no_function, 2, &at), ERR_NOTFOUND);
	cr_assert_eq(gouses_find(nothing, 1, &at), ERR_NOTFOUND);
	cr_assert_eq(gouses_find(elsewhere, 1, &at), 0);
}

Test(gouses, two_places_are_none)
{
	const struct goclue both[] = { { &uses[0], 2, { 0, 8 } } };
	const struct goclue one[] = { { &uses[0], 2, { 0, 8 } }, { &uses[1], 1, { 16 } } };
	uint64_t at;

	for (int i = 0; i < 2; i++) {
		lea(0, VARIABLE + (uint64_t)i * 0x200);
		lea(0, VARIABLE + (uint64_t)i * 0x200 + 8);
	}
	lea(1, VARIABLE + 0x200 + 16);
	load();
	cr_assert_eq(gouses_find(both, 1, &at), ERR_NOTFOUND);
	cr_assert_eq(gouses_find(one, 2, &at), 0);
	cr_assert_eq(at, VARIABLE + 0x200);
}

Test(gouses, code_and_constants_are_no_variables)
{
	const struct goclue clue[] = { { &uses[0], 1, { 0 } } };
	uint64_t at;

	lea(0, MADE_PCLNTAB + 8);
	lea(0, MADE_TEXT + 8);
	lea(0, MADE_END + 8);
	load();
	cr_assert_eq(gouses_find(clue, 1, &at), ERR_NOTFOUND);
}
