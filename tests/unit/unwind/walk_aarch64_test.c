/*
 * The walk on aarch64, through made-up memory and a made-up image, whose code has one kind of frame
 * for each range of addresses.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/machine.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/unwinder.h"
#include "tests/unit/unwind/cfi_bytes.h"

enum {
	BIAS = 0x400000,
	STACK = 0x7000,
	LEAF = 0x1000,	     /* CFA sp, the return address in x30 */
	FRAMED = 0x1100,     /* CFA sp+32, x29 and x30 at its bottom */
	LAST = 0x1200,	     /* outermost */
	SIGNED = 0x1300,     /* as FRAMED, the return address signed from its 4th byte on */
	ABOVE = 0x1400,	     /* CFA sp, x30 at CFA+8 */
	BUFFER = 0x1500,     /* CFA x0, x30 at CFA+88 */
	STUCK = 0x1600,	     /* CFA sp, x30 at CFA-8 */
	X19 = 0x1700,	     /* CFA x19+16, x30 at CFA-8 */
	OTHER_KEY = 0x1800,  /* as FRAMED, its CIE of augmentation zRB */
	VDSO = 0x1900,	     /* the kernel's trampoline: CFA x29, x30 at CFA+8, a signal's frame */
	BARE = 0x1a00,	     /* no CFI */
	PLT = 0x1b00,	     /* three entries */
	TRAMPOLINE = 0x1c00, /* one without CFI */
	IMAGE_END = 0x1d00,
	IN_FRAME = 312, /* offset of x0 in a signal's frame */
};

static const uint64_t SIGNATURE = 0x007f000000000000, SIGN = 0x0055000000000000;

static const uint32_t trampoline[] = { 0xd503201f, 0xd2801168, 0xd4000001 }; /* nop first */
static const uint32_t plt[] = {
	0xa9bf7bf0, 0xf00000f0, 0xf947fe11, 0x913fe210, 0xd61f0220, 0xd503201f,
	0xd503201f, 0xd503201f, 0x90000110, 0xf9400211, 0x91000210, 0xd61f0220,
	0xd503245f, 0x90000110, 0xf9400611, 0x91002210, 0xd61f0220, 0xd503201f,
};

static void put_eh_frame(struct buffer *b)
{
	size_t cie = put_cie(b, "zR"), other = put_cie(b, "zRB"), signal;

	put_fde(b, cie, LEAF, 0x100, CODE(""));
	put_fde(b, cie, FRAMED, 0x100, CODE("\x0e\x20\x9d\4\x9e\3"));
	put_fde(b, cie, LAST, 0x100, CODE("\x07\x1e"));
	put_fde(b, cie, SIGNED, 0x100, CODE("\x44\x2d\x0e\x20\x9d\4\x9e\3"));
	put_fde(b, cie, ABOVE, 0x100, CODE("\x11\x1e\x7f"));
	put_fde(b, cie, BUFFER, 0x100, CODE("\x0c\0\0\x11\x1e\x75"));
	put_fde(b, cie, STUCK, 0x100, CODE("\x9e\1"));
	put_fde(b, cie, X19, 0x100, CODE("\x0c\x13\x10\x9e\1"));
	put_fde(b, other, OTHER_KEY, 0x100, CODE("\x2d\x0e\x20\x9d\4\x9e\3"));
	signal = put_cie(b, "zRS");
	put_fde(b, signal, VDSO, 0x100, CODE("\x0c\x1d\0\x11\x1d\0\x11\x1e\x7f"));
	put32(b, 0);
}

/* A file of one executable segment, its CFI found by PT_GNU_EH_FRAME. */
static struct image *make_image(void)
{
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_DYN,
			  .e_machine = MACHINE_ELF,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(eh),
			  .e_ehsize = sizeof(eh),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 2 };
	Elf64_Phdr ph[2] = { { .p_type = PT_LOAD, .p_flags = PF_R | PF_X },
			     { .p_type = PT_GNU_EH_FRAME,
			       .p_vaddr = 0x800,
			       .p_offset = 0x800,
			       .p_filesz = 8,
			       .p_memsz = 8,
			       .p_flags = PF_R } };
	struct buffer b = { 0 };
	struct image *image;

	buffer_reserve(&b, IMAGE_END);
	memset(b.data, 0, IMAGE_END);
	b.len = 0x800;
	buffer_add(&b, "\1\x1b\xff\xff\4\0\0\0", 8); /* eh_frame_ptr: right after it */
	put_eh_frame(&b);
	b.len = IMAGE_END;
	ph[0].p_filesz = ph[0].p_memsz = IMAGE_END;
	memcpy(b.data, &eh, sizeof(eh));
	memcpy(b.data + sizeof(eh), ph, sizeof(ph));
	memcpy(b.data + PLT, plt, sizeof(plt));
	memcpy(b.data + VDSO, trampoline, sizeof(trampoline));
	memcpy(b.data + TRAMPOLINE, trampoline, sizeof(trampoline));
	cr_assert_eq(image_open_bytes(b.data, b.len, "/made/here", &image, NULL), 0);
	buffer_release(&b);
	return image;
}

