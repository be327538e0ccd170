/*
 * Code objects laid out in this process as CPython 3.8, 3.11 and 3.13 have them. They are changed as
 * a program changes them that frees them and uses their addresses again.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/common/copy.h"
#include "runtimes/cpython/code.h"
#include "runtimes/cpython/layout.h"

enum { ASCII_STATE = 1 << 2 | 1 << 5 | 1 << 6 | 1 << 7, OBJECT = 512, CODE_UNITS = 10 };

static struct cpython python;
static struct memory_live live;
static struct interp_copy copy;
static struct interp_plan plan;
static struct arena arena;
static uint8_t code[OBJECT], name[OBJECT], qualname[OBJECT], file[OBJECT], table[OBJECT],
	bytecode[OBJECT], type[8];

static void release(void)
{
	interp_copy_release(&copy);
	interp_plan_release(&plan);
	arena_release(&arena);
}

TestSuite(cpython_code, .fini = release);

static uint64_t at(const void *object)
{
	return (uintptr_t)object;
}

static void put(uint8_t *to, uint64_t value, unsigned size)
{
	memcpy(to, &value, size);
}

static void put_text(uint8_t *object, const char *text)
{
	const struct cpython_object_layout *o = &python.layout.object;

	put(object + o->text_length, strlen(text), 8);
	put(object + o->text_hash, UINT64_MAX, 8);
	put(object + o->text_state, ASCII_STATE, 4);
	memcpy(object + o->text_ascii, text, strlen(text));
}

static void put_bytes(uint8_t *object, const void *bytes, size_t size)
{
	put(object + 16, size, 8);
	put(object + 24, UINT64_MAX, 8);
	memcpy(object + 32, bytes, size);
}

/* Without what follows: the layouts of these releases (DWARF). */
static void use(uint16_t version)
{
	static const struct cpython_object_layout object = {
		.type = 8,
		.var_size = 16,
		.bytes_hash = 24,
		.bytes_data = 32,
		.text_length = 16,
		.text_hash = 24,
		.text_state = 32,
		.type_name = 24,
	};
	struct cpython_code_layout *c = &python.layout.code;

	python.version = version;
	python.code_type = at(type);
	python.layout.object = object;
	python.layout.object.text_ascii = version < CPYTHON_3_12 ? 48 : 40;
	python.layout.object.text_compact = version < CPYTHON_3_12 ? 72 : 56;
	*c = version < CPYTHON_3_11 ?
		     (struct cpython_code_layout){ .firstlineno = 40,
						   .filename = 104,
						   .name = 112,
						   .qualname = CPYTHON_NONE,
						   .lines = 120 } :
		     (struct cpython_code_layout){ .firstlineno = version < CPYTHON_3_12 ? 72 : 68,
						   .filename = 112,
						   .name = 120,
						   .qualname = 128,
						   .lines = 136,
						   .firsttraceable = version < CPYTHON_3_12 ? 168 :
											      184 };
	memory_live_init(&live, getpid());
}

enum { CO_CODE = 48 };

static void make_code(uint16_t version)
{
	static const uint8_t lnotab[] = { 0, 1, 4, 2 }, locations[] = { 0xef, 2, 0xe9, 4 };
	const struct cpython_code_layout *c = &python.layout.code;

	use(version);
	put(code + 8, at(type), 8);
	put(code + c->firstlineno, 10, 4);
	put(code + c->filename, at(file), 8);
	put(code + c->name, at(name), 8);
	put(code + c->lines, at(table), 8);
	put_text(name, "total");
	put_text(qualname, "Shop.total");
	put_text(file, "/srv/shop.py");
	if (version < CPYTHON_3_11) {
		put(code + CO_CODE, at(bytecode), 8);
		put_bytes(bytecode, "....................", 2ul * CODE_UNITS);
		put_bytes(table, lnotab, sizeof(lnotab));
	} else {
		put(code + c->qualname, at(qualname), 8);
		put(code + 16, CODE_UNITS, 8);
		put(code + c->firsttraceable, 2, 4);
		put_bytes(table, locations, sizeof(locations));
	}
}

static const uint16_t versions[] = { CPYTHON_3_8, CPYTHON_3_11, CPYTHON_3_13 };

enum { VERSIONS = sizeof(versions) / sizeof(*versions) };

static void check_line(const struct interp_code *c, int64_t place, uint32_t line)
{
	uint32_t our_line, our_column;

	cpython_line(&python, c, (uint64_t)place, &our_line, &our_column);
	cr_assert_eq(our_line, line, "byte %ld: %u, not %u", (long)place, our_line, line);
}

