/* An encoding has a format in its low four bits and a base in the next three. What is stored
 * elsewhere (indirect), or relative to a function, cannot be read from the file alone. */
#include "unwind/table/cfi.h"

#include <dwarf.h>

#include "base/cursor.h"

enum { FORMAT = 0x0f, RELATIVE_TO = 0x70 };

static const char no_use[] = "pointer encoding of no use here";

static uint64_t base_of(const struct cfi_section *s, struct cursor *c, uint8_t encoding)
{
	switch (encoding & RELATIVE_TO) {
	case DW_EH_PE_absptr:
		return 0;
	case DW_EH_PE_pcrel:
		return s->vaddr + (uint64_t)(c->pos - s->data);
	case DW_EH_PE_datarel:
		if (s->data_base)
			return s->data_base;
		break;
	case DW_EH_PE_textrel:
		if (s->text_base)
			return s->text_base;
	}
	cursor_fail(c, no_use);
	return 0;
}

static uint64_t ehpointer_take_value(struct cursor *c, uint8_t encoding)
{
	switch (encoding & FORMAT) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return cursor_uint(c, 8);
	case DW_EH_PE_uleb128:
		return cursor_uleb(c);
	case DW_EH_PE_sleb128:
		return (uint64_t)cursor_sleb(c);
	case DW_EH_PE_udata2:
		return cursor_uint(c, 2);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int16_t)cursor_uint(c, 2);
	case DW_EH_PE_udata4:
		return cursor_uint(c, 4);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int32_t)cursor_uint(c, 4);
	}
	cursor_fail(c, no_use);
	return 0;
}

uint64_t ehpointer_take(const struct cfi_section *s, struct cursor *c, uint8_t encoding)
{
	uint64_t base;

	if (encoding == DW_EH_PE_omit || encoding & DW_EH_PE_indirect) {
		cursor_fail(c, no_use);
		return 0;
	}
	base = base_of(s, c, encoding);
	return base + ehpointer_take_value(c, encoding);
}

void ehpointer_skip(struct cursor *c, uint8_t encoding)
{
	if (encoding == DW_EH_PE_omit)
		return;
	if ((encoding & RELATIVE_TO) == DW_EH_PE_aligned)
		cursor_fail(c, no_use);
	ehpointer_take_value(c, encoding);
}
