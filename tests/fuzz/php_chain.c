// links: runtimes/php
/*
 * Any bytes as a PHP's memory: its globals, its stack, functions and their names, and a C stack
 * beside them. The first byte chooses the release, how it was compiled, and the C frames.
 */
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/common/copy.h"
#include "runtimes/php/php.h"
#include "runtimes/php/runtime.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "tests/fuzz/chains.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 1, LOOP = 0x1000, FRAMES = 200, C_FRAMES = 12, C_FRAME = 128 };

static const struct php_layout layouts[] = {
	{ .vm_stack = 456,
	  .last = 60,
	  .opcodes = 64,
	  .filename = 136,
	  .line_start = 144,
	  .generator_frame = 64,
	  .generator_node = 160 },
	{ .vm_stack = 0,
	  .last = 80,
	  .opcodes = 88,
	  .filename = 152,
	  .line_start = 160,
	  .generator_frame = 56,
	  .generator_node = 152 },
};

static void check_anchors(const struct php_runtime *rt, const struct memory *memory,
			  struct interp_walk *walk, unsigned kinds)
{
	struct stack stack = { 0 };

	for (unsigned i = 0; i < C_FRAMES; i++) {
		must(!stack_push(&stack, NULL, kinds >> i % 8 & 1 ? LOOP + 100 : 0,
				 i ? FRAME_RETURN : FRAME_PC));
		stack.sps[i] = START + i * C_FRAME;
	}
	stack.end = kinds & 1 ? STACK_OUTERMOST : STACK_NO_UNWIND_INFO;
	php_anchor(rt, NULL, &stack, memory, walk->frames, walk->count);
	for (size_t i = 0; i < walk->count; i++)
		must(!walk->frames[i].anchor || walk->frames[i].anchor >= START);
	stack_release(&stack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct interp_frame frames[FRAMES];
	struct interp_walk walk = { .frames = frames, .room = FRAMES };
	struct php_runtime rt = { .eg = START,
				  .image_start = START + 0x800,
				  .image_end = START + 0x900,
				  .loop = { { LOOP, LOOP + 0x1000 } } };
	struct regs regs = { .r = { [DWARF_PC] = LOOP + 100 } };
	struct interp_thread thread = { .regs = &regs };
	struct interp_copy copy = { 0 };
	struct memory_bytes memory;

	if (size < HEAD || size > 1 << 16)
		return 0;
	rt.layout = &layouts[data[0] & 1];
	rt.vm = data[0] & 2 ? VM_HYBRID : data[0] & 4 ? VM_CALL : VM_TAILCALL;
	for (unsigned i = 0; i < REGS_COUNT && i != DWARF_PC; i++)
		regs.r[i] = START + 8 * data[i % size];
	fill(&copy, data + HEAD, size - HEAD, 0);
	memory_bytes_init(&memory, data + HEAD, START, size - HEAD);
	php_capture(&rt, &copy, &thread, &walk);
	must(walk.count <= FRAMES && !copy.reads);
	check_codes(&php_ops, &rt, &memory.memory, &walk);
	check_anchors(&rt, &memory.memory, &walk, data[0] >> 2);
	interp_copy_release(&copy);
	return 0;
}
