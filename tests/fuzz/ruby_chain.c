// links: runtimes/ruby
/*
 * Any bytes as a Ruby's memory: a thread, its control frames and tags, iseqs, methods and their
 * names, and a C stack beside them. The first byte chooses the release, the second one the C frames.
 */
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/common/copy.h"
#include "runtimes/ruby/ruby.h"
#include "runtimes/ruby/runtime.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "tests/fuzz/chains.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	HEAD = 2,
	TEXT = 0x1000,
	EXEC = 0x1100,
	CORE = 0x2000,
	FRAMES = 200,
	C_FRAMES = 12,
	C_FRAME = 64,
};

static const unsigned releases[] = { 300, 301, 302, 303, 304, 400 };

static void check_anchors(const struct ruby_runtime *rt, const struct memory *memory,
			  struct interp_walk *walk, unsigned kinds)
{
	static const uint64_t pcs[] = { EXEC + 0x20, CORE + 0x110 };
	struct stack stack = { 0 };

	for (unsigned i = 0; i < C_FRAMES; i++) {
		must(!stack_push(&stack, NULL, kinds >> i % 8 & 1 ? pcs[i & 1] : TEXT + 0x8000,
				 i ? FRAME_RETURN : FRAME_PC));
		stack.sps[i] = START + i * C_FRAME;
	}
	stack.end = kinds & 1 ? STACK_OUTERMOST : STACK_NO_UNWIND_INFO;
	ruby_anchor(rt, NULL, &stack, memory, walk->frames, walk->count);
	stack_release(&stack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ruby_shared shared;
	struct interp_frame frames[FRAMES];
	struct interp_walk walk = { .frames = frames, .room = FRAMES };
	struct ruby_runtime rt = { .vm = START,
				   .ractor_threads = 0x80,
				   .symbols = START + 0x40,
				   .shared = &shared,
				   .loop = { .text = TEXT,
					     .text_end = START,
					     .exec = EXEC,
					     .exec_end = EXEC + 0x200,
					     .core = CORE,
					     .core_end = CORE + 0x2000 } };
	struct regs regs = { .r = { [DWARF_PC] = CORE + 0x110 } };
	struct interp_thread thread = { .regs = &regs, .state = START };
	struct interp_copy copy = { 0 };
	struct memory_bytes memory;

	if (size < HEAD || size > 1 << 16)
		return 0;
	memset(&shared, 0, sizeof(shared));
	rt.layout = ruby_layout_of(releases[data[0] % 6] / 100, releases[data[0] % 6] % 100);
	fill(&copy, data + HEAD, size - HEAD, 0);
	memory_bytes_init(&memory, data + HEAD, START, size - HEAD);
	ruby_capture(&rt, &copy, &thread, &walk);
	must(walk.count <= FRAMES && !copy.reads);
	check_codes(&ruby_ops, &rt, &memory.memory, &walk);
	check_anchors(&rt, &memory.memory, &walk, data[1]);
	interp_copy_release(&copy);
	return 0;
}
