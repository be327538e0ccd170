/*
 * What code has done to its frame, in made-up functions: what is known at a place, and above all
 * what must not be.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "unwind/code/codebytes.h"
#include "unwind/code/framestate.h"
#include "tests/fuzz/codeelf.h"
#include "tests/unit/unwind/cfi_bytes.h"

enum { BIAS = 0x400000, START = 0x1000, SIZE = 0x1000 };

static uint8_t code[SIZE];
static size_t len;
static struct cfi_table *table;
static struct modmap *maps;
static struct codebytes *bytes;
static struct framestate state;

static void set_up(void)
{
	len = 0;
	table = NULL;
	maps = NULL;
}

static void tear_down(void)
{
	cfi_table_free(table);
	modmap_free(maps);
	free(bytes);
}

/* Appends instructions. Returns the offset behind them. */
static size_t put(const char *text, size_t size)
{
	memcpy(code + len, text, size);
	len += size;
	return len;
}

#define PUT(text) put(CODE(text))

/* Makes the function's CFI, given what follows its usual beginning, and its image. */
static void finish(const char *cfi, size_t cfi_len)
{
	static uint8_t file[START + SIZE];
	struct mapping range = { .start = BIAS, .end = BIAS + START + len, .bias = BIAS };
	struct cfi_section section = { .vaddr = 0, .eh_frame = true, .ident = ident };
	struct buffer b = { 0 };

	put_fde(&b, put_cie(&b, "zR"), START, len, cfi, cfi_len);
	put32(&b, 0);
	section.data = (const uint8_t *)b.data;
	section.len = b.len;
	cr_assert_eq(cfi_table_compile(&section, 1, START, START + len, &table, NULL), 0);
	buffer_release(&b);
	make_code_elf(file, START, code, len);
	cr_assert_eq(image_open_bytes(file, START + len, "/made/here", &range.image, NULL), 0);
	cr_assert_eq(modmap_new(&maps, NULL), 0);
	cr_assert_eq(modmap_add(maps, &range), 0);
	bytes = calloc(1, sizeof(*bytes));
	codebytes_begin(bytes, maps);
}

/* push rbp; mov rsp,rbp: the CFA is rbp+16 from the fourth byte on. */
static void finish_framed(void)
{
	finish(CODE("\x41\x0e\x10\x86\2\x43\x0d\6"));
}

static bool look_where(size_t at, bool behind_call, bool lands)
{
	struct framestate_place place = { .table = table,
					  .bias = BIAS,
					  .start = BIAS + START,
					  .end = BIAS + START + len,
					  .pc = BIAS + START + at,
					  .behind_call = behind_call,
					  .lands = lands };

	return framestate_find(bytes, &place, &state);
}

static bool look(size_t at, bool behind_call)
{
	return look_where(at, behind_call, true);
}

static bool knows(unsigned reg)
{
	return (state.from_cfa | state.from_aligned) >> reg & 1;
}

/* At the offset, rbp and sp lie so many bytes below the CFA. */
static void expect(size_t at, bool behind_call, int32_t sp)
{
	cr_assert(look(at, behind_call), "at %zu", at);
	cr_assert(state.from_cfa >> DWARF_RSP & 1, "at %zu", at);
	cr_assert(state.from_cfa >> DWARF_RBP & 1, "at %zu", at);
	cr_assert_eq(state.distance[DWARF_RSP], -sp, "%d", state.distance[DWARF_RSP]);
	cr_assert_eq(state.distance[DWARF_RBP], -16);
}

/* At the offset, sp is not known. */
static void expect_nothing(size_t at, bool behind_call)
{
	cr_assert(!look(at, behind_call) || !knows(DWARF_RSP), "at %zu: %d", at,
		  state.distance[DWARF_RSP]);
}

#define FRAME "\x55\x48\x89\xe5"  /* push rbp; mov rsp,rbp */
#define SUB_24 "\x48\x83\xec\x18" /* sub $24,rsp */
#define CALL "\xe8\0\1\0\0"	  /* to elsewhere */
#define LEAVE "\xc9\xc3"	  /* leave; ret */
#define ALLOCA "\x48\x29\xc4"	  /* sub rax,rsp */

TestSuite(framestate, .init = set_up, .fini = tear_down);

