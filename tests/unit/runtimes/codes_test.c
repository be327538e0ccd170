/*
 * Code objects that change between the stop, the reading of their names, and the next sample. The
 * interpreter is made up: a code object is a version and a name.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "runtimes/codes.h"
#include "runtimes/names.h"

struct made_up {
	uint64_t version;
	char name[24];
};

/* What `live` reads, and what was copied in the stop. */
static struct made_up now[4], held[4];
static const struct made_up *change_while_read; /* `now[0]` becomes this when it is resolved */
static int resolved;
static bool is_unique;

static int read_from(const struct made_up *from, uint64_t addr, void *buf, size_t len)
{
	if (addr < 1000 || addr - 1000 + len > sizeof(now))
		return ERR_IO;
	memcpy(buf, (const char *)from + addr - 1000, len);
	return 0;
}

static int read_now(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	(void)m;
	return read_from(now, addr, buf, len);
}

static int read_held(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	(void)m;
	return read_from(held, addr, buf, len);
}

static void identify(const void *rt, const struct memory *memory, struct interp_identity *ids,
		     size_t count)
{
	(void)rt;
	for (size_t i = 0; i < count; i++) {
		ids[i].valid = !memory->read(memory, ids[i].code, &ids[i].words[0], 8) &&
			       ids[i].words[0];
		ids[i].unique = is_unique;
	}
}

static int resolve(const void *rt, const struct memory *memory, const struct interp_identity *id,
		   struct arena *arena, struct interp_code *code)
{
	struct made_up m;

	(void)rt;
	resolved++;
	if (memory->read(memory, id->code, &m, sizeof(m)))
		return ERR_FORMAT;
	code->name = arena_copy(arena, m.name, strlen(m.name));
	code->file = "shop.py";
	code->first_line = 10;
	if (change_while_read)
		now[0] = *change_while_read;
	return 0;
}

static void line(const void *rt, const struct interp_code *code, uint64_t at, uint32_t *number,
		 uint32_t *column)
{
	(void)rt;
	*number = code->first_line + (uint32_t)at;
	*column = 0;
}

static const struct interp_ops ops = {
	.mapping = "[python]", .identify = identify, .resolve = resolve, .line = line
};
static const struct interp_runtime runtime = { .ops = &ops };
static const struct memory live = { .read = read_now }, copy = { .read = read_held };
static struct interp_codes codes;
static struct interp_names names;
static struct modmap *maps;
static uint32_t language;

static void start(void)
{
	modmap_new(&maps, NULL);
	cr_assert_eq(interp_names_init(&names, maps), 0);
	cr_assert_eq(interp_names_language(&names, "[python]", &language), 0);
	for (int i = 0; i < 4; i++) {
		now[i].version = 7 + (uint64_t)i;
		snprintf(now[i].name, sizeof(now[i].name), "f%d", i);
	}
	memcpy(held, now, sizeof(held));
}

static void end(void)
{
	interp_codes_release(&codes);
	interp_names_release(&names);
	modmap_free(maps);
}

TestSuite(codes, .init = start, .fini = end);

static bool all_proven; /* of the last sample */

/* The name of code object `i` in a sample; NULL: it has none. */
static const char *sampled(int i)
{
	struct interp_frame frame = { .code = 1000 + (uint64_t)i * sizeof(struct made_up),
				      .at = 3 };
	struct interp_walk walk = { .frames = &frame, .count = 1, .room = 1 };
	const struct interp_function *f;
	uint32_t place;
	bool hidden;
	int rc;

	cr_assert_eq(interp_codes_prove(&codes, &runtime, 0, &walk, &copy, &live, &all_proven), 0);
	if (!interp_codes_place(&codes, &runtime, &frame, language, &names, &place, &hidden, &rc))
		return NULL;
	f = interp_names_find(&names, names.images[language], place);
	cr_assert_eq(f->line, 13);
	cr_assert_str_eq(strset_get(&names.texts, f->file), "shop.py");
	return strset_get(&names.texts, f->name);
}

Test(codes, a_name_is_read_once)
{
	cr_assert_str_eq(sampled(0), "f0");
	cr_assert_str_eq(sampled(1), "f1");
	cr_assert_str_eq(sampled(0), "f0");
	cr_assert_eq(resolved, 2);
	cr_assert_eq(names.count, 2);
}

