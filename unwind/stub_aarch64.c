/*
 * The entries of a procedure linkage table (.plt, .iplt) load an address and jump there:
 *
 *	[bti c]; adrp x16; ldr x17, [x16]; add x16, x16; [autia1716]; br x17
 *
 * They touch neither sp nor x30. The table's first entry, which binds a function at its
 * first call, begins with "stp x16, x30, [sp, #-16]!". Linkers write no CFI for them
 * (binutils' bfd/elfnn-aarch64.c, lld's ELF/Arch/AArch64.cpp), and sections have names
 * only in files that nobody has stripped of them, so they are known by what they do.
 */
#include "unwind/stub.h"

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

#include "target/image.h"
#include "unwind/rule.h"

enum { AROUND = 5, WORD = 4 }; /* instructions that a stub has before or behind one of its own */

static const uint32_t BR_X17 = 0xd61f0220, STP_X16_X30 = 0xa9bf7bf0;

static const struct cfi_rule untouched = { .cfa_reg = DWARF_SP, .plain = true };
static const struct cfi_rule pushed = {
	.cfa_reg = DWARF_SP, .cfa_value = 16, .plain = true, .said = 1u << DWARF_RA,
	.columns[DWARF_RA] = { COLUMN_SAVED, -8 },
};

/* An instruction of a stub, its last one apart. */
static bool is_part(uint32_t word)
{
	return (word & 0x9f00001f) == 0x90000010 || /* adrp x16 */
	       (word & 0xffc003ff) == 0xf9400211 || /* ldr x17, [x16, …] */
	       (word & 0xffc003ff) == 0x91000210 || /* add x16, x16, … */
	       word == 0xd503245f ||		    /* bti c */
	       word == 0xd503219f || word == 0xd50321df || /* autia1716, autib1716 */
	       word == STP_X16_X30;
}

/* The instruction so many after the one at an address; 0 where there is none. */
static uint32_t word_at(const struct image *image, uint64_t addr, int index)
{
	uint64_t offset, left;
	uint32_t word;
	Elf_Data *code;

	addr += (uint64_t)(int64_t)(index * WORD);
	if (!image_offset(image, addr, &offset, &left) || left < WORD)
		return 0;
	code = elf_getdata_rawchunk(image_elf(image), (int64_t)offset, WORD, ELF_T_BYTE);
	if (!code)
		return 0;
	memcpy(&word, code->d_buf, WORD);
	return word;
}

const struct cfi_rule *stub_rule(const struct image *image, uint64_t addr)
{
	int i = 0;

	if (addr % WORD) /* a return address less 1, but nothing in a stub makes calls */
		return NULL;
	while (i < AROUND && is_part(word_at(image, addr, i)))
		i++;
	if (word_at(image, addr, i) != BR_X17)
		return NULL;
	for (i = -1; i >= -AROUND; i--) {
		uint32_t word = word_at(image, addr, i);

		if (word == STP_X16_X30)
			return &pushed;
		if (!is_part(word))
			break;
	}
	return &untouched;
}
