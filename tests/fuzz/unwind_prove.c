// links: unwind
/*
 * Walks from sp and pc only, with any code, any CFI of it and any stack: the functions are followed,
 * registers are proven; every frame lies above the previous one.
 *
 * The input: how many bytes of CFI instructions, these; two bytes for the length of the code; the
 * code; then the stack. The first four bytes of the stack are the pc, as an offset.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/unwinder.h"
#include "tests/fuzz/codeelf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	BIAS = 0x400000,
	STACK = 0x7000000,
	FRAMES = 0x200, /* .eh_frame_hdr, and .eh_frame right behind it */
	CODE = 0x400,
	CODE_MAX = 4096,
	CFI_MAX = 128,
};

static uint8_t file[CODE + CODE_MAX];

static void put_headers(size_t len)
{
	Elf64_Ehdr eh = code_elf_header(2);
	Elf64_Phdr ph[2] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = len, .p_memsz = len },
		{ .p_type = PT_GNU_EH_FRAME,
		  .p_flags = PF_R,
		  .p_vaddr = FRAMES,
		  .p_offset = FRAMES,
		  .p_filesz = 8,
		  .p_memsz = 8 }
	};

	memcpy(file, &eh, sizeof(eh));
	memcpy(file + sizeof(eh), ph, sizeof(ph));
}

/* A CIE (CFA rsp+8, return address at CFA-8), and an FDE of all the code with these instructions. */
static void put_frames(const uint8_t *cfi, size_t cfi_len, uint64_t code_len)
{
	static const uint8_t header[] = "\1\x1b\xff\xff\4\0\0\0";
	static const uint8_t cie[] = "\x14\0\0\0\0\0\0\0\1zR\0\1\x78\x10\1\4\x0c\7\x08\x90\1\0\0";
	uint32_t lengths[2] = { (uint32_t)(4 + 16 + 1 + cfi_len), 24 + 4 };
	uint64_t range[2] = { CODE, code_len };
	uint8_t *to = file + FRAMES + 8;

	memset(file + FRAMES, 0, CODE - FRAMES);
	memcpy(file + FRAMES, header, 8);
	memcpy(to, cie, 24);
	memcpy(to + 24, lengths, sizeof(lengths));
	memcpy(to + 32, range, sizeof(range));
	memcpy(to + 49, cfi, cfi_len);
}

static struct image *make_image(const uint8_t *cfi, size_t cfi_len, const uint8_t *code, size_t len)
{
	struct image *image;

	put_headers(CODE + len);
	put_frames(cfi, cfi_len, len);
	memcpy(file + CODE, code, len);
	if (image_open_bytes(file, CODE + len, "/made/here", &image, NULL))
		abort();
	return image;
}

static void walk(struct image *image, size_t len, const uint8_t *bytes, size_t size)
{
	struct regs regs = { .r = { [DWARF_RSP] = STACK }, .unknown = ~(uint32_t)CALLER_KNOWS };
	struct mapping range = {
		.start = BIAS, .end = BIAS + CODE + len, .bias = BIAS, .image = image
	};
	struct memory_bytes memory;
	struct unwinder *unwinder;
	struct stack stack = { 0 };
	struct modmap *maps;
	uint32_t at;

	memcpy(&at, bytes, sizeof(at));
	regs.r[DWARF_RIP] = BIAS + CODE + at % len;
	memory_bytes_init(&memory, bytes, STACK, size);
	if (modmap_new(&maps, NULL) || modmap_add(maps, &range) || unwinder_new(&unwinder) ||
	    unwinder_walk(unwinder, maps,
			  &(struct walk_from){ .regs = &regs, .memory = &memory.memory }, &stack))
		abort();
	for (size_t i = 1; i < stack.count; i++)
		if (stack.frames[i].kind == FRAME_RETURN && stack.sps[i] < stack.sps[i - 1])
			abort();
	stack_release(&stack);
	unwinder_free(unwinder);
	modmap_free(maps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t cfi_len, len;
	const uint8_t *cfi;

	if (size < 3)
		return 0;
	cfi_len = *data % CFI_MAX;
	if (size < 3 + cfi_len)
		return 0;
	cfi = data + 1;
	len = (size_t)(cfi[cfi_len] | cfi[cfi_len + 1] << 8) % CODE_MAX;
	data += 3 + cfi_len;
	size -= 3 + cfi_len;
	if (!len || size < len + sizeof(uint32_t))
		return 0;
	walk(make_image(cfi, cfi_len, data, len), len, data + len, size - len);
	return 0;
}
