/* Functions that are freed and whose address is used again, and the names and lines of functions. */
#include "made_up.h"

TestSuite(php_identity, .init = make_up, .fini = release);
TestSuite(php_names, .init = make_up, .fini = release);

static struct interp_identity identity(uint64_t code)
{
	struct interp_identity id = { .code = code };

	php_identify(&rt, &live.memory, &id, 1);
	return id;
}

static bool same(struct interp_identity a, struct interp_identity b)
{
	return a.valid && b.valid && !memcmp(a.words, b.words, sizeof(a.words));
}

static void expect_other(const uint8_t *f, struct interp_identity before, const char *what)
{
	struct interp_identity now = identity(addr_of(f));

	cr_assert(now.valid, "%s", what);
	cr_assert(!same(before, now), "%s is not noticed", what);
}

Test(php_identity, each_part_counts)
{
	uint8_t *f = function("price", 10, 5), copy_of_f[OP_ARRAY_BYTES];
	uint8_t *name = (uint8_t *)(uintptr_t)memory_word(f, FUNCTION_NAME);
	struct interp_identity id = identity(addr_of(f));

	memcpy(copy_of_f, f, sizeof(copy_of_f));
	cr_assert(same(id, identity(addr_of(f))));
	put(name, STRING_HASH, 4711, 8);
	expect_other(f, id, "another name at the same address");
	put(name, STRING_HASH, hash("price", 5), 8);
	cr_assert(same(id, identity(addr_of(f))));
	put(f, php82.line_start, 11, 4);
	expect_other(f, id, "another line");
	memcpy(f, copy_of_f, sizeof(copy_of_f));
	put(f, php82.opcodes, op(f, 1), 8);
	expect_other(f, id, "other oplines");
	memcpy(f, copy_of_f, sizeof(copy_of_f));
	put(f, php82.last, 4, 4);
	expect_other(f, id, "fewer oplines");
	memcpy(f, copy_of_f, sizeof(copy_of_f));
	put(f, FUNCTION_SCOPE, class_named("Shop"), 8);
	expect_other(f, id, "a method");
	memcpy(f, copy_of_f, sizeof(copy_of_f));
	put(f, php82.filename, string("/srv/shop.php", 556), 8);
	expect_other(f, id, "another file");
}

Test(php_identity, file_without_a_hash_counts_by_its_text)
{
	uint8_t *f = function("price", 10, 5);
	uint64_t file = string("/srv/a.php", 0);
	struct interp_identity id;

	put(f, php82.filename, file, 8);
	id = identity(addr_of(f));
	cr_assert(same(id, identity(addr_of(f))));
	((char *)(uintptr_t)file)[STRING_BYTES + 5] = 'b';
	expect_other(f, id, "another path at the same address");
}

Test(php_identity, kind_is_verified)
{
	uint8_t *f = function("price", 10, 5), *c = c_function("strlen");

	cr_assert(!identity(addr_of(f) | CODE_C).valid);
	cr_assert(!identity(addr_of(f) | CODE_MAIN).valid, "a function with a name is not {main}");
	cr_assert(identity(addr_of(c) | CODE_C).valid);
	cr_assert(!identity(addr_of(c)).valid);
	cr_assert(!identity(addr_of(f) | 7ull << CODE_HASH).valid);
	cr_assert(identity(addr_of(f) | php_code_hash(&php82, (char *)f)).valid);
}

Test(php_identity, what_cannot_be_read_is_not_valid)
{
	uint8_t *f = function("price", 10, 5);

	cr_assert(!identity(0).valid);
	cr_assert(!identity(8).valid);
	put(f, FUNCTION_NAME, 8, 8);
	cr_assert(!identity(addr_of(f)).valid);
	put(f, FUNCTION_NAME, 0, 8);
	put(f, FUNCTION_SCOPE, UINT64_MAX, 8);
	cr_assert(!identity(addr_of(f)).valid);
	put(f, FUNCTION_SCOPE, 0, 8);
	f[0] = 3;
	cr_assert(!identity(addr_of(f)).valid);
	f[0] = TYPE_EVAL;
	cr_assert(identity(addr_of(f)).valid);
	put(f, php82.filename, string("x", 0), 8);
	put((void *)(uintptr_t)memory_word(f, php82.filename), STRING_LEN, 1ull << 63, 8);
	cr_assert(!identity(addr_of(f)).valid);
}

