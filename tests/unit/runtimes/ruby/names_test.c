/* Names as the releases' backtraces have them, of iseqs, methods and classes in a made memory. */
#include "base/arena.h"
#include "base/error.h"
#include "fake.h"

static struct arena arena;
static struct interp_code code;

static void release(void)
{
	arena_release(&arena);
}

TestSuite(rubynames, .fini = release);

/* In frames of that method entry; 0: of none. */
static const char *name_by(uint64_t addr, uint64_t method)
{
	struct interp_identity id = { .code = addr, .method = method };

	memset(&code, 0, sizeof(code));
	return ruby_resolve(&fake_rt, &fake_memory.memory, &id, &arena, &code) ? NULL : code.name;
}

static const char *name_of(uint64_t addr)
{
	return name_by(addr, 0);
}

/* A block around which is another iseq. */
static uint64_t block_in(uint64_t parent, enum ruby_iseq_type type, const char *label)
{
	uint64_t iseq = fake_iseq(type, label, 9, 4);

	put(fake_body(iseq) + fake_rt.layout->parent, parent);
	return iseq;
}

static const char long_label[] = "a_name_that_is_too_long_for_the_slot_of_its_string";

Test(rubynames, labels_and_paths_of_all_releases)
{
	static const unsigned releases[] = { 300, 301, 302, 303, 304, 400 };

	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
		fake_begin(releases[i] / 100, releases[i] % 100);
		cr_assert_str_eq(name_of(fake_iseq(ISEQ_METHOD, "total", 7, 4)), "total");
		cr_assert_str_eq(code.file, "/shop.rb");
		cr_assert_eq(code.first_line, 7);
		cr_assert_str_eq(name_of(fake_iseq(ISEQ_CLASS, long_label, 7, 4)), long_label);
		cr_assert_str_eq(name_of(fake_iseq(ISEQ_MAIN, "<main>", 1, 4)), "<main>");
	}
}

Test(rubynames, a_path_may_be_a_pair)
{
	uint64_t iseq, pair;

	fake_begin(3, 3);
	iseq = fake_iseq(ISEQ_METHOD, "total", 7, 4);
	pair = fake_object(T_ARRAY, 0);
	put(pair, T_ARRAY | 1 << 13 | 2 << 15);
	put(pair + 16, fake_string("shop.rb"));
	put(fake_body(iseq) + BODY_PATH, pair);
	cr_assert_str_eq(name_of(iseq), "total");
	cr_assert_str_eq(code.file, "shop.rb");
	put(pair, T_ARRAY | 1 << 13 | 0 << 15);
	cr_assert_null(name_of(iseq), "an empty array");
}

Test(rubynames, from_3_4_on_the_class_is_that_of_the_method)
{
	uint64_t method, block, inner, rescue, shop, entry;

	fake_begin(3, 4);
	method = fake_iseq(ISEQ_METHOD, "total", 7, 4);
	block = block_in(method, ISEQ_BLOCK, "block in total");
	inner = block_in(block, ISEQ_BLOCK, "block (2 levels) in total");
	rescue = block_in(method, ISEQ_RESCUE, "rescue in total");
	shop = fake_class("Shop", 0);
	entry = fake_method(shop, METHOD_IS_ISEQ, method, 0);
	cr_assert_str_eq(name_by(method, entry), "Shop#total");
	cr_assert_str_eq(name_by(block, entry), "block in Shop#total");
	cr_assert_str_eq(name_by(inner, 0), "block (2 levels) in total", "not known");
	cr_assert_str_eq(name_by(rescue, 0), "total");
	entry = fake_method(fake_class(NULL, shop), METHOD_IS_ISEQ, method, 0);
	cr_assert_str_eq(name_by(method, entry), "Shop.total");
}

