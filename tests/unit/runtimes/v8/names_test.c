/* Functions in a made-up heap: what is known again, what is another one, and what is in doubt. */
#include "runtimes/v8/names.h"

#include "base/arena.h"
#include "base/error.h"
#include "runtimes/v8/records.h"
#include "tests/unit/runtimes/v8/heap/made_up.h"

static const char SOURCE[] = "function a() {\n  return b(1);\n}\nfunction b(x) {\n  return x;\n}\n";

static struct function {
	uint64_t script, scope, shared, bytecode, function;
} a, b;

static struct managed_names names;
static struct arena arena;

static uint64_t make_bytes(const uint8_t *bytes, size_t len)
{
	uint64_t array = make(BYTE_ARRAY_TYPE, 16 + len);

	put(array, 8, smi((int32_t)len), 8);
	memcpy(heap.bytes + (array - 1 - START) + 16, bytes, len);
	return array;
}

static uint64_t make_script(const char *name)
{
	uint64_t script = make(SCRIPT_TYPE, 128), undefined = make(ODDBALL_TYPE, 32);

	put(script, 8, make_string(SOURCE), 8);
	put(script, 16, name ? make_string(name) : undefined, 8);
	put(script, 56, undefined, 8);
	put(script, 64, smi(7), 8);
	put(script, 112, undefined, 8);
	return script;
}

/* A ScopeInfo without locals: a name, no inferred one, start and end. */
static uint64_t make_scope(const char *name, const char *inferred, int32_t start)
{
	uint64_t scope = make(SCOPE_TYPE, 8 * 16);
	int32_t at = 32;

	put(scope, 8, smi(2 | (name ? 1 : 0) << 12 | (inferred ? 1 : 0) << 14), 8);
	if (name) {
		put(scope, at, make_string(name), 8);
		put(scope, at + 8, smi(-1), 8);
		at += 16;
	}
	if (inferred) {
		put(scope, at, make_string(inferred), 8);
		at += 8;
	}
	put(scope, at, smi(start), 8);
	put(scope, at + 8, smi(start + 5), 8);
	return scope;
}

/* Its bytecode has the position `start` at 0 and `start` + 5 at 2. */
static void make_function(struct function *f, uint64_t script, uint64_t scope, int32_t literal,
			  int32_t start)
{
	uint8_t positions[] = { 2, (uint8_t)((start + 1) << 2 & 0x7f) | 0x80,
				(uint8_t)((start + 1) << 2 >> 7), 4, 5 << 2 };

	f->script = script;
	f->scope = scope;
	f->shared = make(SHARED_TYPE, 64);
	f->bytecode = make(BYTECODE_TYPE, 64 + 8);
	f->function = make(FUNCTION_TYPE, 64);
	put(f->shared, 8, f->bytecode, 8);
	put(f->shared, 16, scope, 8);
	put(f->shared, 32, script, 8);
	put(f->shared, 52, (uint64_t)literal, 4);
	put(f->bytecode, 8, smi(4), 8);
	put(f->bytecode, 24, make_bytes(positions, sizeof(positions)), 8);
	put(f->function, 32, f->shared, 8);
}

static void make_all(void)
{
	uint64_t script;

	make_heap();
	script = make_script("shop.js");
	make_function(&a, script, make_scope("a", NULL, 10), 1, 10);
	make_function(&b, script, make_scope(NULL, "shop.b", 42), 2, 42);
	cr_assert_eq(v8_names_new(&heap.rt), 0);
	heap.rt.names->layout = heap.layout;
}

static void release(void)
{
	v8_names_free(heap.rt.names);
	arena_release(&arena);
}

static struct managed_frame identify(const struct function *f, uint32_t offset)
{
	struct v8_site site = { .kind = V8_INTERPRETED,
				.function = f->function,
				.bytecode = f->bytecode,
				.offset = offset };
	struct managed_frame frame = { 0 };

	v8_identify(&heap.rt, &site, &frame);
	return frame;
}

