/*
 * Reads Go's count profiles: goroutine, threadcreate and those that programs define.
 *
 *   goroutine profile: total 7
 *   3 @ 0x43e0f6 0x40a2c5 ...
 *   # labels: {"key":"value"}
 *   #	0x43e0f5	main.wait+0x16	/src/main.go:12
 *
 * Lines that begin with # are comments, of which names.c reads names. google/pprof rejects a sample
 * without addresses, although Go before 1.23 writes one in its threadcreate profile. Here it
 * is a sample with an empty stack, as in the protobuf form of the same profile.
 */
#include "base/error.h"
#include "pprof/legacy/build.h"
#include "pprof/legacy/lines.h"
#include "pprof/legacy/maps.h"
#include "pprof/legacy/scan.h"

/* NAME profile: total NUMBER */
static bool count_parse_header(struct cursor line, struct cursor *name)
{
	struct cursor total;

	return scan_run(&line, is_solid, name) && scan_take(&line, " profile: total ") &&
	       scan_run(&line, is_digit, &total) && !cursor_left(&line);
}

/* " 0xADDRESS", until the line ends */
static bool parse_addresses(struct legacy *l, struct cursor line, int *rc)
{
	struct cursor digits;
	uint64_t address;

	while (!*rc && cursor_left(&line)) {
		if (!scan_take(&line, " 0x") || !scan_run(&line, is_lower_xdigit, &digits) ||
		    !scan_uint(digits, 16, &address))
			return false;
		*rc = legacy_add_frame(l, address - 1);
	}
	return true;
}

static int count_parse_sample(struct legacy *l, struct cursor line)
{
	struct legacy_sample *s;
	struct cursor count;
	int rc = legacy_begin_sample(l, &s);

	if (rc)
		return rc;
	if (!scan_run(&line, is_digit, &count) || !scan_int(count, 0, &s->values[0]) ||
	    !scan_take(&line, " @") || !parse_addresses(l, line, &rc))
		return error_set(l->err, ERR_FORMAT, "is no sample, 'COUNT @ 0xADDRESS...'");
	return rc;
}

static int count_parse_samples(struct legacy *l, struct lines *lines)
{
	int rc = 0;

	while (!rc && lines_next(lines) && !scan_begins(&lines->line, "---"))
		rc = scan_is_comment(lines->line) ? legacy_comment(l, lines->line) :
						    count_parse_sample(l, lines->line);
	return lines_result(lines, rc, l->err);
}

static int count_set_types(struct legacy *l, struct cursor name)
{
	struct profile_type type = { 0 };

	if (legacy_string(l, name, &type.type) || profile_string(l->p, "count", &type.unit) ||
	    profile_add_type_ids(l->p, type))
		return error_nomem(l->err);
	l->p->period_type = type;
	l->p->period = 1;
	return 0;
}

int legacy_count(struct legacy *l, const void *data, size_t len)
{
	struct cursor name;
	struct lines lines;
	int rc;

	lines_init(&lines, data, len);
	while (lines_next(&lines) && scan_is_comment(lines.line))
		;
	if (!count_parse_header(lines.line, &name))
		return lines_error(&lines, l->err) ? ERR_FORMAT : NOT_THIS;
	rc = count_set_types(l, name);
	if (!rc)
		rc = count_parse_samples(l, &lines);
	if (!rc)
		rc = maps_find(l, &lines);
	return rc ? rc : legacy_finish(l);
}
