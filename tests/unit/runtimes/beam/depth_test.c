/* Where made-up code leaves its frame. */

#include "base/process/image.h"
#include "base/process/modmap.h"
#include "made_up.h"
#include "runtimes/beam/depth.h"
#include "unwind/code/codebytes.h"
#include "tests/fuzz/codeelf.h"

/* The second function's code, where the module's is mapped; shared code is in front of the module. */
enum {
	ENTRY = SECOND + INFO_BYTES,
	CODE = 0x1000,
	SHARED = START + 0x4800,
	JIT_MAIN = START + 0x4900
};

static struct modmap *maps;
static struct codebytes code;

static void begin(void)
{
	make_up();
	beam.rt.at.shared = SHARED;
	beam.rt.at.shared_end = START + 0x4a00;
	beam.rt.at.jit_main = JIT_MAIN;
	beam.rt.at.jit_main_end = JIT_MAIN + 0x40;
	beam.rt.at.stop = 0x58;
	beam.rt.labels[0] = (struct beam_label){ SHARED, true };
	beam.rt.labels[1] = (struct beam_label){ SHARED + 0x40, false };
	beam.rt.label_count = 2;
	cr_assert_eq(modmap_new(&maps, NULL), 0);
}

static void end(void)
{
	modmap_free(maps);
	release();
}

TestSuite(beam_depth, .init = begin, .fini = end);

static void put_code(uint64_t addr, const char *bytes, size_t len)
{
	memcpy(beam.bytes + (addr - START), bytes, len);
}

#define PUT(addr, bytes) put_code(addr, bytes, sizeof(bytes) - 1)

/* `opcode` and the distance from its end to an address. */
static void put_jump(uint64_t addr, uint8_t opcode, uint64_t to)
{
	put(addr, opcode, 1);
	put(addr + 1, to - (addr + 5), 4);
}

/* Maps all that was put there, as a file's code. */
static void map_code(void)
{
	static uint8_t bytes[CODE + BYTES];
	struct mapping range = { .start = START, .end = START + BYTES, .bias = START - CODE };

	make_code_elf(bytes, CODE, beam.bytes, BYTES);
	cr_assert_eq(image_open_bytes(bytes, sizeof(bytes), "/made/here", &range.image, NULL), 0);
	cr_assert_eq(modmap_add(maps, &range), 0);
	codebytes_begin(&code, maps);
}

static enum beam_exit exit_at(uint64_t pc, bool on_c, int64_t rbp, int64_t *depth)
{
	struct beam_from from = { pc, on_c, rbp, BEAM_NOT_KNOWN };

	*depth = -1;
	return beam_depth(&beam.rt, &code, &from, depth);
}

static void expect_return(uint64_t pc, bool on_c, int64_t depth)
{
	int64_t got;

	cr_assert_eq(exit_at(pc, on_c, BEAM_NOT_KNOWN, &got), BEAM_EXIT_RETURN);
	cr_assert_eq(got, depth, "depth %ld", (long)got);
}

Test(beam_depth, frames_begin_and_end)
{
	PUT(ENTRY, "\x48\x83\xec\x10" /* sub rsp, 16 */
		   "\x48\x83\xc4\x10" /* add rsp, 16 */
		   "\xc3");
	map_code();
	expect_return(ENTRY, false, 0);
	expect_return(ENTRY + 4, false, 16);
	expect_return(ENTRY + 8, false, 0);
}

Test(beam_depth, a_tail_call_of_a_function)
{
	PUT(ENTRY, "\x48\x83\xc4\x08"); /* add rsp, 8 */
	put_jump(ENTRY + 4, 0xe9, FIRST + INFO_BYTES);
	map_code();
	expect_return(ENTRY, false, 8);
}

Test(beam_depth, a_tail_call_of_another_module)
{
	PUT(ENTRY, "\x48\x83\xc4\x08"	    /* add rsp, 8 */
		   "\x42\xff\x64\xe0\x10"); /* jmp [rax + r12 * 8 + 16] */
	map_code();
	expect_return(ENTRY, false, 8);
}

