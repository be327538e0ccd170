/*
 * The code of Ruby's loop: vm_exec_core, its instructions, and vm_exec, which calls it.
 *
 * Both are static functions, so stripped builds have no symbols for them. But:
 *
 * - rb_vm_insn_len_info is exported by all builds from 3.1 on; its size is the number of
 *   instructions. The table of their code (insns_address_table in vm_exec_core) is the only array
 *   of so many addresses of one function in the image's read-only data. For 3.0, the first long one
 *   is taken; then instructions are not told apart.
 * - Where a function begins, CFI tells. All instructions' code is in one function: vm_exec_core.
 * - vm_exec is the only function that calls it; the other use of it is a jump
 *   (rb_vm_get_insns_address_table).
 *
 * Rejected: the distance from exported functions, which each build changes; a search for byte
 * patterns.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/elfsymbol.h"
#include "base/process/memory.h"
#include "base/sorted.h"
#include "runtimes/ruby/loop.h"
#include "unwind/code/insn.h"
#include "unwind/table/starts.h"

enum {
	INSNS_MAX = 2048,
	INSNS_MIN = 128,
	LENGTH_MAX = 32,	/* words of an instruction */
	FUNCTION_MAX = 1 << 18, /* bytes of vm_exec_core */
	TEXT_MAX = 64 << 20,
	DATA_MAX = 16 << 20,
	NAMES_MAX = 1 << 16,
	CALL_BYTES = 8,
};

struct ruby_loop_search {
	struct ruby_loop *loop;
	const struct image *image;
	uint64_t bias;
	struct cfi_starts *starts;
	bool open; /* the number of instructions is not known */
};

static bool ruby_loop_is_text(const struct ruby_loop *loop, uint64_t addr)
{
	return addr - loop->text < loop->text_end - loop->text;
}

/* `count` addresses of code, all in one function. */
static bool ruby_loop_is_table(const struct ruby_loop_search *s, const char *words)
{
	const struct ruby_loop *loop = s->loop;
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < loop->count; i++) {
		uint64_t code = memory_word(words, 8 * i);

		if (!ruby_loop_is_text(loop, code))
			return false;
		least = code < least ? code : least;
		most = code > most ? code : most;
	}
	return most - least < FUNCTION_MAX && most - least > loop->count &&
	       cfi_starts_find(s->starts, least - s->bias) ==
		       cfi_starts_find(s->starts, most - s->bias);
}

/* Without the number of instructions, the table goes on as far as addresses of the function do. */
static void ruby_loop_extend(const struct ruby_loop_search *s, const char *words, size_t room)
{
	struct ruby_loop *loop = s->loop;
	uint64_t start = cfi_starts_find(s->starts, memory_word(words, 0) - s->bias);

	while (loop->count < room && loop->count < INSNS_MAX &&
	       ruby_loop_is_text(loop, memory_word(words, 8 * loop->count)) &&
	       cfi_starts_find(s->starts, memory_word(words, 8 * loop->count) - s->bias) == start)
		loop->count++;
}

/* Looks for the table in a section, in the process, because its addresses are relocated. */
static bool ruby_loop_find_table(const struct ruby_loop_search *s, const char *section,
				 const struct memory *memory, uint64_t codes[static INSNS_MAX])
{
	size_t bytes = s->loop->count * 8;
	uint64_t addr, size;
	bool found = false;
	char *data;

	if (!elfsymbol_section(s->image, section, &addr, &size) || size > DATA_MAX || size < bytes)
		return false;
	data = malloc(size);
	if (!data || memory->read(memory, s->bias + addr, data, size)) {
		free(data);
		return false;
	}
	for (size_t at = 0; !found && at + bytes <= size; at += 8) {
		/* The last address first: most places fail there. */
		found = ruby_loop_is_text(s->loop, memory_word(data, at + bytes - 8)) &&
			ruby_loop_is_table(s, data + at);
		if (found && s->open)
			ruby_loop_extend(s, data + at, (size - at) / 8);
		if (found)
			memcpy(codes, data + at, s->loop->count * 8);
	}
	free(data);
	return found;
}

