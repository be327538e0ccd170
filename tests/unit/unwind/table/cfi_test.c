/* Call frame instructions and augmentations in hand-made entries: the meaning of each, and that an
 * entry that breaks a rule is left out whole. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "unwind/table/table.h"
#include "tests/unit/unwind/cfi_bytes.h"

enum { SECTION = 0x5000 }; /* the section's image address */

static struct cfi_table *compile_bytes(const struct buffer *b, uint64_t data_base)
{
	struct cfi_section section = { .data = b->data,
				       .len = b->len,
				       .vaddr = SECTION,
				       .data_base = data_base,
				       .eh_frame = true,
				       .ident = ident };
	struct cfi_table *table = NULL;

	cr_assert_eq(cfi_table_compile(&section, 1, 0, 0x10000, &table, NULL), 0);
	return table;
}

/* Compiles one FDE for [0x1000, 0x1100) with the given instructions. */
static struct cfi_table *compile(struct buffer *b, const char *augmentation, const char *code,
				 size_t len)
{
	put_fde(b, put_cie(b, augmentation), 0x1000, 0x100, code, len);
	put32(b, 0);
	return compile_bytes(b, 0);
}

static struct cfi_table_info info_of(const struct cfi_table *t)
{
	struct cfi_table_info info;

	cfi_table_info(t, &info);
	return info;
}

static bool is_plain(const struct cfi_table *t, uint64_t pc)
{
	return cfi_table_find(t, pc)->cfa_reg != RULE_IS_LONG;
}

Test(cfi, a_prologue_and_its_epilogue)
{
	/* push rbp; mov rsp,rbp; ...; pop rbp; ret */
	struct buffer b = { 0 };
	struct cfi_table *t = compile(&b, "zR",
				      CODE("\x41\x0e\x10\x86\2\x43\x0d\6"
					   "\x02\x50\x0c\7\x08\xc6"));
	const struct cfi_rule *r;

	cr_assert_null(rule_at(t, 0xfff));
	r = rule_at(t, 0x1000);
	cr_assert_eq(r->cfa_reg, DWARF_RSP);
	cr_assert_eq(r->cfa_value, 8);
	cr_assert(is_plain(t, 0x1000));
	r = rule_at(t, 0x1001);
	cr_assert_eq(r->cfa_value, 16);
	cr_assert_eq(r->columns[DWARF_RBP].kind, COLUMN_SAVED);
	cr_assert_eq(r->columns[DWARF_RBP].value, -16);
	r = rule_at(t, 0x1004);
	cr_assert_eq(r->cfa_reg, DWARF_RBP);
	r = rule_at(t, 0x10ff);
	cr_assert_eq(r->cfa_reg, DWARF_RSP);
	cr_assert_eq(r->columns[DWARF_RBP].kind, COLUMN_DEFAULT, "restored to the initial rule");
	cr_assert_eq(cfi_table_find(t, 0x10ff), cfi_table_find(t, 0x1000),
		     "the same rule is kept once");
	cr_assert_null(rule_at(t, 0x1100));
	cr_assert_eq(info_of(t).rows, 5);
	cr_assert_eq(info_of(t).rules, 3);
	cr_assert_eq(info_of(t).broken, 0);
	cfi_table_free(t);
	buffer_release(&b);
}

Test(cfi, remembers_and_restores)
{
	struct buffer b = { 0 };
	struct cfi_table *t = compile(&b, "zR", CODE("\x41\x0e\x20\x0a\x41\x0e\x08\x41\x0b"));

	cr_assert_eq(rule_at(t, 0x1001)->cfa_value, 0x20);
	cr_assert_eq(rule_at(t, 0x1002)->cfa_value, 8);
	cr_assert_eq(rule_at(t, 0x1003)->cfa_value, 0x20);
	cfi_table_free(t);
	buffer_release(&b);
}

