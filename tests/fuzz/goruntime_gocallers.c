// links: runtimes/go/stacks
/*
 * Any bytes as a goroutine's stack, with the tables of a program: words with a low byte of 0
 * become places in its functions, so that walks get far. Then the same words as physical pcs.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "runtimes/go/stacks/args.h"
#include "runtimes/go/stacks/callers.h"
#include "tests/unit/runtimes/go/gotable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 2, ROOM = 16, WORDS_MAX = 4096 };

static uint64_t word(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	if (value & 0xff)
		return value;
	return table_pc((value >> 8 & 0xff) % TABLE_FUNCTIONS, value >> 16 & 0xff);
}

static void look_at(struct gocallers *c, const uint64_t *pcs, size_t count)
{
	struct gocallers_frame f;

	if (count > ROOM)
		abort();
	for (size_t i = 0; i < count; i++)
		if (gocallers_frame(c, pcs[i], &f) && (!f.function || !f.file || !f.entry))
			abort();
}

static void print_arguments(struct gocallers *c, const struct gocallers_stack *s,
			    const uint64_t *pcs, const size_t *ends, size_t count)
{
	struct buffer text = { 0 };
	struct goargs args;

	for (size_t i = 0; i < count; i++) {
		if (ends[i] > s->len)
			abort();
		gocallers_arguments(c, pcs[i], &args);
		if (goargs_print(&args, s->bytes + ends[i], s->len - ends[i], &text))
			abort();
	}
	buffer_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const versions[] = { "go1.18", "go1.20", "go1.26" };
	static struct golive live[3];
	static struct gocallers *callers[3];
	static struct image *image;
	static uint64_t words[WORDS_MAX];
	struct gocallers_stack s = { .bytes = (const uint8_t *)words };
	uint64_t pcs[ROOM];
	size_t ends[ROOM], count, n = 0;
	unsigned which;
	int end;

	if (size < HEAD)
		return 0;
	which = data[0] % 3;
	if (!callers[which] && (!table_open(&live[which], &image, versions[which]) ||
				gocallers_new(&callers[which], &live[which])))
		abort();
	for (; n < WORDS_MAX && HEAD + n * 8 + 8 <= size; n++)
		words[n] = word(data + HEAD + n * 8);
	if (!n)
		return 0;
	s.pc = words[0];
	s.exact = data[1] & 1;
	s.len = n * 8 - (data[1] >> 5);
	end = gocallers_walk(callers[which], &s, pcs, ends, data[1] % ROOM, &count);
	if (end < 0 || end >= GO_WALK_ENDS || count > data[1] % ROOM)
		abort();
	look_at(callers[which], pcs, count);
	print_arguments(callers[which], &s, pcs, ends, count);
	if (gocallers_expand(callers[which], words, n, data[1] & 3, pcs, ROOM, &count))
		abort();
	look_at(callers[which], pcs, count);
	return 0;
}