/* A code object with another method entry has another name. */
Test(codes, a_name_is_that_of_a_code_object_and_a_method_entry)
{
	struct interp_frame frames[2] = { { .code = 1000 }, { .code = 1000, .method = 8 } };
	struct interp_walk walk = { .frames = frames, .count = 2, .room = 2 };
	uint32_t place;
	bool hidden, proven;
	int rc;

	cr_assert_eq(interp_codes_prove(&codes, &runtime, 0, &walk, &copy, &live, &proven), 0);
	cr_assert_eq(resolved, 2);
	cr_assert_eq(codes.count, 2);
	cr_assert(interp_codes_place(&codes, &runtime, &frames[1], language, &names, &place,
				     &hidden, &rc));
	frames[1].method = 16;
	cr_assert_not(interp_codes_place(&codes, &runtime, &frames[1], language, &names, &place,
					 &hidden, &rc));
}

static bool is_known(void)
{
	return !interp_copy_is_new(&(struct interp_copy){ .known = &codes.known }, 1000);
}

/* Samples number 0 until it is known. Returns how many samples that took, at most 1,000. */
static int make_known(void)
{
	int samples = 0;

	while (!is_known() && samples++ < 1000)
		cr_assert_not_null(sampled(0));
	return samples;
}

/* Another code object is at the address of one that has a name. */
Test(codes, a_reused_address_has_the_new_name)
{
	cr_assert_str_eq(sampled(0), "f0");
	now[0] = (struct made_up){ 99, "other" };
	held[0] = now[0];
	cr_assert_str_eq(sampled(0), "other");
}

/* It was known, so that it was not copied in the stop. */
Test(codes, a_reused_address_that_was_known_has_no_name_in_the_first_sample)
{
	make_known();
	now[0] = (struct made_up){ 99, "other" };
	held[0].version = 0;
	cr_assert_null(sampled(0));
	cr_assert(!is_known());
	held[0] = now[0];
	cr_assert_str_eq(sampled(0), "other");
}

/* Before and after the stop it is the one that has a name, but not in the stop. */
Test(codes, what_was_copied_counts)
{
	cr_assert_str_eq(sampled(0), "f0");
	held[0] = (struct made_up){ 99, "other" };
	cr_assert_null(sampled(0));
}

Test(codes, what_could_not_be_copied_has_no_name_as_long_as_it_is_not_known)
{
	cr_assert_str_eq(sampled(0), "f0");
	held[0].version = 0;
	cr_assert_null(sampled(0));
	held[0] = now[0];
	make_known();
	held[0].version = 0;
	cr_assert_str_eq(sampled(0), "f0");
}

Test(codes, freed_before_its_name_was_read)
{
	now[0] = (struct made_up){ 99, "other" };
	cr_assert_null(sampled(0));
}

Test(codes, freed_while_its_name_was_read)
{
	const struct made_up other = { 99, "other" };

	change_while_read = &other;
	cr_assert_null(sampled(0));
}

Test(codes, what_was_not_copied_has_no_name)
{
	held[0].version = 0;
	cr_assert_null(sampled(0));
	cr_assert(!all_proven);
	cr_assert_str_eq(sampled(1), "f1");
	cr_assert(all_proven);
}

Test(codes, memory_that_is_gone_has_no_name)
{
	cr_assert_null(sampled(1000));
	cr_assert_str_eq(sampled(2), "f2");
}

Test(codes, known_is_what_was_the_same_some_times)
{
	int first = make_known(), again;

	cr_assert(first > 1 && first < 200, "%d", first);
	now[0].version = held[0].version = 99;
	sampled(0);
	cr_assert(!is_known());
	again = make_known();
	cr_assert(again > 4 * first && again < 1000, "%d", again);
}

Test(codes, one_with_a_unique_identity_is_known_at_once)
{
	is_unique = true;
	cr_assert_eq(make_known(), 1);
	now[0].version = held[0].version = 99;
	sampled(0);
	cr_assert(!is_known());
	cr_assert_gt(make_known(), 100);
}

Test(codes, names_of_another_round)
{
	cr_assert_str_eq(sampled(0), "f0");
	interp_names_release(&names);
	cr_assert_eq(interp_names_init(&names, maps), 0);
	cr_assert_eq(interp_names_language(&names, "[python]", &language), 0);
	cr_assert_str_eq(sampled(0), "f0");
	cr_assert_eq(resolved, 1);
}
