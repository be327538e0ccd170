/* The functions of interpreted frames: names, files, lines; and what has become another method's. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "tests/unit/runtimes/hotspot/made_up_class.h"

static struct arena arena;
static struct managed_names names;

static void release(void)
{
	arena_release(&arena);
	release_class();
}

TestSuite(names, .fini = release);

static const char lines[] = "\xff\x00\x14\x21"; /* bytecode 0: line 10, 4: 11 */

static uint64_t id_of(uint64_t method)
{
	struct hotspot_method m = { .id = 0 };

	return hotspot_method_read(&class_vm, method, &m) ? 0 : m.id;
}

static int name(uint64_t method, uint64_t id, uint64_t bci)
{
	struct managed_frame f = {
		.kind = HOTSPOT_INTERPRETED, .code = method, .id = id, .at = bci
	};

	names.count = 0;
	return hotspot_names(&class_vm, &f, &arena, &names);
}

static uint64_t make_shop(void)
{
	make_class("com/example/Shop$Inner", "Shop.java");
	return make_method("total", "(ILjava/lang/String;)V", 1, 8, lines, sizeof(lines));
}

Test(names, a_method_with_file_and_lines)
{
	uint64_t method = make_shop();

	cr_assert_eq(name(method, id_of(method), 5), 0);
	cr_assert_eq(names.count, 1);
	cr_expect_str_eq(names.at[0].name, "com.example.Shop$Inner.total");
	cr_expect_str_eq(names.at[0].file, "Shop.java");
	cr_expect(names.at[0].line == 11 && names.at[0].first_line == 10);
	cr_assert_eq(name(method, id_of(method), HOTSPOT_NO_BCI), 0);
	cr_expect(names.at[0].line == 0 && names.at[0].first_line == 10);
}

Test(names, parameters_where_the_class_has_several_of_that_name)
{
	uint64_t method = make_shop();
	uint64_t other = make_method("total", "()V", 1, 1, lines, sizeof(lines));

	share_name(other);
	cr_assert_eq(name(method, id_of(method), 0), 0);
	cr_expect_str_eq(names.at[0].name, "com.example.Shop$Inner.total(int, String)");
	cr_assert_eq(name(other, id_of(other), 0), 0);
	cr_expect_str_eq(names.at[0].name, "com.example.Shop$Inner.total()");
}

Test(names, a_native_method_has_no_line)
{
	make_class("Shop", NULL);
	uint64_t method = make_method("read", "()I", 0x100, 0, lines, sizeof(lines));

	cr_assert_eq(name(method, id_of(method), 0), 0);
	cr_expect_str_eq(names.at[0].name, "Shop.read");
	cr_expect_str_eq(names.at[0].file, "");
	cr_expect_eq(names.at[0].line, 0);
}

Test(names, a_bytecode_behind_the_end_is_no_place)
{
	uint64_t method = make_shop();

	cr_expect_eq(name(method, id_of(method), 8), ERR_FORMAT);
}

Test(names, a_method_that_became_another_one_is_not_shown)
{
	uint64_t method = make_shop(), id = id_of(method);
	uint64_t name_symbol = memory_word(class_memory, POOL + 64 + 16 - CLASS);

	cr_assert(id);
	put(name_symbol + 6, 'T', 1);
	cr_expect_eq(name(method, id, 0), ERR_FORMAT);
	put(name_symbol + 6, 't', 1);
	cr_expect_eq(name(method, id, 0), 0);
	put(CLASS + 24, make_symbol("com/example/Shop$Inner"), 8);
	cr_expect_eq(name(method, id, 0), ERR_FORMAT);
}

Test(names, each_part_is_in_the_id)
{
	uint64_t method = make_shop(), id = id_of(method);
	uint64_t constant = memory_word(class_memory, method + 8 - CLASS);
	const uint64_t parts[] = { POOL + 8, POOL + 16, constant + 32, constant + 38 };

	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		uint8_t was = class_memory[parts[i] - CLASS];

		put(parts[i], was ^ 1, 1);
		cr_expect(id_of(method) != id, "part %u", i);
		put(parts[i], was, 1);
		cr_expect_eq(id_of(method), id);
	}
}

Test(names, what_the_vm_changes_is_not_in_the_id)
{
	uint64_t method = make_shop(), id = id_of(method);

	put(method + 24, 0x1234, 8); /* counters */
	put(POOL + 64 + 16, memory_word(class_memory, POOL + 64 + 16 - CLASS) | 1, 8);
	put(CLASS + 40, 0x99, 8);
	cr_expect_eq(id_of(method), id);
}

Test(names, pointers_to_nowhere)
{
	uint64_t method = make_shop();
	uint64_t constant = memory_word(class_memory, method + 8 - CLASS);
	const uint64_t pointers[] = { method + 8, constant + 8, POOL + 24, CLASS + 24,
				      POOL + 64 + 16 };

	for (unsigned i = 0; i < sizeof(pointers) / sizeof(*pointers); i++) {
		uint64_t was = memory_word(class_memory, pointers[i] - CLASS);

		put(pointers[i], 0xdead0000, 8);
		cr_expect_eq(id_of(method), 0, "pointer %u", i);
		put(pointers[i], was, 8);
		cr_expect(id_of(method));
	}
	cr_expect_eq(id_of(0), 0);
	cr_expect_eq(id_of(method + 1), 0);
}

Test(names, a_table_of_lines_that_lies)
{
	make_class("Shop", "Shop.java");
	uint64_t method = make_method("a", "()V", 1, 8, "\xff\xff\xff\xff\xff\xff", 6);

	cr_expect_eq(name(method, id_of(method), 0), ERR_FORMAT);
}
