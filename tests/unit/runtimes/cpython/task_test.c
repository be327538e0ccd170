/* asyncio tasks laid out as those of CPython 3.14. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/process/memory.h"
#include "runtimes/cpython/code.h"
#include "runtimes/cpython/layout.h"

enum { START = 0x10000, NAME = 136, BASE = 256, TYPE_NAME = 24 };
enum { TASK = 0, CLASS = 0x400, CLASS_NAME = 0x600, VALUE = 0x800, STR = 0xa00, INT = 0xc00 };

static struct cpython python;
static struct memory_bytes memory;
static uint8_t bytes[0x1000];

static void put(size_t at, uint64_t value)
{
	memcpy(bytes + at, &value, sizeof(value));
}

static void put_class(size_t at, size_t name_at, const char *name)
{
	put(at + TYPE_NAME, START + name_at);
	strcpy((char *)bytes + name_at, name);
}

static void begin(void)
{
	python = (struct cpython){ .version = CPYTHON_3_14 };
	python.asyncio = (uint64_t)NAME << 32 | 872;
	python.layout.object = (struct cpython_object_layout){
		.type = 8,
		.text_length = 16,
		.text_hash = 24,
		.text_state = 32,
		.text_ascii = 40,
		.text_compact = 56,
		.type_name = TYPE_NAME,
	};
	memset(bytes, 0, sizeof(bytes));
	memory_bytes_init(&memory, bytes, START, sizeof(bytes));
	put(TASK + 8, START + CLASS);
	put(TASK + NAME, START + VALUE);
	put_class(CLASS, CLASS_NAME, "_asyncio.Task");
	put_class(STR, STR + 0x100, "str");
	put_class(INT, INT + 0x100, "int");
}

TestSuite(pytask, .init = begin);

static void put_text(const char *text)
{
	put(VALUE + 8, START + STR);
	put(VALUE + 16, strlen(text));
	put(VALUE + 32, 1 << 2 | 1 << 5 | 1 << 6);
	strcpy((char *)bytes + VALUE + 40, text);
}

static void put_number(unsigned digits, uint64_t value)
{
	put(VALUE + 8, START + INT);
	put(VALUE + 16, (uint64_t)digits << 3 | !value);
	put(VALUE + 24, (value & 0x3fffffff) | value >> 30 << 32);
}

static void check(const char *expected)
{
	char name[16];

	memset(name, 'x', sizeof(name));
	cpython_task_name(&python, &memory.memory, &memory.memory, START + TASK, name,
			  sizeof(name));
	cr_assert_str_eq(name, expected);
}

Test(pytask, has_a_name)
{
	put_text("worker");
	check("worker");
	put_text("a name with more than 15 bytes");
	check("a name with …");
}

Test(pytask, has_a_number_as_long_as_its_name_was_not_read)
{
	put_number(1, 7);
	check("Task-7");
	put_number(0, 0);
	check("Task-0");
	put_number(2, 12ull << 30 | 5);
	check("Task-1288490189");
	put_number(3, 7);
	check("");
}

Test(pytask, of_a_derived_class_has_a_name)
{
	put_text("derived");
	put(TASK + 8, START + INT + 0x200);
	put_class(INT + 0x200, INT + 0x180, "MyTask");
	check("");
	put(INT + 0x200 + BASE, START + CLASS);
	check("derived");
	put(INT + 0x200 + BASE, START + INT + 0x200); /* a loop */
	check("");
}

Test(pytask, of_another_kind_has_none)
{
	put_text("worker");
	put_class(CLASS, CLASS_NAME, "asyncio.tasks.Task");
	check("");
	begin();
	put_text("worker");
	put_class(STR, STR + 0x100, "strange");
	check("");
	begin();
	put_text("worker");
	python.asyncio = 0;
	check("");
	begin();
	put(TASK + NAME, 0);
	check("");
	begin();
	put(TASK + 8, 0);
	check("");
}
