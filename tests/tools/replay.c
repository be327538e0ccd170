// links: unwind
/*
 * Walks recorded stacks (argument: a recording of tests/cross/stepping.py) and compares
 * with the calls that were pending. Prints "N right, N wrong" and the first wrong ones;
 * exits with 1 if there are any.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>
#include "target/image.h"
#include "target/memory.h"
#include "target/modmap.h"
#include "unwind/regs.h"
#include "unwind/stack.h"
#include "unwind/unwinder.h"

enum { RECORDED_REGS = 33, CALLS_MAX = 1024, STACK_MAX = 1 << 20, SHOWN_MAX = 5000 };

struct record {
	uint64_t regs[RECORDED_REGS], call_count, stack_len;
	uint64_t calls[CALLS_MAX];
	uint8_t stack[STACK_MAX];
};

static struct modmap *maps;
static struct unwinder *unwinder;
static struct stack stack;
static struct record record;
static size_t right, wrong;

static void fail(const char *what)
{
	fprintf(stderr, "replay: %s\n", what);
	exit(2);
}

/* Where the file's address 0 is, when it is mapped from `offset` on at `start`. */
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

static bool next_record(FILE *f)
{
	if (fread(&record, sizeof(uint64_t), RECORDED_REGS + 2, f) != RECORDED_REGS + 2)
		return false;
	if (record.call_count > CALLS_MAX || record.stack_len > STACK_MAX ||
	    fread(record.calls, sizeof(uint64_t), record.call_count, f) != record.call_count ||
	    fread(record.stack, 1, record.stack_len, f) != record.stack_len)
		fail("a bad record");
	return true;
}

static uint64_t pc_of(const struct frame *f)
{
	return f->addr + (f->image ? modmap_first_range(maps, f->image)->bias : 0);
}

static bool is_right(void)
{
	if (stack.count != record.call_count + 1 || stack.end != STACK_OUTERMOST)
		return false;
	for (size_t i = 0; i < record.call_count; i++)
		if (pc_of(&stack.frames[i + 1]) != record.calls[i])
			return false;
	return true;
}

static void show(void)
{
	if (wrong > SHOWN_MAX)
		return;
	printf("at %lx: %zu frames, %lu calls pending, %s\n",
	       record.regs[RECORDED_REGS - 1], stack.count, record.call_count,
	       stack_end_name(stack.end));
	for (size_t i = 0; i < record.call_count || i + 1 < stack.count; i++)
		printf("  %lx %lx\n", i + 1 < stack.count ? pc_of(&stack.frames[i + 1]) : 0,
		       i < record.call_count ? record.calls[i] : 0);
}

static void walk(void)
{
	struct memory_bytes memory;
	struct regs regs = { .unknown = 0 };

	memcpy(regs.r, record.regs, sizeof(record.regs) < sizeof(regs.r) ? sizeof(record.regs) :
									     sizeof(regs.r));
#ifdef __aarch64__
	regs.r[REGS_SIGNATURE] = 0x007f000000000000; /* as with 48 bits of address */
#endif
	memory_bytes_init(&memory, record.stack, regs.r[DWARF_SP], record.stack_len);
	if (unwinder_walk(unwinder, maps, &regs, &memory.memory, &stack))
		fail("out of memory");
	if (is_right()) {
		right++;
	} else {
		wrong++;
		show();
	}
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "re") : NULL;
	char line[2048];

	if (!f || modmap_new(&maps, NULL) || unwinder_new(&unwinder))
		fail("cannot begin");
	while (fgets(line, sizeof(line), f) && *line != '\n')
		add_range(line);
	while (next_record(f))
		walk();
	printf("%zu right, %zu wrong\n", right, wrong);
	return wrong || !right;
}
