/* DWARF expressions: the value that each operation must give, and each way to break an expression.
 * The codes are those of DWARF 5, table 7.9. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "unwind/expr.h"
#include "unwind/table/regs.h"

#define CODE(text) text, sizeof(text) - 1

enum { CFA = 0x7100, BIAS = 0x10000 };

/* Evaluates with two words of memory at 0x7000, rsp = 0x7000, rbx = 5, no other registers. */
static int evaluate(const char *code, size_t len, uint64_t *value)
{
	static const uint64_t words[2] = { 0x1122334455667788, 0x2222 };
	struct regs regs = { .r = { [DWARF_RSP] = 0x7000, [DWARF_RBX] = 5 } };
	struct expr_context context = { .regs = &regs,
					.valid = 1 << DWARF_RSP | 1 << DWARF_RBX,
					.bias = BIAS };
	struct memory_bytes memory;
	uint64_t cfa = CFA;

	memory_bytes_init(&memory, words, 0x7000, sizeof(words));
	memory.more = 0x100;
	context.memory = &memory.memory;
	return expr_evaluate((const uint8_t *)code, len, &context, &cfa, value);
}

struct example {
	const char *code;
	size_t len;
	int64_t value;
};

static void check(const struct example *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = 0;

		cr_assert_eq(evaluate(all[i].code, all[i].len, &value), 0, "%zu", i);
		cr_assert_eq((int64_t)value, all[i].value, "%zu: %lx", i, value);
	}
}

#define CHECK(all) check(all, sizeof(all) / sizeof(*(all)))

Test(expr, begins_with_what_is_pushed)
{
	static const struct example all[] = { { CODE(""), CFA }, { CODE("\x96"), CFA } };

	CHECK(all);
}

Test(expr, constants)
{
	static const struct example all[] = {
		{ CODE("\x30"), 0 },					      /* lit0 */
		{ CODE("\x4f"), 31 },					      /* lit31 */
		{ CODE("\x03\x08\7\6\5\4\3\2\1"), 0x102030405060708 + BIAS }, /* addr */
		{ CODE("\x08\xff"), 255 },				      /* const1u */
		{ CODE("\x09\xff"), -1 },				      /* const1s */
		{ CODE("\x0a\xfe\xff"), 0xfffe },			      /* const2u */
		{ CODE("\x0b\xfe\xff"), -2 },				      /* const2s */
		{ CODE("\x0c\xfd\xff\xff\xff"), 0xfffffffd },		      /* const4u */
		{ CODE("\x0d\xfd\xff\xff\xff"), -3 },			      /* const4s */
		{ CODE("\x0e\1\2\3\4\5\6\7\x08"), 0x807060504030201 },	      /* const8u */
		{ CODE("\x0f\xfc\xff\xff\xff\xff\xff\xff\xff"), -4 },	      /* const8s */
		{ CODE("\x10\x80\x01"), 128 },				      /* constu */
		{ CODE("\x11\x80\x7f"), -128 },				      /* consts */
	};

	CHECK(all);
}

Test(expr, registers_and_memory)
{
	static const struct example all[] = {
		{ CODE("\x77\x08"), 0x7008 },	    /* breg7 8 */
		{ CODE("\x77\x78"), 0x6ff8 },	    /* breg7 -8 */
		{ CODE("\x53"), 5 },		    /* reg3 */
		{ CODE("\x90\x03"), 5 },	    /* regx rbx */
		{ CODE("\x92\x03\x01"), 6 },	    /* bregx rbx 1 */
		{ CODE("\x77\x08\x06"), 0x2222 },   /* deref */
		{ CODE("\x77\x00\x94\x01"), 0x88 }, /* deref_size 1 */
		{ CODE("\x77\x01\x94\x04"), 0x44556677 },
		{ CODE("\x77\x08\x94\x08"), 0x2222 },
	};

	CHECK(all);
}