Test(cfi, every_kind_of_column)
{
	static const char code[] = "\x07\x10"		 /* undefined RA */
				   "\x41\x08\3"		 /* same_value rbx */
				   "\x09\x0c\6"		 /* register r12 in rbp */
				   "\x14\x0d\2"		 /* val_offset r13, cfa-16 */
				   "\x11\x0e\x7f"	 /* offset_extended_sf r14, cfa+8 */
				   "\x10\x0f\2\x77\0"	 /* expression r15: breg7 0 */
				   "\x16\6\2\x77\0"	 /* val_expression rbp */
				   "\x2e\x10"		 /* GNU_args_size */
				   "\x0f\3\x77\x08\x06"; /* def_cfa_expression: breg7 8; deref */
	struct buffer b = { 0 };
	struct cfi_table *t = compile(&b, "zR", code, sizeof(code) - 1);
	const struct cfi_rule *r = rule_at(t, 0x1001);
	const uint8_t *expression;
	size_t len;

	cr_assert_eq(rule_at(t, 0x1000)->columns[DWARF_RIP].kind, COLUMN_UNDEFINED);
	cr_assert_eq(r->columns[DWARF_RBX].kind, COLUMN_SAME);
	cr_assert_eq(r->columns[DWARF_R12].kind, COLUMN_REGISTER);
	cr_assert_eq(r->columns[DWARF_R12].value, DWARF_RBP);
	cr_assert_eq(r->columns[DWARF_R13].kind, COLUMN_IS);
	cr_assert_eq(r->columns[DWARF_R13].value, -16);
	cr_assert_eq(r->columns[DWARF_R14].kind, COLUMN_SAVED);
	cr_assert_eq(r->columns[DWARF_R14].value, 8);
	cr_assert_eq(r->columns[DWARF_R15].kind, COLUMN_SAVED_EXPR);
	cr_assert_eq(r->columns[DWARF_RBP].kind, COLUMN_IS_EXPR);
	cr_assert_eq(r->cfa_reg, CFA_EXPRESSION);
	cr_assert_not(is_plain(t, 0x1001));
	expression = cfi_table_expression(t, r->cfa_value, &len);
	cr_assert_eq(len, 3);
	cr_assert_arr_eq(expression, "\x77\x08\x06", 3);
	cfi_table_free(t);
	buffer_release(&b);
}

Test(cfi, a_broken_entry_is_left_out_whole)
{
	static const struct {
		const char *code;
		size_t len;
	} broken[] = {
		{ CODE("\x41\x0e\x10\x0b") },		/* restore_state without remember */
		{ CODE("\x41\x3f") },			/* unknown instruction */
		{ CODE("\x41\x2d") },			/* GNU_window_save: another machine's */
		{ CODE("\x0f\x7f\x77") },		/* expression beyond the entry */
		{ CODE("\x10\3\xff\xff\xff\xff\x7f") }, /* the same of a register */
		{ CODE("\x0c\x50\x08") },		/* CFA from register 80 */
		{ CODE("\x0d\x10") },			/* CFA from the return address */
		{ CODE("\x0e\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") },
		{ CODE("\x0e\xff\xff\xff\xff\x7f") },	/* CFA offset of more than 32 bits */
		{ CODE("\x05\3\x80\x80\x80\x80\x01") }, /* rbx saved 2 GiB away */
		{ CODE("\x2f\3\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01") },
		{ CODE("\x0f\1\x96\x0d\6") },	      /* def_cfa_register after an expression */
		{ CODE("\x0f\1\x96\x0e\x10") },	      /* def_cfa_offset after one */
		{ CODE("\x41\x01\0\0\0\0\0\0\0\0") }, /* set_loc backward */
		{ CODE("\x03\x01") },		      /* half an advance_loc2 */
	};

	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		struct buffer b = { 0 };
		size_t cie = put_cie(&b, "zR"), start = b.len;
		uint32_t len = 4 + 16 + 1 + (uint32_t)broken[i].len;
		struct cfi_table *t;

		put_fde(&b, cie, 0x1000, 0x100, broken[i].code, broken[i].len);
		memcpy(b.data + start, &len, 4); /* no padding: the entry ends with these bytes */
		b.len = start + 4 + len;
		put_fde(&b, cie, 0x2000, 0x100, CODE(""));
		t = compile_bytes(&b, 0);
		cr_assert_null(rule_at(t, 0x1000), "%zu", i);
		cr_assert_not_null(rule_at(t, 0x2000), "%zu: the rest stays", i);
		cr_assert_eq(info_of(t).broken, 1, "%zu", i);
		cfi_table_free(t);
		buffer_release(&b);
	}
}

