/* The runtime's buckets in made-up memory: records of every release, a profile that is published
 * while we read, invalid lists. */
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"
#include "runtimes/go/numbers/buckets.h"
#include "runtimes/go/stacks/callers.h"

enum {
	START = 0x10000,
	BYTES = 1 << 20,
	/* Addresses of variables. */
	HEAD = START,
	CYCLE = START + 8,
	SWEEP = START + 16,
	OFF = START + 24,
	TICKS = START + 32,
	RATE = START + 64,
	LOCK = START + 72,
	FIRST = START + 128,
	OLDEST = 18,
	NEWEST = 27,
	TEXT = 0x400000,
	TEXT_END = 0x500000,
	INLINED = 0x480000,
};

/* A golive of memory only, which can change while it is read. */
struct fake {
	struct memory memory;
	struct golive live;
	struct golayout layout;
	unsigned minor;
	uint64_t next, newest;
	size_t reads;
	void (*event)(struct fake *f); /* called before each read; may be NULL */
	_Alignas(8) uint8_t bytes[BYTES];
};

static struct fake fake;

/* Logical frames, as of gocallers: from INLINED on, each pc's function is inlined into the function
 * at pc - 0x100; functions below INLINED are not inlined. */
bool gocallers_frame(struct gocallers *c, uint64_t pc, struct gocallers_frame *f)
{
	(void)c;
	memset(f, 0, sizeof(*f));
	f->inlined = pc >= INLINED;
	return pc >= TEXT && pc < TEXT_END;
}

int gocallers_expand(struct gocallers *c, const uint64_t *physical, size_t physical_count,
		     size_t skip, uint64_t *pcs, size_t room, size_t *count)
{
	(void)c;
	cr_assert(physical_count == 1 && !skip && room > 8);
	*count = 0;
	for (uint64_t pc = *physical; pc >= INLINED - 0x100 && *count < 4; pc -= 0x100)
		pcs[(*count)++] = pc;
	return 0;
}

static int read_fake(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	struct fake *f = (struct fake *)(uintptr_t)m;
	uint64_t at = addr - START;

	f->reads++;
	if (f->event)
		f->event(f);
	if (at > BYTES || len > BYTES - at)
		return ERR_IO;
	memcpy(buf, f->bytes + at, len);
	return 0;
}

static uint64_t *word(uint64_t addr)
{
	return (uint64_t *)(void *)(fake.bytes + (addr - START));
}

static void begin(unsigned minor)
{
	char version[16];

	memset(&fake, 0, sizeof(fake));
	fake.memory.read = read_fake;
	fake.minor = minor;
	fake.next = FIRST;
	snprintf(version, sizeof(version), "go1.%u", minor);
	fake.layout = *golayout_of(version);
	fake.live.memory = &fake.memory;
	fake.live.vars.layout = &fake.layout;
	fake.live.places.heap = fake.live.places.block = fake.live.places.mutex = HEAD;
	fake.live.places.heap_cycle = CYCLE;
	fake.live.places.sweep_active = SWEEP;
	fake.live.places.mem_profile_off = OFF;
	fake.live.places.ticks = TICKS;
	fake.live.places.heap_rate = RATE;
	fake.live.places.heap_lock = LOCK;
	*word(SWEEP) = UINT64_C(1) << 31;
}

static void set_cycle(uint32_t cycle, bool flushed)
{
	uint32_t value = fake.minor == 18 ? cycle : cycle << 1 | flushed;

	memcpy(word(CYCLE), &value, sizeof(value));
	if (fake.minor == 18)
		fake.bytes[CYCLE + 4 - START] = flushed;
}

static uint64_t hash_of(const uint64_t *pcs, size_t count, uint64_t size)
{
	uint64_t h = 0;

	for (size_t i = 0; i < count; i++) {
		h += pcs[i];
		h += h << 10;
		h ^= h >> 6;
	}
	h += size;
	h += h << 10;
	h ^= h >> 6;
	h += h << 3;
	h ^= h >> 11;
	return h;
}

/* Puts a new bucket at the head of the list. Returns its record, which the caller fills. */
static uint64_t *add(enum go_buckets which, uint64_t size, const uint64_t *pcs, size_t count)
{
	uint64_t *b = word(fake.next);

	b[1] = fake.newest;
	b[2] = which;
	b[3] = hash_of(pcs, count, size);
	b[4] = size;
	b[5] = count;
	memcpy(b + 6, pcs, count * sizeof(*pcs));
	fake.newest = *word(HEAD) = fake.next;
	fake.next += (6 + count + 16) * 8;
	return b + 6 + count;
}

