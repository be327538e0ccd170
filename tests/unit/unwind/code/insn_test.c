/* Instructions: their lengths, their operands, and the registers that they may change.
 * tests/oracle/insn.test checks the lengths of all instructions of whole libraries. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "unwind/code/insn_x86_64.h"

#define CODE(text) (const uint8_t *)text, sizeof(text) - 1

static struct insn decode(const uint8_t *code, size_t len)
{
	struct insn insn;

	cr_assert_eq(insn_decode(code, len, &insn), 0);
	cr_assert_eq(insn.len, len);
	return insn;
}

static uint32_t changes(const uint8_t *code, size_t len)
{
	struct insn insn = decode(code, len);

	return insn_changes(&insn);
}

Test(insn, operands)
{
	struct insn i = decode(CODE("\x48\x8b\x45\xf8")); /* mov -8(%rbp),%rax */

	cr_assert(i.wide && i.in_memory && i.base == HW_RBP && i.index == HW_NONE);
	cr_assert_eq(i.disp, -8);
	i = decode(CODE("\x4c\x89\x64\x24\x10")); /* mov %r12,16(%rsp) */
	cr_assert(i.reg == 12 && i.base == HW_RSP && i.index == HW_NONE && i.disp == 16);
	i = decode(CODE("\x4a\x8d\x24\xed\x00\x01\x00\x00")); /* lea 256(,%r13,8),%rsp */
	cr_assert(i.reg == HW_RSP && i.base == HW_NONE && i.index == 13 && i.disp == 256);
	i = decode(CODE("\xff\x25\xfe\xff\xff\xff")); /* jmp *-2(%rip) */
	cr_assert(i.rip && i.in_memory && i.reg == 4 && i.disp == -2);
	i = decode(CODE("\x48\x81\xec\x00\x01\x00\x00")); /* sub $256,%rsp */
	cr_assert(i.reg == 5 && i.rm == HW_RSP && i.imm == 256);
	i = decode(CODE("\xeb\xfe"));
	cr_assert_eq(i.imm, -2);
	i = decode(CODE("\x49\xbf\1\2\3\4\5\6\7\x08")); /* movabs */
	cr_assert(i.reg == 15 && i.imm == 0x0807060504030201);
	i = decode(CODE("\x41\x57"));
	cr_assert(i.opcode == 0x57 && i.reg == 15);
	i = decode(CODE("\x3e\xff\xe0")); /* notrack jmp *%rax */
	cr_assert(i.notrack && !i.in_memory && i.rm == HW_RAX);
}

Test(insn, lengths_of_the_long_encodings)
{
	decode(CODE("\xc5\xf8\x77"));			    /* vzeroupper */
	decode(CODE("\xc4\xe3\x7d\x39\xc1\x01"));	    /* vextracti128 */
	decode(CODE("\x62\xf1\x7c\x48\x58\x40\x01"));	    /* vaddps 64(%rax) */
	decode(CODE("\x62\xf3\x75\x48\x25\xc2\xff"));	    /* vpternlogd */
	decode(CODE("\x66\x0f\x3a\x0f\xc1\x08"));	    /* palignr */
	decode(CODE("\xf3\x0f\x1e\xfa"));		    /* endbr64 */
	decode(CODE("\xf6\x05\1\2\3\4\x80"));		    /* testb $,(%rip) */
	decode(CODE("\xf7\xd8"));			    /* neg */
	decode(CODE("\x66\xf7\xc7\1\2"));		    /* test $,%di */
	decode(CODE("\x8f\xe8\x78\xc2\xec\x0e"));	    /* vprotd, XOP */
	decode(CODE("\x8f\x45\xf8"));			    /* pop -8(%rbp) */
	decode(CODE("\xc8\x10\0\1"));			    /* enter */
	decode(CODE("\x66\x66\x2e\x0f\x1f\x84\0\0\0\0\0")); /* nop */
	decode(CODE("\x64\x48\x8b\x04\x25\x28\0\0\0"));	    /* mov %fs:40,%rax */
}