static int name(const struct managed_frame *frame)
{
	names.count = 0;
	return v8_function_names(&heap.rt, frame, &arena, &names);
}

static void check(const struct managed_frame *frame, const char *function, uint32_t line,
		  uint32_t column)
{
	cr_assert_eq(name(frame), 0);
	cr_assert_eq(names.count, 1);
	cr_expect_str_eq(names.at[0].name, function);
	cr_expect_str_eq(names.at[0].file, "shop.js");
	cr_expect_eq(names.at[0].line, line, "%u", names.at[0].line);
	cr_expect_eq(names.at[0].column, column, "%u", names.at[0].column);
}

Test(v8_names, names_and_lines, .fini = release)
{
	struct managed_frame frame;

	make_all();
	frame = identify(&a, 0);
	cr_assert_eq(frame.kind, V8_INTERPRETED);
	check(&frame, "a", 1, 11);
	cr_expect_eq(names.at[0].first_line, 1);
	frame = identify(&a, 3);
	check(&frame, "a", 2, 1);
	frame = identify(&b, 1);
	check(&frame, "shop.b", 4, 11);
	cr_expect_eq(names.at[0].first_line, 4);
}

Test(v8_names, a_function_is_known_again, .fini = release)
{
	struct managed_frame first, again, other;

	make_all();
	first = identify(&a, 1);
	again = identify(&a, 1);
	other = identify(&b, 1);
	cr_expect_eq(memcmp(&first, &again, sizeof(first)), 0);
	cr_expect(first.code != other.code);
	check(&first, "a", 1, 11);
	again = identify(&a, 2);
	cr_expect_eq(again.code, first.code);
	check(&again, "a", 2, 1);
}

/* What was read once needs no memory of the process. */
Test(v8_names, names_that_were_read_stay, .fini = release)
{
	struct managed_frame frame;

	make_all();
	frame = identify(&a, 1);
	check(&frame, "a", 1, 11);
	memset(heap.bytes, 0, sizeof(heap.bytes));
	check(&frame, "a", 1, 11);
}

Test(v8_names, another_function_in_its_place_is_another_one, .fini = release)
{
	struct managed_frame before, after;

	make_all();
	before = identify(&a, 1);
	check(&before, "a", 1, 11);
	put(a.shared, 16, make_scope("c", NULL, 10), 8);
	put(a.shared, 52, 3, 4);
	after = identify(&a, 1);
	cr_expect(before.code != after.code);
	check(&after, "c", 1, 11);
	check(&before, "a", 1, 11);
}

/* Where code is made and collected in turns, all objects may have the addresses of those before. */
Test(v8_names, a_function_of_another_script_at_the_same_addresses_is_another_one, .fini = release)
{
	struct managed_frame before, after;

	make_all();
	before = identify(&a, 1);
	check(&before, "a", 1, 11);
	put(a.scope, 32, make_string("c"), 8);
	put(a.script, 64, smi(8), 8);
	after = identify(&a, 1);
	cr_expect(before.code != after.code);
	check(&after, "c", 1, 11);
	check(&before, "a", 1, 11);
}

Test(v8_names, one_that_changes_before_it_is_named_is_in_doubt, .fini = release)
{
	struct managed_frame frame;

	make_all();
	frame = identify(&a, 1);
	put(a.shared, 16, make_scope("c", NULL, 10), 8);
	cr_expect_eq(name(&frame), ERR_FORMAT);
	cr_expect_eq(name(&frame), ERR_FORMAT);
	frame = identify(&a, 1);
	check(&frame, "c", 1, 11);
}

/* The live memory is not what the walk's cache has. */
Test(v8_names, one_that_changes_while_it_is_read_is_in_doubt, .fini = release)
{
	static uint8_t now[HEAP_BYTES];
	struct memory_bytes live;
	struct managed_frame frame;

	make_all();
	frame = identify(&a, 1);
	memcpy(now, heap.bytes, sizeof(now));
	now[a.scope - 1 - START + 4] ^= 1;
	memory_bytes_init(&live, now, START, sizeof(now));
	heap.rt.live = &live.memory;
	cr_expect_eq(name(&frame), ERR_FORMAT);
}