Test(cpython_code, has_names_and_lines)
{
	for (size_t i = 0; i < VERSIONS; i++) {
		bool old = versions[i] < CPYTHON_3_11;
		struct interp_code c;

		make_code(versions[i]);
		cr_assert_eq(cpython_resolve(&python, &live.memory,
					     &(struct interp_identity){ .code = at(code) }, &arena,
					     &c),
			     0);
		cr_assert_str_eq(c.name, old ? "total" : "Shop.total");
		cr_assert_str_eq(c.file, "/srv/shop.py");
		cr_assert_eq(c.first_line, 10);
		cr_assert(!c.hidden);
		check_line(&c, -2, 10);
		check_line(&c, 2, 11);
		check_line(&c, 2 * CODE_UNITS - 2, 13);
		if (!old)
			check_line(&c, 2 * CODE_UNITS, 0);
		cr_assert_eq(c.begin, old ? INT64_MIN : 4);
	}
}

/* _Py_InitCleanup (Python/specialize.c): all of it lies before its RESUME. */
Test(cpython_code, the_trampoline_of_init_is_hidden)
{
	struct interp_code c;

	make_code(CPYTHON_3_13);
	put(code + python.layout.code.firsttraceable, CODE_UNITS, 4);
	cr_assert_eq(cpython_resolve(&python, &live.memory,
				     &(struct interp_identity){ .code = at(code) }, &arena, &c),
		     0);
	cr_assert(c.hidden);
}

Test(cpython_code, too_long_a_table_means_no_lines)
{
	struct interp_code c;

	for (size_t i = 0; i < VERSIONS; i++) {
		make_code(versions[i]);
		put(table + 16, (1 << 20) + 1, 8);
		cr_assert_eq(cpython_resolve(&python, &live.memory,
					     &(struct interp_identity){ .code = at(code) }, &arena,
					     &c),
			     0);
		cr_assert_str_eq(c.file, "/srv/shop.py");
		check_line(&c, 2, 0);
	}
}

Test(cpython_code, a_table_over_64_kb_is_read)
{
	enum { ENTRIES = 100000 };
	uint8_t *large = malloc(32 + 2 * ENTRIES);
	struct interp_code c;

	make_code(CPYTHON_3_13);
	put(code + 16, ENTRIES, 8);
	put(code + python.layout.code.lines, at(large), 8);
	put(large + 16, 2 * ENTRIES, 8);
	for (unsigned i = 0; i < ENTRIES; i++)
		put(large + 32 + 2ul * i, 0x02e8, 2);
	cr_assert_eq(cpython_resolve(&python, &live.memory,
				     &(struct interp_identity){ .code = at(code) }, &arena, &c),
		     0);
	check_line(&c, 2 * 77777, 10 + 77778);
	free(large);
}

Test(cpython_code, what_is_no_code_object_is_an_error)
{
	struct interp_identity id = { .code = at(code) };
	struct interp_code c;

	for (size_t i = 0; i < VERSIONS; i++)
		for (unsigned k = 0; k < 4; k++) {
			const struct cpython_code_layout *l = &python.layout.code;

			make_code(versions[i]);
			put(code + (k == 0			? 8 :
				    k == 1			? l->filename :
				    k == 2			? l->lines :
				    l->qualname == CPYTHON_NONE ? l->name :
								  l->qualname),
			    16, 8);
			cr_assert_eq(cpython_resolve(&python, &live.memory,
						     &(struct interp_identity){ .code = at(code) },
						     &arena, &c),
				     ERR_FORMAT);
			cpython_identify(&python, &live.memory, &id, 1);
			cr_assert(!id.valid);
		}
	cr_assert_eq(cpython_resolve(&python, &live.memory, &(struct interp_identity){ .code = 16 },
				     &arena, &c),
		     ERR_FORMAT);
}

Test(cpython_code, a_layout_that_lies_is_not_used)
{
	struct interp_identity id = { .code = at(code) };
	struct interp_code c;
	uint32_t *const fields[] = {
		&python.layout.code.lines,	 &python.layout.code.filename,
		&python.layout.code.name,	 &python.layout.code.firstlineno,
		&python.layout.object.type,	 &python.layout.object.var_size,
		&python.layout.object.bytes_data
	};
	static const uint32_t lies[] = { CPYTHON_NONE, UINT32_MAX - 8, 1 << 16, 256 };

	for (size_t i = 0; i < VERSIONS; i++)
		for (size_t k = 0; k < sizeof(fields) / sizeof(*fields); k++)
			for (size_t lie = 0; lie < 4; lie++) {
				make_code(versions[i]);
				*fields[k] = lies[lie];
				cr_assert_eq(cpython_resolve(
						     &python, &live.memory,
						     &(struct interp_identity){ .code = at(code) },
						     &arena, &c),
					     ERR_FORMAT);
				cpython_identify(&python, &live.memory, &id, 1);
				cr_assert(!id.valid);
			}
}

