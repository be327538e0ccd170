/*
 * The walk through made-up memory and a made-up image, whose code has one kind of frame for each
 * range of addresses.
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
#include "unwind/managed.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/unwinder.h"
#include "tests/unit/unwind/cfi_bytes.h"

enum {
	BIAS = 0x400000,
	STACK = 0x7000,
	PLAIN = 0x1000,	 /* CFA rsp+16: 8 bytes of locals */
	RBP = 0x1100,	 /* CFA rbp+16, rbp saved at CFA-16 */
	LAST = 0x1200,	 /* outermost */
	SIGNAL = 0x1300, /* the interrupted pc at [rsp+8], its sp at [rsp+16] */
	STUCK = 0x1400,	 /* CFA rsp+0 */
	BARE = 0x1500,	 /* no CFI */
	PLT = 0x1600,	 /* CFA rsp+8, from the 11th byte of 16 on rsp+16 */
	R10 = 0x1700,	 /* CFA r10+8 */
	FAR = 0x1800,	 /* CFA rsp+16, rbx saved out of reach, r12 undefined */
	RBX = 0x1900,	 /* CFA rbx+16 */
	R12 = 0x1a00,	 /* CFA r12+16 */
	ENTRY = 0x1b00,	 /* where the kernel enters; no CFI */
	POPPED = 0x1c00, /* CFA rsp+0, the return address in rdi: glibc's vfork */
	IMAGE_END = 0x1d00,
};

static void put_eh_frame(struct buffer *b)
{
	size_t cie = put_cie(b, "zR"), signal;

	put_fde(b, cie, PLAIN, 0x100, CODE("\x0e\x10"));
	put_fde(b, cie, RBP, 0x100, CODE("\x0c\6\x10\x86\2"));
	put_fde(b, cie, LAST, 0x100, CODE("\x07\x10"));
	put_fde(b, cie, STUCK, 0x100, CODE("\x0e\0"));
	put_fde(b, cie, PLT, 0x100, CODE("\x0f\x0b\x77\x08\x80\0\x3f\x1a\x3b\x2a\x33\x24\x22"));
	put_fde(b, cie, R10, 0x100, CODE("\x0c\x0a\x08"));
	put_fde(b, cie, FAR, 0x100, CODE("\x0e\x10\x05\3\x80\x80\x80\2\x07\x0c"));
	put_fde(b, cie, RBX, 0x100, CODE("\x0c\3\x10"));
	put_fde(b, cie, R12, 0x100, CODE("\x0c\x0c\x10"));
	put_fde(b, cie, POPPED, 0x100, CODE("\x0e\0\x09\x10\5"));
	signal = put_cie(b, "zRS");
	/* CFA: breg7 16; deref. RA: expression breg7 8. */
	put_fde(b, signal, SIGNAL, 0x100, CODE("\x0f\3\x77\x10\x06\x10\x10\2\x77\x08"));
	put32(b, 0);
}

/* A file of one executable segment, its CFI found by PT_GNU_EH_FRAME. */
static struct image *make_image(void)
{
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_DYN,
			  .e_machine = MACHINE_ELF,
			  .e_version = EV_CURRENT,
			  .e_entry = ENTRY,
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
#ifdef __x86_64__
	memcpy(b.data + PLAIN + 0x40, "\xc3", 1);		  /* ret: a helper within */
	memcpy(b.data + PLAIN + 0x50, "\xe8\xeb\xff\xff\xff", 5); /* it is called */
	memcpy(b.data + LAST + 0x40, "\xe8\xbb\xfd\xff\xff", 5);  /* and this function, too */
	/* boost.context: push rbp; jmp *rbx; xor rdi,rdi; call _exit; hlt. The same, called. */
	memcpy(b.data + BARE + 0x40, "\x55\xff\xe3\x48\x31\xff\xe8\x10\0\0\0\xf4", 12);
	memcpy(b.data + BARE + 0x60, "\xff\xd3\x48\x31\xff\xe8\x10\0\0\0\xf4", 11);
#endif
	ph[0].p_filesz = ph[0].p_memsz = IMAGE_END;
	memcpy(b.data, &eh, sizeof(eh));
	memcpy(b.data + sizeof(eh), ph, sizeof(ph));
	cr_assert_eq(image_open_bytes(b.data, b.len, "/made/here", &image, NULL), 0);
	buffer_release(&b);
	return image;
}

