// links: sampler/interp/ruby
/*
 * Any bytes as a Ruby's memory: a thread, its control frames and tags, iseqs, methods and their
 * names, and a C stack beside them. The first byte chooses the release, the second one the C frames.
 */
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "base/utf8.h"
#include "sampler/interp/common/copy.h"
#include "sampler/interp/ruby/runtime.h"
#include "sampler/unwind/stack.h"
#include "sampler/unwind/table/regs.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	HEAD = 2,
	START = 0x10000,
	TEXT = 0x1000,
	EXEC = 0x1100,
	CORE = 0x2000,
	FRAMES = 200,
	C_FRAMES = 12,
	C_FRAME = 64,
};

static const unsigned releases[] = { 300, 301, 302, 303, 304, 400 };

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

static void check_codes(const struct ruby_runtime *rt, const struct memory *memory,
			const struct interp_walk *walk)
{
	struct interp_identity id = { .code = START };
	struct arena arena = { 0 };

	for (size_t i = 0; i < walk->count && i < 40; i++) {
		struct interp_code code = { 0 };
		uint32_t line, column;
		int rc;

		id.code = walk->frames[i].code;
		ruby_identify(rt, memory, &id, 1);
		rc = ruby_resolve(rt, memory, id.code, &arena, &code);
		must(!rc || rc == ERR_FORMAT);
		if (rc)
			continue;
		check_text(code.name);
		check_text(code.file);
		ruby_line(rt, &code, walk->frames[i].at, &line, &column);
		must(!column);
	}
	arena_release(&arena);
}

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
	fill(&copy, data + HEAD, size - HEAD);
	memory_bytes_init(&memory, data + HEAD, START, size - HEAD);
	ruby_capture(&rt, &copy, &thread, &walk);
	must(walk.count <= FRAMES && !copy.reads);
	check_codes(&rt, &memory.memory, &walk);
	check_anchors(&rt, &memory.memory, &walk, data[1]);
	interp_copy_release(&copy);
	return 0;
}
