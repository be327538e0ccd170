// links: unwind
/*
 * Walks recorded stacks (argument: a recording of tests/cross/stepping.py) and compares them
 * with the calls that were pending. Prints those that differ, the first of them with their
 * return addresses and the correct ones, and "N right, N short, N wrong". A walk is short if it
 * is right but ends, by its own verdict, before the outermost frame.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/unwinder.h"

enum { RECORDED_REGS = 33, CALLS_MAX = 1024, STACK_MAX = 1 << 20, PIECES = 2, SHOWN_MAX = 5 };

struct piece {
	struct memory_bytes memory;
	uint8_t bytes[STACK_MAX];
};

struct record {
	struct memory memory; /* reads from the pieces; must be the first member */
	uint64_t regs[RECORDED_REGS], call_count, calls[CALLS_MAX], piece_count;
	struct piece pieces[PIECES];
};

static struct modmap *maps;
static struct unwinder *unwinder;
static struct stack stack;
static struct record record;
static size_t right, cut, wrong, rest; /* rest: frames farther out than the recorded calls */

static void fail(const char *what)
{
	fprintf(stderr, "replay: %s\n", what);
	exit(2);
}

/* The bias of a file that is mapped at `start` from `offset` on. */
static uint64_t bias_of(const struct image *image, uint64_t start, uint64_t offset)
{
	size_t count;
	const struct image_segment *s = image_segments(image, &count);

	for (size_t i = 0; i < count; i++)
		if (offset <= s[i].offset + s[i].filesz && s[i].flags & PF_X &&
		    offset + 0xffff >= s[i].offset)
			return start + (s[i].offset - offset) - s[i].vaddr;
	fail("a range that belongs to no segment");
	return 0;
}

static void add_range(const char *line)
{
	struct mapping m = { .start = 0 };
	unsigned long start, end, offset;
	char path[1024];

	if (sscanf(line, "%lx %lx %lx %1023s", &start, &end, &offset, path) != 4 ||
	    image_open(open(path, O_RDONLY | O_CLOEXEC), path, &m.image, NULL))
		fail("a bad range");
	m.start = start;
	m.end = end;
	m.offset = offset;
	m.bias = bias_of(m.image, start, offset);
	if (modmap_add(maps, &m))
		fail("out of memory");
}

static int read_pieces(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	int rc = ERR_IO;

	(void)m;
	for (size_t i = 0; rc && i < record.piece_count; i++) {
		struct memory_bytes *piece = &record.pieces[i].memory;

		rc = piece->memory.read(&piece->memory, addr, buf, len);
	}
	return rc;
}

static void take(FILE *f, uint64_t *numbers, size_t count)
{
	if (fread(numbers, sizeof(*numbers), count, f) != count)
		fail("a record that is cut off");
}

static void take_piece(FILE *f, struct piece *piece)
{
	uint64_t where[2];

	take(f, where, 2);
	if (where[1] > STACK_MAX || fread(piece->bytes, 1, where[1], f) != where[1])
		fail("a bad piece of stack");
	memory_bytes_init(&piece->memory, piece->bytes, where[0], where[1]);
}

static bool next_record(FILE *f)
{
	if (fread(record.regs, sizeof(uint64_t), RECORDED_REGS, f) != RECORDED_REGS)
		return false;
	take(f, &record.call_count, 1);
	if (record.call_count > CALLS_MAX)
		fail("too many calls");
	take(f, record.calls, record.call_count);
	take(f, &record.piece_count, 1);
	if (record.piece_count > PIECES)
		fail("too many pieces");
	for (size_t i = 0; i < record.piece_count; i++)
		take_piece(f, &record.pieces[i]);
	return true;
}

static uint64_t pc_of(const struct frame *f)
{
	return f->addr + (f->image ? modmap_first_range(maps, f->image)->bias : 0);
}

static bool frames_are_right(void)
{
	for (size_t i = 0; i < record.call_count && i + 1 < stack.count; i++)
		if (pc_of(&stack.frames[i + 1]) != record.calls[i])
			return false;
	return stack.count <= record.call_count + 1 + rest;
}

static void show(const char *verdict)
{
	printf("%s at %lx: %zu frames, %lu calls pending, %s\n", verdict,
	       record.regs[RECORDED_REGS - 1], stack.count, record.call_count,
	       stack_end_name(stack.end));
	if (wrong + cut > SHOWN_MAX)
		return;
	for (size_t i = 0; i < record.call_count || i + 1 < stack.count; i++)
		printf("  %lx %lx\n", i + 1 < stack.count ? pc_of(&stack.frames[i + 1]) : 0,
		       i < record.call_count ? record.calls[i] : 0);
}

static void walk(void)
{
	struct regs regs = { .unknown = 0 };

	memcpy(regs.r, record.regs,
	       sizeof(record.regs) < sizeof(regs.r) ? sizeof(record.regs) : sizeof(regs.r));
#ifdef __aarch64__
	regs.r[REGS_SIGNATURE] = 0x007f000000000000; /* for addresses of 48 bits */
#endif
	if (unwinder_walk(unwinder, maps,
			  &(struct walk_from){ .regs = &regs, .memory = &record.memory }, &stack))
		fail("out of memory");
	if (frames_are_right() && stack.end != STACK_OUTERMOST) {
		cut++;
		show("short");
	} else if (frames_are_right() && stack.count == record.call_count + 1 + rest) {
		right++;
	} else {
		wrong++;
		show("wrong");
	}
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "re") : NULL;
	char line[2048];

	if (!f || modmap_new(&maps, NULL) || unwinder_new(&unwinder))
		fail("cannot begin");
	record.memory.read = read_pieces;
	if (!fgets(line, sizeof(line), f))
		fail("an empty recording");
	rest = strtoul(line, NULL, 10);
	while (fgets(line, sizeof(line), f) && *line != '\n')
		add_range(line);
	while (next_record(f))
		walk();
	printf("%zu right, %zu short, %zu wrong\n", right, cut, wrong);
	return 0;
}