static struct modmap *maps;
static struct unwinder *unwinder;
static struct stack stack;
static struct regs regs;
static struct memory_bytes memory;
static uint64_t words[1 << 18];

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
	regs.r[DWARF_RSP] = STACK;
}

static void tear_down(void)
{
	stack_release(&stack);
	unwinder_free(unwinder);
	modmap_free(maps);
}

static void walk_from(uint64_t pc, size_t frames, enum stack_end end)
{
	regs.r[DWARF_RIP] = pc;
	cr_assert_eq(unwinder_walk(unwinder, maps,
				   &(struct walk_from){ .regs = &regs, .memory = &memory.memory },
				   &stack),
		     0);
	cr_assert_eq(stack.count, frames, "%zu frames, end: %s", stack.count,
		     stack_end_name(stack.end));
	cr_assert_eq(stack.end, end, "%s", stack_end_name(stack.end));
}

#define AT(kind) (BIAS + (kind) + 0x10)

TestSuite(walk, .init = set_up, .fini = tear_down);

Test(walk, reaches_the_outermost_frame)
{
	words[1] = AT(PLAIN);
	words[3] = AT(LAST);
	walk_from(AT(PLAIN), 3, STACK_OUTERMOST);
	cr_assert_eq(stack.frames[0].kind, FRAME_PC);
	cr_assert_eq(stack.frames[1].kind, FRAME_RETURN);
	cr_assert_eq(stack.frames[1].addr, PLAIN + 0x10, "the return address as it stands");
	cr_assert_eq(stack.frames[2].addr, LAST + 0x10);
	cr_assert_eq(stack.used, 32);
	cr_assert_not(stack.switched);
}

Test(walk, a_return_address_of_zero_is_the_end)
{
	words[1] = 0;
	walk_from(AT(PLAIN), 1, STACK_OUTERMOST);
}

Test(walk, a_call_may_be_the_last_instruction)
{
	/* The return address is the first of the next function, which has other CFI. */
	words[1] = BIAS + RBP;
	words[3] = AT(LAST);
	walk_from(AT(PLAIN), 3, STACK_OUTERMOST);
	cr_assert_eq(stack.frames[1].addr, RBP);
}

Test(walk, carries_rbp_through_frames_that_do_not_use_it)
{
	regs.r[DWARF_RBP] = STACK + 0x40;
	words[1] = AT(RBP);
	words[8] = STACK + 0x80; /* saved rbp */
	words[9] = AT(RBP);
	words[16] = 0;
	words[17] = AT(LAST);
	walk_from(AT(PLAIN), 4, STACK_OUTERMOST);
}

Test(walk, through_a_signal_frame_to_the_interrupted_pc)
{
	words[1] = BIAS + SIGNAL + 1; /* handler's return address: the trampoline */
	words[3] = BIAS + PLAIN;      /* interrupted at a function's first instruction */
	words[4] = STACK + 0x100;
	words[33] = AT(LAST);
	walk_from(AT(PLAIN), 4, STACK_OUTERMOST);
	cr_assert_eq(stack.frames[1].kind, FRAME_SIGNAL);
	cr_assert_eq(stack.frames[2].kind, FRAME_SIGNAL);
	cr_assert_eq(stack.frames[2].addr, PLAIN, "exact, not minus 1");
	cr_assert_not(stack.switched);
}

Test(walk, through_a_signal_frame_to_a_lower_stack)
{
	regs.r[DWARF_RSP] = STACK + 0x1000;
	words[0x200 + 1] = BIAS + SIGNAL + 1;
	words[0x200 + 3] = AT(PLAIN);
	words[0x200 + 4] = STACK;
	words[1] = AT(LAST);
	walk_from(AT(PLAIN), 4, STACK_OUTERMOST);
	cr_assert(stack.switched);
	cr_assert_eq(stack.used, 16);
}

Test(walk, ends_when_the_copy_ends)
{
	memory_bytes_init(&memory, words, STACK, 16);
	memory.more = 4096;
	words[1] = AT(PLAIN);
	walk_from(AT(PLAIN), 2, STACK_COPY_EXHAUSTED);
	memory.more = 0;
	walk_from(AT(PLAIN), 2, STACK_MEMORY_UNREADABLE);
}

