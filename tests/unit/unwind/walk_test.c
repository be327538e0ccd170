/*
 * The walk through memory that does not exist: an image made here, whose code
 * has one kind of frame for each range of addresses.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "target/image.h"
#include "target/memory.h"
#include "target/modmap.h"
#include "unwind/regs.h"
#include "unwind/stack.h"
#include "unwind/unwinder.h"

enum {
	BIAS = 0x400000,
	STACK = 0x7000,
	PLAIN = 0x1000,	  /* CFA rsp+16: 8 bytes of locals */
	RBP = 0x1100,	  /* CFA rbp+16, rbp saved at CFA-16 */
	LAST = 0x1200,	  /* nobody called it */
	SIGNAL = 0x1300,  /* the interrupted pc at [rsp+8], its sp at [rsp+16] */
	STUCK = 0x1400,	  /* CFA rsp+0 */
	BARE = 0x1500,	  /* no CFI */
	IMAGE_END = 0x1600,
};

static void put32(struct buffer *b, uint32_t v)
{
	buffer_add(b, &v, 4);
}

static void finish(struct buffer *b, size_t start)
{
	uint32_t len;

	while ((b->len - start) % 8 != 4)
		buffer_add(b, "", 1);
	len = (uint32_t)(b->len - start - 4);
	memcpy(b->data + start, &len, 4);
}

static size_t put_cie(struct buffer *b, const char *augmentation)
{
	size_t start = b->len;

	put32(b, 0);
	put32(b, 0);
	buffer_add(b, "\1", 1);
	buffer_add(b, augmentation, strlen(augmentation) + 1);
	buffer_add(b, "\1\x78\x10\1\x04\x0c\7\x08\x90\1", 10);
	finish(b, start);
	return start;
}

static void put_fde(struct buffer *b, size_t cie, uint64_t pc, const char *code, size_t len)
{
	uint64_t range[2] = { pc, 0x100 };
	size_t start = b->len;

	put32(b, 0);
	put32(b, (uint32_t)(b->len - cie));
	buffer_add(b, range, sizeof(range));
	buffer_add(b, "", 1);
	buffer_add(b, code, len);
	finish(b, start);
}

#define CODE(text) text, sizeof(text) - 1

static void put_eh_frame(struct buffer *b)
{
	size_t cie = put_cie(b, "zR"), signal;

	put_fde(b, cie, PLAIN, CODE("\x0e\x10"));
	put_fde(b, cie, RBP, CODE("\x0c\6\x10\x86\2"));
	put_fde(b, cie, LAST, CODE("\x07\x10"));
	put_fde(b, cie, STUCK, CODE("\x0e\0"));
	signal = put_cie(b, "zRS");
	/* CFA: breg7 16; deref. RA: expression breg7 8. */
	put_fde(b, signal, SIGNAL, CODE("\x0f\3\x77\x10\x06\x10\x10\2\x77\x08"));
	put32(b, 0);
}

/* A file of one executable segment, entered nowhere, found by PT_GNU_EH_FRAME. */
static struct image *make_image(void)
{
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			  .e_phoff = sizeof(eh), .e_ehsize = sizeof(eh),
			  .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2 };
	Elf64_Phdr ph[2] = { { .p_type = PT_LOAD, .p_flags = PF_R | PF_X },
			     { .p_type = PT_GNU_EH_FRAME, .p_vaddr = 0x800, .p_offset = 0x800,
			       .p_filesz = 8, .p_memsz = 8, .p_flags = PF_R } };
	struct buffer b = { 0 };
	struct image *image;

	buffer_reserve(&b, IMAGE_END);
	memset(b.data, 0, IMAGE_END);
	b.len = 0x800;
	buffer_add(&b, "\1\x1b\xff\xff\4\0\0\0", 8); /* eh_frame_ptr: right behind */
	put_eh_frame(&b);
	b.len = IMAGE_END;
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
static uint64_t words[1 << 16];

static void set_up(void)
{
	struct mapping range = { .start = BIAS, .end = BIAS + IMAGE_END, .bias = BIAS,
				 .image = make_image() };

	cr_assert_eq(modmap_new(&maps, NULL), 0);
	cr_assert_eq(modmap_add(maps, &range), 0);
	cr_assert_eq(unwinder_new(&unwinder), 0);
	stack_init(&stack);
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
	cr_assert_eq(unwinder_walk(unwinder, maps, &regs, &memory.memory, &stack), 0);
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

Test(walk, ends_when_it_does_not_advance)
{
	words[0] = AT(STUCK);
	regs.r[DWARF_RSP] = STACK + 8;
	words[0] = AT(STUCK);
	walk_from(AT(STUCK), 1, STACK_NO_ADVANCE);
}

Test(walk, signal_frames_that_lead_to_one_another_end)
{
	words[1] = BIAS + SIGNAL + 1;
	words[2] = STACK; /* its sp is its own */
	regs.r[DWARF_RIP] = BIAS + SIGNAL;
	cr_assert_eq(unwinder_walk(unwinder, maps, &regs, &memory.memory, &stack), 0);
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

Test(walk, forgets_what_it_knew_when_the_maps_change)
{
	struct mapping other = { .start = 0x10000000, .end = 0x10001000,
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