Test(framestate, behind_a_call_in_the_body)
{
	size_t ra = PUT(FRAME "\x53" SUB_24 CALL);

	PUT(LEAVE);
	finish_framed();
	expect(ra, true, 16 + 8 + 24);
}

Test(framestate, at_each_instruction_of_a_wrapper_of_a_system_call)
{
	size_t at = PUT(FRAME "\x48\x83\xec\x20\x0f\x05");

	PUT(LEAVE);
	finish_framed();
	expect(at, false, 16 + 32);
	expect(4, false, 16);
	cr_assert_not(look(5, false), "within an instruction");
	cr_assert_not(look(at, true),
		      "no call that leaves a return address, but one that ends there");
}

Test(framestate, what_was_allocated_is_not_known)
{
	size_t before = PUT(FRAME SUB_24 CALL), after = PUT(ALLOCA CALL);

	PUT(LEAVE);
	finish_framed();
	expect(before, true, 16 + 24);
	expect_nothing(after, true);
	cr_assert(state.from_cfa >> DWARF_RBP & 1);
}

Test(framestate, nor_where_one_way_has_allocated)
{
	/* je +3; alloca; call */
	size_t after = PUT(FRAME SUB_24 "\x74\x03" ALLOCA CALL);

	PUT(LEAVE);
	finish_framed();
	expect_nothing(after, true);
}

Test(framestate, nor_where_a_later_part_jumps_back)
{
	size_t first = PUT(FRAME SUB_24 CALL), back;

	PUT(ALLOCA);
	back = PUT("\xeb\xf6"); /* to the call */
	finish_framed();
	cr_assert_eq(back - 10, first - 5);
	expect_nothing(first, true);
}

Test(framestate, rsp_is_known_again_by_rbp)
{
	size_t ra = PUT(FRAME ALLOCA CALL "\x48\x8d\x65\xf0" CALL); /* lea -16(rbp),rsp */

	PUT(LEAVE);
	finish_framed();
	expect(ra, true, 32);
}

Test(framestate, both_ways_alike)
{
	/* je: push rbx; pop rbx */
	size_t ra = PUT(FRAME SUB_24 "\x74\x02\x53\x5b" CALL);

	PUT(LEAVE);
	finish_framed();
	expect(ra, true, 40);
}

Test(framestate, a_case_that_no_jump_names)
{
	/* jmp *(,rax,8); the cases follow */
	size_t ra = PUT(FRAME SUB_24 "\xff\x24\xc5\0\0\0\0" CALL);

	PUT(LEAVE);
	finish_framed();
	expect(ra, true, 40);
}

Test(framestate, a_switch_behind_alloca_spoils_all)
{
	size_t ra = PUT(FRAME SUB_24 "\x74\x0a" ALLOCA "\xff\x24\xc5\0\0\0\0" CALL);

	PUT(LEAVE);
	finish_framed();
	expect_nothing(ra, true);
}

Test(framestate, a_landing_behind_calls_of_different_depths)
{
	/* call; push rax; call; ret; then code that nothing names */
	size_t deep = PUT(FRAME SUB_24 CALL "\x50" CALL), landing;

	PUT(LEAVE);
	landing = PUT(CALL);
	PUT(LEAVE);
	finish_framed();
	expect(deep, true, 48);
	expect_nothing(landing, true);
}

Test(framestate, a_case_beside_calls_of_different_depths)
{
	/* call; push rax; call; pop rax; jmp *(,rax,8); call */
	size_t ra = PUT(FRAME SUB_24 CALL "\x50" CALL "\x58\xff\x24\xc5\0\0\0\0" CALL);

	PUT(LEAVE);
	finish_framed();
	expect_nothing(ra, true); /* an exception may land there, too */
	cr_assert(look_where(ra, true, false));
	cr_assert_eq(state.distance[DWARF_RSP], -40);
}

Test(framestate, a_landing_has_not_what_a_call_destroys)
{
	/* lea -8(rbp),rdi; lea -16(rbp),rbx; call; ret; the landing */
	size_t landing;

	PUT(FRAME SUB_24 "\x48\x8d\x7d\xf8\x48\x8d\x5d\xf0" CALL LEAVE);
	landing = PUT(CALL);
	PUT(LEAVE);
	finish_framed();
	expect(landing, true, 40);
	cr_assert(knows(DWARF_RBX));
	cr_assert_eq(state.distance[DWARF_RBX], -32);
	cr_assert_not(knows(DWARF_RDI));
}

