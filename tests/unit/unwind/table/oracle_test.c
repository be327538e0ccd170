/*
 * Tables of real files are compared with libdw, in each row or each tenth: at the first and the
 * last address of libdw's row, in gaps, and at random addresses, our table must have what
 * dwarf_cfi_addrframe returns. Both are put into words and compared as text, so that a difference
 * can be read.
 */
#include <criterion/criterion.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/process/image.h"
#include "base/process/machine.h"
#include "unwind/table/cfi.h"
#include "unwind/table/rule.h"
#include "unwind/table/table.h"
#include "tests/unit/amount.h"
#include "tests/unit/unwind/rule_at.h"

enum { FEW_PCS = 1000, RANDOM_PCS = 20000, FEW_ROWS = 10, WORDS = 4096 };

struct oracle {
	int fd;
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_CFI *eh, *debug; /* NULL when the file has none */
	struct image *image;
	struct cfi_table *table;
};

/* A text to which words are appended. */
struct words {
	char text[WORDS];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void say(struct words *w, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	w->len += (size_t)vsnprintf(w->text + w->len, WORDS - w->len, fmt, args);
	va_end(args);
	cr_assert_lt(w->len, WORDS);
}

/* On x86-64, elfutils 0.188 takes rax instead of rbx for a register that a callee preserves
 * (backends/x86_64_cfi.c). So "same" and "undefined" are not distinguished for these two. */
#ifdef __x86_64__
static const uint32_t NOT_ASKED = 1u << DWARF_RAX | 1u << DWARF_RBX;
#else
static const uint32_t NOT_ASKED = 0;
#endif

/* A register that is not saved. */
static void say_not_saved(struct words *w, unsigned reg, bool same)
{
	if (NOT_ASKED >> reg & 1)
		say(w, "not saved");
	else
		say(w, same ? "same" : "undefined");
}

/* A register without a rule (System V ABI). */
static void say_default(struct words *w, unsigned reg)
{
	if (reg == DWARF_SP)
		say(w, "is c+0");
	else
		say_not_saved(w, reg, KEPT >> reg & 1);
}

/* An expression as libdw parses it. */
static void say_ops(struct words *w, const Dwarf_Op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++)
		say(w, " %x:%lx:%lx", ops[i].atom, ops[i].number, ops[i].number2);
}

/* An expression of our table, parsed in the same way. */
static void say_expression(struct words *w, const struct oracle *o, int32_t place)
{
	struct cursor c;
	size_t len;
	const uint8_t *text = cfi_table_expression(o->table, place, &len);

	cursor_init(&c, text, len, "expression");
	while (cursor_left(&c)) {
		Dwarf_Op op = { .atom = cursor_byte(&c) };

		if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31)
			op.number = (Dwarf_Word)cursor_sleb(&c);
		else if (op.atom == DW_OP_plus_uconst || op.atom == DW_OP_constu)
			op.number = cursor_uleb(&c);
		else if (op.atom == DW_OP_const1u || op.atom == DW_OP_deref_size)
			op.number = cursor_byte(&c);
		say_ops(w, &op, 1);
	}
	cr_assert_not(c.failed);
}

static void say_our_column(struct words *w, const struct oracle *o, const struct cfi_rule *rule,
			   unsigned reg)
{
	const struct column *col = &rule->columns[reg];

	switch ((enum column_kind)col->kind) {
	case COLUMN_DEFAULT:
		say_default(w, reg);
		break;
	case COLUMN_UNDEFINED:
		say_not_saved(w, reg, false);
		break;
	case COLUMN_SAME:
		say_not_saved(w, reg, true);
		break;
	case COLUMN_SAVED:
		say(w, "at c%+d", col->value);
		break;
	case COLUMN_IS:
		say(w, "is c%+d", col->value);
		break;
	case COLUMN_REGISTER:
		say(w, "in r%d", col->value);
		break;
	case COLUMN_SAVED_EXPR:
		say(w, "at");
		say_expression(w, o, col->value);
		break;
	case COLUMN_IS_EXPR:
		say(w, "is");
		say_expression(w, o, col->value);
		break;
	}
}