static size_t slot_words(void)
{
	return fake.minor >= 27 ? 2 : 4;
}

/* Slot 0 is `active`, slot 1 is future[0], and so on. */
static void set_slot(uint64_t *record, unsigned slot, uint64_t size, uint64_t allocs,
		     uint64_t frees)
{
	uint64_t *at = record + slot * slot_words();

	at[0] = allocs;
	at[1] = frees;
	if (slot_words() == 4) {
		at[2] = allocs * size;
		at[3] = frees * size;
	}
}

struct told {
	struct go_bucket b[64];
	uint64_t pcs[64][16];
	size_t count, begun_again;
};

static int take(void *ctx, const struct go_bucket *b, struct error *err)
{
	struct told *t = ctx;

	(void)err;
	if (!b) {
		t->count = 0;
		t->begun_again++;
		return 0;
	}
	cr_assert(t->count < 64 && b->pc_count <= 16);
	t->b[t->count] = *b;
	memcpy(t->pcs[t->count], b->pcs, b->pc_count * sizeof(*b->pcs));
	t->b[t->count].pcs = t->pcs[t->count];
	t->count++;
	return 0;
}

static struct told told;
static struct gobuckets_stats stats;
static struct error err;

static int read_as(enum go_buckets which, enum gobuckets_moment moment)
{
	memset(&told, 0, sizeof(told));
	memset(&err, 0, sizeof(err));
	return gobuckets_read(&fake.live, NULL, which, moment, take, &told, &stats, &err);
}

static const uint64_t stack[] = { TEXT + 0x10, TEXT + 0x20, TEXT + 0x30 };

Test(gobuckets, published_is_active_and_the_cycle_in_every_release)
{
	for (unsigned minor = OLDEST; minor <= NEWEST; minor++)
		for (uint32_t cycle = 3; cycle < 9; cycle++) {
			uint64_t *r;

			begin(minor);
			set_cycle(cycle, cycle % 2);
			r = add(GO_HEAP, 48, stack, 2);
			add(GO_HEAP, 64, stack, 3);
			set_slot(r, 0, 48, 100, 50);
			set_slot(r, 1 + cycle % 3, 48, 10, 5);
			set_slot(r, 1 + (cycle + 1) % 3, 48, 3, 2);
			set_slot(r, 1 + (cycle + 2) % 3, 48, 1000, 0);
			cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), 0, "1.%u: %s", minor,
				     err.text);
			cr_assert_eq(told.count, 2);
			cr_assert_eq(told.b[0].size, 64);
			cr_assert_eq(told.b[0].allocs, 0);
			cr_assert_eq(told.b[0].pc_count, 3);
			cr_assert_eq(told.b[1].size, 48);
			cr_assert_eq(told.b[1].allocs, 110);
			cr_assert_eq(told.b[1].frees, 55);
			cr_assert_eq(told.b[1].alloc_bytes, 110 * 48);
			cr_assert_eq(told.b[1].free_bytes, 55 * 48);
			cr_assert_arr_eq(told.pcs[1], stack, 2 * sizeof(*stack));
			cr_assert_eq(stats.cycle, cycle);
			cr_assert_eq(stats.buckets, 2);
			cr_assert(!stats.mixed && !stats.all && !stats.again);
			cr_assert_eq(read_as(GO_HEAP, GO_FRESH), 0);
			cr_assert_eq(told.b[1].allocs, 113);
			cr_assert_eq(told.b[1].frees, 57);
			cr_assert_eq(told.b[1].alloc_bytes, 113 * 48);
		}
}

Test(gobuckets, before_the_first_cycle_all_counts)
{
	uint64_t *r;

	begin(25);
	r = add(GO_HEAP, 16, stack, 1);
	set_slot(r, 1 + 2, 16, 7, 0);
	cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), 0);
	cr_assert_eq(told.b[0].allocs, 7);
	cr_assert(stats.all);
	begin(25);
	cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), 0);
	cr_assert_eq(told.count, 0);
}

/* Moves the numbers as mProf_FlushLocked (runtime/mprof.go) does, at the 6th read. */
static void flush(struct fake *f)
{
	uint64_t *r = word(FIRST) + 6 + 2;

	if (f->reads < 6 || r[5] == 0)
		return;
	for (size_t w = 0; w < 4; w++) {
		r[w] += r[4 + w];
		r[4 + w] = 0;
	}
	set_cycle(3, true);
}

