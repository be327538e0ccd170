/* Call frame information written by hand (DWARF 5, section 6.4.1; LSB Core, 10.6.1): entries are
 * appended to a buffer, with lengths and padding. */
#ifndef TESTS_UNIT_UNWIND_CFI_BYTES_H
#define TESTS_UNIT_UNWIND_CFI_BYTES_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "unwind/table/regs.h"
#include "unwind/table/table.h"
#include "tests/unit/unwind/rule_at.h"

/* A string literal, which may contain NULs, and its length without the NUL at its end. */
#define CODE(text) text, sizeof(text) - 1

static const unsigned char ident[EI_NIDENT] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 };

/* The rule at an address, valid during seven more calls. NULL: there is none. */
static inline const struct cfi_rule *rule_at(const struct cfi_table *t, uint64_t pc)
{
	static struct cfi_rule rules[8];
	static unsigned turn;
	struct cfi_rule *rule = &rules[turn++ % 8];

	return copy_rule_at(t, pc, rule) ? rule : NULL;
}

static inline void put32(struct buffer *b, uint32_t v)
{
	buffer_add(b, &v, sizeof(v));
}

/* Pads an entry that began at `start` with DW_CFA_nop and sets its length. */
static inline void finish_entry(struct buffer *b, size_t start)
{
	uint32_t len;

	while ((b->len - start) % 8 != 4)
		buffer_add(b, "", 1);
	len = (uint32_t)(b->len - start - 4);
	memcpy(b->data + start, &len, sizeof(len));
}

/* Puts a CIE with this augmentation data and these instructions, in .debug_frame's form if
 * `debug_frame`. Returns its offset in the buffer. */
static inline size_t put_cie_with(struct buffer *b, bool debug_frame, const char *augmentation,
				  const char *data, size_t data_len, const char *code, size_t len)
{
	size_t start = b->len;

	put32(b, 0);
	put32(b, debug_frame ? UINT32_MAX : 0);
	buffer_add(b, "\1", 1);
	buffer_add(b, augmentation, strlen(augmentation) + 1);
	buffer_add(b, "\1\x78", 2); /* code 1, data -8 */
	buffer_add(b, &(uint8_t){ DWARF_RA }, 1);
	if (*augmentation == 'z')
		buffer_add(b, &(uint8_t){ (uint8_t)data_len }, 1);
	buffer_add(b, data, data_len);
	buffer_add(b, code, len);
	finish_entry(b, start);
	return start;
}

/* The usual CIE: addresses are udata8. On x86-64 CFA rsp+8, return address at CFA-8; on aarch64
 * CFA sp, return address in x30. */
#ifdef __x86_64__
#define USUAL_CODE CODE("\x0c\7\x08\x90\1")
#else
#define USUAL_CODE CODE("\x0c\x1f\0")
#endif

static inline size_t put_cie(struct buffer *b, const char *augmentation)
{
	return put_cie_with(b, false, augmentation, "\x04", *augmentation == 'z', USUAL_CODE);
}

static inline size_t put_debug_cie(struct buffer *b)
{
	return put_cie_with(b, true, "", "", 0, USUAL_CODE);
}

/* Puts an FDE of .eh_frame with these encoded addresses. */
static inline void put_fde_with(struct buffer *b, size_t cie, const void *addresses, size_t size,
				const char *code, size_t len)
{
	size_t start = b->len;

	put32(b, 0);
	put32(b, (uint32_t)(b->len - cie));
	buffer_add(b, addresses, size);
	if (b->data[cie + 9] == 'z')
		buffer_add(b, "", 1);
	buffer_add(b, code, len);
	finish_entry(b, start);
}

static inline void put_fde(struct buffer *b, size_t cie, uint64_t pc, uint64_t size,
			   const char *code, size_t len)
{
	uint64_t addresses[2] = { pc, size };

	put_fde_with(b, cie, addresses, sizeof(addresses), code, len);
}

static inline void put_debug_fde(struct buffer *b, size_t cie, uint64_t pc, uint64_t size,
				 const char *code, size_t len)
{
	uint64_t addresses[2] = { pc, size };
	size_t start = b->len;

	put32(b, 0);
	put32(b, (uint32_t)cie);
	buffer_add(b, addresses, sizeof(addresses));
	buffer_add(b, code, len);
	finish_entry(b, start);
}

#endif