Test(walk, ends_without_cfi)
{
	words[1] = AT(BARE);
	walk_from(AT(PLAIN), 2, STACK_NO_UNWIND_INFO);
	words[1] = 0x123456789000;
	walk_from(AT(PLAIN), 2, STACK_NO_UNWIND_INFO);
	cr_assert_null(stack.frames[1].image);
	cr_assert_eq(stack.frames[1].addr, 0x123456789000);
}

#ifdef __x86_64__
/* As in LuaJIT's interpreter, which is one function for its maker. */
Test(walk, cfi_is_wrong_in_a_helper_that_is_called)
{
	uint64_t helper = BIAS + PLAIN + 0x40, called = BIAS + PLAIN + 0x55,
		 outer = BIAS + LAST + 0x45;
	static const uint64_t junk[] = { 0, 0x123456789000, BIAS + LAST + 0x10 };

	for (size_t i = 0; i < 3; i++) {
		words[0] = called;
		words[1] = junk[i]; /* where the return address would be by CFI */
		words[2] = outer;
		walk_from(helper, 3, STACK_OUTERMOST);
		cr_assert_eq(stack.pcs[1], called);
		cr_assert_eq(stack.frames[1].source, FRAME_BY_CODE);
		cr_assert_eq(stack.pcs[2], outer);
		cr_assert_eq(stack.frames[2].source, FRAME_BY_CFI);
	}
}

/* -fsplit-stack keeps the caller's stack pointer in rbp, and may have made a stack above. */
Test(walk, goes_on_below_where_a_call_led_to_a_stack_above)
{
	regs.r[DWARF_RSP] = STACK + 0x10000;
	regs.r[DWARF_RBP] = STACK + 8 * 4;
	words[5] = BIAS + LAST + 0x45;
	walk_from(AT(RBP), 2, STACK_OUTERMOST);
	cr_assert(stack.switched);
	words[5] = AT(LAST); /* behind no call */
	walk_from(AT(RBP), 1, STACK_NO_ADVANCE);
	regs.r[DWARF_RSP] = STACK;
}

Test(walk, an_address_that_was_put_there_to_end_is_outermost)
{
	words[1] = BIAS + BARE + 0x43;
	words[2] = 1;
	walk_from(AT(PLAIN), 2, STACK_OUTERMOST);
	cr_assert(stack.made);
	words[1] = BIAS + BARE + 0x62; /* a call leads there: its function has a caller */
	walk_from(AT(PLAIN), 2, STACK_NO_UNWIND_INFO);
}

Test(walk, cfi_holds_where_the_code_does_not_say_otherwise)
{
	words[0] = 0;
	words[1] = AT(LAST); /* behind no call: made up */
	walk_from(BIAS + PLAIN + 0x40, 2, STACK_OUTERMOST);
	cr_assert_eq(stack.frames[1].source, FRAME_BY_CFI);
	words[1] = 0;
	walk_from(BIAS + PLAIN + 0x40, 1, STACK_OUTERMOST);
}
#endif

Test(walk, ends_when_it_does_not_advance)
{
	words[0] = AT(STUCK);
	regs.r[DWARF_RSP] = STACK + 8;
	words[0] = AT(STUCK);
	walk_from(AT(STUCK), 1, STACK_NO_ADVANCE);
}

Test(walk, a_return_address_in_a_register_and_nothing_on_the_stack)
{
	regs.r[DWARF_RDI] = AT(PLAIN);
	words[1] = AT(LAST);
	walk_from(AT(POPPED), 3, STACK_OUTERMOST);
	cr_assert_eq(stack.frames[1].addr, PLAIN + 0x10);
	cr_assert_eq(stack.used, 16);

	/* A caller's frame cannot be like that: the walk would go on for ever. */
	words[1] = AT(POPPED);
	walk_from(AT(PLAIN), 2, STACK_NO_UNWIND_INFO);
	words[1] = AT(STUCK);
	words[2] = AT(STUCK);
	walk_from(AT(PLAIN), 2, STACK_NO_ADVANCE);

	/* While a thread waits in vfork, rdi is known, as the arguments of a call are. */
	regs.unknown = ~(1u << DWARF_RIP | 1u << DWARF_RSP);
	words[1] = AT(LAST);
	walk_from(AT(POPPED), 1, STACK_NO_UNWIND_INFO);
	cr_assert(stack.lacked);
	regs.unknown &= ~(1u << DWARF_RDI);
	walk_from(AT(POPPED), 3, STACK_OUTERMOST);
}