static struct modmap *maps;
static struct unwinder *unwinder;
static struct stack stack;
static struct regs regs;
static struct memory_bytes memory;
static uint64_t words[1024];

#define AT(kind) (BIAS + (kind) + 0x10)

static void set_up(void)
{
	struct mapping range = {
		.start = BIAS, .end = BIAS + IMAGE_END, .bias = BIAS, .image = make_image()
	};

	cr_assert_eq(modmap_new(&maps, NULL), 0);
	cr_assert_eq(modmap_add(maps, &range), 0);
	cr_assert_eq(unwinder_new(&unwinder), 0);
	stack = (struct stack){ 0 };
	memory_bytes_init(&memory, words, STACK, sizeof(words));
	regs.r[DWARF_SP] = STACK;
	regs.r[DWARF_RA] = AT(LAST);
	regs.r[REGS_SIGNATURE] = SIGNATURE;
}

static void tear_down(void)
{
	stack_release(&stack);
	unwinder_free(unwinder);
	modmap_free(maps);
}

static void walk_from(uint64_t pc, size_t frames, enum stack_end end)
{
	regs.r[DWARF_PC] = pc;
	cr_assert_eq(unwinder_walk(unwinder, maps,
				   &(struct walk_from){ .regs = &regs, .memory = &memory.memory },
				   &stack),
		     0);
	cr_assert_eq(stack.count, frames, "%zu frames, end: %s", stack.count,
		     stack_end_name(stack.end));
	cr_assert_eq(stack.end, end, "%s", stack_end_name(stack.end));
}

static void caller_is(size_t i, uint64_t addr)
{
	cr_assert_eq(stack.frames[i].addr + BIAS, addr, "%lx", stack.frames[i].addr);
}

TestSuite(walk, .init = set_up, .fini = tear_down);

Test(walk, a_leaf_keeps_its_return_address_in_x30)
{
	walk_from(AT(LEAF), 2, STACK_OUTERMOST);
	caller_is(1, AT(LAST));
	cr_assert_eq(stack.frames[1].kind, FRAME_RETURN);
	cr_assert_eq(stack.used, 0);
}

Test(walk, a_frame_that_has_saved_it)
{
	regs.r[DWARF_RA] = AT(BARE);
	words[1] = AT(FRAMED);
	words[5] = AT(LAST);
	walk_from(AT(FRAMED), 3, STACK_OUTERMOST);
	caller_is(1, AT(FRAMED));
	cr_assert_eq(stack.used, 64);
}

/* A caller's return address cannot be in x30, which its call has overwritten. */
Test(walk, a_caller_that_has_not_saved_it_is_not_believed)
{
	words[1] = AT(LEAF);
	walk_from(AT(FRAMED), 2, STACK_NO_UNWIND_INFO);
}

Test(walk, x30_unknown_in_a_leaf)
{
	regs.unknown = ~CALLER_KNOWS;
	walk_from(AT(LEAF), 1, STACK_NO_UNWIND_INFO);
	cr_assert(stack.lacked);
	words[1] = AT(LAST);
	walk_from(AT(FRAMED), 2, STACK_OUTERMOST);
	cr_assert_not(stack.lacked);
}

Test(walk, signatures_are_taken_off)
{
	words[1] = AT(SIGNED) | SIGN;
	words[5] = AT(OTHER_KEY) | SIGN;
	words[9] = AT(LAST) | SIGN;
	walk_from(AT(SIGNED), 4, STACK_OUTERMOST);
	caller_is(1, AT(SIGNED));
	caller_is(3, AT(LAST));
	regs.r[DWARF_RA] = AT(LAST) | SIGN;
	walk_from(AT(LEAF), 2, STACK_OUTERMOST);
	caller_is(1, AT(LAST));
}