Test(gobuckets, a_flush_in_between_changes_nothing)
{
	uint64_t *r;

	begin(22);
	set_cycle(3, false);
	r = add(GO_HEAP, 48, stack, 2);
	set_slot(r, 0, 48, 100, 50);
	set_slot(r, 1, 48, 10, 5);
	fake.event = flush;
	cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), 0);
	cr_assert_eq(r[5], 0);
	cr_assert_eq(told.b[0].allocs, 110);
	cr_assert_eq(told.b[0].frees, 55);
	cr_assert_eq(stats.again, 0);
}

static size_t turn_at, turns;

/* The GC cycle changes at each turn_at-th read, `turns` times, so that allocations before the
 * change are published. */
static void turn(struct fake *f)
{
	if (f->reads % turn_at || !turns)
		return;
	turns--;
	set_cycle((uint32_t)(*word(CYCLE) >> 1) + 1, false);
}

Test(gobuckets, a_cycle_that_turns_begins_again)
{
	uint64_t *r;

	for (turn_at = 3; turn_at < 8; turn_at++) {
		begin(22);
		set_cycle(3, false);
		r = add(GO_HEAP, 48, stack, 2);
		set_slot(r, 0, 48, 100, 50);
		set_slot(r, 1, 48, 10, 5);
		set_slot(r, 2, 48, 20, 10);
		turns = 1;
		fake.event = turn;
		cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), 0);
		cr_assert_eq(told.count, 1);
		cr_assert(told.begun_again == stats.again && stats.again <= 1);
		cr_assert_eq(told.b[0].allocs, stats.cycle == 3 ? 110 : 120);
		cr_assert(!stats.mixed);
		if (stats.again)
			break;
	}
	cr_assert_lt(turn_at, 8);
}

Test(gobuckets, one_that_turns_for_ever_is_told_as_mixed)
{
	begin(22);
	set_cycle(3, false);
	set_slot(add(GO_HEAP, 48, stack, 2), 0, 48, 100, 50);
	turn_at = 1;
	turns = SIZE_MAX;
	fake.event = turn;
	cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), 0);
	cr_assert_eq(told.count, 1);
	cr_assert(stats.mixed);
	cr_assert_eq(stats.again, 4);
}

/* A thread of the program was preempted halfway through publishing; at the read number turn_at it
 * completes and unlocks. */
static void let_go(struct fake *f)
{
	uint64_t *r = word(FIRST) + 6 + 2;

	if (f->reads != turn_at)
		return;
	memset(r + slot_words(), 0, slot_words() * 8);
	*word(LOCK) = 0;
}

Test(gobuckets, what_is_just_being_published_is_waited_for)
{
	for (unsigned minor = OLDEST; minor <= NEWEST; minor++)
		for (turn_at = 2; turn_at < 40; turn_at += 3) {
			uint64_t *r;

			begin(minor);
			set_cycle(3, true);
			r = add(GO_HEAP, 48, stack, 2);
			set_slot(r, 0, 48, 110, 55);
			set_slot(r, 1, 48, 10, 5);
			*word(LOCK) = 1;
			fake.event = let_go;
			cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), 0);
			cr_assert_eq(told.b[0].allocs, 110, "1.%u, %zu", minor, turn_at);
			cr_assert(!stats.mixed);
		}
	/* Not locked, but a thread that waits for the lock sleeps (lock_spinbit.go). */
	begin(25);
	set_slot(add(GO_HEAP, 48, stack, 2), 0, 48, 110, 55);
	*word(LOCK) = 0xc000000002;
	cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), 0);
	cr_assert(!stats.mixed);
	*word(LOCK) = 1;
	cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), 0);
	cr_assert(stats.mixed);
}

Test(gobuckets, fresh_needs_all_swept)
{
	begin(26);
	set_slot(add(GO_HEAP, 48, stack, 2), 0, 48, 100, 50);
	*word(SWEEP) = (UINT64_C(1) << 31) + 1;
	cr_assert_eq(read_as(GO_HEAP, GO_FRESH), ERR_SHORT);
	*word(SWEEP) = 0;
	cr_assert_eq(read_as(GO_HEAP, GO_FRESH), ERR_SHORT);
	cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), 0);
	fake.live.places.sweep_active = 0;
	cr_assert_eq(read_as(GO_HEAP, GO_FRESH), ERR_NOTFOUND);
}