Test(rubynames, an_iseq_has_the_class_of_each_method_that_it_is_the_body_of)
{
	uint64_t method, block, one, other;

	fake_begin(3, 3);
	method = fake_iseq(ISEQ_METHOD, "total", 7, 4);
	block = block_in(method, ISEQ_BLOCK, "block in total");
	one = fake_method(fake_class("Shop", 0), METHOD_IS_ISEQ, method, 0);
	other = fake_method(fake_class("Copy", 0), METHOD_IS_ISEQ, method, 0);
	cr_assert_str_eq(name_by(method, one), "Shop#total");
	cr_assert_str_eq(name_by(method, other), "Copy#total");
	cr_assert_str_eq(name_by(block, other), "block in Copy#total");
	cr_assert_str_eq(name_by(block, one), "block in Shop#total");
}

Test(rubynames, a_block_that_is_a_method_has_the_class_of_that)
{
	uint64_t method, block;

	fake_begin(3, 4);
	method = fake_iseq(ISEQ_METHOD, "make", 7, 4);
	block = block_in(method, ISEQ_BLOCK, "block in make");
	cr_assert_str_eq(
		name_by(block, fake_method(fake_class("Shop", 0), METHOD_IS_BLOCK, 0x1238, 0)),
		"block in Shop#make");
}

Test(rubynames, a_method_entry_of_another_iseq_proves_nothing)
{
	uint64_t method, other, shop;

	fake_begin(4, 0);
	method = fake_iseq(ISEQ_METHOD, "total", 7, 4);
	other = fake_iseq(ISEQ_METHOD, "other", 9, 4);
	shop = fake_class("Shop", 0);
	cr_assert_str_eq(name_by(method, fake_method(shop, METHOD_IS_ISEQ, other, 0)), "total");
	cr_assert_str_eq(name_by(method, fake_method(shop, METHOD_IS_C, method, 0)), "total");
	cr_assert_str_eq(name_by(method, shop), "total");
	cr_assert_str_eq(name_by(method, 0x7fff00000000), "total");
}

Test(rubynames, a_class_without_a_permanent_path_is_left_out)
{
	uint64_t method;

	fake_begin(4, 0);
	method = fake_iseq(ISEQ_METHOD, "total", 7, 4);
	cr_assert_str_eq(
		name_by(method, fake_method(fake_class(NULL, 0), METHOD_IS_ISEQ, method, 0)),
		"total");
}

Test(rubynames, iseqs_around_each_other_end_somewhere)
{
	uint64_t a, b;

	fake_begin(3, 4);
	a = fake_iseq(ISEQ_BLOCK, "block in a", 7, 4);
	b = block_in(a, ISEQ_EVAL, "b");
	put(fake_body(a) + fake_rt.layout->parent, b);
	cr_assert_str_eq(name_of(a), "block in a", "the label as it is");
}

/* The table of IDs: an array of arrays, in which '+' is 43, and one more name. */
static uint64_t fake_symbols(uint64_t serial, const char *name)
{
	uint64_t symbols = fake_alloc(24), outer = fake_object(T_ARRAY, 0);
	uint64_t inner = fake_object(T_ARRAY, 0), elements = fake_alloc(1024 * 8);

	put(symbols, 700);
	put(symbols + 16, outer);
	put(outer, T_ARRAY | 1 << 13 | 2 << 15);
	put(outer + 16, inner);
	put(outer + 24, inner);
	put(inner + 16, 1024);
	put(inner + 32, elements);
	put(elements + 43 * 2 * 8, fake_string("+"));
	put(elements + serial % 512 * 2 * 8, fake_string(name));
	return symbols;
}

Test(rubynames, functions_in_c_have_the_name_of_their_method)
{
	uint64_t array;

	fake_begin(3, 3);
	fake_rt.symbols = fake_symbols(600, "each");
	array = fake_class("Array", 0);
	cr_assert_str_eq(name_of(fake_method(array, METHOD_IS_C, 0x1234, 600 << 4 | 1)),
			 "Array#each");
	cr_assert_str_eq(code.file, "");
	cr_assert_str_eq(name_of(fake_method(array, METHOD_IS_C, 0x1234, '+')), "Array#+");
	cr_assert_null(name_of(fake_method(array, METHOD_IS_C, 0x1234, 701 << 4)),
		       "beyond the last ID");
	cr_assert_null(name_of(fake_method(array, METHOD_IS_C, 0x1234, 0)));
	fake_begin(3, 1);
	fake_rt.symbols = fake_symbols(600, "each");
	cr_assert_str_eq(name_of(fake_method(FAKE_HEAP, METHOD_IS_C, 0x1234, 600 << 4)), "each");
}