Test(walk, signal_frames_that_lead_to_one_another_end)
{
	words[1] = BIAS + SIGNAL + 1;
	words[2] = STACK; /* its sp is its own */
	regs.r[DWARF_RIP] = BIAS + SIGNAL;
	cr_assert_eq(unwinder_walk(unwinder, maps,
				   &(struct walk_from){ .regs = &regs, .memory = &memory.memory },
				   &stack),
		     0);
	cr_assert_eq(stack.end, STACK_NO_ADVANCE);
	cr_assert(stack.count < 100);
}

Test(walk, a_call_through_a_bad_pointer_has_a_caller)
{
	words[0] = AT(PLAIN);
	words[2] = AT(LAST);
	walk_from(0, 3, STACK_OUTERMOST);
	cr_assert_null(stack.frames[0].image);
	cr_assert_eq(stack.frames[1].addr, PLAIN + 0x10);
}

Test(walk, has_no_fixed_depth)
{
	size_t n = sizeof(words) / sizeof(*words);

	for (size_t i = 1; i < n; i += 2)
		words[i] = AT(PLAIN);
	words[n - 1] = AT(LAST);
	walk_from(AT(PLAIN), n / 2 + 1, STACK_OUTERMOST);
}

Test(walk, drops_its_contents_when_the_maps_change)
{
	struct mapping other = { .start = 0x10000000,
				 .end = 0x10001000,
				 .image = image_open_none("/other") };

	words[1] = AT(LAST);
	walk_from(AT(PLAIN), 2, STACK_OUTERMOST);
	words[1] = 0x10000800;
	walk_from(AT(PLAIN), 2, STACK_NO_UNWIND_INFO);
	cr_assert_null(stack.frames[1].image);
	cr_assert_eq(modmap_add(maps, &other), 0);
	walk_from(AT(PLAIN), 2, STACK_NO_UNWIND_INFO);
	cr_assert_eq(stack.frames[1].image, other.image);
}

Test(walk, by_an_expression_as_the_plt_has_it)
{
	words[0] = words[1] = AT(LAST);
	walk_from(BIAS + PLT + 0x10 + 10, 2, STACK_OUTERMOST);
	cr_assert_eq(stack.used, 8);
	walk_from(BIAS + PLT + 0x10 + 11, 2, STACK_OUTERMOST);
	cr_assert_eq(stack.used, 16);
}

Test(walk, has_all_registers_only_where_the_thread_stopped)
{
	regs.r[10] = STACK;
	words[0] = AT(PLAIN);
	words[2] = AT(R10);
	walk_from(AT(R10), 3, STACK_NO_UNWIND_INFO);
	cr_assert_eq(stack.frames[2].addr, R10 + 0x10);
}

Test(walk, does_not_use_a_register_that_was_lost)
{
	regs.r[DWARF_RBX] = regs.r[DWARF_R12] = STACK + 0x100;
	words[33] = AT(LAST);
	words[1] = AT(RBX);
	walk_from(AT(PLAIN), 3, STACK_OUTERMOST);
	walk_from(AT(FAR), 2, STACK_NO_UNWIND_INFO); /* where it is saved cannot be read */
	words[1] = AT(R12);
	walk_from(AT(PLAIN), 3, STACK_OUTERMOST);
	walk_from(AT(FAR), 2, STACK_NO_UNWIND_INFO); /* undefined */
}

Test(walk, what_the_kernel_enters_has_no_caller)
{
	walk_from(BIAS + ENTRY, 1, STACK_OUTERMOST);
	words[1] = AT(ENTRY);
	walk_from(AT(PLAIN), 2, STACK_OUTERMOST);
	walk_from(BIAS + ENTRY + 64, 1, STACK_NO_UNWIND_INFO);
}

Test(walk, a_bad_call_that_was_interrupted_has_a_caller_too)
{
	words[1] = BIAS + SIGNAL + 1;
	words[3] = 0x10; /* a jump to an invalid address: SIGSEGV */
	words[4] = STACK + 0x100;
	words[32] = AT(PLAIN);
	words[34] = AT(LAST);
	walk_from(AT(PLAIN), 5, STACK_OUTERMOST);
	cr_assert_null(stack.frames[2].image);
	cr_assert_eq(stack.frames[2].kind, FRAME_SIGNAL);
	cr_assert_eq(stack.frames[3].kind, FRAME_RETURN);
	cr_assert_eq(stack.frames[3].addr, PLAIN + 0x10);
}

