/*
 * Reads contention profiles: those of C++ programs ("--- contentionz 1 ---"), and Go's block
 * and mutex profiles ("--- contention:", "--- mutex:").
 *
 *   cycles/second=2100000000
 *   sampling period=100
 *   CYCLES COUNT @ 0xADDRESS...
 *
 * Cycles become nanoseconds; cycles and counts are multiplied by the period.
 */
#include "base/error.h"
#include "pprof/legacy/build.h"
#include "pprof/legacy/lines.h"
#include "pprof/legacy/maps.h"
#include "pprof/legacy/scan.h"

static int not_this(struct legacy *l, const struct lines *lines, const char *why)
{
	error_set(l->err, ERR_FORMAT, "line %zu: %s", lines->number, why);
	return NOT_THIS;
}

/* A line "key = value". 0, or NOT_THIS with a message for an unknown key or a wrong value. */
static int contention_parse_attribute(struct legacy *l, const struct lines *lines,
				      struct cursor line, int64_t *hertz)
{
	ptrdiff_t equals = scan_find(&line, "=");
	struct cursor key = scan_piece(&line, 0, equals < 0 ? 0 : (size_t)equals);
	struct cursor value = scan_piece(&line, (size_t)equals + 1, cursor_left(&line));
	int64_t number = 0;
	bool right;

	scan_trim(&key);
	scan_trim(&value);
	right = scan_int(value, 0, &number);
	if (scan_equals(&key, "discarded samples"))
		return 0;
	if (scan_equals(&key, "cycles/second"))
		*hertz = number;
	else if (scan_equals(&key, "sampling period"))
		l->p->period = number;
	else if (scan_equals(&key, "ms since reset"))
		l->p->duration_nanos = (int64_t)((uint64_t)number * 1000000);
	else
		return not_this(l, lines, "an attribute that contention profiles do not have");
	return right ? 0 : not_this(l, lines, "the attribute's value is no number");
}

/* Reads attributes up to the first line that is not one: a sample, or the end of the section. */
static int contention_parse_attributes(struct legacy *l, struct lines *lines, int64_t *hertz)
{
	int rc = 0;

	while (!rc && lines_next(lines)) {
		struct cursor line = lines->line;

		scan_trim(&line);
		if (scan_is_comment(line))
			continue;
		if (scan_begins(&line, "---") || scan_find(&line, "=") < 0)
			return 0;
		rc = contention_parse_attribute(l, lines, line, hertz);
	}
	return rc ? rc : lines_error(lines, l->err);
}

/* ([0-9]+) *([0-9]+) @  anywhere in the line. If there is no blank between the numbers, the
 * second one is the last digit. */
static bool find_numbers(struct cursor *c, struct cursor *cycles, struct cursor *count)
{
	while (cursor_left(c)) {
		struct cursor ahead;

		if (!scan_run(c, is_digit, cycles)) {
			cursor_byte(c);
			continue;
		}
		ahead = *c;
		if (scan_skip(&ahead, is_blank) && scan_run(&ahead, is_digit, count) &&
		    scan_take(&ahead, " @")) {
			*c = ahead;
			return true;
		}
		if (cursor_left(cycles) > 1 && scan_take(c, " @")) {
			*count = scan_piece(cycles, cursor_left(cycles) - 1, cursor_left(cycles));
			cycles->end--;
			return true;
		}
	}
	return false;
}

static void contention_scale(int64_t period, int64_t hertz, int64_t *cycles, int64_t *count)
{
	if (period <= 0)
		return;
	if (hertz > 0) {
		double v = (double)*cycles * (double)period / ((double)hertz / 1e9);

		/* A value out of range becomes INT64_MIN, as in Go on x86-64. */
		*cycles = v < 0x1p63 ? (int64_t)v : INT64_MIN;
	}
	*count = (int64_t)((uint64_t)*count * (uint64_t)period);
}

static int contention_parse_sample(struct legacy *l, const struct lines *lines, struct cursor line,
				   int64_t hertz)
{
	struct cursor cycles, count;
	struct legacy_sample *s;
	int rc;

	if (!find_numbers(&line, &cycles, &count))
		return not_this(l, lines, "is no sample, 'CYCLES COUNT @ 0xADDRESS...'");
	rc = legacy_begin_sample(l, &s);
	if (rc)
		return rc;
	if (!scan_int(cycles, 10, &s->values[1]) || !scan_int(count, 10, &s->values[0]))
		rc = error_set(l->err, ERR_FORMAT, "a number of more than 64 bits");
	contention_scale(l->p->period, hertz, &s->values[1], &s->values[0]);
	return rc ? rc : legacy_add_stack(l, line);
}

static int contention_parse_samples(struct legacy *l, struct lines *lines, int64_t hertz)
{
	int rc = 0;

	do {
		struct cursor line = lines->line;

		scan_trim(&line);
		if (scan_begins(&line, "---"))
			break;
		rc = scan_is_comment(line) ? legacy_comment(l, line) :
					     contention_parse_sample(l, lines, line, hertz);
	} while (!rc && lines_next(lines));
	return lines_result(lines, rc, l->err);
}

int legacy_contention(struct legacy *l, const void *data, size_t len)
{
	struct lines lines;
	int64_t hertz = 0;
	int rc;

	lines_init(&lines, data, len);
	lines_next(&lines);
	if (!scan_begins(&lines.line, "--- contentionz ") &&
	    !scan_begins(&lines.line, "--- mutex:") && !scan_begins(&lines.line, "--- contention:"))
		return lines.too_long ? lines_error(&lines, l->err) : NOT_THIS;
	if (legacy_period(l, "contentions", "count", 1) || legacy_type(l, "contentions", "count") ||
	    legacy_type(l, "delay", "nanoseconds"))
		return ERR_NOMEM;
	rc = contention_parse_attributes(l, &lines, &hertz);
	if (!rc)
		rc = contention_parse_samples(l, &lines, hertz);
	if (!rc)
		rc = maps_find(l, &lines);
	return rc ? rc : legacy_finish(l);
}
