// links: runtimes/v8
/*
 * Any bytes as a V8's heap: the frames' words lead anywhere in it. The first bytes choose the release,
 * the frame and where its objects are.
 */
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/v8/heap/lines.h"
#include "runtimes/v8/names.h"
#include "runtimes/v8/heap/positions.h"
#include "runtimes/v8/records.h"
#include "tests/fuzz/chains.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	HEAD = 8,

	/* Instance types: small, so that a fuzzer meets them. */
	FUNCTION = 0x81,
	SHARED,
	BYTECODE,
	CODE,
	SCRIPT,
	SCOPE,
	FIXED_ARRAY,
	BYTE_ARRAY,
	INTERPRETER_DATA,
	BASELINE_DATA,
	WRAPPER,
	DEBUG_INFO,
};

static struct v8_runtime runtime(const struct memory *memory, bool trusted)
{
	return (struct v8_runtime){
		.memory = memory,
		.live = memory,
		.t = { .release = trusted ? V8_NODE_24 : V8_NODE_16,
		       .code_type = CODE,
		       .shared_type = SHARED,
		       .bytecode_type = BYTECODE,
		       .first_function_type = FUNCTION,
		       .last_function_type = FUNCTION,
		       .instance_type = 12,
		       .shared = 24,
		       .bytecodes = trusted ? 64 : 54,
		       .code_start = trusted ? 40 : 0,
		       .code_flags = 48,
		       .code_size = 52,
		       .code_bytes = 56,
		       .kind_baseline = 10 },
	};
}

/* What v8_layout_fill makes of a V8 without constants, with these types. */
static void set_types(struct v8_layout *l, bool trusted)
{
	l->fixed_array_type = FIXED_ARRAY;
	l->byte_array_type = BYTE_ARRAY;
	l->scope_type = SCOPE;
	l->script_type = SCRIPT;
	l->interpreter_data_type = INTERPRETER_DATA;
	l->debug_info_type = DEBUG_INFO;
	l->baseline_data_type = trusted ? -1 : BASELINE_DATA;
	l->wrapper_type = trusted ? WRAPPER : -1;
	l->bytecodes.count = 200;
	for (unsigned i = 0; i < 256; i++)
		for (unsigned scale = 0; scale < 3; scale++)
			l->bytecodes.sizes[scale][i] = (uint8_t)(1 + (i % 4 << scale));
}

static void check_names(const struct managed_names *names)
{
	must(names->count && names->count <= MANAGED_NAMES_MAX);
	for (unsigned i = 0; i < names->count; i++) {
		must(*names->at[i].name && *names->at[i].file);
		must(!names->at[i].line == !names->at[i].column || names->at[i].line);
		check_text(names->at[i].name);
		check_text(names->at[i].file);
	}
}

/* The same frame twice, and then at other places. */
static void check_site(struct v8_runtime *rt, struct v8_site *site)
{
	struct managed_frame frame = { 0 }, again = { 0 };
	struct managed_names names;
	struct arena arena = { 0 };

	for (unsigned i = 0; i < 4; i++, site->offset += 3) {
		int rc;

		v8_identify(rt, site, &frame);
		if (frame.kind == V8_UNKNOWN)
			return;
		names.count = 0;
		rc = v8_function_names(rt, &frame, &arena, &names);
		must(!rc || rc == ERR_FORMAT);
		if (!rc)
			check_names(&names);
		v8_identify(rt, site, &again);
		must(again.kind == frame.kind && again.at == frame.at);
		must(rc || again.code == frame.code); /* what is lost gets another number */
		arena_release(&arena);
	}
}

static void check_tables(const uint8_t *data, size_t size)
{
	struct v8_positions table = { data, size, data[0] & 8 };
	struct v8_bytecodes b = { .count = 0 };
	struct v8_lines lines = { 0 };
	struct v8_position p = { -1, -1 };

	v8_baseline_find(&b, data, size, data, size, data[0]);
	for (int64_t at = -1; at < 300; at += 1 + at / 2)
		if (v8_position_find(&table, at, &p))
			must(p.offset >= -1 && p.inlining >= -1 && p.inlining < 1 << 16);
	must(!v8_lines_scan(&lines, data, size / 2, true) && !v8_lines_finish(&lines));
	for (uint32_t at = 0; at <= size / 2; at++) {
		uint32_t line, column;

		must(v8_lines_find(&lines, at, &line, &column));
		must(line < lines.count && column <= at);
	}
	v8_lines_release(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum v8_frame_kind kinds[] = { V8_INTERPRETED, V8_BASELINE, V8_OPTIMIZED };
	struct memory_bytes memory;
	struct v8_runtime rt;
	struct v8_site site;
	bool trusted;

	if (size < HEAD || size > 1 << 14)
		return 0;
	check_tables(data, size);
	trusted = data[0] & 1;
	memory_bytes_init(&memory, data + HEAD, START, size - HEAD);
	rt = runtime(&memory.memory, trusted);
	must(!v8_names_new(&rt));
	set_types(&rt.names->layout, trusted);
	site = (struct v8_site){ .kind = kinds[data[0] / 4 % 3],
				 .interrupted = data[0] & 2,
				 .function = START + 8ull * data[1] + 1,
				 .bytecode = START + 8ull * data[2] + 1,
				 .code = START + 8ull * data[3] + 1,
				 .offset = data[4] };
	check_site(&rt, &site);
	v8_names_free(rt.names);
	return 0;
}