static bool is_as(const struct interp_identity *before)
{
	struct interp_identity id = { .code = before->code };

	cpython_identify(&python, &live.memory, &id, 1);
	cr_assert(id.valid);
	return !memcmp(id.words, before->words, sizeof(id.words));
}

static struct interp_identity identity(void)
{
	struct interp_identity id = { .code = at(code) };

	cpython_identify(&python, &live.memory, &id, 1);
	cr_assert(id.valid);
	return id;
}

Test(cpython_code, what_changes_while_a_code_object_lives_is_not_compared)
{
	for (size_t i = 0; i < VERSIONS; i++) {
		uint8_t *const objects[] = { code, name, qualname, file, table };
		struct interp_identity id;

		make_code(versions[i]);
		id = identity();
		for (unsigned k = 0; k < 5; k++)
			put(objects[k], 77, 8); /* ob_refcnt */
		put(file + 24, 12345, 8);	/* hashed, interned */
		put(file + 32, ASCII_STATE | 2, 4);
		memset(file + python.layout.object.text_ascii + strlen("/srv/shop.py"), 'x', 20);
		memset(code + python.layout.code.lines + 8, 'x', 20);
		if (versions[i] == CPYTHON_3_11)
			put(code + 52, 1, 2); /* co_warmup */
		cr_assert(is_as(&id));
	}
}

/* All pointers stay as they were. */
Test(cpython_code, another_one_at_the_same_address_is_seen)
{
	for (size_t i = 0; i < VERSIONS; i++) {
		bool old = versions[i] < CPYTHON_3_11;
		struct interp_identity id;

		make_code(versions[i]);
		id = identity();
		(old ? name : qualname)[python.layout.object.text_ascii + 4] ^= 1;
		cr_assert(!is_as(&id), "name");
		make_code(versions[i]);
		put_text(old ? name : qualname, "tota");
		cr_assert(!is_as(&id), "a shorter name");
		make_code(versions[i]);
		file[python.layout.object.text_ascii + 11] ^= 1;
		cr_assert(!is_as(&id), "file");
		make_code(versions[i]);
		table[32 + 3] ^= 1;
		cr_assert(!is_as(&id), "line table");
		make_code(versions[i]);
		put(table + 16, 2, 8);
		cr_assert(!is_as(&id), "a shorter line table");
		make_code(versions[i]);
		put(table + 8, at(table), 8);
		cr_assert(!is_as(&id), "a line table that was freed");
		put(table + 8, 0, 8);
		make_code(versions[i]);
		put(code + python.layout.code.firstlineno, 11, 4);
		cr_assert(!is_as(&id), "first line");
		make_code(versions[i]);
		cr_assert(is_as(&id));
	}
}

/* Only the hash tells them apart. */
Test(cpython_code, long_tables_and_names_are_compared_by_their_hash)
{
	struct interp_identity id;
	char long_name[400];

	memset(long_name, 'n', sizeof(long_name));
	long_name[399] = '\0';
	make_code(CPYTHON_3_11);
	put_text(qualname, long_name);
	put_bytes(table, long_name, 400);
	put(table + 24, 1111, 8);
	put(qualname + 24, 2222, 8);
	id = identity();
	put(table + 24, 1112, 8);
	cr_assert(!is_as(&id));
	put(table + 24, 1111, 8);
	cr_assert(is_as(&id));
	put(qualname + 24, 2223, 8);
	cr_assert(!is_as(&id));
}

/* The process, in which `victim` becomes another object after some reads. */
struct changing {
	struct memory memory;
	unsigned reads_left;
	uint8_t *victim;
};

static int read_changing(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	struct changing *c = (struct changing *)m;

	if (!c->reads_left--)
		memset(c->victim, 0x5a, OBJECT);
	return live.memory.read(&live.memory, addr, buf, len);
}