Test(v8_names, what_contradicts_itself_is_unknown, .fini = release)
{
	struct function f;
	struct managed_frame frame;

	make_all();
	f = a;
	f.bytecode = b.bytecode; /* not that of the function */
	frame = identify(&f, 0);
	cr_expect_eq(frame.kind, V8_UNKNOWN);
	cr_expect(frame.code != 0);
	f = a;
	f.function = a.shared;
	cr_expect_eq(identify(&f, 0).kind, V8_UNKNOWN);
	f.function = smi(4);
	cr_expect_eq(identify(&f, 0).kind, V8_UNKNOWN);
	f.function = START + HEAP_BYTES * 2 + 1;
	cr_expect_eq(identify(&f, 0).kind, V8_UNKNOWN);
	put(a.shared, 0, map_of(CODE_TYPE), 8);
	cr_expect_eq(identify(&a, 0).kind, V8_UNKNOWN);
}

/* The frame's words lead to where the objects were. */
Test(v8_names, objects_that_the_collector_is_moving, .fini = release)
{
	struct managed_frame before, after;
	struct function old = a;

	make_all();
	old = a;
	before = identify(&a, 1);
	a.function = make(FUNCTION_TYPE, 64);
	put(a.function, 32, a.shared, 8);
	put(old.function, 0, a.function - 1, 8);
	after = identify(&old, 1);
	cr_expect_eq(memcmp(&before, &after, sizeof(before)), 0);
	check(&after, "a", 1, 11);
}

Test(v8_names, names_of_what_has_none, .fini = release)
{
	struct managed_frame frame;
	uint64_t script;

	make_all();
	script = make_script("shop.js");
	make_function(&a, script, make_scope(NULL, NULL, 10), 5, 10);
	frame = identify(&a, 1);
	check(&frame, "(anonymous shop.js:1:11)", 1, 11);
	script = make_script("shop.js");
	put(script, 104, smi(1), 8);
	make_function(&a, script, make_scope(NULL, NULL, 10), 0, 10);
	frame = identify(&a, 1);
	check(&frame, "eval", 1, 11);
	make_function(&a, make_script(NULL), make_scope("x", NULL, 10), 6, 10);
	frame = identify(&a, 1);
	cr_assert_eq(name(&frame), 0);
	cr_expect_str_eq(names.at[0].file, "<anonymous>");
}

Test(v8_names, a_number_that_was_never_given, .fini = release)
{
	struct managed_frame frame = { .kind = V8_INTERPRETED, .code = 99 };

	make_all();
	cr_expect_eq(name(&frame), ERR_FORMAT);
	frame.code = 0;
	cr_expect_eq(name(&frame), ERR_FORMAT);
}

/* Code. */

enum { MAGLEV = 11, BASELINE = 10 };

static uint64_t make_code(unsigned kind, uint64_t deopt, uint64_t positions)
{
	uint64_t code = make(CODE_TYPE, 64);

	put(code, 8, deopt, 8);
	put(code, 16, positions, 8);
	put(code, 40, START, 8); /* safepoints without anything: what is behind is a map */
	put(code, 48, kind, 4);
	put(code, 52, heap.used, 4);
	allocate(16);
	return code;
}

static uint64_t make_array(const uint64_t *words, int32_t count)
{
	uint64_t array = make(FIXED_ARRAY_TYPE, 16 + 8 * (size_t)count);

	put(array, 8, smi(count), 8);
	for (int32_t i = 0; i < count; i++)
		put(array, 16 + 8 * i, words[i], 8);
	return array;
}

/* b is inlined in a, at offset 10 to 19 of the code; its call is at `call` in a. In front of it is code
 * of the position `before` in a. */
