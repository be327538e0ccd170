/* Kernel symbols: a made-up table, and the table of this kernel. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbolize/kallsyms.h"

static struct kallsyms table;

static void parse(const char *text)
{
	struct buffer b = { NULL, 0, 0 };

	cr_assert_eq(buffer_add(&b, text, strlen(text)), 0);
	cr_assert_eq(kallsyms_parse(&table, &b), 0);
	cr_assert_null(b.data);
}

static uint64_t find(const char *name, const char *module, uint64_t size)
{
	return kallsyms_find(&table, name, strlen(name), module, strlen(module), size);
}

static void leave(void)
{
	kallsyms_release(&table);
}

TestSuite(kallsyms, .fini = leave);

static void expect_at(uint64_t addr, const char *name)
{
	size_t len = 0;
	const char *found = kallsyms_at(&table, addr, &len);

	if (!name)
		cr_assert_null(found, "%lx", addr);
	else
		cr_assert(found && len == strlen(name) && !memcmp(found, name, len), "%lx", addr);
}

Test(kallsyms, functions_by_address)
{
	expect_at(0xffffffff81000000, NULL); /* no table was read */
	parse("ffffffff81000100 T second\n"
	      "ffffffff81000000 T first\n"
	      "ffffffff81000140 t third\n");
	expect_at(0xffffffff80ffffff, NULL);
	expect_at(0xffffffff81000000, "first");
	expect_at(0xffffffff810000ff, "first");
	expect_at(0xffffffff8100013f, "second");
	expect_at(0xffffffff81000140, "third");
	expect_at(0xffffffff81000ff0, "third"); /* how long the last one is, nothing tells */
	expect_at(0xffffffff81fffff0, NULL);
}

Test(kallsyms, functions_by_name_and_size)
{
	parse("ffffffff81000100 T second\n"
	      "ffffffff81000000 T first\n"
	      "ffffffff81000000 t alias_of_first\n"
	      "ffffffff81000140 t same\n"
	      "ffffffff81000180 W same\n"
	      "ffffffff81000190 t twice\n"
	      "ffffffff810001a0 t twice\n"
	      "ffffffff810001b0 D data\n"
	      "ffffffff810001b0 t last_but_one\n"
	      "ffffffffc0000000 t same\t[module]\n"
	      "ffffffffc0000040 t last\t[module]\n");
	cr_assert_eq(find("first", "", 0x100), 0xffffffff81000000);
	cr_assert_eq(find("alias_of_first", "", 0x100), 0xffffffff81000000);
	cr_assert_eq(find("second", "", 0x40), 0xffffffff81000100);
	cr_assert_eq(find("second", "", 0x41), 0);
	cr_assert_eq(find("second", "module", 0x40), 0);
	cr_assert_eq(find("secon", "", 0x40), 0);
	cr_assert_eq(find("same", "", 0x40), 0xffffffff81000140);
	cr_assert_eq(find("same", "", 0x10), 0xffffffff81000180);
	cr_assert_eq(find("same", "module", 0x40), 0xffffffffc0000000);
	cr_assert_eq(find("twice", "", 0x10), 0, "one of two: which is not known");
	cr_assert_eq(find("data", "", 0), 0);
	cr_assert_eq(table.start, 0xffffffff81000000);
	cr_assert_eq(table.end, 0xffffffffc0000041);
}

Test(kallsyms, hidden_addresses_are_none)
{
	parse("0000000000000000 T first\n0000000000000000 T second\n");
	cr_assert_eq(table.count, 0);
	cr_assert_eq(find("first", "", 0), 0);
}

Test(kallsyms, broken_lines_are_left_out)
{
	parse("\n T\nffffffff81000000\nffffffff81000000 T\nffffffff81000000 T \n"
	      "xyz T name\n123456789012345678901 T name\nffffffff81000000  T name\n"
	      "ffffffff81000000 T name\t\nffffffff81000000 T name\tmodule]\n"
	      "ffffffff81000000 T name\t[module\nffffffff81000000 T \t[module]\n"
	      "ffffffff81000010 T good\nffffffff81000020 T end");
	cr_assert_eq(find("good", "", 0x10), 0xffffffff81000010);
	cr_assert_eq(table.count, 2);
}

/* The functions in /proc/self/stack are found in the table, with the same sizes. */
Test(kallsyms, of_this_kernel)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	FILE *f = fopen("/proc/self/stack", "r");
	unsigned long offset, size;
	char name[256];

	if (fd < 0 || !f || kallsyms_read(&table, fd) || !table.count)
		cr_skip_test("this kernel shows no addresses or no stacks");
	while (fscanf(f, "%*s %255[^+]+%lx/%lx%*[^\n]", name, &offset, &size) == 3)
		cr_assert_neq(find(name, "", size), 0, "%s, %#lx bytes", name, size);
	fclose(f);
	close(fd);
}
