/* Layouts by release, and by the debug offsets of files. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "runtimes/cpython/releases.h"

enum { HEADER = 16 }; /* what an object's head has more in a free-threaded build */

static struct cpython python;
static uint64_t debug[CPYTHON_DEBUG_WORDS];

static int set(uint16_t version, const uint64_t *words)
{
	memset(&python, 0, sizeof(python));
	python.version = version;
	return cpython_layout_set(&python, words);
}

/* The words of CPython 3.14.10's _Py_DebugOffsets that are used, by their position in bytes. */
static void use_3_14(void)
{
	static const uint16_t words[][2] = {
		{ 40, 808 },   { 64, 7272 },  { 72, 7344 }, { 120, 16 },  { 128, 7784 },
		{ 144, 7800 }, { 152, 7792 }, { 184, 0 },   { 192, 8 },	  { 200, 16 },
		{ 208, 72 },   { 216, 152 },  { 224, 160 }, { 232, 232 }, { 256, 8 },
		{ 264, 0 },    { 272, 56 },   { 288, 74 },  { 320, 112 }, { 328, 120 },
		{ 336, 128 },  { 344, 136 },  { 352, 68 },  { 384, 208 }, { 408, 8 },
		{ 424, 24 },   { 600, 16 },   { 608, 32 },  { 624, 32 },  { 632, 16 },
		{ 640, 40 },
	};

	memset(debug, 0, sizeof(debug));
	memcpy(debug, "xdebugpy", 8);
	debug[1] = 0x030e0af0;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		debug[words[i][0] / 8] = words[i][1];
}

Test(cpython_releases, debug_offsets_agree_with_the_table)
{
	struct cpython_layout table;

	cr_assert_eq(set(CPYTHON_3_14, NULL), 0);
	table = python.layout;
	use_3_14();
	cr_assert_eq(set(CPYTHON_3_14, debug), 0);
	cr_assert(!memcmp(&table, &python.layout, sizeof(table)));
}

Test(cpython_releases, debug_offsets_are_believed_rather_than_the_table)
{
	use_3_14();
	debug[208 / 8] = 88;
	cr_assert_eq(set(CPYTHON_3_14, debug), 0);
	cr_assert_eq(python.layout.thread.frame, 88);
}

Test(cpython_releases, offsets_that_no_structure_can_have_are_refused)
{
	static const uint16_t positions[] = { 40, 64, 144, 208, 272, 384, 640 };

	for (size_t i = 0; i < sizeof(positions) / sizeof(*positions); i++) {
		use_3_14();
		debug[positions[i] / 8] = UINT64_MAX - 8;
		cr_assert_eq(set(CPYTHON_3_14, debug), ERR_FORMAT, "%u", positions[i]);
	}
}

Test(cpython_releases, what_is_copied_of_a_state_and_a_frame_has_all_fields)
{
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		const struct cpython_layout *l = &python.layout;

		cr_assert_eq(set(v, NULL), 0);
		cr_assert(!python.is_new);
		cr_assert_geq(l->thread.size, l->thread.id + 8, "%x", v);
		cr_assert(l->thread.chunk_top == CPYTHON_NONE ||
			  l->thread.size >= l->thread.chunk_top + 8);
		cr_assert_leq(l->thread.size, 512, "%x", v);
		cr_assert_geq(l->frame.size, l->frame.at + 4, "%x", v);
		cr_assert_leq(l->frame.size, 144, "%x", v);
	}
}

Test(cpython_releases, a_later_release_needs_debug_offsets_and_a_proof)
{
	cr_assert_eq(set(CPYTHON_3_15 + 1, NULL), ERR_FORMAT);
	use_3_14();
	debug[272 / 8] = 280;
	cr_assert_eq(set(CPYTHON_3_15 + 1, debug), 0);
	cr_assert(python.is_new);
	cr_assert_eq(set(0x0400, debug), 0);
	cr_assert(python.is_new);
}

Test(cpython_releases, an_older_release_is_none)
{
	cr_assert_eq(set(0x0305, NULL), ERR_NOTFOUND);
	cr_assert_eq(set(0x0207, NULL), ERR_NOTFOUND);
}

Test(cpython_releases, objects_of_a_free_threaded_build_have_a_longer_head)
{
	struct cpython_code_layout code;

	cr_assert_eq(set(CPYTHON_3_14, NULL), 0);
	code = python.layout.code;
	use_3_14();
	debug[2] = 1;
	for (size_t i = 320 / 8; i <= 384 / 8; i++) /* of a code object */
		debug[i] += debug[i] ? HEADER : 0;
	debug[304 / 8] = 72;
	debug[392 / 8] = 224;
	memset(&python, 0, sizeof(python));
	python.version = CPYTHON_3_14;
	python.free_threaded = true;
	cr_assert_eq(cpython_layout_set(&python, debug), 0);
	cr_assert_eq(python.layout.code.firstlineno, code.firstlineno + HEADER);
	cr_assert_eq(python.layout.code.version, code.version + HEADER);
	cr_assert_eq(python.layout.code.firsttraceable, code.firsttraceable + HEADER);
	cr_assert_eq(python.layout.code.filename, code.filename + HEADER);
	cr_assert_eq(python.layout.code.tlbc, 224);
	cr_assert_eq(python.layout.frame.tlbc, 72);
	cr_assert_eq(python.layout.object.text_hash, 24 + HEADER);
}

Test(cpython_releases, the_version_is_in_the_debug_offsets)
{
	bool free_threaded;
	uint32_t hex;

	use_3_14();
	cr_assert(cpython_debug_version(debug, &hex, &free_threaded));
	cr_assert_eq(hex, 0x030e0af0);
	cr_assert(!free_threaded);
	memcpy(debug, "xdebugpx", 8);
	cr_assert(!cpython_debug_version(debug, &hex, &free_threaded));
}
