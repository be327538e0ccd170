/* Exits of optimized code, as Node 24 has them for two small functions. */
#include "runtimes/v8/heap/deopt.h"

#include <criterion/criterion.h>

#define SMI(value) ((uint64_t)(uint32_t)(value) << 32)

static uint64_t offset;

/* TurboFan's: two exits of its own from 532 on, then those of three return addresses. */
static const uint64_t turbofan[] = { SMI(532), SMI(2),	 SMI(3),   SMI(6),  SMI(0),   SMI(-1),
				     SMI(23),  SMI(25),	 SMI(-1),  SMI(-1), SMI(172), SMI(420),
				     SMI(38),  SMI(191), SMI(460), SMI(38), SMI(215), SMI(512) };

/* Maglev's: three of its own from 267 on, then one. Their last words are the exits themselves. */
static const uint64_t maglev[] = { SMI(267), SMI(3),   SMI(1),	SMI(0),	  SMI(0),
				   SMI(267), SMI(2),   SMI(19), SMI(271), SMI(2),
				   SMI(24),  SMI(275), SMI(-1), SMI(29),  SMI(279) };
static const uint8_t safepoints[] = { 3,    0, 0, 0,	0xa1, 0, 0,    0, 0, 0, 0, 0, /* the head */
				      0x1c, 0, 4, 0x18, 1,    0, 0xb4, 0, 0, 0, 0, 1,
				      0xfc, 0, 0, 0,	0,    1 };

static struct v8_deopt of_turbofan(void)
{
	return (struct v8_deopt){ turbofan, sizeof(turbofan) / 8, 4, NULL, 0 };
}

static struct v8_deopt of_maglev(void)
{
	return (struct v8_deopt){ maglev, sizeof(maglev) / 8, 4, safepoints, sizeof(safepoints) };
}

Test(v8_deopt, what_is_an_exit)
{
	struct v8_deopt d = of_turbofan();

	cr_expect(!v8_deopt_is_exit(&d, 531));
	cr_expect(v8_deopt_is_exit(&d, 532));
	cr_expect(v8_deopt_is_exit(&d, 1 << 20));
	d.count = 0;
	cr_expect(!v8_deopt_is_exit(&d, 532));
}

Test(v8_deopt, turbofan_s_return_addresses)
{
	struct v8_deopt d = of_turbofan();

	cr_assert(v8_deopt_return(&d, 532 + 8, &offset));
	cr_expect_eq(offset, 420);
	cr_assert(v8_deopt_return(&d, 532 + 16, &offset));
	cr_expect_eq(offset, 512);
	cr_expect(!v8_deopt_return(&d, 532, &offset)); /* the code's own */
	cr_expect(!v8_deopt_return(&d, 532 + 4, &offset));
	cr_expect(!v8_deopt_return(&d, 532 + 9, &offset));
	cr_expect(!v8_deopt_return(&d, 532 + 20, &offset)); /* behind the last one */
}

Test(v8_deopt, exits_of_seven_bytes)
{
	struct v8_deopt d = of_turbofan();

	d.exit_bytes = 7;
	cr_assert(v8_deopt_return(&d, 532 + 21, &offset));
	cr_expect_eq(offset, 460);
	cr_expect(!v8_deopt_return(&d, 532 + 8, &offset));
}

Test(v8_deopt, maglev_s_return_addresses)
{
	struct v8_deopt d = of_maglev();

	cr_assert(v8_deopt_return(&d, 279, &offset));
	cr_expect_eq(offset, 0x1c);
	cr_expect(!v8_deopt_return(&d, 275, &offset));
	cr_expect(!v8_deopt_return(&d, 283, &offset));
}

Test(v8_deopt, tables_that_are_cut)
{
	struct v8_deopt d = of_maglev();

	for (size_t len = 0; len < 12 + 3; len++) {
		d.safepoints_len = len;
		cr_expect(!v8_deopt_return(&d, 279, &offset), "%d", (int)len);
	}
	d = of_turbofan();
	for (d.count = 0; d.count < sizeof(turbofan) / 8; d.count++)
		cr_expect(!v8_deopt_return(&d, 532 + 16, &offset), "%d", (int)d.count);
}