/* The first reads are those of the identity: the code object, its parts. */
Test(cpython_code, names_and_lines_are_of_the_bytes_that_identify)
{
	for (size_t i = 0; i < VERSIONS; i++)
		for (unsigned reads = 4; reads < 7; reads++) {
			uint8_t *const victims[] = { code, name, qualname, file, table };

			for (unsigned k = 0; k < 5; k++) {
				struct changing c = { { .read = read_changing },
						      reads,
						      victims[k] };
				struct interp_identity id;
				struct interp_code names;

				make_code(versions[i]);
				id = identity();
				cr_assert_eq(cpython_resolve(
						     &python, &c.memory,
						     &(struct interp_identity){ .code = at(code) },
						     &arena, &names),
					     0);
				cr_assert(!memcmp(&names.identity, &id, sizeof(id)));
				cr_assert_str_eq(names.file, "/srv/shop.py");
				check_line(&names, 2, 11);
			}
		}
}

Test(cpython_code, a_long_table_that_changes_meanwhile_is_an_error)
{
	struct changing c = { { .read = read_changing }, 4, table };
	struct interp_code names;
	uint8_t bytes[400] = { 0 };

	make_code(CPYTHON_3_11);
	put_bytes(table, bytes, sizeof(bytes));
	cr_assert_eq(cpython_resolve(&python, &c.memory,
				     &(struct interp_identity){ .code = at(code) }, &arena, &names),
		     ERR_FORMAT);
	make_code(CPYTHON_3_11);
	c.reads_left = 5;
	put_bytes(table, bytes, sizeof(bytes));
	cr_assert_eq(cpython_resolve(&python, &c.memory,
				     &(struct interp_identity){ .code = at(code) }, &arena, &names),
		     0);
}

/* What is copied in the hold. */

static void copy_codes(const uint64_t *codes, size_t count)
{
	cr_assert_eq(interp_copy_reserve(&copy, &plan), 0);
	interp_copy_begin(&copy, &plan);
	interp_copy_filled(&copy, 0, getpid(), NULL);
	cpython_copy_codes(&python, &copy, codes, count);
	interp_copy_end(&copy);
}

static void check_copy_identifies(uint64_t address, bool valid)
{
	struct interp_identity in_hold = { .code = address }, now = in_hold;

	cpython_identify(&python, &copy.memory, &in_hold, 1);
	cpython_identify(&python, &live.memory, &now, 1);
	cr_assert_eq(in_hold.valid, valid);
	cr_assert_eq(now.valid, valid);
	cr_assert(!memcmp(&in_hold, &now, sizeof(now)));
}

Test(cpython_code, the_copy_of_the_hold_identifies_as_the_process_does)
{
	for (size_t i = 0; i < VERSIONS; i++) {
		uint64_t codes[] = { at(code), 16, at(code), UINT64_MAX - 3 };

		make_code(versions[i]);
		copy_codes(codes, 1);
		cr_assert_eq(copy.reads, 2);
		check_copy_identifies(at(code), true);
		copy_codes(codes, 4);
		check_copy_identifies(at(code), true);
		check_copy_identifies(16, false);
		cr_assert_leq(copy.reads, 8);
		cr_assert(!copy.walk.cut);
	}
}

/* A heap's last strings: no memory follows them. */
Test(cpython_code, strings_at_the_end_of_memory_are_compared_up_to_there)
{
	uint8_t *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);
	uint8_t *last = page + 4096 - 64;
	uint64_t address = at(code);
	struct interp_identity id;

	munmap(page + 4096, 4096);
	for (size_t i = 0; i < VERSIONS; i++) {
		make_code(versions[i]);
		put_text(last, "/shop.py");
		put(code + python.layout.code.filename, at(last), 8);
		copy_codes(&address, 1);
		check_copy_identifies(address, true);
		id = identity();
		last[python.layout.object.text_ascii + 7] ^= 1;
		cr_assert(!is_as(&id));
	}
	munmap(page, 4096);
}

Test(cpython_code, many_are_read_together)
{
	enum { COUNT = 300 };
	static uint8_t codes[COUNT][256];
	static struct interp_identity ids[COUNT];
	uint64_t addrs[COUNT];

	make_code(CPYTHON_3_13);
	for (size_t i = 0; i < COUNT; i++) {
		memcpy(codes[i], code, sizeof(codes[i]));
		put(codes[i] + python.layout.code.firstlineno, i, 4);
		ids[i].code = addrs[i] = at(codes[i]);
	}
	cpython_identify(&python, &live.memory, ids, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		struct interp_identity one = { .code = addrs[i] };

		cpython_identify(&python, &live.memory, &one, 1);
		cr_assert(ids[i].valid && !memcmp(&one, &ids[i], sizeof(one)));
		cr_assert(!i || memcmp(ids[i].words, ids[i - 1].words, sizeof(ids[i].words)));
	}
	copy_codes(addrs, COUNT);
	cr_assert_leq(copy.reads, 16);
	check_copy_identifies(addrs[0], true);
}