static void say_ours(struct words *w, const struct oracle *o, uint64_t pc)
{
	struct cfi_rule rule;

	if (!copy_rule_at(o->table, pc, &rule)) {
		say(w, "nothing");
		return;
	}
	say(w, "cfa");
	if (rule.cfa_reg == CFA_EXPRESSION)
		say_expression(w, o, rule.cfa_value);
	else
		say(w, " r%d%+d", rule.cfa_reg, rule.cfa_value);
	for (unsigned reg = 0; reg < DWARF_COUNT; reg++) {
		say(w, "; r%u ", reg);
		say_our_column(w, o, &rule, reg);
	}
	say(w, "%s", rule.signal_frame ? "; signal" : "");
}

static void say_their_column(struct words *w, Dwarf_Frame *frame, unsigned reg)
{
	Dwarf_Op mem[3], *ops;
	bool value;
	size_t n;

	cr_assert_eq(dwarf_frame_register(frame, (int)reg, mem, &ops, &n), 0);
	if (!n) {
		say_not_saved(w, reg, !ops);
		return;
	}
	if (ops[0].atom == DW_OP_regx) {
		say(w, "in r%lu", ops[0].number);
		return;
	}
	cr_assert_eq(ops[0].atom, DW_OP_call_frame_cfa);
	value = ops[n - 1].atom == DW_OP_stack_value;
	n -= value;
	say(w, value ? "is" : "at");
	if (n == 1 || (n == 2 && ops[1].atom == DW_OP_plus_uconst))
		say(w, " c%+ld", n == 1 ? 0 : (long)ops[1].number);
	else
		say_ops(w, ops + 1, n - 1);
}

/* libdw's row, which the caller frees, and its end. NULL and 0: there is none. */
static Dwarf_Frame *their_frame(const struct oracle *o, uint64_t pc, uint64_t *end, bool *signal)
{
	Dwarf_Frame *frame;
	Dwarf_Addr start;

	*end = 0;
	if ((!o->eh || dwarf_cfi_addrframe(o->eh, pc, &frame)) &&
	    (!o->debug || dwarf_cfi_addrframe(o->debug, pc, &frame)))
		return NULL;
	dwarf_frame_info(frame, &start, end, signal);
	cr_assert(start <= pc && pc < *end);
	return frame;
}

/* Returns the end of libdw's row, 0 if there is none. */
static uint64_t say_theirs(struct words *w, const struct oracle *o, uint64_t pc)
{
	Dwarf_Frame *frame;
	uint64_t end;
	Dwarf_Op *ops;
	bool signal;
	size_t n;

	frame = their_frame(o, pc, &end, &signal);
	if (!frame) {
		say(w, "nothing");
		return 0;
	}
	cr_assert_eq(dwarf_frame_cfa(frame, &ops, &n), 0);
	say(w, "cfa");
	if (n == 1 && ops[0].atom == DW_OP_bregx)
		say(w, " r%lu%+ld", ops[0].number, (long)ops[0].number2);
	else
		say_ops(w, ops, n);
	for (unsigned reg = 0; reg < DWARF_COUNT; reg++) {
		say(w, "; r%u ", reg);
		say_their_column(w, frame, reg);
	}
	say(w, "%s", signal ? "; signal" : "");
	free(frame);
	return end;
}

/* Compares at one address; returns the end of libdw's row there, 0 in a gap. */
static uint64_t compare(const struct oracle *o, uint64_t pc)
{
	static struct words ours, theirs;
	uint64_t end;

	ours.len = theirs.len = 0;
	end = say_theirs(&theirs, o, pc);
	say_ours(&ours, o, pc);
	cr_assert_str_eq(ours.text, theirs.text, "%s at %lx:\n ours   %s\n libdw's %s",
			 image_path(o->image), pc, ours.text, theirs.text);
	return end;
}