static uint64_t make_optimized(uint8_t before, uint8_t call)
{
	const uint8_t inlining[16] = { (uint8_t)((call + 1) << 1), 0, 0, 0, 0, 0, 0, 0, 1 };
	/* 5: `before`; 10: 50 in the inlined call 0; 20: 25. */
	uint64_t one = (50 + 1) << 1 | 1ull << 31, first = (before + 1) << 1, last = 26 << 1;
	uint8_t table[64];
	size_t len = 0;
	const int64_t steps[] = { 6,  (int64_t)first,	    5, (int64_t)(one - first),
				  10, (int64_t)(last - one) };
	uint64_t literals[] = { smi(1), b.shared | 2 };
	uint64_t deopt[11] = { 0 };

	for (unsigned i = 0; i < 6; i++) {
		uint64_t zigzag = (uint64_t)steps[i] << 1 ^ (uint64_t)(steps[i] >> 63);

		for (; zigzag >= 0x80; zigzag >>= 7)
			table[len++] = (uint8_t)(zigzag | 0x80);
		table[len++] = (uint8_t)zigzag;
	}
	deopt[2] = make_array(literals, 2);
	deopt[5] = smi(3);
	deopt[6] = a.shared;
	deopt[7] = make_bytes(inlining, sizeof(inlining));
	deopt[8] = smi(1000); /* exits: none */
	return make_code(MAGLEV, make_array(deopt, 11), make_bytes(table, len));
}

/* Two exits of its own at 100 and 104, and those of the return addresses 20 and 10 behind. */
static void add_exits(uint64_t code)
{
	uint64_t words[8 + 3 + 4 * 3], deopt;

	memcpy(&deopt, heap.bytes + (code - 1 - START) + 8, sizeof(deopt));
	memcpy(words, heap.bytes + (deopt - 1 - START) + 16, 8 * sizeof(*words));
	words[8] = smi(100);
	words[9] = smi(2);
	words[10] = smi(2);
	for (unsigned i = 0; i < 12; i++)
		words[11 + i] = smi(-1);
	words[11 + 2 * 3 + 2] = smi(20);
	words[11 + 3 * 3 + 2] = smi(10);
	put(code, 8, make_array(words, 8 + 3 + 4 * 3), 8);
}

static struct managed_frame identify_code(enum v8_frame_kind kind, uint64_t code, uint32_t offset,
					  bool interrupted)
{
	struct v8_site site = { .kind = kind,
				.function = a.function,
				.bytecode = a.bytecode,
				.code = code,
				.offset = offset,
				.interrupted = interrupted };
	struct managed_frame frame = { 0 };

	v8_identify(&heap.rt, &site, &frame);
	return frame;
}

static void check_inlined(const struct managed_frame *frame, uint32_t call_column)
{
	cr_assert_eq(name(frame), 0);
	cr_assert_eq(names.count, 2);
	cr_expect_str_eq(names.at[0].name, "shop.b");
	cr_expect_eq(names.at[0].line, 5);
	cr_expect_str_eq(names.at[1].name, "a");
	cr_expect_eq(names.at[1].line, call_column ? 2 : 0, "%u", names.at[1].line);
	cr_expect_eq(names.at[1].column, call_column, "%u", names.at[1].column);
}

Test(v8_names, inlined_calls, .fini = release)
{
	struct managed_frame frame;
	uint64_t code;

	make_all();
	code = make_optimized(20, 17);
	frame = identify_code(V8_OPTIMIZED, code, 10, false); /* a return address */
	check(&frame, "a", 2, 6);
	frame = identify_code(V8_OPTIMIZED, code, 10, true);
	check_inlined(&frame, 3);
	frame = identify_code(V8_OPTIMIZED, code, 20, false);
	check_inlined(&frame, 3);
	frame = identify_code(V8_OPTIMIZED, code, 20, true);
	check(&frame, "a", 2, 11);
	frame = identify_code(V8_OPTIMIZED, code, 2, true); /* it is being entered */
	check(&frame, "a", 1, 11);
}