Test(expr, stack)
{
	static const struct example all[] = {
		{ CODE("\x35\x12\x22"), 10 },		 /* lit5 dup plus */
		{ CODE("\x35\x31\x13"), 5 },		 /* lit5 lit1 drop */
		{ CODE("\x35\x31\x14"), 5 },		 /* lit5 lit1 over */
		{ CODE("\x35\x31\x32\x15\x02"), 5 },	 /* pick 2 */
		{ CODE("\x33\x35\x16\x1c"), 2 },	 /* lit3 lit5 swap minus */
		{ CODE("\x31\x32\x33\x17"), 2 },	 /* lit1 lit2 lit3 rot: second on top */
		{ CODE("\x31\x32\x33\x17\x13"), 1 },	 /* then the third */
		{ CODE("\x31\x32\x33\x17\x13\x13"), 3 }, /* then what was on top */
	};

	CHECK(all);
}

Test(expr, arithmetic)
{
	static const struct example all[] = {
		{ CODE("\x11\x7f\x19"), 1 },	      /* consts -1 abs */
		{ CODE("\x35\x19"), 5 },	      /* lit5 abs */
		{ CODE("\x35\x1f"), -5 },	      /* neg */
		{ CODE("\x30\x20"), -1 },	      /* not */
		{ CODE("\x23\x80\x01"), CFA + 128 },  /* plus_uconst */
		{ CODE("\x3c\x3a\x1a"), 8 },	      /* 12 & 10 */
		{ CODE("\x3c\x3a\x21"), 14 },	      /* 12 | 10 */
		{ CODE("\x3c\x3a\x27"), 6 },	      /* 12 ^ 10 */
		{ CODE("\x35\x33\x1c"), 2 },	      /* 5 - 3 */
		{ CODE("\x35\x33\x1e"), 15 },	      /* 5 * 3 */
		{ CODE("\x09\xf8\x33\x1b"), -2 },     /* -8 / 3, signed */
		{ CODE("\x38\x33\x1d"), 2 },	      /* 8 % 3 */
		{ CODE("\x09\xff\x3a\x1d"), 5 },      /* 2^64-1 % 10, unsigned */
		{ CODE("\x31\x34\x24"), 16 },	      /* 1 << 4 */
		{ CODE("\x31\x08\x40\x24"), 0 },      /* 1 << 64 */
		{ CODE("\x09\xff\x08\x3c\x25"), 15 }, /* 2^64-1 >> 60 */
		{ CODE("\x09\xff\x08\x40\x25"), 0 },  /* >> 64 */
		{ CODE("\x09\xf0\x32\x26"), -4 },     /* -16 >> 2, signed */
		{ CODE("\x09\xf0\x08\xff\x26"), -1 }, /* >> 255, signed */
	};

	CHECK(all);
}

Test(expr, comparisons_are_signed)
{
	static const struct example all[] = {
		{ CODE("\x31\x31\x29"), 1 },	 { CODE("\x31\x32\x29"), 0 }, /* eq */
		{ CODE("\x31\x31\x2e"), 0 },	 { CODE("\x31\x32\x2e"), 1 }, /* ne */
		{ CODE("\x09\xff\x31\x2d"), 1 }, { CODE("\x31\x31\x2d"), 0 }, /* lt */
		{ CODE("\x31\x31\x2c"), 1 },	 { CODE("\x32\x31\x2c"), 0 }, /* le */
		{ CODE("\x31\x09\xff\x2b"), 1 }, { CODE("\x31\x31\x2b"), 0 }, /* gt */
		{ CODE("\x31\x31\x2a"), 1 },	 { CODE("\x31\x32\x2a"), 0 }, /* ge */
	};

	CHECK(all);
}