Test(cfi, signal_frames_are_marked)
{
	struct buffer b = { 0 };
	struct cfi_table *t = compile(&b, "zRS", CODE(""));

	cr_assert(rule_at(t, 0x1010)->signal_frame);
	cr_assert_not(is_plain(t, 0x1010));
	cfi_table_free(t);
	buffer_release(&b);
}

Test(cfi, every_way_to_advance)
{
	static const char code[] = "\x42\x0e\x10"		       /* advance_loc 2 */
				   "\x02\x10\x0e\x18"		       /* advance_loc1 16 */
				   "\x03\x20\0\x0e\x20"		       /* advance_loc2 32 */
				   "\x04\x40\0\0\0\x0e\x28"	       /* advance_loc4 64 */
				   "\x01\x80\x10\0\0\0\0\0\0\x0e\x30"; /* set_loc 0x1080 */
	static const struct {
		uint64_t pc;
		int32_t offset;
	} rows[] = {
		{ 0x1000, 8 },	{ 0x1002, 16 }, { 0x1012, 24 },
		{ 0x1032, 32 }, { 0x1072, 40 }, { 0x1080, 48 },
	};
	struct buffer b = { 0 };
	struct cfi_table *t = compile(&b, "zR", code, sizeof(code) - 1);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_assert_eq(rule_at(t, rows[i].pc)->cfa_value, rows[i].offset, "%zu", i);
		if (i)
			cr_assert_eq(rule_at(t, rows[i].pc - 1)->cfa_value, rows[i - 1].offset,
				     "%zu", i);
	}
	cr_assert_eq(info_of(t).rows, 7, "and the end");
	cfi_table_free(t);
	buffer_release(&b);
}

Test(cfi, extended_forms)
{
	static const char code[] = "\x12\6\x7e"	  /* def_cfa_sf rbp, -2: +16 */
				   "\x05\3\4"	  /* offset_extended rbx, cfa-32 */
				   "\x2f\x0c\5"	  /* GNU_negative_offset_extended r12, cfa+40 */
				   "\x15\x0d\x7f" /* val_offset_sf r13, cfa+8 */
				   "\x05\x21\4"	  /* of a register that is not tracked */
				   "\x09\x0e\x15" /* r14 is in such a register */
				   "\x41\x13\x7d" /* def_cfa_offset_sf -3: +24 */
				   "\x06\3"	  /* restore_extended rbx */
				   "\x06\x21";
	struct buffer b = { 0 };
	struct cfi_table *t = compile(&b, "zR", code, sizeof(code) - 1);
	const struct cfi_rule *r = rule_at(t, 0x1000);

	cr_assert_eq(r->cfa_reg, DWARF_RBP);
	cr_assert_eq(r->cfa_value, 16);
	cr_assert_eq(r->columns[DWARF_RBX].value, -32);
	cr_assert_eq(r->columns[DWARF_R12].value, 40);
	cr_assert_eq(r->columns[DWARF_R13].kind, COLUMN_IS);
	cr_assert_eq(r->columns[DWARF_R13].value, 8);
	cr_assert_eq(r->columns[DWARF_R14].kind, COLUMN_UNDEFINED);
	r = rule_at(t, 0x1001);
	cr_assert_eq(r->cfa_value, 24);
	cr_assert_eq(r->columns[DWARF_RBX].kind, COLUMN_DEFAULT);
	cfi_table_free(t);
	buffer_release(&b);
}

