// links: runtimes/v8
/*
 * Any bytes as a V8's memory: builtins, code objects, the heap and a stack, at a fixed address of this
 * process. The first bytes choose the release and the registers.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "runtimes/v8/heap/codes.h"
#include "runtimes/v8/names.h"
#include "runtimes/v8/step.h"
#include "runtimes/v8/heap/runtime.h"
#include "runtimes/v8/v8.h"
#include "unwind/code/codebytes.h"
#include "unwind/codemap.h"
#include "unwind/step.h"
#include "unwind/table/regs.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	HEAD = 20,
	BASE = 0x10000000,
	BIAS = BASE - 0x1000,
	BYTES = 1 << 16,
	TEXT_END = 0x200, /* of the builtins, 64 bytes each; then code objects */
	CODE_END = 0x600,
	BUILTINS = TEXT_END / 64,
	STEPS = 64,
};

static const struct v8_tables releases[] = {
	{ .release = V8_NODE_16,
	  .code_type = 162,
	  .stream_type = 162,
	  .shared_type = 179,
	  .bytecode_type = 133,
	  .first_function_type = 1059,
	  .last_function_type = 1075,
	  .shared = 24,
	  .bytecodes = 54,
	  .instructions = 96,
	  .code_size = 40,
	  .code_flags = 48,
	  .code_bytes = 56,
	  .kind_baseline = 11 },
	{ .release = V8_NODE_22,
	  .code_type = 206,
	  .stream_type = 210,
	  .shared_type = 274,
	  .bytecode_type = 205,
	  .first_function_type = 2066,
	  .last_function_type = 2082,
	  .shared = 32,
	  .bytecodes = 64,
	  .stream_code = 8,
	  .instructions = 32,
	  .code_stream = 32,
	  .code_start = 40,
	  .code_size = 52,
	  .code_flags = 48,
	  .code_bytes = 64,
	  .kind_baseline = 10 },
};

static struct v8_builtin builtins[BUILTINS];
static struct memory_live live;
static struct process process;
static struct modmap *maps;
static struct codemap map;
static struct image *text, *anonymous;

static void add_range(struct image *image, uint64_t from, uint64_t to)
{
	struct mapping range = { BASE + from, BASE + to, 0, BIAS, image };

	must(!modmap_add(maps, &range));
}

static void make_world(void)
{
	void *at = mmap((void *)(uintptr_t)BASE, BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	must(at == (void *)(uintptr_t)BASE);
	process.pid = getpid();
	memory_live_init(&live, process.pid);
	text = image_open_none("node");
	anonymous = image_open_none("[anon]");
	must(text && anonymous && !modmap_new(&maps, &process) && !codemap_init(&map));
	add_range(text, 0, TEXT_END);
	add_range(anonymous, TEXT_END, CODE_END);
	for (unsigned i = 0; i < BUILTINS; i++)
		builtins[i] = (struct v8_builtin){
			.start = 64 * i, .size = 64, .continues = i == 1, .hidden = i % 2
		};
}

static void set_up(struct v8_runtime *rt, unsigned release)
{
	*rt = (struct v8_runtime){ .t = releases[release & 1],
				   .place = { text, BIAS, &live.memory },
				   .live = &live.memory,
				   .memory = &live.memory,
				   .builtins = { .all = builtins, .count = BUILTINS } };
	rt->t.instance_type = 12;
	rt->t.fp_marker = -8;
	rt->t.fp_function = -16;
	rt->t.fp_bytecode = -32;
	rt->t.fp_offset = -40;
	rt->t.kind_regexp = 3;
	memcpy(rt->t.frames, (int32_t[V8_FRAME_TYPES]){ 1, 2, 4, 12, 17, 22, 23, 28, 29 },
	       sizeof(rt->t.frames));
	must(!v8_codes_new(&rt->codes) && !v8_steps_new(&rt->steps) && !v8_names_new(rt));
}

static void release(struct v8_runtime *rt)
{
	v8_names_free(rt->names);
	v8_steps_free(rt->steps);
	v8_codes_free(rt->codes);
}

static void check_names(struct v8_runtime *rt, const struct managed_frame *frame)
{
	struct managed_names names = { .count = 0 };
	struct arena arena = { 0 };
	int rc = v8_ops.names(rt, frame, &arena, &names);

	must(!rc || rc == ERR_FORMAT);
	must(names.count <= MANAGED_NAMES_MAX);
	for (unsigned i = 0; !rc && i < names.count; i++)
		must(names.at[i].name && names.at[i].file);
	arena_release(&arena);
}

/* A walk from one of the registers' values on, as unwinder.c makes it. */
static void walk(struct v8_runtime *rt, struct walk *w)
{
	enum frame_kind kind = FRAME_PC;
	struct codebytes code = { .walk = 0 };

	codebytes_begin(&code, maps);
	w->code = &code;
	map.generation = modmap_generation(maps);
	v8_steps_begin(rt->steps);
	for (int i = 0; i < STEPS; i++) {
		struct managed_frame frame = { 0 };
		int end;

		w->at = codemap_find(&map, maps, w->regs.r[DWARF_RIP] - (kind == FRAME_RETURN));
		end = v8_step(rt, w, &kind, &frame);
		must(end >= 0 && end <= MANAGED_PASS);
		if (end == MANAGED_PASS)
			return;
		must(frame.code);
		check_names(rt, &frame);
		if (end != STEP_ON)
			return;
		must(kind == FRAME_RETURN && w->source == FRAME_BY_RUNTIME);
		must(modmap_find(maps, w->regs.r[DWARF_RIP] - 1) ||
		     modmap_find(maps, w->regs.r[DWARF_RIP]));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct v8_runtime rt;
	struct walk w = { .valid = REGS_ALL, .memory = &live.memory };

	if (size < HEAD || size - HEAD > BYTES)
		return 0;
	if (!maps)
		make_world();
	memset((void *)(uintptr_t)BASE, 0, BYTES);
	memcpy((void *)(uintptr_t)BASE, data + HEAD, size - HEAD);
	w.maps = maps;
	w.map = &map;
	for (unsigned i = 0; i < DWARF_COUNT; i++)
		w.regs.r[i] = BASE + 16ull * data[2 + i];
	w.regs.r[DWARF_RIP] = BASE + 8ull * data[2 + DWARF_RIP] + data[1] % 8;
	set_up(&rt, data[0]);
	walk(&rt, &w);
	release(&rt);
	return 0;
}
