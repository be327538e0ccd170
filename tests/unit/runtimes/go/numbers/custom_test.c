/* Made-up custom profiles of a program and lists of its threads, valid and invalid. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"
#include "runtimes/go/numbers/custom.h"
#include "tests/unit/runtimes/go/gomaps.h"

enum {
	NAME = 0,
	STACKS = 24,
	WRITE = 40,
	PROFILE_BYTES = 48, /* offsets in a profile */
	G0 = 0,
	LINK = 16,
	STACK = 24,
	G_M = 8, /* in an m; in a g */
};

static struct gomem mem;
static struct golive live;
static struct error error;
static uint64_t things, stacks[3]; /* a profile; its map's stacks */

static uint64_t profile(const char *name, uint64_t map, bool built_in)
{
	uint64_t at = gomem_alloc(&mem, PROFILE_BYTES);

	gomem_put(&mem, at + NAME, gomem_text(&mem, name), 8);
	gomem_put(&mem, at + NAME + 8, strlen(name), 8);
	gomem_put(&mem, at + STACKS, map, 8);
	gomem_put(&mem, at + WRITE, built_in ? 0x4000 : 0, 8);
	return at;
}

static void put_string(uint64_t at, const char *text)
{
	gomem_put(&mem, at, gomem_text(&mem, text), 8);
	gomem_put(&mem, at + 8, strlen(text), 8);
}

static uint64_t group_of(uint64_t map)
{
	uint64_t group;

	memcpy(&group, gomem_at(&mem, map + 16), 8);
	return group;
}

/* A map of three stacks, which have one, two and three frames. */
static uint64_t map_of_stacks(void)
{
	uint64_t map = gomem_swiss(&mem, 3, 40), at = group_of(map) + 8;

	for (uint64_t i = 0; i < 3; i++, at += 40) {
		stacks[i] = gomem_alloc(&mem, 32 * 8);
		gomem_put(&mem, group_of(map) + i, 1, 1);
		gomem_put(&mem, at, 0x1000, 8);
		gomem_put(&mem, at + 8, i, 8);
		gomem_put(&mem, at + 16, stacks[i], 8);
		gomem_put(&mem, at + 24, i + 1, 8);
		gomem_put(&mem, at + 32, 32, 8);
		for (uint64_t j = 0; j <= i; j++)
			gomem_put(&mem, stacks[i] + 8 * j, 100 * i + j + 1, 8);
	}
	return map;
}

static void enter(void)
{
	uint64_t map, at;

	gomem_init(&mem);
	memset(&live, 0, sizeof(live));
	live.memory = &mem.memory.memory;
	live.vars.layout = golayout_of("go1.26");
	live.fields.profile.bytes = PROFILE_BYTES;
	live.fields.profile.name = NAME;
	live.fields.profile.stacks = STACKS;
	live.fields.profile.write = WRITE;
	live.fields.m.g0 = G0;
	live.fields.m.all_link = LINK;
	live.fields.m.create_stack = STACK;
	live.fields.g.m = G_M;
	live.places.profiles = gomem_alloc(&mem, 8);
	map = gomem_swiss(&mem, 3, 24);
	at = group_of(map);
	memset(gomem_at(&mem, at), 1, 3);
	put_string(at + 8, "heap");
	gomem_put(&mem, at + 24, profile("heap", 0, true), 8);
	put_string(at + 32, "things");
	things = profile("things", map_of_stacks(), false);
	gomem_put(&mem, at + 48, things, 8);
	put_string(at + 56, "none yet");
	gomem_put(&mem, at + 72, profile("none yet", 0, false), 8);
	gomem_put(&mem, live.places.profiles, map, 8);
}

TestSuite(gocustom, .init = enter);

struct told {
	size_t count, frames;
	uint64_t sum;
	char names[200];
};

static int tell_name(void *ctx, const char *name, size_t len, struct error *err)
{
	struct told *t = ctx;

	(void)err;
	cr_assert_eq(strlen(name), len);
	strcat(strcat(t->names, name), ";");
	t->count++;
	return 0;
}

static int tell_stack(void *ctx, const uint64_t *pcs, size_t count, struct error *err)
{
	struct told *t = ctx;

	(void)err;
	for (size_t i = 0; i < count; i++)
		t->sum += pcs[i];
	t->frames += count;
	t->count++;
	return 0;
}

static int read_things(struct told *t)
{
	memset(t, 0, sizeof(*t));
	return gocustom_stacks(&live, "things", tell_stack, t, &error);
}

Test(gocustom, names_but_those_of_the_runtime)
{
	struct told t = { 0 };

	cr_assert_eq(gocustom_names(&live, tell_name, &t, &error), 0);
	cr_assert_str_eq(t.names, "things;none yet;");
}

