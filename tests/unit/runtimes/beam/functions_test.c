/* The functions, lines and names at addresses of a made-up module. */
#include "base/arena.h"
#include "base/error.h"
#include "made_up.h"

TestSuite(beam_functions, .init = make_up, .fini = release);
TestSuite(beam_modules, .init = make_up, .fini = release);

static struct arena arena;

static struct managed_name name_at(uint64_t addr)
{
	struct managed_frame frame = { 0 };
	struct managed_names names = { .count = 0 };

	cr_assert(beam_function_at(&beam.rt, addr, &frame));
	cr_assert(frame.code);
	cr_assert_eq(beam_names(&beam.rt, &frame, &arena, &names), 0);
	cr_assert_eq(names.count, 1);
	return names.at[0];
}

static void expect(uint64_t addr, const char *name, const char *file, uint32_t line)
{
	struct managed_name got = name_at(addr);

	cr_assert_str_eq(got.name, name);
	cr_assert_str_eq(got.file, file);
	cr_assert_eq(got.line, line, "line %u", got.line);
}

static bool is_there(uint64_t addr)
{
	struct managed_frame frame = { 0 };

	return beam_function_at(&beam.rt, addr, &frame);
}

Test(beam_functions, names_and_lines)
{
	expect(FIRST + 40, "lists:sort/1", "", 0);
	expect(FIRST + 48, "lists:sort/1", "lists.erl", 7);
	expect(FIRST + 63, "lists:sort/1", "lists.erl", 7);
	expect(FIRST + 64, "lists:sort/1", "lists.erl", 9);
	expect(SECOND - 1, "lists:sort/1", "lists.erl", 9);
	expect(SECOND + 40, "anonymous fn/3 in Shop.total/2", "a/\xc3\xa9.yrl", 3);
	arena_release(&arena);
}

Test(beam_functions, elixir_s_named_functions)
{
	put_function(SECOND, AM_ELIXIR, AM_SORT, 0);
	expect(SECOND + 40, "Shop.sort/0", "a/\xc3\xa9.yrl", 3);
	arena_release(&arena);
}

Test(beam_functions, files_that_are_atoms)
{
	put_word(LINES + 0x100, atom(AM_FILE));
	expect(FIRST + 48, "lists:sort/1", "lists.erl", 7);
	expect(SECOND + 40, "anonymous fn/3 in Shop.total/2", "shop.ex", 3);
	arena_release(&arena);
}

Test(beam_functions, lines_of_two_bytes)
{
	put(LINES + 8, 2, 4);
	put(LINES + 0x200, 7 | 9 << 16, 4);
	expect(FIRST + 64, "lists:sort/1", "lists.erl", 9);
	arena_release(&arena);
}

Test(beam_functions, a_list_without_an_end_is_no_file)
{
	uint64_t cell = LISTS + beam.lists - 16; /* the first character of the last list */

	put_word(cell + 8, cell | 1);
	expect(SECOND + 40, "anonymous fn/3 in Shop.total/2", "", 3);
	arena_release(&arena);
}

Test(beam_functions, nothing_outside)
{
	cr_assert(!is_there(MODULE));
	cr_assert(!is_there(FIRST - 1));
	cr_assert(!is_there(MODULE_END));
	cr_assert(!is_there(0));
}

Test(beam_functions, what_is_no_function_is_none)
{
	put_word(FIRST + 16, 4711 << 6 | 0x0f);
	cr_assert(!is_there(FIRST + 48));
	put_function(FIRST, AM_LISTS, AM_SORT, 256);
	next_walk();
	cr_assert(!is_there(FIRST + 48));
	put_word(MODULE, 1ull << 40);
	next_walk();
	cr_assert(!is_there(SECOND + 48));
}

Test(beam_functions, entries)
{
	cr_assert(beam_is_entry(&beam.rt, FIRST + INFO_BYTES));
	cr_assert(!beam_is_entry(&beam.rt, FIRST + INFO_BYTES + 1));
	cr_assert(!beam_is_last(&beam.rt, SECOND - 1));
	cr_assert(beam_is_last(&beam.rt, SECOND));
}

Test(beam_modules, one_that_was_loaded_since_has_no_names_yet)
{
	put_modules(MODULE_END + 8);
	cr_assert(!is_there(FIRST + 48));
	next_walk();
	cr_assert(is_there(FIRST + 48));
}

Test(beam_modules, one_that_is_purged_is_gone)
{
	put_modules(MODULE);
	cr_assert(!is_there(FIRST + 48));
	next_walk();
	cr_assert(!is_there(FIRST + 48));
}

Test(beam_modules, a_list_that_makes_no_sense_has_none)
{
	put_word(RANGES + 40, 1ull << 40);
	cr_assert(!is_there(FIRST + 48));
	put_word(RANGES + 40, 1);
	put(ACTIVE, 3, 4);
	next_walk();
	cr_assert(!is_there(FIRST + 48));
}

Test(beam_modules, atoms_in_binaries)
{
	/* OTP 28: a boxed binary; its text begins behind two words. */
	for (uint32_t i = 0; i < ATOM_COUNT; i++) {
		uint64_t to = TEXTS + i * 64;

		memmove(beam.bytes + (to + 16 - START), beam.bytes + (to - START), 32);
		put_word(ATOMS + i * ATOM_SIZE + 32, to | 2);
	}
	cr_assert(beam_atoms_find(&beam.rt, ATOM_TABLE));
	expect(FIRST + 48, "lists:sort/1", "lists.erl", 7);
	arena_release(&arena);
}

Test(beam_modules, atoms_that_are_no_text_have_no_name)
{
	struct managed_frame frame = { 0 };
	struct managed_names names = { .count = 0 };

	cr_assert(beam_function_at(&beam.rt, FIRST + 48, &frame));
	put(TEXTS + AM_SORT * 64, 0xff, 1);
	cr_assert_eq(beam_names(&beam.rt, &frame, &arena, &names), ERR_FORMAT);
	put(TEXTS + AM_SORT * 64, 0, 1);
	cr_assert_eq(beam_names(&beam.rt, &frame, &arena, &names), ERR_FORMAT);
	arena_release(&arena);
}

Test(beam_modules, a_heap_tells_by_its_size)
{
	uint64_t head[BEAM_HEAD_WORDS] = { 0x2010, 0x2ff0, 0, 7, 0x2000, 0x3000, 0, 0x200 };

	cr_assert_eq(beam_find_heap(head), 4);
	head[1] = 0x3008;
	cr_assert_eq(beam_find_heap(head), 0);
	head[1] = 0x2ff0;
	head[7] = 0x201;
	cr_assert_eq(beam_find_heap(head), 0);
}