static bool oracle_open(struct oracle *o, const char *path)
{
	GElf_Ehdr ehdr;

	*o = (struct oracle){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (o->fd < 0)
		return false;
	elf_version(EV_CURRENT);
	o->elf = elf_begin(o->fd, ELF_C_READ, NULL);
	if (!gelf_getehdr(o->elf, &ehdr) || ehdr.e_machine != MACHINE_ELF)
		return false; /* qemu-aarch64 shows the files of its host */
	o->dwarf = dwarf_begin_elf(o->elf, DWARF_C_READ, NULL);
	o->eh = dwarf_getcfi_elf(o->elf);
	o->debug = o->dwarf ? dwarf_getcfi(o->dwarf) : NULL;
	cr_assert_eq(image_open(open(path, O_RDONLY | O_CLOEXEC), path, &o->image, NULL), 0);
	cr_assert_eq(cfi_table_build(o->image, &o->table, NULL), 0);
	return true;
}

static void oracle_close(struct oracle *o)
{
	cfi_table_free(o->table);
	image_free(o->image);
	if (o->eh)
		dwarf_cfi_end(o->eh);
	dwarf_end(o->dwarf);
	elf_end(o->elf);
	close(o->fd);
}

/* The end of libdw's row, for rows that are not compared. */
static uint64_t end_of_row(const struct oracle *o, uint64_t pc)
{
	uint64_t end;
	bool signal;

	free(their_frame(o, pc, &end, &signal));
	return end;
}

/* Compares a segment from row to row. In a gap of libdw it goes on byte by byte for a while, then
 * by seven bytes. */
static void compare_rows(const struct oracle *o, const struct image_segment *s)
{
	size_t each = amount(FEW_ROWS, 1), row = 0;
	uint64_t pc = s->vaddr, gap = 0;

	while (pc < s->vaddr + s->memsz) {
		bool wanted = row++ % each == 0;
		uint64_t end = wanted ? compare(o, pc) : end_of_row(o, pc);

		if (end > pc) {
			if (wanted)
				compare(o, end - 1);
			pc = end;
			gap = 0;
		} else {
			pc += ++gap < 64 ? 1 : 7;
		}
	}
}

static void compare_file(const char *const *paths)
{
	const struct image_segment *s;
	struct cfi_table_info info;
	struct oracle o;
	size_t count;

	while (*paths && !oracle_open(&o, *paths))
		paths++;
	if (!*paths)
		cr_skip_test("no such file here");
	s = image_segments(o.image, &count);
	srandom(1);
	for (size_t i = 0; i < count; i++) {
		if (!(s[i].flags & PF_X))
			continue;
		compare_rows(&o, &s[i]);
		for (size_t j = amount(FEW_PCS, RANDOM_PCS); j; j--)
			compare(&o, s[i].vaddr + (uint64_t)random() % s[i].memsz);
	}
	cfi_table_info(o.table, &info);
	cr_assert_eq(info.broken, 0);
	cr_assert_gt(info.rows, 100);
	oracle_close(&o);
}

#define SAME_AS_LIBDW(name, ...) \
	Test(oracle, name, .timeout = 120) \
	{ \
		compare_file((const char *const[]){ __VA_ARGS__, NULL }); \
	}

/* Where Debian and its derivatives have libraries. */
#ifdef __x86_64__
#define LIB "lib/x86_64-linux-gnu/"
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#else
#define LIB "lib/aarch64-linux-gnu/"
#define LOADER "/lib/ld-linux-aarch64.so.1"
#endif

SAME_AS_LIBDW(libc, "/" LIB "libc.so.6", "/lib64/libc.so.6", "/usr/lib/libc.so.6")
SAME_AS_LIBDW(libstdcxx, "/usr/" LIB "libstdc++.so.6", "/lib64/libstdc++.so.6",
	      "/usr/lib/libstdc++.so.6")
SAME_AS_LIBDW(dynamic_linker, LOADER, "/lib/ld-musl-x86_64.so.1")
SAME_AS_LIBDW(libcrypto, "/usr/" LIB "libcrypto.so.3", "/lib64/libcrypto.so.3",
	      "/usr/lib/libcrypto.so.3")
SAME_AS_LIBDW(libgcc, "/" LIB "libgcc_s.so.1", "/lib64/libgcc_s.so.1")
SAME_AS_LIBDW(redis, "/usr/bin/redis-server")
SAME_AS_LIBDW(python, "/usr/bin/python3")
SAME_AS_LIBDW(postgres, "/usr/lib/postgresql/15/bin/postgres",
	      "/usr/lib/postgresql/17/bin/postgres", "/usr/lib/postgresql/18/bin/postgres",
	      "/usr/bin/postgres")
SAME_AS_LIBDW(nginx, "/usr/sbin/nginx", "/usr/bin/nginx")