static void set_blocking(uint64_t *record, double count, int64_t cycles)
{
	memcpy(record, &count, sizeof(count));
	memcpy(record + 1, &cycles, sizeof(cycles));
}

Test(gobuckets, contentions_are_whole_and_one_at_least)
{
	for (unsigned minor = OLDEST; minor <= NEWEST; minor++) {
		begin(minor);
		set_blocking(add(GO_BLOCK, 0, stack, 3), 0.25, 1000);
		set_blocking(add(GO_BLOCK, 0, stack, 2), 17.9, 2000);
		cr_assert_eq(read_as(GO_BLOCK, GO_PUBLISHED), 0);
		cr_assert_eq(told.b[0].count, 17);
		cr_assert_eq(told.b[0].cycles, 2000);
		cr_assert_eq(told.b[1].count, 1);
		begin(minor);
		set_blocking(add(GO_MUTEX, 0, stack, 3), 0.25, 1000);
		cr_assert_eq(read_as(GO_MUTEX, GO_PUBLISHED), 0);
		cr_assert_eq(told.b[0].count, 0);
		cr_assert_eq(told.b[0].pc_count, 3);
	}
}

static size_t block_at;

static void block_once_more(struct fake *f)
{
	uint64_t *r = word(FIRST) + 6 + 2;
	double count;

	memcpy(&count, r, sizeof(count));
	if (f->reads >= block_at && f->reads < block_at + 3)
		set_blocking(r, count + 1, (int64_t)r[1] + 100);
}

Test(gobuckets, numbers_that_move_are_read_until_they_agree)
{
	bool again = false;

	for (block_at = 1; block_at < 20; block_at++) {
		begin(24);
		set_blocking(add(GO_BLOCK, 0, stack, 2), 1, 100);
		fake.event = block_once_more;
		cr_assert_eq(read_as(GO_BLOCK, GO_PUBLISHED), 0);
		cr_assert_eq(told.b[0].cycles, told.b[0].count * 100);
		cr_assert(told.b[0].count == 4 || fake.reads < block_at + 2);
		again |= stats.again > 1;
	}
	cr_assert(again);
}

/* As in Frames.Next of runtime/symtab.go. */
Test(gobuckets, physical_stacks_are_expanded_from_1_23_on)
{
	static const uint64_t physical[] = { UINT64_MAX, 0x7f0000001234, INLINED + 0x150,
					     TEXT + 0x20, INLINED + 0x50 };
	static const uint64_t logical[] = { INLINED + 0x150, INLINED + 0x50, INLINED - 0xb0,
					    TEXT + 0x20 };
	static const uint64_t expanded[] = { INLINED + 0x150, INLINED + 0x50, INLINED - 0xb0,
					     TEXT + 0x20, INLINED + 0x50 };

	for (unsigned minor = 22; minor <= NEWEST; minor++) {
		begin(minor);
		set_blocking(add(GO_MUTEX, 0, logical, 4), 1, 1);
		set_blocking(add(GO_MUTEX, 0, physical, 5), 1, 1);
		cr_assert_eq(read_as(GO_MUTEX, GO_PUBLISHED), 0);
		cr_assert_eq(told.b[1].pc_count, 4);
		cr_assert_arr_eq(told.pcs[1], logical, sizeof(logical));
		cr_assert_eq(told.b[0].pc_count, 5);
		cr_assert_arr_eq(told.pcs[0], minor < 23 ? physical : expanded, 5 * 8);
		begin(minor);
		set_slot(add(GO_HEAP, 8, physical, 5), 0, 8, 1, 0);
		cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), 0);
		cr_assert_arr_eq(told.pcs[0], physical, sizeof(physical));
	}
}

Test(gobuckets, what_the_linker_left_out_is_said)
{
	begin(26);
	set_slot(add(GO_HEAP, 48, stack, 2), 0, 48, 100, 50);
	fake.bytes[OFF - START] = 1;
	cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), ERR_NOTFOUND);
	cr_assert(strstr(err.text, "linker"));
	fake.live.places.block = 0;
	cr_assert_eq(read_as(GO_BLOCK, GO_PUBLISHED), ERR_NOTFOUND);
	fake.live.places.block = 1;
	cr_assert_eq(read_as(GO_BLOCK, GO_PUBLISHED), ERR_FORMAT);
}