static bool read_names(const struct ruby_loop_search *s, const struct elfsymbol *base,
		       const struct elfsymbol *offsets, char names[static NAMES_MAX], uint16_t *at)
{
	if (!base->found || !offsets->found || offsets->size < 2 * s->loop->count ||
	    base->size >= NAMES_MAX)
		return false;
	memset(names, 0, NAMES_MAX);
	return elfsymbol_bytes(s->image, base->addr, names, base->size) &&
	       elfsymbol_bytes(s->image, offsets->addr, at, 2 * s->loop->count);
}

/* Each instruction has a second form, "trace_…", and maybe a third, "zjit_…", which may replace it
 * in the code, and lead to its code in the loop. All have the number of the first. */
static void unify(const struct ruby_loop *loop, const char *names, const uint16_t *at,
		  uint16_t *plain)
{
	for (size_t i = 0; i < loop->count; i++) {
		const char *name = names + at[i];
		size_t prefix = !strncmp(name, "trace_", 6) ? 6 :
				!strncmp(name, "zjit_", 5)  ? 5 :
							      0;

		for (size_t k = 0; prefix && k < loop->count; k++)
			if (!strcmp(names + at[k], name + prefix))
				plain[i] = (uint16_t)k;
	}
}

struct insn_code {
	uint64_t code;
	uint16_t number;
};

static int sort_codes(struct ruby_loop *loop, const uint16_t *plain)
{
	struct insn_code *sorted = malloc(loop->count * sizeof(*sorted));

	if (!sorted)
		return ERR_NOMEM;
	for (size_t i = 0; i < loop->count; i++)
		sorted[i] = (struct insn_code){ loop->codes[i], plain[i] };
	qsort(sorted, loop->count, sizeof(*sorted), sorted_order);
	for (size_t i = 0; i < loop->count; i++) {
		loop->codes[i] = sorted[i].code;
		loop->numbers[i] = sorted[i].number;
	}
	free(sorted);
	return 0;
}

/* The end of the function that holds the image address `addr`, at most FUNCTION_MAX behind it. */
static uint64_t function_end(const struct cfi_starts *starts, uint64_t addr)
{
	uint64_t start = cfi_starts_find(starts, addr), in = addr, out = addr + FUNCTION_MAX;

	while (out - in > 1) {
		uint64_t middle = in + (out - in) / 2;

		if (cfi_starts_find(starts, middle) == start)
			in = middle;
		else
			out = middle;
	}
	return out;
}

/* The function that calls `target`, if it is only one. */
static uint64_t ruby_loop_find_caller(const struct ruby_loop_search *s, const uint8_t *text,
				      uint64_t addr, uint64_t size, uint64_t target)
{
	uint64_t caller = 0;

	for (uint64_t end = CALL_BYTES; end <= size; end++) {
		int64_t wanted = (int64_t)(target - addr - end);
		uint64_t start;

		if (!wanted || !insn_calls(text + end, CALL_BYTES, wanted))
			continue;
		start = cfi_starts_find(s->starts, addr + end - 1);
		if (!start || (caller && caller != start))
			return 0;
		caller = start;
	}
	return caller;
}

static int find_functions(const struct ruby_loop_search *s, uint64_t addr, uint64_t size)
{
	struct ruby_loop *loop = s->loop;
	uint64_t core = cfi_starts_find(s->starts, loop->codes[0] - s->bias), exec;
	uint8_t *text = malloc(size);
	int rc = 0;

	if (!text)
		return ERR_NOMEM;
	loop->core = s->bias + core;
	loop->core_end = s->bias + function_end(s->starts, loop->codes[loop->count - 1] - s->bias);
	if (!elfsymbol_bytes(s->image, addr, text, size)) {
		free(text);
		return 0;
	}
	exec = ruby_loop_find_caller(s, text, addr, size, core);
	loop->exec = exec ? s->bias + exec : 0;
	loop->exec_end = exec ? s->bias + function_end(s->starts, exec) : 0;
	if (core >= addr && core - addr < size && loop->core_end - s->bias - addr <= size)
		rc = ruby_find_blocks(loop, text + (core - addr), loop->core_end - loop->core);
	free(text);
	return rc;
}

