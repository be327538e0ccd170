/* Made-up type descriptors in the formats of Go 1.16, of 1.18, and of 1.19 and later. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/process/gomodule.h"
#include "base/process/memory.h"
#include "runtimes/go/find/types.h"

enum { TYPES = 0x5000, BIAS = 0x10000, BYTES = 0x1000, NAMES = 0x800, FIELDS = 0x400 };

static uint8_t bytes[BYTES];
static struct memory_bytes memory;
static struct gotypes types;
static size_t names;

static const struct gomodule module = { .types = TYPES, .etypes = TYPES + BYTES };

static void put(size_t at, uint64_t value, size_t len)
{
	memcpy(bytes + at, &value, len);
}

/* Puts a name. Returns its offset from the start of the descriptors. */
static size_t put_name(const char *name, bool old)
{
	size_t at = names, len = strlen(name);

	bytes[names++] = 1; /* the flags, which are not read */
	if (old)
		bytes[names++] = (uint8_t)(len >> 8);
	bytes[names++] = (uint8_t)len;
	memcpy(bytes + names, name, len);
	names += len;
	return at;
}

/* A struct type with two fields: "first" at 0, "second" at 40. */
static void put_struct(size_t at, const char *name, uint8_t kind, bool old, unsigned shift)
{
	put(at + 20, 2, 1); /* extra star */
	put(at + 23, kind, 1);
	put(at + 40, put_name(name, old), 4);
	put(at + 56, BIAS + TYPES + FIELDS, 8);
	put(at + 64, 2, 8);
	put(FIELDS, BIAS + TYPES + put_name("first", old), 8);
	put(FIELDS + 16, 0, 8);
	put(FIELDS + 24, BIAS + TYPES + put_name("second", old), 8);
	put(FIELDS + 32, BIAS + TYPES + 0x100, 8);
	put(FIELDS + 40, 40u << shift, 8);
}

static void enter(void)
{
	memset(bytes, 0, sizeof(bytes));
	names = NAMES;
	memory_bytes_init(&memory, bytes, BIAS + TYPES, sizeof(bytes));
}

static void load(void)
{
	cr_assert_eq(gotypes_load(&types, &module, BIAS, &memory.memory), 0);
}

static void leave(void)
{
	gotypes_release(&types);
}

TestSuite(gotypes, .init = enter, .fini = leave);

static void check_fields(uint64_t type)
{
	uint64_t of;
	uint32_t offset;

	cr_assert_eq(type, BIAS + TYPES + 0x40);
	cr_assert(gotypes_field(&types, type, "first", &offset, NULL));
	cr_assert_eq(offset, 0);
	cr_assert(gotypes_field(&types, type, "second", &offset, &of));
	cr_assert_eq(offset, 40);
	cr_assert_eq(of, BIAS + TYPES + 0x100);
	cr_assert(!gotypes_field(&types, type, "third", &offset, NULL));
	cr_assert(!gotypes_field(&types, type, "secon", &offset, NULL));
}

Test(gotypes, a_field_is_found_by_name)
{
	put_struct(0x40, "*runtime.g", 25, false, 0);
	load();
	check_fields(gotypes_struct(&types, "runtime.g"));
	cr_assert_eq(gotypes_struct(&types, "runtime.gg"), 0);
}

Test(gotypes, names_have_a_long_length_in_1_16)
{
	put_struct(0x40, "*runtime.g", 25, true, 1);
	load();
	types.shift = 1;
	check_fields(gotypes_struct(&types, "runtime.g"));
}

Test(gotypes, a_pointer_of_that_name_is_no_struct)
{
	put_struct(0x40, "*runtime.g", 22, false, 0);
	load();
	cr_assert_eq(gotypes_struct(&types, "runtime.g"), 0);
}

Test(gotypes, pointers_that_lead_nowhere_are_no_fields)
{
	uint32_t offset;
	uint64_t type;

	put_struct(0x40, "*runtime.g", 25, false, 0);
	put(0x40 + 56, 0x1234, 8);
	load();
	type = gotypes_struct(&types, "runtime.g");
	cr_assert(!gotypes_field(&types, type, "first", &offset, NULL));
	cr_assert(!gotypes_field(&types, BIAS, "first", &offset, NULL));
	cr_assert(!gotypes_field(&types, BIAS + TYPES + BYTES - 8, "first", &offset, NULL));
}

Test(gotypes, too_many_or_none_are_not_loaded)
{
	struct gomodule m = { .types = TYPES, .etypes = TYPES };

	cr_assert_eq(gotypes_load(&types, &m, BIAS, &memory.memory), ERR_NOTFOUND);
	m.etypes = TYPES + (1ull << 40);
	cr_assert_eq(gotypes_load(&types, &m, BIAS, &memory.memory), ERR_LIMIT);
	m.etypes = TYPES + BYTES + 8;
	cr_assert_eq(gotypes_load(&types, &m, BIAS, &memory.memory), ERR_IO);
}
