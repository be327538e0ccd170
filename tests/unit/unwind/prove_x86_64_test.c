/*
 * Walks from pc and sp only, as of a thread that waits: callers that are proven, and words on the
 * stack that must not be taken for one.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <string.h>

#include "base/buffer.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/unwinder.h"
#include "tests/unit/unwind/cfi_bytes.h"

enum {
	BIAS = 0x400000,
	STACK = 0x7000,
	FRAMED = 0x1000,  /* push rbp; mov rsp,rbp; sub $32,rsp; syscall; … */
	CALLER = 0x1100,  /* call FRAMED */
	POINTER = 0x1200, /* call *rax */
	OTHER = 0x1300,	  /* call LEAF, which has no jump to FRAMED */
	LEAF = 0x1400,
	TAIL = 0x1500,	   /* jmp FRAMED */
	TAILCALL = 0x1600, /* call TAIL */
	STUB = 0x1700,	   /* jmp *(rip), without CFI */
	STUBCALL = 0x1800, /* call STUB */
	ALIGNED = 0x1900,  /* the frame is aligned to 64 bytes */
	ALIGNCALL = 0x1a00,
	LAST = 0x1b00,	   /* outermost */
	VARIABLE = 0x1c00, /* a frame of unknown size */
	VARIABLECALL = 0x1d00,
	SIGNAL = 0x1e00, /* the trampoline; the interrupted pc at [rsp+8], its sp at [rsp+16] */
	IMAGE_END = 0x1f00,
	FRAMED_WORDS = 4,
	IN_FRAMED = FRAMED + 10, /* behind the system call */
};

static struct modmap *maps;
static struct unwinder *unwinder;
static struct stack stack;
static struct regs regs;
static struct memory_bytes memory;
static uint64_t words[64];
static struct buffer file;

static void put_code(size_t at, const char *bytes, size_t len)
{
	memcpy(file.data + at, bytes, len);
}

/* A call of `to`, at `at`. */
static void put_call(size_t at, size_t to)
{
	int32_t distance = (int32_t)(to - at - 5);

	put_code(at, CODE("\xe8"));
	memcpy(file.data + at + 1, &distance, sizeof(distance));
	put_code(at + 5, CODE("\xc3"));
}

static void put_all_code(void)
{
	put_code(FRAMED, CODE("\x55\x48\x89\xe5\x48\x83\xec\x20\x0f\x05\xc9\xc3"));
	put_call(CALLER, FRAMED);
	put_code(POINTER, CODE("\xff\xd0\xc3"));
	put_call(OTHER, LEAF);
	put_code(LEAF, CODE("\xc3"));
	put_call(TAIL, FRAMED);
	put_code(TAIL, CODE("\xe9")); /* a jump instead */
	put_call(TAILCALL, TAIL);
	put_code(STUB, CODE("\xff\x25\0\0\0\0"));
	put_call(STUBCALL, STUB);
	put_code(ALIGNED, CODE("\x55\x48\x89\xe5\x48\x83\xe4\xc0\x0f\x05\xc9\xc3"));
	put_call(ALIGNCALL, ALIGNED);
	put_code(VARIABLE, CODE("\x55\x48\x89\xe5\x48\x29\xc4\x0f\x05\xc9\xc3"));
	put_call(VARIABLECALL, VARIABLE);
}

#define BY_RBP CODE("\x41\x0e\x10\x86\2\x43\x0d\6")

static void put_eh_frame(struct buffer *b)
{
	static const uint64_t plain[] = { CALLER,   POINTER,  OTHER,	 LEAF,	      TAIL,
					  TAILCALL, STUBCALL, ALIGNCALL, VARIABLECALL };
	size_t cie = put_cie(b, "zR"), signal;

	put_fde(b, cie, FRAMED, 12, BY_RBP);
	put_fde(b, cie, ALIGNED, 12, BY_RBP);
	put_fde(b, cie, VARIABLE, 11, BY_RBP);
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		put_fde(b, cie, plain[i], 6, CODE(""));
	put_fde(b, cie, LAST, 0x100, CODE("\x07\x10"));
	signal = put_cie(b, "zRS");
	put_fde(b, signal, SIGNAL, 0x100, CODE("\x0f\3\x77\x10\x06\x10\x10\2\x77\x08"));
	put32(b, 0);
}