Test(framestate, pages_that_are_touched_one_by_one)
{
	/* lea -0x3000(rsp),r11; sub $0x1000,rsp; orq $0,(rsp); cmp r11,rsp; jne; sub $16,rsp */
	size_t ra = PUT(FRAME "\x4c\x8d\x9c\x24\0\xd0\xff\xff\x48\x81\xec\0\x10\0\0"
			      "\x48\x83\x0c\x24\0\x4c\x39\xdc\x75\xef\x48\x83\xec\x10" CALL);

	PUT(LEAVE);
	finish_framed();
	expect(ra, true, 16 + 0x3000 + 16);
	expect_nothing(19, false); /* in the loop */
}

Test(framestate, a_loop_that_pushes_is_not_known)
{
	size_t ra = PUT(FRAME "\x53\x75\xfd" CALL); /* push rbx; jne back */

	PUT(LEAVE);
	finish_framed();
	expect_nothing(ra, true);
}

Test(framestate, aligned)
{
	size_t ra = PUT(FRAME "\x48\x83\xe4\xc0\x48\x83\xec\x40" CALL); /* and $-64,rsp; sub $64 */

	PUT(LEAVE);
	finish_framed();
	cr_assert(look(ra, true));
	cr_assert(state.from_aligned >> DWARF_RSP & 1);
	cr_assert(state.from_cfa >> DWARF_RBP & 1);
	cr_assert_eq(state.alignment, 64);
	cr_assert_eq(state.unaligned, -16);
	cr_assert_eq(state.distance[DWARF_RSP], -64);
}

Test(framestate, numbers_and_bits_of_distances_are_not_distances)
{
	/* lea -8(rbp),rbx; mov $1,bl; lea 15(rsp),r12; and $-16,r12; mov rbp,r13; add rbp,r13 */
	size_t ra = PUT(FRAME SUB_24 "\x48\x8d\x5d\xf8\xb3\1\x4c\x8d\x64\x24\x0f\x49\x83\xe4\xf0"
				     "\x49\x89\xed\x49\x01\xed" CALL);

	PUT(LEAVE);
	finish_framed();
	expect(ra, true, 40);
	cr_assert_not(knows(DWARF_RBX));
	cr_assert_not(knows(DWARF_R12));
	cr_assert_not(knows(DWARF_R13));
}

Test(framestate, a_call_that_does_not_return_leads_nowhere)
{
	/* push rbp; call (noreturn); then, by CFI, a part without a frame: call; ret */
	size_t ra;

	PUT("\x55" CALL);
	ra = PUT(CALL);
	PUT("\xc3");
	finish(CODE("\x41\x0e\x10\x45\x0e\x08"));
	cr_assert(look(ra, true));
	cr_assert_eq(state.distance[DWARF_RSP], -8, "%d", state.distance[DWARF_RSP]);
}

Test(framestate, a_part_that_begins_in_a_frame_knows_no_size)
{
	size_t ra = PUT(CALL);

	PUT(LEAVE);
	finish(CODE("\x0c\6\x10"));
	expect_nothing(ra, true);
}

Test(framestate, cfi_that_contradicts_is_not_believed)
{
	/* CFI says rsp+32 at the target of the jump, the code rsp+16 */
	size_t ra = PUT("\x55\x74\0" CALL);

	PUT("\x5d\xc3");
	finish(CODE("\x41\x0e\x10\x42\x0e\x20"));
	cr_assert_not(look(ra, true));
}

Test(framestate, code_that_is_none)
{
	size_t ra = PUT(FRAME SUB_24 CALL);

	PUT("\x06\xc3"); /* not an instruction in 64-bit mode */
	finish_framed();
	cr_assert_not(look(ra, true));
}

Test(framestate, a_jump_into_an_instruction)
{
	size_t ra = PUT(FRAME "\x74\x01" SUB_24 CALL);

	PUT(LEAVE);
	finish_framed();
	cr_assert_not(look(ra, true));
}