Test(rubynames, names_are_utf_8_and_cut)
{
	static char name[5000];

	fake_begin(3, 3);
	memset(name, 'x', sizeof(name) - 1);
	name_of(fake_iseq(ISEQ_METHOD, name, 7, 4));
	cr_assert_eq(strlen(code.name), 4096);
	cr_assert_str_eq(code.name + 4093, "…");
	cr_assert_str_eq(name_of(fake_iseq(ISEQ_METHOD,
					   "a\xff"
					   "b",
					   7, 4)),
			 "a\xef\xbf\xbd"
			 "b");
}

Test(rubynames, what_is_no_code_object_is_refused)
{
	uint64_t iseq;

	fake_begin(3, 3);
	cr_assert_null(name_of(fake_object(T_STRING, 0)));
	cr_assert_null(name_of(fake_object(T_IMEMO, IMEMO_SVAR)));
	cr_assert_null(name_of(0));
	cr_assert_null(name_of(FAKE + FAKE_BYTES - 8));
	cr_assert_null(name_of(0x7fff00000000));
	iseq = fake_iseq(ISEQ_METHOD, "total", 7, 4);
	put32(fake_body(iseq) + BODY_TYPE, ISEQ_TYPES);
	cr_assert_null(name_of(iseq));
	iseq = fake_iseq(ISEQ_METHOD, "total", 7, 4);
	put(fake_body(iseq) + BODY_LABEL, iseq);
	cr_assert_null(name_of(iseq));
	iseq = fake_iseq(ISEQ_METHOD, "total", 7, 4);
	put(memory_word(fake, fake_body(iseq) - FAKE + BODY_LABEL) + 16, UINT64_MAX);
	cr_assert_null(name_of(iseq));
}

/* Identity. */

static struct interp_identity identity_by(uint64_t addr, uint64_t method)
{
	struct interp_identity id = { .code = addr, .method = method };

	ruby_identify(&fake_rt, &fake_memory.memory, &id, 1);
	return id;
}

static struct interp_identity identity_of(uint64_t addr)
{
	return identity_by(addr, 0);
}

static bool is_same(const struct interp_identity *a, const struct interp_identity *b)
{
	return a->valid && b->valid && !memcmp(a->words, b->words, sizeof(a->words));
}

static void check_changes_by(uint64_t addr, uint64_t method, uint64_t changed)
{
	struct interp_identity before = identity_by(addr, method), after;
	uint64_t old = memory_word(fake, changed - FAKE);

	cr_assert(before.valid);
	put(changed, old ^ 1ull << 8);
	after = identity_by(addr, method);
	cr_assert(!is_same(&before, &after), "0x%lx", (long)changed);
	put(changed, old);
	after = identity_by(addr, method);
	cr_assert(is_same(&before, &after));
}

static void check_changes(uint64_t addr, uint64_t changed)
{
	check_changes_by(addr, 0, changed);
}

Test(rubynames, an_identity_is_that_of_what_is_shown)
{
	static const unsigned releases[] = { 300, 301, 302, 303, 304, 400 };

	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
		uint64_t iseq, body, method;

		fake_begin(releases[i] / 100, releases[i] % 100);
		iseq = fake_iseq(ISEQ_METHOD, "total", 7, 4);
		body = fake_body(iseq);
		check_changes(iseq,
			      memory_word(fake, body - FAKE + BODY_LABEL) + fake_rt.layout->embed);
		check_changes(iseq,
			      memory_word(fake, body - FAKE + BODY_PATH) + fake_rt.layout->embed);
		check_changes(iseq, body + BODY_LINE);
		check_changes(iseq, body + BODY_CODE);
		check_changes(iseq, body + BODY_TYPE); /* and the size */
		check_changes(iseq, memory_word(fake, body - FAKE + fake_rt.layout->insns));
		method = fake_method(FAKE_HEAP, METHOD_IS_C, 0x1234, '+');
		check_changes(method, memory_word(fake, method - FAKE + METHOD_DEFINITION) +
					      DEFINITION_SERIAL);
	}
}

