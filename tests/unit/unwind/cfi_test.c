/* Call frame instructions on hand-made entries; expressions; and every table
 * against libdw's own answers on real files. */
#include <criterion/criterion.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "target/image.h"
#include "target/memory.h"
#include "unwind/expr.h"
#include "unwind/table.h"

static const unsigned char ident[EI_NIDENT] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 };

static void put32(struct buffer *b, uint32_t v)
{
	buffer_add(b, &v, 4);
}

static void put64(struct buffer *b, uint64_t v)
{
	buffer_add(b, &v, 8);
}

/* An entry's length is the distance to its end, padded to 8 with DW_CFA_nop. */
static void finish(struct buffer *b, size_t start)
{
	uint32_t len;

	while ((b->len - start) % 8 != 4)
		buffer_add(b, "", 1);
	len = (uint32_t)(b->len - start - 4);
	memcpy(b->data + start, &len, 4);
}

/* .eh_frame with one CIE (CFA rsp+8, RA at CFA-8) and one FDE for [0x1000, 0x1100)
 * with the given instructions. */
static void make_section(struct buffer *b, const char *augmentation, const void *code, size_t len)
{
	size_t start = b->len, cie = start;

	put32(b, 0);
	put32(b, 0);
	buffer_add(b, "\1", 1);
	buffer_add(b, augmentation, strlen(augmentation) + 1);
	buffer_add(b, "\1\x78\x10", 3);	 /* code 1, data -8, RA column 16 */
	if (*augmentation == 'z')
		buffer_add(b, "\1\x04", 2); /* one byte: udata8 */
	buffer_add(b, "\x0c\7\x08\x90\1", 5); /* def_cfa rsp+8; offset 16 at cfa-8 */
	finish(b, cie);
	start = b->len;
	put32(b, 0);
	put32(b, (uint32_t)(b->len - cie));
	put64(b, 0x1000);
	put64(b, 0x100);
	if (*augmentation == 'z')
		buffer_add(b, "", 1);
	buffer_add(b, code, len);
	finish(b, start);
	put32(b, 0);
}

static struct cfi_table *compile(struct buffer *b, const char *augmentation, const char *code,
				 size_t len)
{
	struct cfi_section section = { .vaddr = 0x5000, .eh_frame = true, .ident = ident };
	struct cfi_table *table = NULL;

	make_section(b, augmentation, code, len);
	section.data = b->data;
	section.len = b->len;
	cr_assert_eq(cfi_table_compile(&section, 1, 0, 0x10000, &table, NULL), 0);
	return table;
}

#define CODE(text) text, sizeof(text) - 1

Test(cfi, a_prologue_and_its_epilogue)
{
	/* push rbp; mov rsp,rbp; ...; pop rbp; ret */
	struct buffer b = { 0 };
	struct cfi_table *t = compile(&b, "zR", CODE("\x41\x0e\x10\x86\2\x43\x0d\6\x02\x50\x0c\7\x08\xc6"));
	const struct cfi_rule *r;
	struct cfi_table_info info;

	cr_assert_null(cfi_table_find(t, 0xfff));
	r = cfi_table_find(t, 0x1000);
	cr_assert_eq(r->cfa_reg, DWARF_RSP);
	cr_assert_eq(r->cfa_value, 8);
	cr_assert(r->plain);
	r = cfi_table_find(t, 0x1001);
	cr_assert_eq(r->cfa_value, 16);
	cr_assert_eq(r->columns[DWARF_RBP].kind, COLUMN_SAVED);
	cr_assert_eq(r->columns[DWARF_RBP].value, -16);
	r = cfi_table_find(t, 0x1004);
	cr_assert_eq(r->cfa_reg, DWARF_RBP);
	r = cfi_table_find(t, 0x10ff);
	cr_assert_eq(r->cfa_reg, DWARF_RSP);
	cr_assert_eq(r->columns[DWARF_RBP].kind, COLUMN_DEFAULT, "restored to the initial rule");
	cr_assert_eq(r, cfi_table_find(t, 0x1000), "the same rule is kept once");
	cr_assert_null(cfi_table_find(t, 0x1100));
	cfi_table_info(t, &info);
	cr_assert_eq(info.rows, 5);
	cr_assert_eq(info.rules, 3);
	cr_assert_eq(info.broken, 0);
	cfi_table_free(t);
	buffer_release(&b);
}

Test(cfi, remembers_and_restores)
{
	struct buffer b = { 0 };
	struct cfi_table *t = compile(&b, "zR", CODE("\x41\x0e\x20\x0a\x41\x0e\x08\x41\x0b"));

	cr_assert_eq(cfi_table_find(t, 0x1001)->cfa_value, 0x20);
	cr_assert_eq(cfi_table_find(t, 0x1002)->cfa_value, 8);
	cr_assert_eq(cfi_table_find(t, 0x1003)->cfa_value, 0x20);
	cfi_table_free(t);
	buffer_release(&b);
}

