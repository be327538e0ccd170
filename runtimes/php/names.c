/*
 * Names and lines of a function.
 *
 * A function is called as PHP's own backtraces call it: "total", "Shop::total", "Shop::{closure}".
 * A script's own code has no name there: the main script's is "{main}", as Xdebug has it, and a
 * file that it includes goes by its path, as Excimer has it. eval()'s code is "eval".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/common/text.h"
#include "runtimes/php/runtime.h"

enum {
	OPS_MAX = 1 << 20, /* of a function: longer ones have no lines */
	OPS_AT_ONCE = 512,
};

/* The first opline of a run of oplines with the same line. */
struct php_names_step {
	uint32_t op, line;
};

struct php_names_lines {
	uint64_t opcodes;
	uint32_t ops, count;
	struct php_names_step steps[];
};

/* A text up to its first NUL: the name of a class without one goes on with where it was
 * declared. */
static char *php_names_keep(const struct php_text *text, struct arena *arena)
{
	return text_copy_utf8(arena, text->bytes, text->len, false);
}

/* "name" or "Class::name". NULL: no memory. */
static char *php_names_keep_name(const struct php_texts *t, struct arena *arena)
{
	char *name = php_names_keep(&t->name, arena), *class, *both;
	size_t len;

	if (!name || !t->class.there)
		return name;
	class = php_names_keep(&t->class, arena);
	if (!class)
		return NULL;
	len = strlen(class) + strlen(name) + 2;
	both = arena_alloc(arena, len + 1);
	if (both)
		snprintf(both, len + 1, "%s::%s", class, name);
	return both;
}

/* Writes the line of each opline, and returns how many steps that makes. 0: they cannot be read, or
 * are another's by now, which has lines that are not the function's. */
static size_t php_names_read_steps(const struct memory *memory, uint64_t opcodes, uint32_t ops,
				   const uint32_t bounds[2], struct php_names_step *steps)
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
			if (line < bounds[0] || line > bounds[1])
				return 0;
			if (count && line == last)
				continue;
			steps[count++] = (struct php_names_step){ first + i, line };
		}
	}
	return count;
}

static int php_names_read_lines(const struct php_layout *layout, const struct memory *memory,
				const char *function, struct arena *arena, struct interp_code *code)
{
	uint64_t opcodes = memory_word(function, layout->opcodes);
	struct php_names_step *steps;
	struct php_names_lines *lines;
	uint32_t ops, bounds[2]; /* line_start, line_end */

	memcpy(&ops, function + layout->last, sizeof(ops));
	memcpy(bounds, function + layout->line_start, sizeof(bounds));
	if (!ops || ops > OPS_MAX)
		return 0;
	steps = malloc(ops * sizeof(*steps));
	if (!steps)
		return ERR_NOMEM;
	size_t count = php_names_read_steps(memory, opcodes, ops, bounds, steps);
	lines = arena_alloc(arena, sizeof(*lines) + count * sizeof(*steps));
	if (lines) {
		*lines = (struct php_names_lines){ opcodes, ops, (uint32_t)count };
		memcpy(lines->steps, steps, count * sizeof(*steps));
	}
	free(steps);
	code->lines = lines;
	return lines ? 0 : ERR_NOMEM;
}

static int resolve_c(const struct php_texts *t, struct arena *arena, struct interp_code *code)
{
	code->file = "";
	code->hidden = !t->name.there; /* a fiber's first frame */
	code->name = code->hidden ? "{fiber}" : php_names_keep_name(t, arena);
	return code->name ? 0 : ERR_NOMEM;
}

static int resolve_script(const struct php_layout *layout, const struct memory *memory,
			  const struct php_texts *t, struct arena *arena, struct interp_code *code)
{
	code->file = php_names_keep(&t->file, arena);
	memcpy(&code->first_line, t->function + layout->line_start, sizeof(code->first_line));
	if (t->name.there)
		code->name = php_names_keep_name(t, arena);
	else if (code->identity.code & CODE_MAIN)
		code->name = "{main}";
	else
		code->name = t->function[0] == TYPE_EVAL ? "eval" : code->file;
	if (!code->name || !code->file)
		return ERR_NOMEM;
	return php_names_read_lines(layout, memory, t->function, arena, code);
}

int php_resolve(const void *rt, const struct memory *memory, const struct interp_identity *id,
		struct arena *arena, struct interp_code *code)
{
	const struct php_layout *layout = ((const struct php_runtime *)rt)->layout;
	struct php_texts t;
	int rc = php_read_function(layout, memory, id->code, &t, &code->identity);

	if (rc)
		return rc;
	if (id->code & CODE_C)
		return resolve_c(&t, arena, code);
	return resolve_script(layout, memory, &t, arena, code);
}

void php_line(const void *rt, const struct interp_code *code, uint64_t at, uint32_t *line,
	      uint32_t *column)
{
	const struct php_names_lines *l = code->lines;
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
