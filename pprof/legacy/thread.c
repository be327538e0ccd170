/*
 * Reads the stacks of threads that threadz writes:
 *
 *   --- threadz 1 ---
 *
 *   --- Thread 7eff063d9940 (name: main/25376) stack: ---
 *     PC: 0x00bc8f1c: helper(arg *)
 *     0x0040be31: main
 *   --- Thread 7eff0b4b7700 (name: other/25377) stack: ---
 *     [same as previous thread]
 *
 * A memory map must follow, or a line that begins with "---- no stack trace for".
 */
#include "base/error.h"
#include "pprof/legacy/build.h"
#include "pprof/legacy/formats.h"
#include "pprof/legacy/lines.h"
#include "pprof/legacy/maps.h"
#include "pprof/legacy/text.h"

/* --- threadz [0-9]+ ---  anywhere in the line */
static bool legacy_thread_is_header(struct cursor line)
{
	ptrdiff_t at;

	while ((at = text_find(&line, "--- threadz ")) >= 0) {
		cursor_bytes(&line, (size_t)at + 12);
		if (text_skip(&line, is_digit) && text_begins(&line, " ---"))
			return true;
	}
	return false;
}

/* /[0-9]+\) stack: ---  anywhere in the rest of the line */
static bool has_number_and_end(struct cursor c)
{
	ptrdiff_t at;

	while ((at = text_find(&c, "/")) >= 0) {
		cursor_bytes(&c, (size_t)at + 1);
		if (text_skip(&c, is_digit) && text_begins(&c, ") stack: ---"))
			return true;
	}
	return false;
}

/* --- Thread ([0-9A-Fa-f]+) \(name: (.*)/([0-9]+)\) stack: ---  anywhere in the line */
static bool legacy_thread_is_thread(struct cursor line)
{
	ptrdiff_t at;

	while ((at = text_find(&line, "--- Thread ")) >= 0) {
		cursor_bytes(&line, (size_t)at + 11);
		if (text_skip(&line, is_xdigit) && text_take(&line, " (name: "))
			return has_number_and_end(line);
	}
	return false;
}

/* Reads the lines of one thread's stack. *next: the line behind them, or the last line if there
 * is none. *same: the stack is that of the previous thread. */
static int legacy_thread_parse_stack(struct legacy *l, struct lines *lines, struct cursor *next,
				     bool *same)
{
	int rc = 0;

	*same = false;
	cursor_init(next, NULL, 0, "line");
	while (!rc && lines_next(lines)) {
		*next = lines->line;
		text_trim(next);
		if (text_begins(next, "---"))
			break;
		if (text_find(next, "same as previous thread") >= 0)
			*same = true;
		else
			rc = legacy_add_addresses(l, *next, 1, true);
	}
	if (rc == ERR_FORMAT)
		error_prefix(l->err, "line %zu", lines->number);
	return rc ? rc : lines_error(lines, l->err);
}

static int parse_thread(struct legacy *l, struct lines *lines, struct cursor *next)
{
	struct legacy_sample *s;
	bool same;
	int rc = legacy_begin_sample(l, &s);

	if (rc)
		return rc;
	s->values[0] = 1;
	rc = legacy_thread_parse_stack(l, lines, next, &same);
	if (rc)
		return rc;
	s = &l->samples[l->sample_count - 1];
	if (!same && s->frames)
		return 0;
	legacy_drop_sample(l);
	if (l->sample_count)
		l->samples[l->sample_count - 1].values[0]++;
	return 0;
}

static int parse_threads(struct legacy *l, struct lines *lines, struct cursor line)
{
	int rc = 0;

	while (!rc && !maps_begin(&line) && !text_begins(&line, "---- no stack trace for")) {
		if (!legacy_thread_is_thread(line)) {
			error_set(l->err, ERR_FORMAT, "line %zu: neither a thread nor a memory map",
				  lines->number);
			return NOT_THIS;
		}
		rc = parse_thread(l, lines, &line);
	}
	return rc;
}

/* Skips lines behind the header. Returns the line that begins a thread or a memory map, or else
 * the last line. */
static struct cursor skip_introduction(struct lines *lines)
{
	struct cursor line = lines->line;

	while (lines_next(lines)) {
		line = lines->line;
		if (maps_begin(&line) || text_begins(&line, "-"))
			break;
	}
	return line;
}

int legacy_thread(struct legacy *l, const void *data, size_t len)
{
	struct cursor line;
	struct lines lines;
	int rc;

	lines_init(&lines, data, len);
	while (lines_next(&lines) && text_is_comment(lines.line))
		;
	line = lines.line;
	if (legacy_thread_is_header(line))
		line = skip_introduction(&lines);
	else if (!legacy_thread_is_thread(line))
		return lines.too_long ? lines_error(&lines, l->err) : NOT_THIS;
	if (legacy_type(l, "thread", "count") || legacy_period(l, "thread", "count", 1))
		return ERR_NOMEM;
	l->drops_doubled_leaf = true;
	rc = parse_threads(l, &lines, line);
	if (!rc)
		rc = maps_find(l, &lines);
	return rc ? rc : legacy_finish(l);
}