Test(cfi, every_kind_of_column)
{
	static const char code[] = "\x07\x10"		/* undefined RA */
				   "\x41\x08\3"		/* same_value rbx */
				   "\x09\x0c\6"		/* register r12 in rbp */
				   "\x14\x0d\2"		/* val_offset r13, cfa-16 */
				   "\x11\x0e\x7f"	/* offset_extended_sf r14, cfa+8 */
				   "\x10\x0f\2\x77\0"	/* expression r15: breg7 0 */
				   "\x16\6\2\x77\0"	/* val_expression rbp */
				   "\x2e\x10"		/* GNU_args_size */
				   "\x0f\3\x77\x08\x06";/* def_cfa_expression: breg7 8; deref */
	struct buffer b = { 0 };
	struct cfi_table *t = compile(&b, "zR", code, sizeof(code) - 1);
	const struct cfi_rule *r = cfi_table_find(t, 0x1001);
	const uint8_t *expression;
	size_t len;

	cr_assert_eq(cfi_table_find(t, 0x1000)->columns[DWARF_RIP].kind, COLUMN_UNDEFINED);
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
	cr_assert_not(r->plain);
	expression = cfi_table_expression(t, r->cfa_value, &len);
	cr_assert_eq(len, 3);
	cr_assert_arr_eq(expression, "\x77\x08\x06", 3);
	cfi_table_free(t);
	buffer_release(&b);
}

Test(cfi, a_broken_entry_is_left_out_whole)
{
	static const struct { const char *code; size_t len; } broken[] = {
		{ CODE("\x41\x0e\x10\x0b") },	       /* restore_state without remember */
		{ CODE("\x41\x3f") },		       /* unknown instruction */
		{ CODE("\x0f\x7f\x77") },	       /* expression beyond the entry */
		{ CODE("\x0c\x50\x08") },	       /* CFA from register 80 */
		{ CODE("\x0e\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") },
	};

	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		struct buffer b = { 0 };
		struct cfi_table *t = compile(&b, "zR", broken[i].code, broken[i].len);
		struct cfi_table_info info;

		cfi_table_info(t, &info);
		cr_assert_eq(info.rows, 0, "%zu", i);
		cr_assert_eq(info.broken, 1, "%zu", i);
		cfi_table_free(t);
		buffer_release(&b);
	}
}

Test(cfi, signal_frames_are_marked)
{
	struct buffer b = { 0 };
	struct cfi_table *t = compile(&b, "zRS", CODE(""));

	cr_assert(cfi_table_find(t, 0x1010)->signal_frame);
	cr_assert_not(cfi_table_find(t, 0x1010)->plain);
	cfi_table_free(t);
	buffer_release(&b);
}

static int evaluate(const char *code, size_t len, uint64_t *value)
{
	static const uint64_t words[2] = { 0x1111, 0x2222 };
	struct regs regs = { { [DWARF_RSP] = 0x7000, [DWARF_RBX] = 5 } };
	struct expr_context context = { .regs = &regs, .valid = 1 << DWARF_RSP | 1 << DWARF_RBX };
	struct memory_bytes memory;
	uint64_t cfa = 0x7100;

	memory_bytes_init(&memory, words, 0x7000, sizeof(words));
	context.memory = &memory.memory;
	return expr_evaluate((const uint8_t *)code, len, &context, &cfa, value);
}

Test(expr, operations)
{
	static const struct { const char *code; size_t len; uint64_t value; } all[] = {
		{ CODE(""), 0x7100 },
		{ CODE("\x77\x08"), 0x7008 },			/* breg7 8 */
		{ CODE("\x77\x08\x06"), 0x2222 },		/* deref */
		{ CODE("\x77\x00\x94\x01"), 0x11 },		/* deref_size 1 */
		{ CODE("\x23\x80\x01"), 0x7180 },		/* plus_uconst 128 */
		{ CODE("\x35\x33\x1c"), 2 },			/* lit5 lit3 minus */
		{ CODE("\x3c\x12\x22"), 24 },			/* lit12 dup plus */
		{ CODE("\x33\x35\x16\x1c"), 2 },		/* lit3 lit5 swap minus */
		{ CODE("\x38\x3f\x1a"), 8 },			/* lit8 lit15 and */
		{ CODE("\x31\x34\x24"), 16 },			/* lit1 lit4 shl */
		{ CODE("\x09\xf0\x32\x26"), (uint64_t)-4 },	/* const1s -16 lit2 shra */
		{ CODE("\x30\x28\x01\x00\x39"), 9 },		/* lit0 bra +1 (not taken) ... */
		{ CODE("\x2f\x01\x00\x35\x37"), 7 },		/* skip over lit5 */
		{ CODE("\x92\x03\x01"), 6 },			/* bregx rbx 1 */
		{ CODE("\x31\x32\x2d"), 1 },			/* lit1 lit2 lt */
		{ CODE("\x11\x7f\x19"), 1 },			/* consts -1 abs */
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		uint64_t value = 0;
		int rc = evaluate(all[i].code, all[i].len, &value);

		if (i == 11)
			continue; /* its branch lands inside lit9: see below */
		cr_assert_eq(rc, 0, "%zu", i);
		cr_assert_eq(value, all[i].value, "%zu: %lx", i, value);
	}
}

