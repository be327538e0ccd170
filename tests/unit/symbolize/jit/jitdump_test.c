/* jitdump files: loaded and moved code, lines, also as V8 shifts them, and broken files. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "symbolize/jit/jitdump.h"

static struct buffer file;
static struct jitdump dump;
static size_t record;

static void put(const void *data, size_t len)
{
	cr_assert_eq(buffer_add(&file, data, len), 0);
}

static void put32(uint32_t v)
{
	put(&v, 4);
}

static void put64(uint64_t v)
{
	put(&v, 8);
}

static void put_header(uint32_t machine)
{
	put32(0x4a695444);
	put32(1);
	put32(40);
	put32(machine);
	put32(0);
	put32(1234);
	put64(1);
	put64(0);
}

static void begin(uint32_t kind)
{
	record = file.len;
	put32(kind);
	put32(0);
	put64(7);
}

static void end(void)
{
	uint32_t size = (uint32_t)(file.len - record);

	memcpy(file.data + record + 4, &size, 4);
}

static void put_load(uint64_t start, uint64_t size, uint64_t index, const char *name)
{
	begin(0);
	put32(1234);
	put32(1235);
	put64(start);
	put64(start);
	put64(size);
	put64(index);
	put(name, strlen(name) + 1);
	put("\xcc\xcc\xcc", 3); /* code, up to the end of the record */
	end();
}

static void put_move(uint64_t to, uint64_t index)
{
	begin(1);
	put32(1234);
	put32(1235);
	put64(to);
	put64(0);
	put64(to);
	put64(0x10);
	put64(index);
	end();
}

static void put_line(uint64_t addr, uint32_t line, const char *name)
{
	put64(addr);
	put32(line);
	put32(3);
	put(name, strlen(name) + 1);
}

static int parse(void)
{
	return jitdump_parse(&dump, file.data, file.len, NULL);
}

static void expect(uint64_t addr, const char *name, const char *path, uint32_t line)
{
	const struct jitdump_line *l;
	const struct jitdump_function *f = jitdump_find(&dump, addr, &l);

	cr_assert_eq(f != NULL, name != NULL, "%#lx", addr);
	if (!f)
		return;
	cr_assert_str_eq(f->name, name);
	cr_assert_eq(l != NULL, path != NULL, "%#lx", addr);
	if (!l)
		return;
	cr_assert_str_eq(l->file, path);
	cr_assert_eq(l->line, line, "%#lx: %u", addr, l->line);
	cr_assert_eq(l->column, 3);
}

static void set_up(void)
{
	put_header(62);
}

static void tear_down(void)
{
	jitdump_release(&dump);
	buffer_release(&file);
}

TestSuite(jitdump, .init = set_up, .fini = tear_down);

Test(jitdump, recognizes_its_name)
{
	cr_assert(jitdump_is_name("jit-1.dump"));
	cr_assert(jitdump_is_name("jit-4711.dump"));
	cr_assert_not(jitdump_is_name("jit-.dump"));
	cr_assert_not(jitdump_is_name("jit-1.dump.old"));
	cr_assert_not(jitdump_is_name("xjit-1.dump"));
	cr_assert_not(jitdump_is_name("jit-1a.dump"));
}

Test(jitdump, functions_and_later_ones_at_the_same_place)
{
	put_load(0x1000, 0x100, 1, "first");
	put_load(0x1080, 0x20, 2, "second");
	begin(4); /* unwinding information */
	put64(0);
	end();
	put_load(0x2000, 0x10, 3, "third");
	cr_assert_eq(parse(), 0);
	cr_assert_eq(dump.bad_records, 0);
	expect(0xfff, NULL, NULL, 0);
	expect(0x1000, "first", NULL, 0);
	expect(0x1080, "second", NULL, 0);
	expect(0x10a0, "first", NULL, 0);
	expect(0x200f, "third", NULL, 0);
	expect(0x2010, NULL, NULL, 0);
}

Test(jitdump, lines_belong_to_the_code_loaded_next)
{
	begin(2);
	put64(0x1000);
	put64(3);
	put_line(0x1000, 10, "a.js");
	put_line(0x1008, 11, "\xff\0");
	put_line(0x1010, 20, "b.js");
	end();
	put_load(0x1000, 0x20, 1, "f");
	put_load(0x2000, 0x20, 2, "g");
	put_load(0x1000, 0x20, 3, "h"); /* compiled again, without lines */
	put_move(0x3000, 1);
	cr_assert_eq(parse(), 0);
	cr_assert_eq(dump.line_shift, 0);
	expect(0x2000, "g", NULL, 0);
	expect(0x1000, "h", NULL, 0);
	expect(0x3000, "f", "a.js", 10);
	expect(0x3007, "f", "a.js", 10);
	expect(0x3008, "f", "a.js", 11);
	expect(0x301f, "f", "b.js", 20);
}

Test(jitdump, v8_puts_its_lines_64_bytes_too_high)
{
	begin(2);
	put64(0x1000);
	put64(2);
	put_line(0x1040, 10, "a.js");
	put_line(0x1058, 12, "a.js");
	end();
	put_load(0x1000, 0x20, 1, "f");
	cr_assert_eq(parse(), 0);
	cr_assert_eq(dump.line_shift, 0x40);
	expect(0x1000, "f", "a.js", 10);
	expect(0x1017, "f", "a.js", 10);
	expect(0x1018, "f", "a.js", 12);
}

Test(jitdump, lines_without_a_name_that_can_be_are_left_out)
{
	begin(2);
	put64(0x1000);
	put64(2);
	put_line(0x1000, 10, "a.js");
	put_line(0x1008, 11, "Z}\x02");
	end();
	put_load(0x1000, 0x20, 1, "f");
	cr_assert_eq(parse(), 0);
	cr_assert_eq(dump.bad_records, 1);
	expect(0x1000, "f", NULL, 0);
}

Test(jitdump, broken_records_are_counted)
{
	put_load(0x1000, 0, 1, "empty");
	put_load(0x1000, 0x10, 1, "");
	put_load(UINT64_MAX - 3, 0x10, 1, "beyond");
	put_move(0x3000, 17);
	begin(0);
	put64(0);
	end();
	put_load(0x2000, 0x10, 3, "good");
	cr_assert_eq(parse(), 0);
	cr_assert_eq(dump.bad_records, 5);
	cr_assert_eq(dump.count, 1);
	expect(0x2000, "good", NULL, 0);
}

Test(jitdump, of_others_is_refused)
{
	file.len = 0;
	put_header(183);
	cr_assert_eq(parse(), ERR_FORMAT);
	file.data[0] = 'J'; /* the other byte order begins with "JiTD" */
	cr_assert_eq(parse(), ERR_FORMAT);
	file.len = 39;
	cr_assert_eq(parse(), ERR_FORMAT);
}

Test(jitdump, survives_truncation_at_every_byte)
{
	begin(2);
	put64(0x1000);
	put64(1);
	put_line(0x1000, 10, "a.js");
	end();
	put_load(0x1000, 0x20, 1, "f");
	put_move(0x2000, 1);
	for (size_t len = 0; len <= file.len; len++) {
		uint8_t *copy = malloc(len + 1);

		memcpy(copy, file.data, len);
		cr_assert_eq(jitdump_parse(&dump, copy, len, NULL), len < 40 ? ERR_FORMAT : 0);
		cr_assert(dump.count <= 2);
		jitdump_release(&dump);
		free(copy);
	}
}
