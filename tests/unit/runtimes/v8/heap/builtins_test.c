/* Builtins by address, and which of them are shown. */
#include <criterion/criterion.h>

#include "runtimes/v8/heap/builtins.h"

static struct v8_builtins all;

static void release(void)
{
	v8_builtins_release(&all);
}

TestSuite(builtins, .fini = release);

static const struct v8_builtin *add(uint64_t start, const char *name, bool keep)
{
	cr_assert_eq(v8_builtins_add(&all, start, 0x40, name, keep), 0);
	return &all.all[all.count - 1];
}

Test(builtins, found_by_address)
{
	add(0x1000, "ArrayMap", false);
	add(0x1040, "ArrayFilter", false);
	add(0x2000, "ArrayFind", false);
	cr_expect_null(v8_builtins_find(&all, 0xfff));
	cr_expect_eq(v8_builtins_find(&all, 0x1000)->start, 0x1000);
	cr_expect_eq(v8_builtins_find(&all, 0x103f)->start, 0x1000);
	cr_expect_eq(v8_builtins_find(&all, 0x1040)->start, 0x1040);
	cr_expect_null(v8_builtins_find(&all, 0x1080));
	cr_expect_eq(v8_builtins_find(&all, 0x203f)->start, 0x2000);
	cr_expect_null(v8_builtins_find(&all, 0x2040));
	cr_expect_null(v8_builtins_find(&all, UINT64_MAX));
}

Test(builtins, what_is_v8s_own_is_hidden)
{
	cr_expect_not(add(0, "ArrayMap", false)->hidden);
	cr_expect_not(add(0, "FunctionPrototypeApply", false)->hidden);
	cr_expect_not(add(0, "Handler", false)->hidden, "no bytecode's");
	cr_expect(add(0, "LdaZeroHandler", false)->hidden);
	cr_expect(add(0, "InterpreterEntryTrampoline", false)->hidden);
	cr_expect(add(0, "JSEntry", false)->hidden);
	cr_expect(add(0, "CEntry_Return1_ArgvOnStack_BuiltinExit", false)->hidden);
	cr_expect(add(0, "BaselineLeaveFrame", false)->continues);
	cr_expect_not(add(0, "BaselineOutOfLinePrologue", false)->continues);
}

Test(builtins, names_are_kept)
{
	const struct v8_builtin *b = add(0x1000, "ArrayMap", true);

	cr_assert(b->name != 0);
	cr_expect_str_eq(all.names + b->name, "Builtins_ArrayMap");
	b = add(0x2000, "ArrayFind", true);
	cr_expect_str_eq(all.names + b->name, "Builtins_ArrayFind");
	cr_expect_eq(add(0x3000, "ArrayFill", false)->name, 0);
}
