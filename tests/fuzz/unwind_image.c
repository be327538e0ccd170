// links: unwind
/*
 * Any bytes as an ELF file: it is opened, its CFI is compiled and says where functions begin, and a
 * walk goes through its code, with a stack of words that lead back into it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/table/starts.h"
#include "unwind/table/table.h"
#include "unwind/unwinder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STACK_BYTES = 4096, WALKS = 3 };

static const uint64_t STACK_START = 0x7f0000000000, BIAS = 0x550000000000;

/* A stack in which every other word is an address in the code. */
struct paper_stack {
	struct memory memory;
	uint64_t code, code_size;
};

static uint64_t word(const struct paper_stack *p, uint64_t addr)
{
	uint64_t i = (addr - STACK_START) / 8;

	return i % 2 ? p->code + i * 37 % p->code_size : STACK_START + i * 24 % STACK_BYTES;
}

static int read_paper(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	uint64_t w = word((const struct paper_stack *)m, addr);

	if (addr - STACK_START >= STACK_BYTES)
		return addr - STACK_START < 2 * STACK_BYTES ? ERR_SHORT : ERR_IO;
	memcpy(buf, &w, len < sizeof(w) ? len : sizeof(w));
	return 0;
}

/* Where functions begin: the entry that covers an address does not begin behind it. */
static void find_starts(const struct image *image)
{
	struct cfi_starts *starts;
	size_t count;
	const struct image_segment *s = image_segments(image, &count);

	if (cfi_starts_read(&starts, image))
		abort();
	for (size_t i = 0; i < count; i++)
		if (cfi_starts_find(starts, s[i].vaddr + 1) > s[i].vaddr + 1)
			abort();
	cfi_starts_free(starts);
}

static void walk(const struct modmap *maps, const struct mapping *range)
{
	struct paper_stack paper = { { .read = read_paper },
				     range->start,
				     range->end - range->start };
	struct stack stack = { 0 };
	struct unwinder *u;

	if (unwinder_new(&u))
		abort();
	for (uint64_t i = 0; i < WALKS; i++) {
		struct regs regs = { .unknown = 0 };

		regs.r[DWARF_PC] = range->start + i * (paper.code_size / WALKS);
		regs.r[DWARF_SP] = regs.r[DWARF_FP] = STACK_START + 8 * i;
		if (unwinder_walk(u, maps,
				  &(struct walk_from){ .regs = &regs, .memory = &paper.memory },
				  &stack) ||
		    !stack.count || stack.end >= STACK_ENDS)
			abort();
	}
	stack_release(&stack);
	unwinder_free(u);
}

/* The first executable segment, at the address that the file gives. */
static bool find_code(const struct image *image, struct mapping *range)
{
	size_t count;
	const struct image_segment *s = image_segments(image, &count);

	for (size_t i = 0; i < count; i++) {
		if (!(s[i].flags & 1) || !s[i].memsz || s[i].memsz > 1 << 30)
			continue;
		*range = (struct mapping){ .start = BIAS,
					   .end = BIAS + s[i].memsz,
					   .offset = s[i].offset,
					   .bias = BIAS - s[i].vaddr };
		return true;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cfi_table *table;
	struct modmap *maps;
	struct image *image;
	struct mapping range;

	if (image_open_bytes(data, size, "/fuzz", &image, NULL))
		return 0;
	if (cfi_table_build(image, &table, NULL))
		abort();
	cfi_table_free(table);
	find_starts(image);
	if (!find_code(image, &range)) {
		image_free(image);
		return 0;
	}
	range.image = image;
	if (modmap_new(&maps, NULL) || modmap_add(maps, &range))
		abort();
	walk(maps, &range);
	modmap_free(maps);
	return 0;
}