/* A file of one executable segment, its CFI found by PT_GNU_EH_FRAME. */
static struct image *make_image(void)
{
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_DYN,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(eh),
			  .e_ehsize = sizeof(eh),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 2 };
	Elf64_Phdr ph[2] = { { .p_type = PT_LOAD,
			       .p_flags = PF_R | PF_X,
			       .p_filesz = IMAGE_END,
			       .p_memsz = IMAGE_END },
			     { .p_type = PT_GNU_EH_FRAME,
			       .p_vaddr = 0x800,
			       .p_offset = 0x800,
			       .p_filesz = 8,
			       .p_memsz = 8,
			       .p_flags = PF_R } };
	struct image *image;

	buffer_reserve(&file, IMAGE_END);
	memset(file.data, 0xcc, IMAGE_END);
	file.len = 0x800;
	buffer_add(&file, "\1\x1b\xff\xff\4\0\0\0", 8); /* eh_frame_ptr: right after it */
	put_eh_frame(&file);
	cr_assert_lt(file.len, FRAMED);
	file.len = IMAGE_END;
	put_all_code();
	memcpy(file.data, &eh, sizeof(eh));
	memcpy(file.data + sizeof(eh), ph, sizeof(ph));
	cr_assert_eq(image_open_bytes(file.data, file.len, "/made/here", &image, NULL), 0);
	return image;
}

static void set_up(void)
{
	struct mapping range = { .start = BIAS, .end = BIAS + IMAGE_END, .bias = BIAS };

	range.image = make_image();
	cr_assert_eq(modmap_new(&maps, NULL), 0);
	cr_assert_eq(modmap_add(maps, &range), 0);
	cr_assert_eq(unwinder_new(&unwinder), 0);
	stack = (struct stack){ 0 };
	memory_bytes_init(&memory, words, STACK, sizeof(words));
	regs.r[DWARF_RSP] = STACK;
	regs.unknown = ~(uint32_t)CALLER_KNOWS;
}

static void tear_down(void)
{
	stack_release(&stack);
	unwinder_free(unwinder);
	modmap_free(maps);
	buffer_release(&file);
}

static void walk_from(uint64_t pc, size_t frames, enum stack_end end)
{
	regs.r[DWARF_RIP] = BIAS + pc;
	cr_assert_eq(unwinder_walk(unwinder, maps,
				   &(struct walk_from){ .regs = &regs, .memory = &memory.memory },
				   &stack),
		     0);
	cr_assert_eq(stack.count, frames, "%zu frames, end: %s", stack.count,
		     stack_end_name(stack.end));
	cr_assert_eq(stack.end, end, "%s", stack_end_name(stack.end));
	cr_assert_eq(stack.lacked, end == STACK_NO_UNWIND_INFO);
}

/* FRAMED's return address is behind the instruction of `len` bytes at `caller`. */
static void framed_returns_to(size_t caller, size_t len)
{
	words[FRAMED_WORDS] = 0x1234; /* the caller's rbp, of which nothing can be said */
	words[FRAMED_WORDS + 1] = BIAS + caller + len;
	words[FRAMED_WORDS + 2] = BIAS + LAST + 1;
}

TestSuite(prove, .init = set_up, .fini = tear_down);