Test(rubynames, it_is_also_that_of_the_method_entry_and_its_class)
{
	static const unsigned releases[] = { 300, 303, 304, 400 };

	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
		uint64_t iseq, class, method, definition;
		struct interp_identity one, other;

		fake_begin(releases[i] / 100, releases[i] % 100);
		iseq = fake_iseq(ISEQ_METHOD, "total", 7, 4);
		class = fake_alloc(CLASS_BYTES);
		method = fake_method(class, METHOD_IS_ISEQ, iseq, 0);
		definition = memory_word(fake, method - FAKE + METHOD_DEFINITION);
		check_changes_by(iseq, method, definition + DEFINITION_SERIAL);
		check_changes_by(iseq, method, definition + DEFINITION_BODY);
		check_changes_by(iseq, method, method + METHOD_OWNER);
		check_changes_by(iseq, method,
				 class + (fake_rt.layout->classpath ? fake_rt.layout->classpath :
								      CLASS_EXT));
		one = identity_by(iseq, method);
		other = identity_by(iseq,
				    fake_method(fake_alloc(CLASS_BYTES), METHOD_IS_ISEQ, iseq, 0));
		cr_assert(!is_same(&one, &other));
		cr_assert(!identity_by(iseq, class).valid, "no method entry");
		cr_assert(!identity_by(method, method).valid, "no iseq");
	}
}

Test(rubynames, what_a_definition_keeps_is_unique)
{
	uint64_t iseq, entry, block;

	fake_begin(3, 1);
	iseq = fake_iseq(ISEQ_METHOD, "total", 7, 4);
	block = block_in(iseq, ISEQ_BLOCK, "block in total");
	entry = fake_method(fake_alloc(CLASS_BYTES), METHOD_IS_ISEQ, iseq, 0);
	cr_assert(identity_by(iseq, entry).unique);
	cr_assert(identity_by(block, entry).unique);
	cr_assert(identity_by(block_in(iseq, ISEQ_RESCUE, "rescue in total"), entry).unique);
	cr_assert(!identity_by(block_in(iseq, ISEQ_EVAL, "total"), entry).unique);
	cr_assert(!identity_by(block_in(block, ISEQ_BLOCK, "block (2 levels) in total"), entry)
			   .unique);
	cr_assert(!identity_of(iseq).unique);
	entry = fake_method(fake_alloc(CLASS_BYTES), METHOD_IS_BLOCK, iseq, 0);
	cr_assert(!identity_by(iseq, entry).unique);
}

Test(rubynames, an_identity_that_cannot_be_read_is_not_valid)
{
	uint64_t iseq;

	fake_begin(3, 3);
	cr_assert(!identity_of(0).valid);
	cr_assert(!identity_of(3).valid);
	cr_assert(!identity_of(UINT64_MAX & ~7ull).valid);
	cr_assert(!identity_of(fake_object(T_IMEMO, IMEMO_SVAR)).valid);
	iseq = fake_iseq(ISEQ_METHOD, "total", 7, 4);
	put(iseq + ISEQ_BODY, 0x7fff00000000);
	cr_assert(!identity_of(iseq).valid);
	iseq = fake_iseq(ISEQ_METHOD, "total", 7, 4);
	put(fake_body(iseq) + BODY_PATH, UINT64_MAX & ~7ull);
	cr_assert(!identity_of(iseq).valid);
}

/* Up to 3.1: classes with a table of variables. */

enum { PATH_ID = 0x1a31, TEMPORARY_ID = 0x1a41, ATTACHED_ID = 0x1a51, DELETED = -1 };