static int find_insns(const struct ruby_loop_search *s, const struct memory *memory,
		      const struct elfsymbol *symbols)
{
	struct ruby_loop *loop = s->loop;
	uint16_t plain[INSNS_MAX], at[INSNS_MAX];
	char *names = malloc(NAMES_MAX);
	bool found;
	int rc;

	loop->codes = calloc(INSNS_MAX, sizeof(*loop->codes));
	loop->numbers = calloc(INSNS_MAX, sizeof(*loop->numbers));
	loop->lengths = calloc(INSNS_MAX, 1);
	if (!names || !loop->codes || !loop->numbers || !loop->lengths) {
		free(names);
		return ERR_NOMEM;
	}
	found = (s->open ||
		 elfsymbol_bytes(s->image, symbols[0].addr, loop->lengths, loop->count)) &&
		(ruby_loop_find_table(s, ".data.rel.ro", memory, loop->codes) ||
		 ruby_loop_find_table(s, ".rodata", memory, loop->codes));
	for (size_t i = 0; i < loop->count; i++) {
		plain[i] = (uint16_t)i;
		loop->lengths[i] = loop->lengths[i] > LENGTH_MAX ? 0 : loop->lengths[i];
	}
	if (found && read_names(s, &symbols[1], &symbols[2], names, at))
		unify(loop, names, at, plain);
	free(names);
	rc = found ? sort_codes(loop, plain) : 0;
	if (!found)
		loop->count = 0;
	return rc;
}

int ruby_find_loop(struct ruby_loop *loop, const struct image *image, uint64_t bias,
		   const struct memory *memory)
{
	struct elfsymbol symbols[] = {
		{ .name = "rb_vm_insn_len_info" },
		{ .name = "rb_vm_insn_name_base" },
		{ .name = "rb_vm_insn_name_offset" },
	};
	struct ruby_loop_search s = { .loop = loop, .image = image, .bias = bias };
	uint64_t addr, size;
	int rc;

	if (!elfsymbol_section(image, ".text", &addr, &size) || size > TEXT_MAX)
		return 0;
	loop->text = bias + addr;
	loop->text_end = loop->text + size;
	elfsymbol_find(image, symbols, sizeof(symbols) / sizeof(*symbols));
	s.open = !symbols[0].found;
	loop->count = s.open ? INSNS_MIN : symbols[0].size;
	if (loop->count < INSNS_MIN || loop->count > INSNS_MAX) {
		loop->count = 0;
		return 0;
	}
	if (cfi_starts_read(&s.starts, image))
		return ERR_NOMEM;
	rc = find_insns(&s, memory, symbols);
	if (!rc && loop->count)
		rc = find_functions(&s, addr, size);
	cfi_starts_free(s.starts);
	return rc;
}

void ruby_loop_release(struct ruby_loop *loop)
{
	free(loop->codes);
	free(loop->numbers);
	free(loop->lengths);
	free(loop->blocks);
}

size_t ruby_loop_place(const struct ruby_loop *loop, uint64_t pc)
{
	size_t i = sorted_last(loop->codes, loop->count, sizeof(*loop->codes), pc);

	return i < loop->count ? i : 0;
}

unsigned ruby_loop_starts(const struct ruby_loop *loop, uint64_t code)
{
	size_t i;

	if (!loop->count)
		return 0;
	i = ruby_loop_place(loop, code);
	return loop->codes[i] == code ? loop->numbers[i] + 1u : 0;
}

static const struct ruby_block *ruby_loop_block_of(const struct ruby_loop *loop, uint64_t pc)
{
	size_t i = sorted_last(loop->blocks, loop->block_count, sizeof(*loop->blocks), pc);

	return i < loop->block_count && pc < loop->blocks[i].end ? &loop->blocks[i] : NULL;
}

unsigned ruby_loop_insn(const struct ruby_loop *loop, uint64_t pc)
{
	const struct ruby_block *b = ruby_loop_block_of(loop, pc);
	unsigned number = 0;

	if (!loop->count || pc - loop->core >= loop->core_end - loop->core)
		return 0;
	if (pc >= loop->codes[0] && !(b && b->shared))
		number = loop->numbers[ruby_loop_place(loop, pc)] + 1u;
	return number | (b && b->next ? AT_NEXT : 0);
}
