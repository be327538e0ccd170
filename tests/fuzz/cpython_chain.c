// links: runtimes/cpython
/*
 * Any bytes as a CPython's memory: interpreters, thread states, frames, code objects, and a C stack
 * beside them. The first byte chooses the release, the second what is known of the thread and how
 * the C frames are.
 */
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/common/copy.h"
#include "runtimes/cpython/capture.h"
#include "runtimes/cpython/code.h"
#include "runtimes/cpython/find.h"
#include "runtimes/cpython/releases.h"
#include "runtimes/cpython/states.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "tests/fuzz/chains.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	HEAD = 2,
	STATE = START + 0x40,
	TYPE = START + 0x20,
	TP = START + 0x800,
	LOOP = 0x1000,
	FRAMES = 500,
	C_FRAMES = 12,
	C_FRAME = 128,
	STATES_MAX = 1 << 16, /* as in states.c */
};

static void set_python(struct cpython *python, unsigned release)
{
	memset(python, 0, sizeof(*python));
	python->version = (uint16_t)(CPYTHON_3_6 + release % 10);
	python->free_threaded = release & 0x40 && python->version >= CPYTHON_3_14;
	must(!cpython_layout_set(python, NULL) && !python->is_new);
	if (python->free_threaded) {
		python->layout.frame.tlbc = 72;
		python->layout.code.tlbc = 224;
	}
	python->head = START;
	python->main = START + 0x100;
	python->code_type = TYPE;
	python->loop = LOOP;
	python->loop_end = LOOP + 0x1000;
	if (python->version < CPYTHON_3_12 && python->version > CPYTHON_3_6)
		python->gil = START + 8;
}

static void check_walk(const struct interp_walk *walk)
{
	must(walk->count <= walk->room);
	must(!walk->lost || !walk->count);
	must(!walk->gil_held || !walk->lost);
	for (size_t i = 0; i < walk->count; i++)
		must(walk->frames[i].code && walk->frames[i].code % 8 == 0 &&
		     walk->frames[i].self % 8 == 0);
}

static void check_anchors(const struct cpython *python, const struct memory *memory,
			  struct interp_walk *walk, unsigned kinds)
{
	struct stack stack = { 0 };

	for (unsigned i = 0; i < C_FRAMES; i++) {
		must(!stack_push(&stack, NULL, kinds >> i % 8 & 1 ? LOOP + 100 : 0,
				 i ? FRAME_RETURN : FRAME_PC));
		stack.sps[i] = START + i * C_FRAME;
	}
	for (size_t i = 0; i < walk->count; i++)
		walk->frames[i].anchor = 0;
	cpython_anchor(python, NULL, &stack, memory, walk->frames, walk->count);
	for (size_t i = 0; i < walk->count; i++)
		must(!walk->frames[i].anchor || walk->frames[i].anchor >= START);
	stack_release(&stack);
}

/* The same memory while the process runs: finding, and the lists of threads. */
static void check_live(const struct cpython *python, const struct memory *memory)
{
	struct cpython found = *python;
	struct buffer states = { 0 };
	struct error why = { 0 };
	int rc;

	found.is_new = !(python->version & 1);
	rc = cpython_check(&found, memory, &why);

	must(!rc || rc == ERR_BUSY || rc == ERR_FORMAT);
	must((rc == ERR_FORMAT) == (why.code == ERR_FORMAT));
	must(!cpython_threads(python, memory, &states));
	must(states.len / sizeof(struct interp_state) <= STATES_MAX);
	buffer_release(&states);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct interp_thread thread = { .own_tid = 42, .state = STATE };
	struct regs regs = { .r = { [DWARF_PC] = START + 0x30 } };
	struct interp_copy copy = { 0 };
	struct memory_bytes memory;
	struct cpython python;

	if (size < HEAD || size > 1 << 14)
		return 0;
	set_python(&python, data[0]);
	thread.tp = data[1] & 1 ? TP : 0;
	thread.regs = &regs;
	fill(&copy, data + HEAD, size - HEAD, FRAMES / 2);
	cpython_capture(&python, &copy, &thread, &copy.walk);
	check_walk(&copy.walk);
	memory_bytes_init(&memory, data + HEAD, START, size - HEAD);
	check_anchors(&python, &memory.memory, &copy.walk, data[1]);
	check_live(&python, &memory.memory);
	interp_copy_release(&copy);
	return 0;
}