Test(insn, what_is_none)
{
	struct insn i;

	cr_assert_eq(insn_decode(CODE("\x06"), &i), ERR_FORMAT);
	cr_assert_eq(insn_decode(CODE("\x48\x8b"), &i), ERR_SHORT);
	cr_assert_eq(insn_decode(CODE(""), &i), ERR_SHORT);
	cr_assert_eq(insn_decode(CODE("\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66"
				      "\x90\x90"),
				 &i),
		     ERR_FORMAT, "longer than any");
}

Test(insn, what_is_changed)
{
	cr_assert_eq(changes(CODE("\x48\x01\xd8")), 1 << HW_RAX); /* add %rbx,%rax */
	cr_assert_eq(changes(CODE("\x48\x03\x03")), 1 << HW_RAX); /* add (%rbx),%rax */
	cr_assert_eq(changes(CODE("\x48\x01\x03")), 0);		  /* add %rax,(%rbx) */
	cr_assert_eq(changes(CODE("\x48\x39\xe5")), 0);		  /* cmp %rsp,%rbp */
	cr_assert_eq(changes(CODE("\x83\xfd\x05")), 0);		  /* cmp $5,%ebp */
	cr_assert_eq(changes(CODE("\x85\xed")), 0);		  /* test %ebp,%ebp */
	cr_assert_eq(changes(CODE("\x88\xc4")), 1 << HW_RAX);	  /* mov %al,%ah: not rsp */
	cr_assert_eq(changes(CODE("\x40\x88\xc5")), 1 << HW_RBP); /* mov %al,%bpl */
	cr_assert_eq(changes(CODE("\x0f\x28\xe5")), 0);		  /* movaps %xmm5,%xmm4 */
	cr_assert_eq(changes(CODE("\xc5\xfc\x28\xe5")), 0);
	cr_assert_eq(changes(CODE("\x0f\x94\xc0")), 1 << HW_RAX);	  /* sete %al */
	cr_assert_eq(changes(CODE("\x48\x0f\x44\xe8")), 1 << HW_RBP);	  /* cmove %rax,%rbp */
	cr_assert_eq(changes(CODE("\x66\x48\x0f\x7e\xc5")), 1 << HW_RBP); /* movq %xmm0,%rbp */
	cr_assert_eq(changes(CODE("\xf3\x0f\x7e\xe5")), 0);		  /* movq %xmm5,%xmm4 */
	cr_assert_eq(changes(CODE("\x0f\xa2")), 0xf);			  /* cpuid: a, c, d, b */
	cr_assert_eq(changes(CODE("\x0f\x05")), 1 << HW_RAX | 1 << HW_RCX | 1 << HW_R11);
	cr_assert_eq(changes(CODE("\xc4\xe2\xc3\xf6\xd8")), 1 << HW_RBX | 1 << HW_RDI); /* mulx */
	cr_assert_eq(changes(CODE("\x48\x87\xdd")), 1 << HW_RBX | 1 << HW_RBP);		/* xchg */
	cr_assert_eq(changes(CODE("\x41\xbc\1\0\0\0")), 1 << 12);
	cr_assert_eq(changes(CODE("\xf3\x48\xab")), /* rep stos */
		     1 << HW_RAX | 1 << HW_RCX | 1 << HW_RSI | 1 << HW_RDI);
}

static bool ends(const uint8_t *code, size_t len, int64_t *target)
{
	return insn_call_ends(code + len, len, target);
}

Test(insn, calls_before_an_address)
{
	int64_t target;

	cr_assert(ends(CODE("\x90\x90\xe8\x10\0\0\0"), &target));
	cr_assert_eq(target, 16);
	cr_assert(ends(CODE("\x41\xff\xd7"), &target)); /* call *%r15 */
	cr_assert_eq(target, 0);
	cr_assert(ends(CODE("\xff\x15\1\2\3\4"), &target));
	cr_assert(ends(CODE("\x41\xff\x94\x24\1\2\3\4"), &target));
	cr_assert(ends(CODE("\xff\x53\x08"), &target));
	cr_assert_not(ends(CODE("\xff\xe0"), &target), "a jump");
	cr_assert_not(ends(CODE("\x90\x90\x90\x90\x90\x90\x90\x90"), &target));
	cr_assert_not(ends(CODE("\xe8\0\0\0"), &target));
	cr_assert_not(ends(CODE(""), &target));
}