Test(php_identity, more_than_a_batch)
{
	struct interp_identity ids[200] = { 0 };
	uint8_t *f = function("price", 10, 5), *c = c_function("strlen");

	for (int i = 0; i < 200; i++)
		ids[i].code = i % 2 ? addr_of(f) : addr_of(c) | CODE_C;
	php_identify(&rt, &live.memory, ids, 200);
	for (int i = 2; i < 200; i++)
		cr_assert(same(ids[i], ids[i - 2]), "%d", i);
}

static struct interp_code resolve(uint64_t code)
{
	struct interp_code c = { 0 };

	cr_assert_eq(php_resolve(&rt, &live.memory, &(struct interp_identity){ .code = code },
				 &arena, &c),
		     0);
	return c;
}

static uint32_t line_at(const struct interp_code *c, uint64_t at)
{
	uint32_t line = 7, column = 7;

	php_line(&rt, c, at, &line, &column);
	cr_assert_eq(column, 0);
	return line;
}

Test(php_names, are_those_of_backtraces)
{
	uint8_t *f = function("total", 10, 5), *script = function(NULL, 1, 5),
		*c = c_function("count");
	struct interp_code code = resolve(addr_of(f));

	cr_assert_str_eq(code.name, "total");
	cr_assert_str_eq(code.file, "/srv/shop.php");
	cr_assert_eq(code.first_line, 10);
	put(f, FUNCTION_SCOPE, class_named("App\\Shop"), 8);
	cr_assert_str_eq(resolve(addr_of(f)).name, "App\\Shop::total");
	cr_assert_str_eq(resolve(addr_of(f) | php_code_hash(&php82, (char *)f)).name,
			 "App\\Shop::total");
	cr_assert_str_eq(resolve(addr_of(script) | CODE_MAIN).name, "{main}");
	cr_assert_str_eq(resolve(addr_of(script)).name, "/srv/shop.php");
	script[0] = TYPE_EVAL;
	cr_assert_str_eq(resolve(addr_of(script)).name, "eval");
	cr_assert_str_eq(resolve(addr_of(c) | CODE_C).name, "count");
	put(c, FUNCTION_SCOPE, class_named("ArrayIterator"), 8);
	cr_assert_str_eq(resolve(addr_of(c) | CODE_C).name, "ArrayIterator::count");
	cr_assert(!resolve(addr_of(c) | CODE_C).hidden);
	cr_assert(resolve(addr_of(c_function(NULL)) | CODE_C).hidden);
}

Test(php_names, end_at_a_nul_and_are_utf8)
{
	uint8_t *f = function("x", 10, 5);
	uint64_t class = class_named("class@anonymous./srv/shop.php:3$0"),
		 name = memory_word((void *)(uintptr_t) class, CLASS_NAME);

	((char *)(uintptr_t)name)[STRING_BYTES + 15] = 0;
	put((void *)(uintptr_t)name, STRING_HASH,
	    hash((char *)(uintptr_t)name + STRING_BYTES,
		 strlen("class@anonymous./srv/shop.php:3$0")),
	    8);
	put(f, FUNCTION_SCOPE, class, 8);
	put(f, FUNCTION_NAME, hashed("pr\xe9sent"), 8);
	cr_assert_str_eq(resolve(addr_of(f)).name, "class@anonymous::pr\xef\xbf\xbdsent");
}

