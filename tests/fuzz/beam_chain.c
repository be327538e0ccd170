// links: runtimes/beam
/*
 * Any bytes as a BEAM's memory: lists of modules, their headers, lines and atoms, its code, and the stack
 * of a process. The first bytes choose where the walk is, and with which layout; each step must end, and a
 * name must be UTF-8.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "runtimes/beam/functions.h"
#include "runtimes/beam/runtime.h"
#include "unwind/code/codebytes.h"
#include "unwind/table/regs.h"
#include "tests/fuzz/chains.h"
#include "tests/fuzz/codeelf.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 8, STEPS = 64, CODE = 0x1000, STACK = 0x1000, BYTES_MAX = 1 << 16 };

/* Its code is mapped from a file, because there is no process. */
static void map_code(struct modmap *maps, const uint8_t *code, size_t len)
{
	static uint8_t bytes[CODE + BYTES_MAX];
	struct mapping range = { .start = START, .end = START + len, .bias = START - CODE };

	make_code_elf(bytes, CODE, code, len);
	must(!image_open_bytes(bytes, CODE + len, "/made/here", &range.image, NULL));
	must(!modmap_add(maps, &range));
}

static void check_names(struct beam_runtime *rt, const struct managed_frame *frame)
{
	struct managed_names names = { .count = 0 };
	struct arena arena = { 0 };
	int rc = beam_names(rt, frame, &arena, &names);

	must(!rc || rc == ERR_FORMAT);
	for (unsigned i = 0; !rc && i < names.count; i++) {
		check_text(names.at[i].name);
		check_text(names.at[i].file);
	}
	arena_release(&arena);
}

static void walk_on(struct beam_runtime *rt, struct walk *w)
{
	enum frame_kind kind = FRAME_PC;
	int end = STEP_ON;

	for (unsigned i = 0; i < STEPS && end == STEP_ON; i++) {
		struct managed_frame frame = { 0 };

		end = beam_step(rt, w, &kind, &frame);
		must(end >= 0 && end <= MANAGED_PASS);
		must(end == MANAGED_PASS || frame.code);
		if (frame.code && end != MANAGED_PASS)
			check_names(rt, &frame);
	}
}

static void find_atoms(struct beam_runtime *rt)
{
	if (!beam_atoms_find(rt, START))
		rt->atoms = (struct beam_atoms){ START + 0x100, 24, 32, false };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct beam_runtime rt;
	static struct codebytes code;
	struct memory_bytes memory;
	struct modmap *maps = NULL;
	struct walk w = { .valid = REGS_ALL, .code = &code };

	if (size <= HEAD || size >= BYTES_MAX)
		return 0;
	memset(&rt, 0, sizeof(rt));
	memory_bytes_init(&memory, data + HEAD, START, size - HEAD);
	rt.live = rt.memory = w.memory = &memory.memory;
	rt.at = (struct beam_layout){ .ranges = START,
				      .active = START + 96,
				      .jit_main = START + 0x200,
				      .jit_main_end = START + 0x240,
				      .shared = START + 0x200,
				      .shared_end = START + 0x400,
				      .normal_exit = START + 0x300,
				      .ends = { { START + 0x300, START + 0x320 } },
				      .registers = 128,
				      .frame = 256,
				      .stop = 88,
				      .functions = 96,
				      .lines = 72,
				      .mfa = 16,
				      .frame_pointers = data[0] & 1 };
	rt.labels[0] = (struct beam_label){ START + 0x200, data[0] & 2 };
	rt.label_count = 1;
	must(!strset_init(&rt.files));
	must(!modmap_new(&maps, NULL));
	map_code(maps, data + HEAD, size - HEAD);
	find_atoms(&rt);
	beam_ranges_read(&rt);
	beam_ranges_begin(&rt);
	codebytes_begin(&code, maps);
	w.maps = maps;
	w.regs.r[DWARF_RSP] = START + STACK + 8ul * data[3];
	w.regs.r[DWARF_RBP] = START + STACK + 8ul * data[4];
	w.regs.r[DWARF_RBX] = data[0] & 4 ? w.regs.r[DWARF_RSP] + rt.at.registers :
					    START + STACK + 8ul * data[5];
	w.regs.r[DWARF_R13] = START + STACK + 8ul * data[6];
	w.regs.r[DWARF_PC] = START + data[1] + 256ul * data[2];
	walk_on(&rt, &w);
	beam_ranges_release(&rt.ranges);
	strset_release(&rt.files);
	modmap_free(maps);
	return 0;
}
