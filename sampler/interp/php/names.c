/*
 * Names and lines of a function.
 *
 * A function is called as PHP's own backtraces call it: "total", "Shop::total", "Shop::{closure}".
 * A script's own code has no name there: the main script's is "{main}", as Xdebug has it, and a file
 * that it includes goes by its path, as Excimer has it. eval()'s code is "eval".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "base/utf8.h"
#include "sampler/interp/php/runtime.h"

enum {
	NAME_MAX_BYTES = 4096,
	OPS_MAX = 1 << 20, /* of a function: longer ones have no lines */
	OPS_AT_ONCE = 512,
};

/* The first opline of a run of oplines with the same line. */
struct step {
	uint32_t op, line;
};

struct lines {
	uint64_t opcodes;
	uint32_t ops, count;
	struct step steps[];
};

/* Names and paths may be in any encoding. What is no UTF-8 becomes U+FFFD. */
static char *copy_utf8(const char *text, size_t len, struct arena *arena)
{
	char *copy = arena_alloc(arena, 3 * len + 1), *to = copy;
	size_t taken;

	for (; copy && len; text += taken, len -= taken)
		to += utf8_put(to, utf8_next(text, len, &taken));
	return copy;
}

/* A copy of a zend_string, up to its first NUL: the name of a class without one goes on with where
 * it was declared. NULL: it cannot be read, or *rc is ERR_NOMEM. */
static char *read_string(const struct memory *memory, uint64_t addr, struct arena *arena, int *rc)
{
	char text[NAME_MAX_BYTES], *copy;
	uint64_t len;

	if (!addr || memory_read_u64(memory, addr + STRING_LEN, &len))
		return NULL;
	len = len < sizeof(text) ? len : sizeof(text);
	if (memory->read(memory, addr + STRING_BYTES, text, len))
		return NULL;
	copy = copy_utf8(text, strnlen(text, len), arena);
	*rc = copy ? *rc : ERR_NOMEM;
	return copy;
}

static char *join(struct arena *arena, const char *class, const char *name, int *rc)
{
	size_t len = strlen(class) + strlen(name) + 2;
	char *text = arena_alloc(arena, len + 1);

	if (text)
		snprintf(text, len + 1, "%s::%s", class, name);
	*rc = text ? *rc : ERR_NOMEM;
	return text;
}

/* NULL: it has none. */
static char *read_name(const struct memory *memory, const char *function, struct arena *arena,
		       int *rc)
{
	uint64_t class;
	char *name = read_string(memory, memory_word(function, FUNCTION_NAME), arena, rc), *scope;

	if (!name || !memory_word(function, FUNCTION_SCOPE))
		return name;
	if (memory_read_u64(memory, memory_word(function, FUNCTION_SCOPE) + CLASS_NAME, &class))
		return NULL;
	scope = read_string(memory, class, arena, rc);
	return scope ? join(arena, scope, name, rc) : NULL;
}

/* Writes the line of each opline, and returns how many steps that makes; `steps` NULL: counts. */
static size_t read_steps(const struct memory *memory, uint64_t opcodes, uint32_t ops,
			 struct step *steps)
{
	char bytes[OPS_AT_ONCE * OP_BYTES];
	uint32_t line, last = 0;
	size_t count = 0;

	for (uint32_t first = 0; first < ops; first += OPS_AT_ONCE) {
		uint32_t some = ops - first < OPS_AT_ONCE ? ops - first : OPS_AT_ONCE;

		if (memory->read(memory, opcodes + (uint64_t)first * OP_BYTES, bytes,
				 some * OP_BYTES))
			return 0;
		for (uint32_t i = 0; i < some; i++, last = line) {
			memcpy(&line, bytes + i * OP_BYTES + OP_LINE, sizeof(line));
			if (count && line == last)
				continue;
			if (steps)
				steps[count] = (struct step){ first + i, line };
			count++;
		}
	}
	return count;
}

static int read_lines(const struct php_layout *layout, const struct memory *memory,
		      const char *function, struct arena *arena, struct interp_code *code)
{
	uint64_t opcodes = memory_word(function, layout->opcodes);
	struct step *steps;
	struct lines *lines;
	uint32_t ops;

	memcpy(&ops, function + layout->last, sizeof(ops));
	if (!ops || ops > OPS_MAX)
		return 0;
	steps = malloc(ops * sizeof(*steps));
	if (!steps)
		return ERR_NOMEM;
	size_t count = read_steps(memory, opcodes, ops, steps);
	lines = arena_alloc(arena, sizeof(*lines) + count * sizeof(*steps));
	if (lines) {
		*lines = (struct lines){ opcodes, ops, (uint32_t)count };
		memcpy(lines->steps, steps, count * sizeof(*steps));
	}
	free(steps);
	code->lines = lines;
	return lines ? 0 : ERR_NOMEM;
}

static int resolve_c(const struct memory *memory, uint64_t addr, struct arena *arena,
		     struct interp_code *code)
{
	char function[FUNCTION_BYTES];
	int rc = ERR_FORMAT;

	if (memory->read(memory, addr, function, sizeof(function)))
		return ERR_FORMAT;
	code->file = "";
	code->hidden = !memory_word(function, FUNCTION_NAME); /* a fiber's first frame */
	code->name = code->hidden ? "{fiber}" : read_name(memory, function, arena, &rc);
	return code->name ? 0 : rc;
}

static int resolve_script(const struct php_layout *layout, const struct memory *memory,
			  uint64_t code_addr, struct arena *arena, struct interp_code *code)
{
	char function[OP_ARRAY_BYTES] = "";
	int rc = ERR_FORMAT;

	if (memory->read(memory, php_function(code_addr), function, layout->line_start + 8u))
		return ERR_FORMAT;
	code->file = read_string(memory, memory_word(function, layout->filename), arena, &rc);
	if (!code->file)
		return rc;
	memcpy(&code->first_line, function + layout->line_start, sizeof(code->first_line));
	if (memory_word(function, FUNCTION_NAME))
		code->name = read_name(memory, function, arena, &rc);
	else if (code_addr & CODE_MAIN)
		code->name = "{main}";
	else
		code->name = function[0] == TYPE_EVAL ? "eval" : code->file;
	if (!code->name)
		return rc;
	return read_lines(layout, memory, function, arena, code);
}

int php_resolve(const void *rt, const struct memory *memory, uint64_t addr, struct arena *arena,
		struct interp_code *code)
{
	if (addr & CODE_C)
		return resolve_c(memory, php_function(addr), arena, code);
	return resolve_script(((const struct php_runtime *)rt)->layout, memory, addr, arena, code);
}

void php_line(const void *rt, const struct interp_code *code, uint64_t at, uint32_t *line,
	      uint32_t *column)
{
	const struct lines *l = code->lines;
	size_t low = 0, high = l ? l->count : 0;
	uint64_t op = l ? (at - l->opcodes) / OP_BYTES : 0;

	(void)rt;
	*line = *column = 0;
	if (!l || !l->count || at < l->opcodes || op >= l->ops || (at - l->opcodes) % OP_BYTES)
		return;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (l->steps[middle].op <= op)
			low = middle;
		else
			high = middle;
	}
	*line = l->steps[low].line;
}