Test(expr, branches)
{
	static const struct example all[] = {
		{ CODE("\x31\x2f\x01\x00\x35"), 1 },	 /* lit1 skip +1 over lit5 */
		{ CODE("\x35\x30\x28\x01\x00\x37"), 7 }, /* lit5 lit0 bra: not taken; lit7 */
		{ CODE("\x35\x31\x28\x01\x00\x37"), 5 }, /* lit5 lit1 bra: taken */
		/* lit3, then lit1 minus dup bra -6 until it is zero */
		{ CODE("\x33\x31\x1c\x12\x28\xfa\xff"), 0 },
		/* A PLT's CFA: rsp + 8 + ((rip & 15) >= 11) << 3, with 12 for rip. */
		{ CODE("\x77\x08\x3c\x3f\x1a\x3b\x2a\x33\x24\x22"), 0x7010 },
	};

	CHECK(all);
}

Test(expr, broken_ones_end_with_an_error)
{
	static const struct {
		const char *code;
		size_t len;
		int rc;
	} all[] = {
		{ CODE("\x22\x22"), ERR_FORMAT },	  /* plus on too few */
		{ CODE("\x31\x17"), ERR_FORMAT },	  /* rot of two */
		{ CODE("\x15\x01"), ERR_FORMAT },	  /* pick below the bottom */
		{ CODE("\x13"), ERR_FORMAT },		  /* drop: nothing is left */
		{ CODE("\x13\x12"), ERR_FORMAT },	  /* dup of nothing */
		{ CODE("\x2f\xfd\xff"), ERR_FORMAT },	  /* skip -3: for ever */
		{ CODE("\x12\x2f\xfc\xff"), ERR_FORMAT }, /* dup, for ever */
		{ CODE("\x2f\x70\x00"), ERR_FORMAT },	  /* skip out, forward */
		{ CODE("\x2f\xfc\xff"), ERR_FORMAT },	  /* and backward */
		{ CODE("\x2f\x00"), ERR_FORMAT },	  /* half an operand */
		{ CODE("\x70\x00"), ERR_FORMAT },	  /* breg0: rax is not known */
		{ CODE("\x92\x7f\x00"), ERR_FORMAT },	  /* bregx 127 */
		{ CODE("\x31\x30\x1b"), ERR_FORMAT },	  /* 1 / 0 */
		{ CODE("\x31\x30\x1d"), ERR_FORMAT },	  /* 1 % 0 */
		/* the least number / -1 */
		{ CODE("\x0e\0\0\0\0\0\0\0\x80\x09\xff\x1b"), ERR_FORMAT },
		{ CODE("\x0e\x01"), ERR_FORMAT },	     /* half a constant */
		{ CODE("\x9c"), ERR_FORMAT },		     /* call_frame_cfa */
		{ CODE("\x97"), ERR_FORMAT },		     /* push_object_address */
		{ CODE("\xff"), ERR_FORMAT },		     /* not an operation */
		{ CODE("\x77\x00\x94\x00"), ERR_FORMAT },    /* deref_size 0 */
		{ CODE("\x77\x00\x94\x09"), ERR_FORMAT },    /* deref_size 9 */
		{ CODE("\x30\x06"), ERR_IO },		     /* deref of address 0 */
		{ CODE("\x77\x10\x06"), ERR_SHORT },	     /* deref beyond the copy */
		{ CODE("\x77\x10\x06\x13\x31"), ERR_SHORT }, /* also when not used */
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		uint64_t value;

		cr_assert_eq(evaluate(all[i].code, all[i].len, &value), all[i].rc, "%zu", i);
	}
}

Test(expr, a_full_stack_is_an_error)
{
	char code[80];
	uint64_t value;

	memset(code, 0x31, sizeof(code)); /* lit1; one value is there already */
	cr_assert_eq(evaluate(code, 63, &value), 0);
	cr_assert_eq(evaluate(code, 64, &value), ERR_FORMAT);
}

Test(expr, needs_a_value)
{
	struct regs regs = { .unknown = 0 };
	struct expr_context context = { .regs = &regs };
	uint64_t value;

	cr_assert_eq(expr_evaluate(NULL, 0, &context, NULL, &value), ERR_FORMAT);
}
