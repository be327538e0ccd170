/*
 * Lines are read from their end where possible. The runtime has printed the end, while names and
 * paths come from the program: they can contain all characters that also separate them (spaces,
 * colons, brackets, digits).
 */
#include "goparse/frame.h"

#include "goparse/text.h"

/* The characters that printArgs prints between the parentheses: "0x1, {0x2?, _}, ...". */
static const bool is_argument[256] = {
	['0' ... '9'] = true, ['a' ... 'f'] = true, ['x'] = true, ['{'] = true, ['}'] = true,
	[','] = true,	      [' '] = true,	    ['.'] = true, ['_'] = true, ['?'] = true,
};

bool frame_call(struct goparse_text line, struct goparse_frame *frame)
{
	size_t at = line.len;

	if (at < 3 || line.at[at - 1] != ')')
		return false;
	at -= 2;
	while (at && is_argument[(unsigned char)line.at[at]])
		at--;
	if (!at || line.at[at] != '(')
		return false;
	*frame = (struct goparse_frame){
		.function = { line.at, at },
		.args = { line.at + at + 1, line.len - at - 2 },
	};
	return true;
}

/* Takes " fp=0x… sp=0x… pc=", which stands before a number. */
static bool take_registers(struct goparse_text *rest)
{
	struct goparse_text t = *rest;
	uint64_t ignored;

	if (!text_take_end(&t, LITERAL(" pc=")) || !text_take_hex_end(&t, &ignored) ||
	    !text_take_end(&t, LITERAL(" sp=")) || !text_take_hex_end(&t, &ignored) ||
	    !text_take_end(&t, LITERAL(" fp=")))
		return false;
	*rest = t;
	return true;
}

/* Takes " +0x1d fp=0x… sp=0x… pc=0x…", either part of it, or nothing. Most lines have the last
 * number, and reading it costs most: it is read once for both parts. */
static void take_numbers(struct goparse_text *t, uint64_t *offset, uint64_t *pc)
{
	size_t len = t->len;
	uint64_t value;

	if (!text_take_hex_end(t, &value))
		return;
	if (take_registers(t)) {
		*pc = value;
		len = t->len;
		if (!text_take_hex_end(t, &value))
			return;
	}
	if (text_take_end(t, LITERAL(" +")))
		*offset = value;
	else
		t->len = len;
}

/* Takes the tabs and spaces before a place. */
static bool take_indent(struct goparse_text *t)
{
	size_t len = 0;

	while (len < t->len && (t->at[len] == '\t' || t->at[len] == ' '))
		len++;
	t->at += len;
	t->len -= len;
	return len;
}

/* "FILE:LINE" */
static bool file_and_line(struct goparse_text t, struct goparse_frame *frame)
{
	uint64_t line;

	if (!text_take_number_end(&t, &line) || !text_take_end(&t, LITERAL(":")) || !t.len)
		return false;
	frame->file = t;
	frame->line = line;
	return true;
}

/* "\t[FILE:LINE ]pc=0x…" */
static bool foreign_place(struct goparse_text t, struct goparse_frame *frame)
{
	uint64_t pc;

	if (!take_indent(&t) || !text_take_hex_end(&t, &pc) || !text_take_end(&t, LITERAL("pc=")))
		return false;
	if (t.len && (!text_take_end(&t, LITERAL(" ")) || !file_and_line(t, frame)))
		return false;
	frame->pc = pc;
	return true;
}

/* True for a number such as "+0x1d", also if its end is missing: "fp=0x", "s". */
static bool begins_number(const char *word, size_t len)
{
	static const char *const starts[] = { "+0x", "fp=0x", "sp=0x", "pc=0x" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		size_t known = strlen(starts[i]);

		if (memcmp(word, starts[i], len < known ? len : known))
			continue;
		while (known < len && text_digit(word[known]) < 16)
			known++;
		return known >= len;
	}
	return false;
}

static bool drop_number(struct goparse_text *t)
{
	size_t at = t->len;

	while (at && t->at[at - 1] != ' ')
		at--;
	if (!at || !begins_number(t->at + at, t->len - at))
		return false;
	t->len = at - 1;
	return true;
}

bool frame_place(struct goparse_text first, struct goparse_text line, struct goparse_frame *frame)
{
	uint64_t pc = 0, offset = 0;
	struct goparse_text t = line;

	if (!take_indent(&t) || !t.len)
		return false;
	take_numbers(&t, &offset, &pc);
	if (file_and_line(t, frame)) {
		frame->pc_offset = offset;
		frame->pc = pc;
		return true;
	}
	if (frame_foreign(first, line, frame))
		return true;
	/* In a line that was cut within its numbers, the place before them is complete. */
	while (drop_number(&t))
		if (file_and_line(t, frame))
			return true;
	return false;
}

bool frame_foreign(struct goparse_text first, struct goparse_text second,
		   struct goparse_frame *frame)
{
	struct goparse_frame found = { .function = first };
	struct goparse_text name = first;

	if (!first.len || take_indent(&name) || !foreign_place(second, &found))
		return false;
	*frame = found;
	return true;
}

bool frame_unknown(struct goparse_text line, struct goparse_frame *frame)
{
	struct goparse_text rest = line;
	uint64_t pc;

	if (!text_take(&rest, LITERAL("non-Go function at pc=")) || !text_take_hex(&rest, &pc) ||
	    rest.len)
		return false;
	*frame = (struct goparse_frame){ .function = { line.at, sizeof("non-Go function") - 1 },
					 .pc = pc };
	return true;
}

bool frame_created_by(struct goparse_text line, struct goparse_frame *frame, uint64_t *creator)
{
	struct goparse_text rest;
	uint64_t id = 0;

	if (!text_take(&line, LITERAL("created by ")))
		return false;
	rest = line;
	if (text_take_number_end(&rest, &id) && text_take_end(&rest, LITERAL(" in goroutine ")))
		line = rest;
	else
		id = 0;
	if (!line.len)
		return false;
	*frame = (struct goparse_frame){ .function = line };
	*creator = id;
	return true;
}

bool frame_elided(struct goparse_text line, uint64_t *count)
{
	*count = 0;
	return text_take(&line, LITERAL("...")) &&
	       (text_is(line, LITERAL("additional frames elided...")) ||
		(text_take_number(&line, count) && text_is(line, LITERAL(" frames elided..."))));
}