/* A class, or a singleton class, with these variables: {hash, ID, value}. */
static uint64_t class_with(bool singleton, size_t count, const uint64_t entries[][3])
{
	uint64_t at = fake_alloc(40), ext = fake_alloc(16), table = fake_alloc(56);
	uint64_t first = fake_alloc(24 * (count + 1)); /* the table begins with its second entry */

	put(at, T_OBJECT_CLASS | (uint64_t)singleton << 12);
	put(at + 24, ext);
	put(ext + 8, table);
	put(table + 32, 1);
	put(table + 40, count + 1);
	put(table + 48, first);
	for (size_t i = 0; i < count; i++)
		for (unsigned k = 0; k < 3; k++)
			put(first + 24 * (i + 1) + 8 * k, entries[i][k]);
	return at;
}

static uint64_t begin_with_object(unsigned minor)
{
	uint64_t object, singleton;

	fake_begin(3, minor);
	object = class_with(false, 2,
			    (uint64_t[][3]){ { 1, 0x1a21, fake_string("Objecu") },
					     { 2, PATH_ID, fake_string("Object") } });
	singleton = class_with(true, 1, (uint64_t[][3]){ { 3, ATTACHED_ID, object } });
	put(object + 8, singleton);
	fake_rt.object = fake_alloc(8);
	put(fake_rt.object, object);
	return object;
}

static const char *name_in(uint64_t class)
{
	uint64_t method = fake_iseq(ISEQ_METHOD, "total", 7, 4);

	return name_by(method, fake_method(class, METHOD_IS_ISEQ, method, 0));
}

Test(rubynames, classes_of_3_0_and_3_1_are_among_their_variables)
{
	for (unsigned minor = 0; minor <= 1; minor++) {
		uint64_t shop, object = begin_with_object(minor), block, rescue, method, entry;

		shop = class_with(false, 2,
				  (uint64_t[][3]){ { 9, 0x1a61, 3 },
						   { 8, PATH_ID, fake_string("Shop::Cart") } });
		cr_expect_str_eq(name_in(object), "Object#total");
		cr_expect_str_eq(name_in(shop), "Shop::Cart#total");
		cr_expect_str_eq(
			name_in(class_with(true, 1, (uint64_t[][3]){ { 7, ATTACHED_ID, shop } })),
			"Shop::Cart.total");
		method = fake_iseq(ISEQ_METHOD, "total", 7, 4);
		block = block_in(method, ISEQ_BLOCK, "block in total");
		rescue = block_in(method, ISEQ_RESCUE, "rescue in total");
		entry = fake_method(shop, METHOD_IS_ISEQ, method, 0);
		cr_expect_str_eq(name_by(block, entry), "block in Shop::Cart#total");
		cr_expect_str_eq(name_by(rescue, entry), "rescue in Shop::Cart#total");
	}
}

Test(rubynames, a_path_that_is_deleted_or_temporary_is_none)
{
	begin_with_object(1);
	cr_expect_str_eq(name_in(class_with(false, 1,
					    (uint64_t[][3]){ { (uint64_t)DELETED, PATH_ID,
							       fake_string("Shop") } })),
			 "total");
	cr_expect_str_eq(name_in(class_with(false, 1,
					    (uint64_t[][3]){ { 4, TEMPORARY_ID,
							       fake_string("#<Class:1>::A") } })),
			 "total");
	cr_expect_str_eq(name_in(class_with(true, 0, NULL)), "total", "attached to nothing");
}

Test(rubynames, tables_that_cannot_be_are_left_alone)
{
	uint64_t object = begin_with_object(1), table;

	table = memory_word(fake, memory_word(fake, object - FAKE + 24) - FAKE + 8);
	put(table + 40, 1ull << 40); /* so many entries */
	cr_expect_str_eq(name_in(object), "total");
	put(table + 40, 0); /* it ends before it begins */
	cr_expect_str_eq(name_in(object), "total");
	put(table + 40, 3);
	put(table + 48, 0x7fff00000000);
	cr_expect_str_eq(name_in(object), "total");
	put(fake_rt.object, 0x7fff00000000);
	cr_expect_str_eq(name_in(object), "total");
}

Test(rubynames, without_object_there_are_no_classes)
{
	uint64_t object = begin_with_object(1);

	fake_rt.object = 0;
	cr_expect_str_eq(name_in(object), "total");
}