Test(walk, callee_saved_registers_come_along)
{
	regs.r[DWARF_X19] = STACK + 64;
	words[1] = AT(X19);
	words[9] = AT(LAST);
	walk_from(AT(FRAMED), 3, STACK_OUTERMOST);
	cr_assert_eq(stack.used, 80);
}

/* Only the innermost frame, or one that a signal has interrupted, may have the same stack pointer
 * as its caller. */
Test(walk, advances)
{
	words[1] = AT(STUCK);
	words[3] = AT(STUCK);
	walk_from(AT(FRAMED), 2, STACK_NO_ADVANCE);
}

/* As _dl_runtime_resolve in glibc. */
Test(walk, a_return_address_above_the_cfa_is_of_what_was_pushed_before)
{
	words[1] = AT(FRAMED);
	words[3] = AT(LAST);
	walk_from(AT(ABOVE), 3, STACK_OUTERMOST);
	cr_assert_eq(stack.used, 48);
}

/* As __longjmp in glibc. */
Test(walk, a_cfa_that_is_a_jmp_buf_is_none)
{
	regs.r[DWARF_X0] = STACK + 8;
	words[12] = AT(LAST);
	walk_from(AT(BUFFER), 1, STACK_NO_UNWIND_INFO);
}

/* Puts the frame of a signal that has interrupted a leaf, from STACK + 32 on. */
static void put_signal_frame(void)
{
	uint64_t *x = &words[4 + IN_FRAME / 8];

	x[DWARF_X19] = STACK + 0x1000;
	x[DWARF_RA] = AT(X19) | SIGN;
	x[DWARF_SP] = STACK + 0x1000;
	x[DWARF_PC] = AT(LEAF);
	words[0x1008 / 8] = AT(LAST);
}

static void walk_through(uint64_t trampoline_pc)
{
	put_signal_frame();
	words[1] = trampoline_pc;
	walk_from(AT(FRAMED), 5, STACK_OUTERMOST);
	caller_is(1, trampoline_pc);
	cr_assert_eq(stack.frames[1].kind, FRAME_SIGNAL);
	caller_is(2, AT(LEAF));
	cr_assert_eq(stack.frames[2].kind, FRAME_SIGNAL);
	caller_is(3, AT(X19));
	cr_assert_eq(stack.frames[3].kind, FRAME_RETURN);
	caller_is(4, AT(LAST));
}

Test(walk, a_signal_by_the_vdso)
{
	walk_through(BIAS + VDSO + 4);
}
Test(walk, a_signal_by_a_trampoline_without_cfi)
{
	walk_through(BIAS + TRAMPOLINE + 4);
}

Test(walk, in_the_trampoline_itself)
{
	put_signal_frame();
	regs.r[DWARF_SP] = STACK + 32;
	walk_from(BIAS + VDSO + 4, 4, STACK_OUTERMOST);
	walk_from(BIAS + VDSO + 8, 4, STACK_OUTERMOST);
	caller_is(1, AT(LEAF));
	walk_from(BIAS + TRAMPOLINE + 8, 4, STACK_OUTERMOST);
	walk_from(BIAS + TRAMPOLINE + 12, 1, STACK_NO_UNWIND_INFO);
}

Test(walk, stubs_of_the_linker)
{
	words[1] = AT(LAST);
	walk_from(BIAS + PLT, 2, STACK_OUTERMOST);
	cr_assert_eq(stack.used, 0);
	for (uint64_t at = 4; at <= 16; at += 4) {
		walk_from(BIAS + PLT + at, 2, STACK_OUTERMOST);
		cr_assert_eq(stack.used, 16);
	}
	for (uint64_t at = 32; at < sizeof(plt) - 4; at += 4) {
		walk_from(BIAS + PLT + at, 2, STACK_OUTERMOST);
		cr_assert_eq(stack.used, 0);
	}
	walk_from(BIAS + PLT + 20, 1, STACK_NO_UNWIND_INFO);
}

Test(walk, a_call_to_nowhere)
{
	walk_from(0x10, 2, STACK_OUTERMOST);
	caller_is(1, AT(LAST));
	regs.unknown = 1u << DWARF_RA;
	walk_from(0x10, 1, STACK_NO_UNWIND_INFO);
}
