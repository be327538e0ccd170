/* Made-up code like that of Go's runtime; tests/goruntime/places.test is about the real one. */
#include <criterion/criterion.h>

#include "base/process/gopclntab.h"
#include "base/process/image.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/find/places.h"
#include "runtimes/go/find/vars.h"
#include "tests/unit/base/process/goimage.h"

enum {
	STKBUCKET,
	FLUSHLOCKED,
	MCOMMONINIT,
	MEXIT,
	LOCKPROFILES,
	FUNCTIONS,
	ONE = MADE_DATA + 0x400,
	TWO = ONE + 8,
	THREE = ONE + 16,
	FOUR = ONE + 24
};

static const uint64_t BIAS = 0x5000000;
static const char *const names[FUNCTIONS] = {
	"runtime.stkbucket", "runtime.mProf_FlushLocked",  "runtime.mcommoninit",
	"runtime.mexit",     "runtime/pprof.lockProfiles",
};
static char code[FUNCTIONS][MADE_FUNCTION];
static size_t len[FUNCTIONS];
static struct goplaces p;

static void put(int function, const char *bytes, size_t count)
{
	memcpy(code[function] + len[function], bytes, count);
	len[function] += count;
}

/* Puts an instruction: its first bytes, the distance to `address`, and a number of one byte unless
 * it is negative. */
static void name(int function, const char *opcode, size_t opcode_len, int number, uint64_t address)
{
	size_t all = opcode_len + 4 + (number >= 0);
	int32_t distance = (int32_t)((int64_t)address -
				     (int64_t)(MADE_TEXT + (uint64_t)function * MADE_FUNCTION +
					       len[function] + all));
	char byte = (char)number;

	put(function, opcode, opcode_len);
	put(function, (char *)&distance, sizeof(distance));
	if (number >= 0)
		put(function, &byte, 1);
}

static void lea(int f, uint64_t address)
{
	name(f, "\x48\x8d\x05", 3, -1, address); /* lea X(%rip),%rax */
}

static void load(int f, uint64_t address)
{
	name(f, "\x48\x8b\x0d", 3, -1, address); /* mov X(%rip),%rcx */
}

static void store(int f, uint64_t address)
{
	name(f, "\x48\x89\x05", 3, -1, address); /* mov %rax,X(%rip) */
}

static void compare(int f, uint64_t address, int number)
{
	name(f, "\x83\x3d", 2, number, address); /* cmpl $N,X(%rip) */
}

static void type_is(int f, char type)
{
	char cmp[] = { 0x48, (char)0x83, (char)0xf9, type }; /* cmp $N,%rcx */

	put(f, cmp, sizeof(cmp));
	put(f, "\x75\x09", 2); /* jne */
}

static void find(unsigned minor)
{
	struct made_function functions[FUNCTIONS];
	struct golayout layout = { .minor = minor };
	struct govars vars = { .layout = &layout, .allgs = 0x1234 };
	struct gopclntab *table;
	struct image *image;
	uint8_t *file;

	memset(functions, 0, sizeof(functions));
	for (int i = 0; i < FUNCTIONS; i++) {
		functions[i].name = names[i];
		functions[i].code = code[i];
		functions[i].code_len = len[i];
	}
	file = made_file(GO_1_20, functions, FUNCTIONS);
	cr_assert_eq(image_open_bytes(file, MADE_END, "/made", &image, NULL), 0);
	free(file);
	cr_assert_eq(gopclntab_open(image, &table), 0);
	cr_assert_eq(goplaces_by_code(&p, table, image, BIAS, &vars), 0);
	gopclntab_close(table);
	image_free(image);
}

static void put_buckets(char heap, char mutex)
{
	type_is(STKBUCKET, heap);
	lea(STKBUCKET, ONE);
	type_is(STKBUCKET, mutex);
	lea(STKBUCKET, TWO);
	lea(STKBUCKET, THREE);
	lea(STKBUCKET, FOUR);
}

Test(goplaces, heads_of_buckets_stand_in_order_of_their_types)
{
	type_is(STKBUCKET, 1);
	put_buckets(1, 3);
	load(FLUSHLOCKED, ONE);
	find(26);
	cr_assert_eq(p.heap, ONE + BIAS);
	cr_assert_eq(p.mutex, TWO + BIAS);
	cr_assert_eq(p.block, THREE + BIAS);
	cr_assert_eq(p.all_gs, 0x1234);
	cr_assert_eq(p.all_ms, 0);
}

Test(goplaces, in_1_18_each_is_loaded_and_stored)
{
	type_is(STKBUCKET, 1);
	load(STKBUCKET, THREE);
	store(STKBUCKET, THREE);
	type_is(STKBUCKET, 3);
	load(STKBUCKET, ONE);
	store(STKBUCKET, ONE);
	load(STKBUCKET, TWO);
	store(STKBUCKET, TWO);
	load(FLUSHLOCKED, THREE);
	find(18);
	cr_assert_eq(p.heap, THREE + BIAS);
	cr_assert_eq(p.mutex, ONE + BIAS);
	cr_assert_eq(p.block, TWO + BIAS);
}

Test(goplaces, other_orders_are_none)
{
	put_buckets(2, 3);
	load(FLUSHLOCKED, ONE);
	find(26);
	cr_assert_eq(p.heap | p.mutex | p.block, 0);
}

Test(goplaces, what_another_function_does_not_confirm_is_none)
{
	put_buckets(1, 3);
	load(FLUSHLOCKED, TWO);
	lea(MCOMMONINIT, ONE);
	load(MCOMMONINIT, ONE);
	load(MEXIT, ONE);
	find(26);
	cr_assert_eq(p.heap | p.mutex | p.block, 0);
	cr_assert_eq(p.all_ms, 0);
}

Test(goplaces, a_variable_is_used_so_by_all)
{
	load(MCOMMONINIT, TWO);
	lea(MCOMMONINIT, TWO);
	lea(MCOMMONINIT, ONE);
	lea(MEXIT, ONE);
	lea(MEXIT, TWO);
	find(26);
	cr_assert_eq(p.all_ms, TWO + BIAS);
}

Test(goplaces, of_two_that_fit_none_is_taken)
{
	for (uint64_t at = ONE; at <= TWO; at += 8) {
		load(MCOMMONINIT, at);
		lea(MCOMMONINIT, at);
		lea(MEXIT, at);
	}
	find(26);
	cr_assert_eq(p.all_ms, 0);
}

Test(goplaces, the_number_that_it_is_compared_with_counts)
{
	compare(LOCKPROFILES, ONE, 1);
	compare(LOCKPROFILES, TWO, 0);
	store(LOCKPROFILES, ONE);
	store(LOCKPROFILES, TWO);
	find(26);
	cr_assert_eq(p.profiles, TWO + BIAS);
}

Test(goplaces, instructions_are_not_taken_apart)
{
	put(LOCKPROFILES, "\x48\xb8", 2); /* a constant; seven of its bytes look like this: */
	compare(LOCKPROFILES, TWO, 0);
	put(LOCKPROFILES, "", 1);
	store(LOCKPROFILES, TWO);
	compare(LOCKPROFILES, ONE, 0);
	store(LOCKPROFILES, ONE);
	find(26);
	cr_assert_eq(p.profiles, ONE + BIAS);
}