/* Memory that has the same word everywhere. */
struct sea {
	struct memory memory;
	uint64_t word;
};

static int read_sea(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	(void)addr;
	memcpy(buf, &((const struct sea *)m)->word, len);
	return 0;
}

Test(walk, without_end_is_ended)
{
	struct sea sea = { { .read = read_sea }, AT(PLAIN) };

	regs.r[DWARF_RIP] = AT(PLAIN);
	cr_assert_eq(unwinder_walk(unwinder, maps,
				   &(struct walk_from){ .regs = &regs, .memory = &sea.memory },
				   &stack),
		     0);
	cr_assert_eq(stack.end, STACK_TOO_MANY_FRAMES);
	cr_assert_eq(stack.count, 1 << 20);
}

Test(walk, a_large_frame_is_not_another_stack)
{
	struct sea sea = { { .read = read_sea }, AT(LAST) };

	regs.r[DWARF_RIP] = AT(RBP);
	regs.r[DWARF_RBP] = STACK + (3 << 20);
	cr_assert_eq(unwinder_walk(unwinder, maps,
				   &(struct walk_from){ .regs = &regs, .memory = &sea.memory },
				   &stack),
		     0);
	cr_assert_eq(stack.end, STACK_OUTERMOST);
	cr_assert_eq(stack.used, (3 << 20) + 16);
	cr_assert_not(stack.switched);
}

Test(walk, an_address_at_the_end_of_the_address_space)
{
	regs.r[DWARF_RSP] = UINT64_MAX - 7;
	walk_from(AT(PLAIN), 1, STACK_MEMORY_UNREADABLE);
	walk_from(UINT64_MAX, 1, STACK_MEMORY_UNREADABLE);
}

Test(walk, tells_what_its_table_is_like)
{
	const struct mapping *range = modmap_find(maps, BIAS + PLAIN);
	struct unwind_table_info info;

	unwinder_table_info(unwinder, range->image, &info);
	cr_assert_eq(info.table.rows, 0, "never met");
	walk_from(AT(LAST), 1, STACK_OUTERMOST);
	unwinder_table_info(unwinder, range->image, &info);
	cr_assert_gt(info.table.rows, 10);
	cr_assert_eq(info.table.rules, 11);
	cr_assert_eq(info.table.broken, 0);
	cr_assert_gt(info.table.bytes, 6 * info.table.rows);
}

Test(stack, ends_have_names)
{
	for (int i = 0; i <= STACK_ENDS; i++)
		for (int j = 0; j < i; j++)
			cr_assert_str_neq(stack_end_name((enum stack_end)i),
					  stack_end_name((enum stack_end)j));
}

/* A runtime whose code at BARE is a copy of PLAIN's. */
static int step_from_copy(struct managed_walker *m, struct walk *w, enum frame_kind *kind,
			  struct managed_frame *frame)
{
	(void)m;
	if (w->regs.r[DWARF_RIP] != AT(BARE))
		return MANAGED_PASS;
	frame->code = 1;
	w->original.image = w->at->image;
	w->original.addr = PLAIN + 0x10;
	w->regs.r[DWARF_RIP] = AT(BARE) + 1;
	w->regs.r[DWARF_RSP] += 16;
	*kind = FRAME_RETURN;
	return STEP_ON;
}

Test(walk, code_that_is_a_copy_is_shown_as_its_original)
{
	struct managed_walker walker = { step_from_copy };
	struct walk_from from = { .regs = &regs, .memory = &memory.memory, .managed = &walker };

	regs.r[DWARF_RIP] = AT(BARE);
	cr_assert_eq(unwinder_walk(unwinder, maps, &from, &stack), 0);
	cr_assert_geq(stack.count, 2);
	cr_assert_eq(stack.frames[0].addr, PLAIN + 0x10);
	cr_assert_eq(stack.pcs[0], AT(BARE));
	cr_assert_eq(stack.frames[1].addr, BARE + 0x11, "of this one nothing was said");
	cr_assert_eq(stack.managed_count, 1);
}