/* Each bit of a bucket's header, except for its first word, and of its stack is flipped. */
Test(gobuckets, what_is_no_bucket_is_refused)
{
	for (unsigned minor = OLDEST; minor <= NEWEST; minor++)
		for (size_t w = 1; w < 6 + 2; w++)
			for (unsigned bit = 0; bit < 64; bit++) {
				begin(minor);
				set_slot(add(GO_HEAP, 48, stack, 2), 0, 48, 100, 50);
				word(FIRST)[w] ^= UINT64_C(1) << bit;
				cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), ERR_FORMAT, "%zu, %u",
					     w, bit);
				cr_assert_eq(told.count, 0);
				cr_assert(*err.text);
			}
}

Test(gobuckets, a_list_that_goes_in_circles_is_refused)
{
	for (size_t length = 1; length < 20; length++)
		for (size_t back = 0; back < length; back++) {
			uint64_t at[20];

			begin(23);
			for (size_t i = 0; i < length; i++) {
				set_slot(add(GO_HEAP, 8 + i, stack, 2), 0, 8 + i, 1, 0);
				at[i] = fake.newest;
			}
			word(at[0])[1] = at[back];
			cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), ERR_FORMAT);
			cr_assert(strstr(err.text, "leads back"), "%s", err.text);
		}
}

Test(gobuckets, numbers_that_cannot_be_are_refused)
{
	static const double counts[] = { -1, 0x1p63, 1e300, 0.0 / 0.0, 1.0 / 0.0 };

	begin(26);
	set_slot(add(GO_HEAP, 48, stack, 2), 0, 48, 100, 101);
	cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), ERR_FORMAT);
	begin(26);
	*(uint32_t *)(void *)word(CYCLE) = UINT32_MAX;
	cr_assert_eq(read_as(GO_HEAP, GO_PUBLISHED), ERR_FORMAT);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		begin(26);
		set_blocking(add(GO_BLOCK, 0, stack, 2), counts[i], 1);
		cr_assert_eq(read_as(GO_BLOCK, GO_PUBLISHED), ERR_FORMAT);
	}
}

static int end_it(void *ctx, const struct go_bucket *b, struct error *e)
{
	(void)ctx, (void)b, (void)e;
	return 77;
}

Test(gobuckets, a_callback_can_end_it)
{
	begin(26);
	set_slot(add(GO_HEAP, 48, stack, 2), 0, 48, 100, 5);
	cr_assert_eq(
		gobuckets_read(&fake.live, NULL, GO_HEAP, GO_PUBLISHED, end_it, NULL, &stats, &err),
		77);
}

Test(gobuckets, the_speed_of_the_clock_is_the_runtimes)
{
	double f, measured = 0;

	for (unsigned minor = OLDEST; minor <= NEWEST; minor++) {
		begin(minor);
		word(TICKS)[minor <= 19 ? 2 : minor <= 21 ? 1 : 3] = 2399999123;
		cr_assert_eq(gobuckets_frequency(&fake.live, &measured, &f, &err), 0);
		cr_assert_eq(f, 2399999123);
		word(TICKS)[minor <= 19 ? 2 : minor <= 21 ? 1 : 3] = 5;
		cr_assert_eq(gobuckets_frequency(&fake.live, &measured, &f, &err), ERR_NOTFOUND);
	}
#ifdef __x86_64__
	begin(24);
	cr_assert_eq(measured, 0);
	cr_assert_eq(gobuckets_frequency(&fake.live, &measured, &f, &err), 0);
	cr_assert(f > 1e8 && f < 1e11);
	cr_assert_eq(measured, f);
	measured = 3e9; /* a measurement is kept */
	cr_assert_eq(gobuckets_frequency(&fake.live, &measured, &f, &err), 0);
	cr_assert_eq(f, 3e9);
	measured = 0;
	fake.live.places.ticks = 0; /* nothing in the program refers to it */
	cr_assert_eq(gobuckets_frequency(&fake.live, &measured, &f, &err), 0);
	cr_assert(f > 1e8 && f < 1e11);
#endif
	fake.live.places.ticks = 1;
	cr_assert_eq(gobuckets_frequency(&fake.live, &measured, &f, &err), ERR_NOTFOUND);
}

Test(gobuckets, rates_are_what_stands_there)
{
	int64_t rate;

	begin(24);
	*word(RATE) = 524288;
	cr_assert_eq(gobuckets_rate(&fake.live, GO_HEAP, &rate, &err), 0);
	cr_assert_eq(rate, 524288);
	cr_assert_eq(gobuckets_rate(&fake.live, GO_MUTEX, &rate, &err), ERR_NOTFOUND);
}