/* Compiles an FDE for [0x1000, 0x1100) whose addresses have this encoding. */
static struct cfi_table *compile_encoded(struct buffer *b, char encoding, const void *addresses,
					 size_t size, uint64_t data_base)
{
	size_t cie = put_cie_with(b, false, "zR", &encoding, 1, USUAL_CODE);

	put_fde_with(b, cie, addresses, size, CODE(""));
	return compile_bytes(b, data_base);
}

Test(cfi, pointer_encodings)
{
	/* The CIE takes 28 bytes; the FDE's address is 8 bytes after that. */
	enum { HERE = SECTION + 28 + 8 };
	static const struct {
		uint8_t encoding;
		uint32_t size;
		int64_t base;
	} all[] = {
		{ 0x00, 8, 0 },	     { 0x04, 8, 0 },	{ 0x0c, 8, 0 },	   { 0x03, 4, 0 },
		{ 0x0b, 4, 0 },	     { 0x02, 2, 0 },	{ 0x0a, 2, 0 },	   { 0x10, 8, HERE },
		{ 0x1b, 4, HERE },   { 0x1a, 2, HERE }, { 0x1c, 8, HERE }, { 0x30, 8, 0x3000 },
		{ 0x3b, 4, 0x3000 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		int64_t start = 0x1000 - all[i].base, size = 0x100;
		struct buffer b = { 0 };
		char addresses[16];
		struct cfi_table *t;

		memcpy(addresses, &start, all[i].size);
		memcpy(addresses + all[i].size, &size, all[i].size);
		t = compile_encoded(&b, (char)all[i].encoding, addresses, 2 * all[i].size, 0x3000);
		cr_assert_null(rule_at(t, 0xfff), "%x", all[i].encoding);
		cr_assert_not_null(rule_at(t, 0x1000), "%x", all[i].encoding);
		cr_assert_not_null(rule_at(t, 0x10ff), "%x", all[i].encoding);
		cr_assert_null(rule_at(t, 0x1100), "%x", all[i].encoding);
		cfi_table_free(t);
		buffer_release(&b);
	}
}

Test(cfi, leb128_addresses)
{
	struct buffer b = { 0 };
	struct cfi_table *t = compile_encoded(&b, '\1', CODE("\x80\x20\x80\x02"), 0);

	cr_assert_not_null(rule_at(t, 0x1000));
	cr_assert_null(rule_at(t, 0x1100));
	cfi_table_free(t);
	buffer_release(&b);
}

Test(cfi, pointers_that_cannot_be_told_are_refused)
{
	/* indirect, relative to the text, to the function, aligned, omitted, no format, and
	 * relative to data whose address is not known */
	static const uint8_t all[] = { 0x9b, 0x2b, 0x4b, 0x50, 0xff, 0x07, 0x3b };

	for (size_t i = 0; i < sizeof(all); i++) {
		static const uint32_t addresses[4] = { 0x1000, 0x100 };
		struct buffer b = { 0 };
		struct cfi_table *t = compile_encoded(&b, (char)all[i], addresses,
						      sizeof(addresses), 0);

		cr_assert_eq(info_of(t).rows, 0, "%x", all[i]);
		cr_assert_eq(info_of(t).broken, 1, "%x", all[i]);
		cfi_table_free(t);
		buffer_release(&b);
	}
}

Test(cfi, augmentations)
{
	static const struct {
		const char *letters, *data;
		size_t len;
		bool usable, signal;
	} all[] = {
		{ "", CODE(""), true, false },
		{ "zR", CODE("\x04"), true, false },
		{ "zPLR", CODE("\x1b\1\2\3\4\x1b\x04"), true, false },
		{ "zPLR", CODE("\x9b\1\2\3\4\xff\x04"), true, false },
		{ "zPR", CODE("\xff\x04"), true, false }, /* the personality is omitted */
		{ "zRB", CODE("\x04"), true, false },
		{ "zRS", CODE("\x04"), true, true },
		{ "zSR", CODE("\x04"), true, true },
		{ "z", CODE(""), true, false },
		{ "zRx", CODE("\x04\x77"), true, false }, /* unknown letter, known length */
		{ "x", CODE(""), false, false },
		{ "eh", CODE("\0\0\0\0\0\0\0\0"), false, false },
		{ "zR", CODE(""), false, false }, /* too short */
		{ "zPR", CODE("\x1b\1\2"), false, false },
		{ "zPR", CODE("\x50\1\2\3\4\5\6\7\x08\x04"), false, false },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct buffer b = { 0 };
		size_t cie = put_cie_with(&b, false, all[i].letters, all[i].data, all[i].len,
					  USUAL_CODE);
		const struct cfi_rule *r;
		struct cfi_table *t;

		put_fde(&b, cie, 0x1000, 0x100, CODE(""));
		t = compile_bytes(&b, 0);
		r = rule_at(t, 0x1000);
		cr_assert_eq(!!r, all[i].usable, "%zu '%s'", i, all[i].letters);
		if (r)
			cr_assert_eq(r->signal_frame, all[i].signal, "%zu", i);
		cr_assert_eq(info_of(t).broken > 0, !all[i].usable, "%zu", i);
		cfi_table_free(t);
		buffer_release(&b);
	}
}

Test(cfi, a_cie_that_is_too_long_is_refused)
{
	static const char nops[2000];
	struct buffer b = { 0 };
	size_t cie = put_cie_with(&b, false, "zR", "\x04", 1, nops, sizeof(nops));
	struct cfi_table *t;

	put_fde(&b, cie, 0x1000, 0x100, CODE("\x0c\7\x08"));
	t = compile_bytes(&b, 0);
	cr_assert_eq(info_of(t).broken, 1);
	cfi_table_free(t);
	buffer_release(&b);
}

Test(cfi, a_row_without_a_cfa_is_refused)
{
	struct buffer b = { 0 };
	size_t cie = put_cie_with(&b, false, "zR", "\x04", 1, CODE("\x90\1"));
	struct cfi_table *t;

	put_fde(&b, cie, 0x1000, 0x100, CODE("\x41\x0c\7\x08"));
	put_fde(&b, cie, 0x2000, 0x100, CODE("\x0c\7\x08"));
	t = compile_bytes(&b, 0);
	cr_assert_null(rule_at(t, 0x1010), "its first byte has none");
	cr_assert_not_null(rule_at(t, 0x2000));
	cfi_table_free(t);
	buffer_release(&b);
}

Test(cfi, instructions_beyond_the_entry_are_left_out)
{
	struct buffer b = { 0 };
	struct cfi_table *t = compile(&b, "zR", CODE("\x03\0\x02\x0e\x10"));

	cr_assert_eq(info_of(t).broken, 0);
	cr_assert_eq(rule_at(t, 0x10ff)->cfa_value, 8);
	cr_assert_null(rule_at(t, 0x1200));
	cfi_table_free(t);
	buffer_release(&b);
}

/* Cut at every byte, and with every bit changed: no crash. */
Test(cfi, damage)
{
	static const char code[] = "\x41\x0e\x10\x86\2\x43\x0d\6\x0a\x10\x0f\2\x77\0\x02\x50\x0b";
	struct buffer b = { 0 };

	cfi_table_free(compile(&b, "zPLR", code, sizeof(code) - 1));
	for (size_t i = 0; i < b.len; i++) {
		uint8_t *bytes = malloc(i ? i : 1); /* of exactly this size for the sanitizer */
		struct buffer cut = { bytes, i, i };

		memcpy(bytes, b.data, i);
		cfi_table_free(compile_bytes(&cut, 0));
		free(bytes);
		for (int bit = 0; bit < 8; bit++) {
			b.data[i] ^= (uint8_t)(1 << bit);
			cfi_table_free(compile_bytes(&b, 0));
			b.data[i] ^= (uint8_t)(1 << bit);
		}
	}
	buffer_release(&b);
}