Test(gocustom, a_program_without_them)
{
	struct told t = { 0 };

	gomem_put(&mem, live.places.profiles, 0, 8);
	cr_assert_eq(gocustom_names(&live, tell_name, &t, &error), 0);
	live.places.profiles = 0;
	cr_assert_eq(gocustom_names(&live, tell_name, &t, &error), 0);
	cr_assert_eq(t.count, 0);
	cr_assert_eq(read_things(&t), ERR_NOTFOUND);
	cr_assert_str_eq(error.text, "the program has no profile 'things'");
}

Test(gocustom, stacks)
{
	struct told t;

	cr_assert_eq(read_things(&t), 0);
	cr_assert_eq(t.count, 3);
	cr_assert_eq(t.frames, 6);
	cr_assert_eq(t.sum, 1 + 101 + 102 + 201 + 202 + 203);
	cr_assert_eq(gocustom_stacks(&live, "none yet", tell_stack, &t, &error), 0);
	cr_assert_eq(gocustom_stacks(&live, "heap", tell_stack, &t, &error), ERR_NOTFOUND);
	cr_assert_eq(t.count, 3);
}

static void refuses(uint64_t at, uint64_t value)
{
	struct told t;
	uint64_t before;

	memcpy(&before, gomem_at(&mem, at), 8);
	gomem_put(&mem, at, value, 8);
	cr_assert_eq(read_things(&t), ERR_FORMAT, "%lu at %lu", value, at);
	cr_assert_eq(t.count, 0);
	gomem_put(&mem, at, before, 8);
}

Test(gocustom, what_is_none_is_refused)
{
	uint64_t map, slot;

	memcpy(&map, gomem_at(&mem, things + STACKS), 8);
	slot = group_of(map) + 8;
	refuses(live.places.profiles, 8);
	refuses(things + NAME, stacks[0]);
	refuses(things + NAME + 8, 5);
	refuses(things + STACKS, 8);
	refuses(slot + 16, 0);
	refuses(slot + 24, 0);
	refuses(slot + 24, 2);	    /* more than there are frames */
	refuses(slot + 40 + 24, 1); /* fewer */
	refuses(slot + 24, 33);
	refuses(slot + 32, UINT64_MAX);
	refuses(stacks[2], 0);
	refuses(stacks[2] + 31 * 8, 1);
}

/* Memory in which the first entry of the map changes when its stack is read, `changes` times. */
struct changing {
	struct memory memory;
	unsigned changes;
};

static int read_changing(const struct memory *memory, uint64_t at, void *to, size_t len)
{
	struct changing *c = (struct changing *)memory;
	uint64_t map;

	memcpy(&map, gomem_at(&mem, things + STACKS), 8);
	if (at <= stacks[0] && stacks[0] < at + len && c->changes) {
		c->changes--;
		gomem_put(&mem, group_of(map) + 8 + 8, 1000 + c->changes, 8);
	}
	return mem.memory.memory.read(&mem.memory.memory, at, to, len);
}

Test(gocustom, what_changes_meanwhile_is_read_again)
{
	struct changing c = { { .read = read_changing }, 3 };
	struct told t;

	live.memory = &c.memory;
	cr_assert_eq(read_things(&t), 0);
	cr_assert_eq(t.count, 3);
	cr_assert_eq(c.changes, 0);
	c.changes = 1000;
	cr_assert_eq(read_things(&t), ERR_FORMAT);
	cr_assert_eq(t.count, 0);
	cr_assert_gt(c.changes, 900);
}

static uint64_t thread(uint64_t next, size_t frames)
{
	uint64_t m = gomem_alloc(&mem, STACK + 32 * 8), g0 = gomem_alloc(&mem, 16);

	gomem_put(&mem, m + G0, g0, 8);
	gomem_put(&mem, g0 + G_M, m, 8);
	gomem_put(&mem, m + LINK, next, 8);
	for (size_t i = 0; i < frames; i++)
		gomem_put(&mem, m + STACK + 8 * i, i + 1, 8);
	return m;
}

Test(gocustom, threads)
{
	uint64_t first = thread(0, 32), last = thread(thread(first, 0), 2);
	struct told t = { 0 };

	cr_assert_eq(gocustom_threads(&live, tell_stack, &t, &error), ERR_NOTFOUND);
	live.places.all_ms = gomem_alloc(&mem, 8);
	cr_assert_eq(gocustom_threads(&live, tell_stack, &t, &error), ERR_FORMAT);
	gomem_put(&mem, live.places.all_ms, last, 8);
	cr_assert_eq(gocustom_threads(&live, tell_stack, &t, &error), 0);
	cr_assert_eq(t.count, 3);
	cr_assert_eq(t.frames, 34);
	gomem_put(&mem, first + LINK, last, 8); /* a ring */
	cr_assert_eq(gocustom_threads(&live, tell_stack, &t, &error), ERR_FORMAT);
	gomem_put(&mem, first + LINK, first + 8, 8);
	cr_assert_eq(gocustom_threads(&live, tell_stack, &t, &error), ERR_FORMAT);
	cr_assert_eq(t.count, 3);
}