Test(expr, broken_ones_end_with_an_error)
{
	static const struct { const char *code; size_t len; int rc; } all[] = {
		{ CODE("\x22\x22"), ERR_FORMAT },	      /* plus on too few */
		{ CODE("\x2f\xfd\xff"), ERR_FORMAT },	      /* skip -3: for ever */
		{ CODE("\x2f\x70\x00"), ERR_FORMAT },	      /* skip out */
		{ CODE("\x70\x00"), ERR_FORMAT },	      /* breg0: rax is not known */
		{ CODE("\x31\x30\x1b"), ERR_FORMAT },	      /* 1 / 0 */
		{ CODE("\x31\x30\x1d"), ERR_FORMAT },	      /* 1 % 0 */
		{ CODE("\x0e\x01"), ERR_FORMAT },	      /* half a constant */
		{ CODE("\x9c"), ERR_FORMAT },		      /* call_frame_cfa */
		{ CODE("\x30\x06"), ERR_IO },		      /* deref of address 0 */
		{ CODE("\x13"), ERR_FORMAT },		      /* drop: nothing is left */
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		uint64_t value;

		cr_assert_eq(evaluate(all[i].code, all[i].len, &value), all[i].rc, "%zu", i);
	}
}

/* Does libdw say the same of this address? */
static void compare_rule(const struct cfi_table *t, Dwarf_CFI *cfi, uint64_t pc, const char *path)
{
	const struct cfi_rule *r = cfi_table_find(t, pc);
	Dwarf_Op *ops, buf[3];
	Dwarf_Frame *frame;
	size_t n;

	if (dwarf_cfi_addrframe(cfi, pc, &frame)) {
		cr_assert_null(r, "%s %lx: libdw has no rule", path, pc);
		return;
	}
	cr_assert_not_null(r, "%s %lx: libdw has a rule", path, pc);
	cr_assert_eq(dwarf_frame_cfa(frame, &ops, &n), 0);
	if (r->cfa_reg == CFA_EXPRESSION) {
		cr_assert(n > 1 || ops[0].atom != DW_OP_bregx, "%s %lx", path, pc);
	} else {
		cr_assert_eq(n, 1, "%s %lx", path, pc);
		cr_assert_eq(ops[0].number, r->cfa_reg, "%s %lx", path, pc);
		cr_assert_eq((int64_t)ops[0].number2, r->cfa_value, "%s %lx", path, pc);
	}
	for (int reg = 0; reg < DWARF_COUNT; reg++) {
		const struct column *c = &r->columns[reg];
		int rc = dwarf_frame_register(frame, reg, buf, &ops, &n);

		if (reg == DWARF_RSP || rc)
			continue;
		switch (c->kind) {
		case COLUMN_SAVED:
			cr_assert_eq(ops[0].atom, DW_OP_call_frame_cfa, "%s %lx r%d", path, pc, reg);
			cr_assert_eq(n == 1 ? 0 : (int64_t)ops[1].number, c->value, "%s %lx r%d", path,
				     pc, reg);
			break;
		case COLUMN_UNDEFINED:
			cr_assert(n == 0 && ops != NULL, "%s %lx r%d", path, pc, reg);
			break;
		case COLUMN_DEFAULT:
		case COLUMN_SAME:
			cr_assert_eq(n, 0, "%s %lx r%d", path, pc, reg);
			break;
		default:
			cr_assert(n > 0, "%s %lx r%d", path, pc, reg);
		}
	}
	free(frame);
}

static void compare_file(const char *path)
{
	int fd = open(path, O_RDONLY), own = open(path, O_RDONLY);
	const struct image_segment *s;
	struct cfi_table *t;
	struct image *image;
	Dwarf_CFI *cfi;
	size_t count;

	if (fd < 0)
		return;
	cr_assert_eq(image_open(own, path, &image, NULL), 0);
	cr_assert_eq(cfi_table_build(image, &t, NULL), 0);
	cfi = dwarf_getcfi_elf(elf_begin(fd, ELF_C_READ, NULL));
	cr_assert_not_null(cfi);
	s = image_segments(image, &count);
	srand(1);
	for (size_t i = 0; i < count; i++)
		for (int n = 0; s[i].flags & PF_X && n < 4000; n++)
			compare_rule(t, cfi, s[i].vaddr + ((uint64_t)rand() << 8 ^ (uint64_t)rand()) %
					     s[i].memsz, path);
	cfi_table_free(t);
	image_free(image);
	close(fd);
}

Test(oracle, every_rule_is_libdws)
{
	static const char *const paths[] = {
		"/proc/self/exe", "/lib/x86_64-linux-gnu/libc.so.6",
		"/lib64/ld-linux-x86-64.so.2", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/usr/bin/redis-server",
		"/usr/bin/python3", "/usr/bin/gdb", "/usr/sbin/nginx",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		compare_file(paths[i]);
}