/* A loop's end is no place where a call can be. */
Test(v8_names, no_line_where_maglev_has_none, .fini = release)
{
	struct managed_frame frame;
	uint64_t code;

	make_all();
	heap.rt.t.kind_baseline = BASELINE;
	heap.rt.names->layout.jump_loop = 0x8e;
	put(a.bytecode, 64 + 2, 0x8e, 1); /* at position 15 */
	code = make_optimized(20, 15);
	frame = identify_code(V8_OPTIMIZED, code, 20, false);
	check_inlined(&frame, 0);
	code = make_optimized(20, 17);
	frame = identify_code(V8_OPTIMIZED, code, 20, false);
	check_inlined(&frame, 3);
}

/* Position 0 is not the function's. */
Test(v8_names, no_line_where_turbofan_has_none, .fini = release)
{
	struct managed_frame frame;
	uint64_t code;

	make_all();
	code = make_optimized(0, 0);
	frame = identify_code(V8_OPTIMIZED, code, 10, false);
	check(&frame, "a", 0, 0);
	cr_expect_eq(names.at[0].first_line, 1);
	frame = identify_code(V8_OPTIMIZED, code, 20, false);
	check_inlined(&frame, 0);
}

/* V8 has replaced the return address by an exit behind the code. */
Test(v8_names, code_that_cannot_be_used_any_more, .fini = release)
{
	struct managed_frame frame;
	uint64_t code;

	make_all();
	heap.rt.t.kind_baseline = BASELINE + 5; /* TurboFan's */
	code = make_optimized(20, 17);
	add_exits(code);
	frame = identify_code(V8_OPTIMIZED, code, 108, false);
	check_inlined(&frame, 3);
	frame = identify_code(V8_OPTIMIZED, code, 112, false);
	check(&frame, "a", 2, 6);
	frame = identify_code(V8_OPTIMIZED, code, 104, false); /* its own exit */
	check(&frame, "a", 0, 0);
	frame = identify_code(V8_OPTIMIZED, code, 108, true); /* it has just returned */
	check_inlined(&frame, 3);
	frame = identify_code(V8_OPTIMIZED, code, 116, false);
	check(&frame, "a", 0, 0);
}

Test(v8_names, code_of_another_function_is_unknown, .fini = release)
{
	uint64_t code;

	make_all();
	code = make_optimized(20, 17);
	a.function = b.function;
	cr_expect_eq(identify_code(V8_OPTIMIZED, code, 10, false).kind, V8_UNKNOWN);
	a.function = 0; /* not known */
	cr_expect_eq(identify_code(V8_OPTIMIZED, code, 10, false).kind, V8_OPTIMIZED);
}

Test(v8_names, baseline_code, .fini = release)
{
	/* The prologue has 9 bytes, the bytecodes 10 each. */
	static const uint8_t offsets[] = { 9, 10, 10, 10 };
	struct managed_frame frame;
	uint64_t code;

	make_all();
	memset(heap.rt.names->layout.bytecodes.sizes[0], 1, 256);
	heap.rt.names->layout.bytecodes.count = 200;
	memset(heap.bytes + (a.bytecode - 1 - START) + 64, 5, 4);
	code = make_code(BASELINE, a.bytecode, make_bytes(offsets, sizeof(offsets)));
	put(a.shared, 8, code, 8);
	frame = identify_code(V8_BASELINE, code, 29, false);
	check(&frame, "a", 1, 11);
	frame = identify_code(V8_BASELINE, code, 29, true);
	check(&frame, "a", 2, 1);
	frame = identify_code(V8_BASELINE, code, 3, true);
	check(&frame, "a", 1, 11);
	a.function = smi(1); /* a register in the prologue: no function, but the code is known */
	frame = identify_code(V8_BASELINE, code, 3, true);
	check(&frame, "a", 1, 11);
	frame = identify_code(V8_BASELINE, code, 150, true); /* behind its last bytecode */
	cr_assert_eq(name(&frame), 0);
	cr_expect_eq(names.at[0].line, 0);
}