Test(prove, the_caller_that_names_it)
{
	framed_returns_to(CALLER, 5);
	walk_from(IN_FRAMED, 3, STACK_OUTERMOST);
	cr_assert_eq(stack.frames[1].addr, CALLER + 5);
	cr_assert_eq(stack.frames[1].source, FRAME_BY_CFI);
	cr_assert_eq(stack.sps[1], STACK + 8 * (FRAMED_WORDS + 2));
	walk_from(IN_FRAMED, 3, STACK_OUTERMOST); /* as it was found out before */
}

Test(prove, a_call_by_pointer)
{
	framed_returns_to(POINTER, 2);
	walk_from(IN_FRAMED, 3, STACK_OUTERMOST);
}

Test(prove, a_tail_call_between)
{
	framed_returns_to(TAILCALL, 5);
	walk_from(IN_FRAMED, 3, STACK_OUTERMOST);
}

Test(prove, a_call_of_a_stub)
{
	framed_returns_to(STUBCALL, 5);
	walk_from(IN_FRAMED, 3, STACK_OUTERMOST);
}

Test(prove, not_the_caller_of_another_function)
{
	framed_returns_to(OTHER, 5);
	walk_from(IN_FRAMED, 1, STACK_NO_UNWIND_INFO);
}

Test(prove, not_what_follows_no_call)
{
	framed_returns_to(CALLER, 4);
	walk_from(IN_FRAMED, 1, STACK_NO_UNWIND_INFO);
	words[FRAMED_WORDS + 1] = STACK + 8;
	walk_from(IN_FRAMED, 1, STACK_NO_UNWIND_INFO);
	words[FRAMED_WORDS + 1] = 0;
	walk_from(IN_FRAMED, 1, STACK_NO_UNWIND_INFO);
}

Test(prove, not_a_return_address_one_word_off)
{
	framed_returns_to(CALLER, 5);
	words[FRAMED_WORDS] = words[FRAMED_WORDS + 2] = words[FRAMED_WORDS + 1];
	words[FRAMED_WORDS + 1] = 0;
	walk_from(IN_FRAMED, 1, STACK_NO_UNWIND_INFO);
}

Test(prove, a_handler_returns_to_its_trampoline)
{
	words[FRAMED_WORDS + 1] = BIAS + SIGNAL + 1;
	words[FRAMED_WORDS + 3] = BIAS + LAST;
	words[FRAMED_WORDS + 4] = STACK + 0x100;
	walk_from(IN_FRAMED, 3, STACK_OUTERMOST);
	cr_assert_eq(stack.frames[1].kind, FRAME_SIGNAL);
}

/* The CFA is one of four addresses: sp is what lies below it, aligned. */
Test(prove, the_only_return_address_above_an_aligned_frame)
{
	words[0] = words[1] = words[2] = 7;
	words[5] = BIAS + ALIGNCALL + 5; /* the CFA is STACK + 48 */
	words[6] = BIAS + LAST + 1;
	walk_from(ALIGNED + 10, 3, STACK_OUTERMOST);
	cr_assert_eq(stack.sps[1], STACK + 48);
}

Test(prove, not_one_of_two_above_an_aligned_frame)
{
	words[3] = words[5] = BIAS + ALIGNCALL + 5;
	words[4] = words[6] = BIAS + LAST + 1;
	walk_from(ALIGNED + 10, 1, STACK_NO_UNWIND_INFO);
	words[3] = BIAS + POINTER + 2;
	walk_from(ALIGNED + 10, 1, STACK_NO_UNWIND_INFO);
}

Test(prove, no_frame_that_is_not_aligned_as_its_code_says)
{
	regs.r[DWARF_RSP] = STACK + 16;
	words[7] = BIAS + ALIGNCALL + 5;
	words[8] = BIAS + LAST + 1;
	walk_from(ALIGNED + 10, 1, STACK_NO_UNWIND_INFO);
}

Test(prove, no_frame_of_unknown_size)
{
	words[1] = BIAS + VARIABLECALL + 5;
	words[2] = BIAS + LAST + 1;
	walk_from(VARIABLE + 9, 1, STACK_NO_UNWIND_INFO);
}