/* PHP frees a file's own code after each include, and makes the same again. */
Test(php_names, texts_are_those_of_their_hashes)
{
	uint8_t *f = function("total", 10, 5);
	char *name = (char *)(uintptr_t)memory_word(f, FUNCTION_NAME),
	     *file = (char *)(uintptr_t)memory_word(f, php82.filename);
	struct interp_code code = { 0 };

	cr_assert(same(resolve(addr_of(f)).identity, identity(addr_of(f))));
	name[STRING_BYTES] = 'd';
	cr_assert(identity(addr_of(f)).valid);
	cr_assert_eq(php_resolve(&rt, &live.memory, &(struct interp_identity){ .code = addr_of(f) },
				 &arena, &code),
		     ERR_FORMAT);
	name[STRING_BYTES] = 't';
	file[STRING_BYTES + 3] = '\0';
	cr_assert_eq(php_resolve(&rt, &live.memory, &(struct interp_identity){ .code = addr_of(f) },
				 &arena, &code),
		     ERR_FORMAT);
	put(file, STRING_HASH, 0, 8);
	cr_assert(same(resolve(addr_of(f)).identity, identity(addr_of(f))));
}

Test(php_names, another_functions_lines_are_none)
{
	uint8_t *f = function("total", 10, 5);
	struct interp_code code;

	put((void *)(uintptr_t)op(f, 3), OP_LINE, 15, 4);
	code = resolve(addr_of(f));
	cr_assert_eq(line_at(&code, op(f, 0)), 0);
	put((void *)(uintptr_t)op(f, 3), OP_LINE, 9, 4);
	code = resolve(addr_of(f));
	cr_assert_eq(line_at(&code, op(f, 0)), 0);
}

Test(php_names, lines_are_those_of_oplines)
{
	uint8_t *f = function("total", 10, 5);
	struct interp_code code;

	put((void *)(uintptr_t)op(f, 3), OP_LINE, 11, 4);
	code = resolve(addr_of(f));
	cr_assert_eq(line_at(&code, op(f, 0)), 10);
	cr_assert_eq(line_at(&code, op(f, 1)), 11);
	cr_assert_eq(line_at(&code, op(f, 2)), 12);
	cr_assert_eq(line_at(&code, op(f, 3)), 11);
	cr_assert_eq(line_at(&code, op(f, 4)), 14);
	cr_assert_eq(line_at(&code, op(f, 5)), 0, "behind the last one");
	cr_assert_eq(line_at(&code, op(f, 0) - OP_BYTES), 0);
	cr_assert_eq(line_at(&code, op(f, 1) + 8), 0, "in the middle of one");
	cr_assert_eq(line_at(&code, 0), 0);
	cr_assert_eq(line_at(&code, UINT64_MAX), 0);
	code = resolve(addr_of(c_function("strlen")) | CODE_C);
	cr_assert_eq(line_at(&code, op(f, 1)), 0);
}

Test(php_names, long_functions_have_lines)
{
	uint8_t *f = function("long", 1, 1500);
	struct interp_code code = resolve(addr_of(f));

	for (unsigned i = 0; i < 1500; i++)
		cr_assert_eq(line_at(&code, op(f, i)), i + 1);
}

Test(php_names, lies_are_refused_or_have_no_lines)
{
	uint8_t *f = function("total", 10, 5);
	struct interp_code code = { 0 };

	put(f, php82.opcodes, 8, 8);
	code = resolve(addr_of(f));
	cr_assert_eq(line_at(&code, 8), 0);
	put(f, php82.last, UINT32_MAX, 4);
	code = resolve(addr_of(f));
	cr_assert_eq(line_at(&code, 8), 0);
	put(f, php82.filename, 0, 8);
	cr_assert_eq(php_resolve(&rt, &live.memory, &(struct interp_identity){ .code = addr_of(f) },
				 &arena, &code),
		     ERR_FORMAT);
	cr_assert_eq(php_resolve(&rt, &live.memory, &(struct interp_identity){ .code = 8 }, &arena,
				 &code),
		     ERR_FORMAT);
	cr_assert_eq(php_resolve(&rt, &live.memory, &(struct interp_identity){ .code = 8 | CODE_C },
				 &arena, &code),
		     ERR_FORMAT);
}
