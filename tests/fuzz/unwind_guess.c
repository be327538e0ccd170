// links: unwind
/*
 * Walks through code without CFI, with any code and any stack: the code is read, decoded and
 * followed; every frame lies above the previous one, and each is marked as a guess.
 *
 * The input's first half is code, the second the stack; the first 16 bytes of the stack
 * are the pc and rbp, as offsets.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "unwind/code/insn_x86_64.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/unwinder.h"
#include "tests/fuzz/codeelf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BIAS = 0x400000, CODE = 0x1000, STACK = 0x7000000, CODE_MAX = 4096 };

static struct image *make_image(const uint8_t *code, size_t len)
{
	static uint8_t bytes[CODE + CODE_MAX];
	struct image *image;

	make_code_elf(bytes, CODE, code, len);
	if (image_open_bytes(bytes, CODE + len, "/made/here", &image, NULL))
		abort();
	return image;
}

static void decode_all(const uint8_t *code, size_t len)
{
	struct insn insn;
	int64_t target;

	for (size_t i = 0; i < len; i++) {
		if (insn_decode(code + i, len - i, &insn) == 0 &&
		    (!insn.len || insn.len > len - i || insn.len > INSN_LENGTH_MAX))
			abort();
		insn_changes(&insn);
		insn_call_ends(code + i, i, &target);
	}
}

static void check(const struct stack *stack)
{
	for (size_t i = 1; i < stack->count; i++) {
		enum frame_source source = stack->frames[i].source;

		if (source != FRAME_BY_CODE && source != FRAME_BY_FRAME_POINTER &&
		    source != FRAME_BY_SCAN)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = size / 2 < CODE_MAX ? size / 2 : CODE_MAX, stack_len = size - len;
	struct regs regs = { .r = { [DWARF_RSP] = STACK } };
	uint32_t at[4];
	struct mapping range = { .start = BIAS, .end = BIAS + CODE + len, .bias = BIAS };
	struct memory_bytes memory;
	struct unwinder *unwinder;
	struct stack stack = { 0 };
	struct modmap *maps;

	if (stack_len < sizeof(at) || !len)
		return 0;
	memcpy(at, data + len, sizeof(at));
	regs.r[DWARF_RIP] = BIAS + CODE + at[0] % len;
	regs.r[DWARF_RBP] = STACK + at[1] % stack_len;
	range.image = make_image(data, len);
	decode_all(data, len);
	memory_bytes_init(&memory, data + len, STACK, stack_len);
	memory.more = at[2];
	if (modmap_new(&maps, NULL) || modmap_add(maps, &range) || unwinder_new(&unwinder) ||
	    unwinder_walk(unwinder, maps,
			  &(struct walk_from){ .regs = &regs, .memory = &memory.memory }, &stack))
		abort();
	check(&stack);
	stack_release(&stack);
	unwinder_free(unwinder);
	modmap_free(maps);
	return 0;
}