Test(beam_depth, what_is_behind_a_call_that_never_returns_is_not_reached)
{
	int64_t depth;

	put_jump(ENTRY, 0xe8, SHARED + 0x40);
	PUT(ENTRY + 5, "\xc3");
	put_jump(ENTRY + 16, 0xe8, SHARED);
	PUT(ENTRY + 21, "\xc3");
	map_code();
	cr_assert_eq(exit_at(ENTRY, false, BEAM_NOT_KNOWN, &depth), BEAM_EXIT_UNKNOWN);
	expect_return(ENTRY + 16, false, 0);
}

Test(beam_depth, c_has_another_stack)
{
	PUT(ENTRY, "\x48\x83\xec\x08"			/* sub rsp, 8 */
		   "\x48\x89\xe5\x48\x8d\x63\x80"	/* mov rbp, rsp; lea rsp, [rbx - 128] */
		   "\xff\xd0\x50"			/* call rax; push rax */
		   "\x48\x89\xec\x48\x83\xc4\x08\xc3"); /* mov rsp, rbp; add rsp, 8; ret */
	map_code();
	expect_return(ENTRY, false, 0);
	expect_return(ENTRY + 4, false, 8);
	expect_return(ENTRY + 13, true, 8);
}

Test(beam_depth, a_process_that_is_left_to_the_scheduler)
{
	int64_t depth;

	PUT(ENTRY + 32, "\x48\x8d\x63\x80"); /* lea rsp, [rbx - 128] */
	put_jump(ENTRY + 36, 0xe9, JIT_MAIN + 8);
	PUT(ENTRY + 16, "\x48\x89\x04\x24"); /* mov [rsp], rax */
	put_jump(ENTRY + 20, 0xe9, ENTRY + 32);
	PUT(JIT_MAIN + 8, "\xc3");
	map_code();
	cr_assert_eq(exit_at(ENTRY + 36, true, BEAM_NOT_KNOWN, &depth), BEAM_EXIT_PAUSE);
	/* A variable is written before: at this moment it may be none. */
	cr_assert_eq(exit_at(ENTRY + 16, false, BEAM_NOT_KNOWN, &depth), BEAM_EXIT_UNKNOWN);
}

Test(beam_depth, frame_pointers)
{
	int64_t depth;

	beam.rt.at.frame_pointers = true;
	PUT(ENTRY, "\x55\x48\x89\xe5" /* push rbp; mov rbp, rsp */
		   "\x48\x83\xec\x10" /* sub rsp, 16 */
		   "\xc9\xc3");	      /* leave; ret */
	map_code();
	expect_return(ENTRY, false, 0);
	expect_return(ENTRY + 1, false, 8);
	cr_assert_eq(exit_at(ENTRY + 8, false, 16, &depth), BEAM_EXIT_RETURN);
	cr_assert_eq(depth, 24);
	cr_assert_eq(exit_at(ENTRY + 8, false, BEAM_NOT_KNOWN, &depth), BEAM_EXIT_UNKNOWN);
}

Test(beam_depth, a_table_of_jumps)
{
	PUT(ENTRY, "\x48\x8d\x05"); /* lea rax, [rip + ...] */
	put(ENTRY + 3, 0x40 - 7, 4);
	PUT(ENTRY + 7, "\xff\x24\xf8"); /* jmp [rax + rdi * 8] */
	put_word(ENTRY + 0x40, ENTRY + 0x20);
	PUT(ENTRY + 0x20, "\x48\x83\xc4\x08\xc3");
	map_code();
	expect_return(ENTRY, false, 8);
}

Test(beam_depth, loops_end)
{
	int64_t depth;

	PUT(ENTRY + 8, "\xeb\xfe");
	map_code();
	cr_assert_eq(exit_at(ENTRY + 8, false, BEAM_NOT_KNOWN, &depth), BEAM_EXIT_UNKNOWN);
}
