/* Fields and strings of objects, bytecodes that call: in the memory of a made-up class. */
#include <criterion/criterion.h>
#include <string.h>

#include "runtimes/hotspot/vm/fields.h"
#include "runtimes/hotspot/vm/invokes.h"
#include "runtimes/hotspot/vm/oops.h"
#include "tests/unit/runtimes/hotspot/made_up_class.h"

enum { FIELDS = 40, COUNT = 48, CONSTANTS = 56 }; /* in the class */

static const struct hotspot_field_layout slots = {
	.array = FIELDS, .count = COUNT, .stream = -1, .constants = CONSTANTS
};
static const struct hotspot_field_layout stream = {
	.array = -1, .count = -1, .stream = FIELDS, .constants = CONSTANTS
};

TestSuite(fields, .fini = release_class);

static int32_t find(const struct hotspot_field_layout *l, const char *name)
{
	return hotspot_field_find(&class_vm, l, CLASS, name, "I");
}

/* A class whose records are these bytes, behind an Array's length. */
static void make_records(const void *bytes, size_t len, unsigned length)
{
	uint64_t at = take(4 + len);

	put(at, length, 4);
	memcpy(class_memory + (at + 4 - CLASS), bytes, len);
	put(CLASS + FIELDS, at, 8);
	put(CLASS + CONSTANTS, POOL, 8);
}

static void make_names(uint16_t at[3])
{
	make_class("Shop", NULL);
	at[0] = make_entry("first");
	at[1] = make_entry("second");
	at[2] = make_entry("I");
}

Test(fields, six_numbers_each)
{
	uint16_t n[3];

	make_names(n);
	const uint16_t records[] = { 0, n[0], n[2], 0, 12 << 2 | 1, 0,
				     0, n[1], n[2], 0, 16 << 2 | 1, 0 };

	make_records(records, sizeof(records), 12);
	put(CLASS + COUNT, 2, 2);
	cr_expect_eq(find(&slots, "first"), 12);
	cr_expect_eq(find(&slots, "second"), 16);
	cr_expect_eq(find(&slots, "third"), -1);
	put(CLASS + COUNT, 1, 2);
	cr_expect_eq(find(&slots, "second"), -1);
}

Test(fields, a_stream)
{
	uint16_t n[3];

	make_names(n);
	/* each number is one more; the first field has an initial value */
	const uint8_t records[] = { 3, 1,	 n[0] + 1, n[2] + 1, 13, 1, 2,
				    8, n[1] + 1, n[2] + 1, 17,	     1,	 1 };

	make_records(records, sizeof(records), sizeof(records));
	cr_expect_eq(find(&stream, "first"), 12);
	cr_expect_eq(find(&stream, "second"), 16);
	cr_expect_eq(find(&stream, "third"), -1);
	put(memory_word(class_memory, FIELDS), 8, 4); /* cut off */
	cr_expect_eq(find(&stream, "second"), -1);
}

Test(fields, records_at_nowhere)
{
	make_class("Shop", NULL);
	cr_expect_eq(find(&slots, "first"), -1);
	cr_expect_eq(find(&stream, "first"), -1);
	cr_expect_eq(hotspot_field_find(&class_vm, &slots, 0, "first", "I"), -1);
}

static struct hotspot_oops oops;

/* A String at the result, of LATIN1 or UTF-16. */
static uint64_t make_string(const void *bytes, uint32_t len, uint8_t coder)
{
	uint64_t string = take(32), array = take(16 + len);

	oops = (struct hotspot_oops){ .ready = true,
				      .narrow = true,
				      .narrow_klass = true,
				      .string = CLASS,
				      .string_value = 12,
				      .string_coder = 16,
				      .array_length = 12,
				      .array_data = 16 };
	put(string + 8, CLASS, 4);
	put(string + 12, array, 4);
	put(string + 16, coder, 1);
	put(array + 12, len, 4);
	memcpy(class_memory + (array + 16 - CLASS), bytes, len);
	return string;
}

Test(fields, strings)
{
	static const uint16_t units[] = { 'a', 0x20ac };
	char text[8];

	make_class("java/lang/String", NULL);
	cr_assert(hotspot_oop_text(&class_vm, &oops, make_string("caf\xe9", 4, 0), text, 8));
	cr_expect_str_eq(text, "café");
	cr_assert(hotspot_oop_text(&class_vm, &oops, make_string(units, 4, 1), text, 8));
	cr_expect_str_eq(text, "a€");
	cr_assert(
		hotspot_oop_text(&class_vm, &oops, make_string("\xe9\xe9\xe9\xe9", 4, 0), text, 8));
	cr_expect_str_eq(text, "ééé");
	cr_assert(hotspot_oop_text(&class_vm, &oops, make_string("", 0, 0), text, 8));
	cr_expect_str_eq(text, "");
}

Test(fields, what_is_no_string)
{
	char text[8];
	uint64_t string;

	make_class("java/lang/String", NULL);
	string = make_string("a", 1, 0);
	put(string + 16, 2, 1);
	cr_expect_not(hotspot_oop_text(&class_vm, &oops, string, text, 8));
	string = make_string("a", 1, 0);
	put(string + 8, CLASS + 8, 4);
	cr_expect_not(hotspot_oop_text(&class_vm, &oops, string, text, 8));
	string = make_string("a", 1, 0);
	put(string + 12, 0xdead0000, 4);
	cr_expect_not(hotspot_oop_text(&class_vm, &oops, string, text, 8));
	cr_expect_not(hotspot_oop_text(&class_vm, &oops, string + 1, text, 8));
}

/* The caller's bytecode 0 calls entry 0 of the pool's cache, that is entry `index` of the pool. */
static uint64_t make_caller(uint8_t opcode, uint16_t name, uint16_t signature)
{
	uint64_t caller = make_method("caller", "()V", 1, 8, NULL, 0), cache = take(64);
	uint64_t constant = memory_word(class_memory, caller + 8 - CLASS);
	uint16_t type = ++class_entries, method = ++class_entries;

	put(POOL + 16, cache, 8);
	put(cache + 16, method, 8);
	put(POOL + 64 + method * 8ul, (uint32_t)type << 16 | 1, 4);
	put(POOL + 64 + type * 8ul, (uint32_t)signature << 16 | name, 4);
	put(constant + 48, opcode, 1);
	return caller;
}

static const struct invoke_layout invokes = {
	.entries = -1, .index = -1, .cache_bytes = 16, .old_bytes = 32, .old_index = 0
};

Test(fields, a_bytecode_that_calls)
{
	make_class("Shop", NULL);
	uint64_t callee = make_method("total", "(I)V", 1, 4, NULL, 0);
	uint64_t other = make_method("other", "(I)V", 1, 4, NULL, 0);
	uint64_t caller = make_caller(0xb6, 1, 2);

	cr_expect(hotspot_invokes(&class_vm, &invokes, caller, 0, callee));
	cr_expect_not(hotspot_invokes(&class_vm, &invokes, caller, 0, other));
	cr_expect_not(hotspot_invokes(&class_vm, &invokes, caller, 1, callee));
	cr_expect_not(hotspot_invokes(&class_vm, &invokes, caller, 6, callee));
	cr_expect_not(hotspot_invokes(&class_vm, &invokes, caller, -1, callee));
	cr_expect_not(hotspot_invokes(&class_vm, &invokes, 0, 0, callee));
	caller = make_caller(0xba, 1, 2); /* invokedynamic */
	cr_expect_not(hotspot_invokes(&class_vm, &invokes, caller, 0, callee));
}
