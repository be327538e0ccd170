/* The machine that reads code without CFI: what it must not take for known. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "unwind/code/emulator.h"
#include "unwind/table/regs.h"

enum { SP = 0x7000 };

static int nothing_there(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	(void)m;
	(void)addr;
	memset(buf, 0, len);
	return 0;
}

static const struct memory memory = { .read = nothing_there };

static struct emulator with_a_stack(void)
{
	struct regs regs = { .r = { [DWARF_RSP] = SP, [DWARF_RAX] = 1, [DWARF_RBX] = 2 } };
	struct emulator m;

	emulator_load(&m, &regs, 1u << DWARF_RSP | 1u << DWARF_RAX | 1u << DWARF_RBX, &memory);
	return m;
}

static bool execute(struct emulator *m, const char *code, size_t len)
{
	struct insn insn;

	cr_assert_eq(insn_decode((const uint8_t *)code, len, &insn), 0);
	return emulator_execute(m, &insn);
}

#define EXECUTE(m, code) cr_assert(execute(m, code, sizeof(code) - 1))

Test(emulator, the_last_of_stores_that_overlap_decides)
{
	struct emulator m = with_a_stack();
	uint64_t value;

	EXECUTE(&m, "\x48\x89\x44\x24\x10"); /* mov %rax,16(%rsp) */
	EXECUTE(&m, "\x48\x89\x5c\x24\x14"); /* mov %rbx,20(%rsp) */
	cr_assert_eq(emulator_read(&m, SP + 16, &value), ERR_FORMAT, "a half is overwritten");
	EXECUTE(&m, "\x48\x89\x44\x24\x10");
	cr_assert_eq(emulator_read(&m, SP + 16, &value), 0);
	cr_assert_eq(value, 1);
	EXECUTE(&m, "\x48\x89\x5c\x24\x14");
	cr_assert_eq(emulator_read(&m, SP + 20, &value), 0);
	cr_assert_eq(emulator_read(&m, SP + 16, &value), ERR_FORMAT,
		     "stored there once more, the other one is the last");
}

Test(emulator, a_store_for_which_there_is_no_room_is_told)
{
	struct emulator m = with_a_stack();

	for (unsigned i = 0; i < EMULATOR_STORES; i++)
		EXECUTE(&m, "\x50"); /* push %rax */
	cr_assert_not(execute(&m, "\x50", 1));
	cr_assert_not(execute(&m, "\xe8\0\0\0\0", 5), "a call of the next instruction pushes, too");
	EXECUTE(&m, "\xe8\1\0\0\0"); /* any other has returned */
}
