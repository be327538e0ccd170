// links: sampler/interp/php
/*
 * Any bytes as a PHP's memory: its globals, its stack, functions and their names, and a C stack
 * beside them. The first byte chooses the release, how it was compiled, and the C frames.
 */
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "base/utf8.h"
#include "sampler/interp/common/copy.h"
#include "sampler/interp/php/runtime.h"
#include "sampler/unwind/stack.h"
#include "sampler/unwind/table/regs.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 1, START = 0x10000, LOOP = 0x1000, FRAMES = 200, C_FRAMES = 12, C_FRAME = 128 };

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

static void check_text(const char *text)
{
	size_t size = strlen(text), len;

	for (size_t i = 0; i < size; i += len)
		must(utf8_next(text + i, size - i, &len) != UTF8_REPLACEMENT || len == 3);
}

/* A copy that has all of the memory, and cannot read more. */
static void fill(struct interp_copy *copy, const uint8_t *data, size_t size)
{
	struct interp_range range = { START, (uint32_t)size };
	struct interp_plan plan = { .ranges = &range, .count = 1, .bytes = size };
	struct memory_piece piece;

	must(!interp_copy_reserve(copy, &plan));
	interp_copy_begin(copy, &plan);
	if (interp_copy_pieces(copy, &piece))
		memcpy(piece.to, data, piece.len);
	interp_copy_filled(copy, size, 0, NULL);
}

static void check_codes(const struct php_runtime *rt, const struct memory *memory,
			const struct interp_walk *walk)
{
	struct interp_identity id = { .code = START };
	struct arena arena = { 0 };

	for (size_t i = 0; i < walk->count && i < 40; i++) {
		struct interp_code code = { 0 };
		uint32_t line, column;
		int rc;

		id.code = walk->frames[i].code;
		php_identify(rt, memory, &id, 1);
		rc = php_resolve(rt, memory, id.code, &arena, &code);
		must(!rc || rc == ERR_FORMAT);
		if (rc)
			continue;
		check_text(code.name);
		check_text(code.file);
		php_line(rt, &code, walk->frames[i].at, &line, &column);
		must(!column);
	}
	arena_release(&arena);
}

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
	fill(&copy, data + HEAD, size - HEAD);
	memory_bytes_init(&memory, data + HEAD, START, size - HEAD);
	php_capture(&rt, &copy, &thread, &walk);
	must(walk.count <= FRAMES && !copy.reads);
	check_codes(&rt, &memory.memory, &walk);
	check_anchors(&rt, &memory.memory, &walk, data[0] >> 2);
	interp_copy_release(&copy);
	return 0;
}
