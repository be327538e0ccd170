/*
 * Reads heap profiles of tcmalloc, jemalloc and Go, and tcmalloc's growth and fragmentation:
 *
 *   heap profile: OBJECTS: BYTES [OBJECTS: BYTES] @ KIND/RATE
 *   OBJECTS: BYTES [OBJECTS: BYTES] @ 0xADDRESS...
 *
 * The first pair is in use, the pair in brackets was allocated since the start. Patterns may
 * match anywhere in a line, as in google/pprof. Only the first digit of a run of digits needs
 * to be tried as a start, because the same text follows the run, whichever digit is the start.
 */
#include <string.h>

#include "base/error.h"
#include "pprof/gotext/heapscale.h"
#include "pprof/legacy/build.h"
#include "pprof/legacy/lines.h"
#include "pprof/legacy/maps.h"
#include "pprof/legacy/scan.h"

struct legacy_heap {
	int64_t rate;	/* average bytes between two samples */
	bool sampled;	/* values are of samples taken every `rate` bytes, not of all objects */
	bool has_alloc; /* four values, not two */
};

/* A line's numbers. */
struct legacy_heap_row {
	struct cursor objects, bytes, alloc_objects, alloc_bytes;
};

/* *(D): *(D) *[ *(D): *(D) *]  where the first two may be negative */
static bool legacy_heap_take_row(struct cursor *c, bool signs, struct legacy_heap_row *r)
{
	struct cursor *const fields[] = { &r->objects, &r->bytes, &r->alloc_objects,
					  &r->alloc_bytes };
	static const char *const after[] = { ":", "", ":", "" };

	for (int i = 0; i < 4; i++) {
		struct cursor from;

		scan_skip(c, is_blank);
		if (i == 2 && !scan_take(c, "["))
			return false;
		if (i == 2)
			scan_skip(c, is_blank);
		from = *c;
		if (signs && i < 2)
			scan_take(c, "-");
		if (!scan_skip(c, is_digit) || !scan_begins(c, after[i]))
			return false;
		*fields[i] = scan_piece(&from, 0, (size_t)(c->pos - from.pos));
		cursor_bytes(c, *after[i] ? 1 : 0);
	}
	scan_skip(c, is_blank);
	return scan_take(c, "]");
}

/* Finds the first header in the line; *c is then behind the header's last bracket. */
static bool legacy_heap_find_header(struct cursor *c, struct legacy_heap_row *r)
{
	ptrdiff_t at;

	while ((at = scan_find(c, "heap profile:")) >= 0) {
		struct cursor ahead;

		cursor_bytes(c, (size_t)at + 13);
		ahead = *c;
		if (legacy_heap_take_row(&ahead, false, r)) {
			*c = ahead;
			return true;
		}
	}
	return false;
}

static bool legacy_heap_same(struct cursor a, struct cursor b)
{
	return cursor_left(&a) == cursor_left(&b) && !memcmp(a.pos, b.pos, cursor_left(&a));
}

static bool has_alloc(const struct legacy_heap_row *r)
{
	return (!legacy_heap_same(r->alloc_objects, r->objects) &&
		!scan_equals(&r->alloc_objects, "0")) ||
	       (!legacy_heap_same(r->alloc_bytes, r->bytes) && !scan_equals(&r->alloc_bytes, "0"));
}

static bool is_kind(uint8_t ch)
{
	return ch == '_' || is_digit(ch) || (ch >= 'a' && ch <= 'z');
}

/* (heap[_a-z0-9]*)/?([0-9]*)  of which the caller has found "heap". 0, or NOT_THIS. */
static int parse_kind(struct cursor c, const struct legacy_heap_row *r, struct legacy_heap *h)
{
	struct cursor kind, period;
	int64_t rate = 0;

	scan_run(&c, is_kind, &kind);
	scan_take(&c, "/");
	if (scan_run(&c, is_digit, &period) && !scan_int(period, 10, &rate))
		return NOT_THIS;
	h->has_alloc = has_alloc(r);
	h->sampled = !scan_equals(&kind, "heapprofile");
	h->rate = !h->sampled ? 1 : scan_equals(&kind, "heap") ? rate / 2 : rate;
	if (!h->sampled || scan_equals(&kind, "heap") || scan_equals(&kind, "heap_v2") ||
	    scan_equals(&kind, "heapz_v2"))
		return 0;
	return NOT_THIS;
}

static bool is_kind_of(struct cursor line, const char *kind)
{
	struct legacy_heap_row r;

	while (legacy_heap_find_header(&line, &r)) {
		if (scan_begins(&line, kind))
			return true;
	}
	return false;
}

/* 0, or NOT_THIS, with a message if it is a heap profile of an unknown kind. */
static int legacy_heap_parse_header(struct legacy *l, struct cursor line, struct legacy_heap *h)
{
	struct cursor c = line;
	struct legacy_heap_row r;

	while (legacy_heap_find_header(&c, &r)) {
		struct cursor kind = c;

		scan_skip(&kind, is_blank);
		if (!scan_take(&kind, "@"))
			continue;
		scan_skip(&kind, is_blank);
		if (!scan_begins(&kind, "heap"))
			continue;
		if (!parse_kind(kind, &r, h))
			return 0;
		error_set(l->err, ERR_FORMAT, "line 1: a heap profile of an unknown kind");
		return NOT_THIS;
	}
	*h = (struct legacy_heap){ .rate = 1 };
	return is_kind_of(line, " @ growth") || is_kind_of(line, " @ fragmentation") ? 0 : NOT_THIS;
}

/* Finds a row in the line; *c is then behind the row's "@". A row begins with a digit, or with a
 * sign before a digit. */
static bool legacy_heap_find_row(struct cursor *c, struct legacy_heap_row *r)
{
	while (cursor_left(c)) {
		struct cursor ahead = *c;

		if (scan_peek(c, 0) != '-' && !is_digit((uint8_t)scan_peek(c, 0))) {
			cursor_byte(c);
			continue;
		}
		if (legacy_heap_take_row(&ahead, true, r) && scan_take(&ahead, " @")) {
			*c = ahead;
			return true;
		}
		scan_take(c, "-");
		scan_skip(c, is_digit);
	}
	return false;
}

/* Stores one pair of objects and bytes, scaled, in values[0] and values[1]. */
static int parse_pair(struct legacy *l, const struct legacy_heap *h, struct cursor objects,
		      struct cursor bytes, struct legacy_sample *s, int64_t *values)
{
	int64_t count, size;

	if (!scan_int(objects, 10, &count) || !scan_int(bytes, 10, &size))
		return error_set(l->err, ERR_FORMAT, "a number of more than 64 bits");
	if (!count && size)
		return error_set(l->err, ERR_FORMAT, "%ld bytes in no object", size);
	if (count) {
		/* INT64_MIN / -1 is INT64_MIN, as in Go. */
		s->block = count == -1 ? (int64_t)(0 - (uint64_t)size) : size / count;
		if (h->sampled)
			heapscale(&count, &size, h->rate);
	}
	values[0] = count;
	values[1] = size;
	return 0;
}

static int set_values(struct legacy *l, const struct legacy_heap *h,
		      const struct legacy_heap_row *r, struct legacy_sample *s)
{
	int rc = h->has_alloc ? parse_pair(l, h, r->alloc_objects, r->alloc_bytes, s, s->values) :
				0;

	return rc ? rc :
		    parse_pair(l, h, r->objects, r->bytes, s, s->values + (h->has_alloc ? 2 : 0));
}

static int legacy_heap_parse_sample(struct legacy *l, const struct legacy_heap *h,
				    struct cursor line)
{
	struct legacy_sample *s;
	struct legacy_heap_row r;
	int rc;

	if (!legacy_heap_find_row(&line, &r))
		return error_set(l->err, ERR_FORMAT,
				 "is no sample, 'OBJECTS: BYTES [OBJECTS: BYTES] @ 0xADDRESS...'");
	if (legacy_begin_sample(l, &s))
		return ERR_NOMEM;
	s->has_block = true;
	rc = set_values(l, h, &r, s);
	if (!rc)
		rc = legacy_add_stack(l, line);
	return rc;
}

static int legacy_heap_parse_samples(struct legacy *l, const struct legacy_heap *h,
				     struct lines *lines)
{
	int rc = 0;

	while (!rc && lines_next(lines)) {
		struct cursor line = lines->line;

		scan_trim(&line);
		if (!scan_is_comment(line) && maps_begin(&line)) /* not in a comment */
			break;
		rc = scan_is_comment(line) ? legacy_comment(l, line) :
					     legacy_heap_parse_sample(l, h, line);
	}
	return lines_result(lines, rc, l->err);
}

static int legacy_heap_set_types(struct legacy *l, const struct legacy_heap *h)
{
	if (legacy_period(l, "space", "bytes", h->rate))
		return ERR_NOMEM;
	if (!h->has_alloc)
		return legacy_type(l, "objects", "count") || legacy_type(l, "space", "bytes") ?
			       ERR_NOMEM :
			       0;
	if (legacy_type(l, "alloc_objects", "count") || legacy_type(l, "alloc_space", "bytes") ||
	    legacy_type(l, "inuse_objects", "count") || legacy_type(l, "inuse_space", "bytes"))
		return ERR_NOMEM;
	return 0;
}

int legacy_heap(struct legacy *l, const void *data, size_t len)
{
	struct lines lines;
	struct legacy_heap h;
	int rc;

	lines_init(&lines, data, len);
	if (!lines_next(&lines))
		return lines.too_long ? lines_error(&lines, l->err) : NOT_THIS;
	rc = legacy_heap_parse_header(l, lines.line, &h);
	if (!rc)
		rc = legacy_heap_set_types(l, &h);
	if (!rc)
		rc = legacy_heap_parse_samples(l, &h, &lines);
	if (!rc)
		rc = maps_find(l, &lines);
	return rc ? rc : legacy_finish(l);
}

/*
 * jemalloc's own text, as prof_dump of its src/prof_data.c writes it since jemalloc 4:
 *
 *   heap_v2/RATE
 *     t*: OBJECTS: BYTES [OBJECTS: BYTES]
 *     t0: OBJECTS: BYTES [OBJECTS: BYTES] NAME
 *   @ 0xADDRESS...
 *     t*: OBJECTS: BYTES [OBJECTS: BYTES]
 *     t0: OBJECTS: BYTES [OBJECTS: BYTES]
 *
 *   MAPPED_LIBRARIES:
 *
 * t* is the sum over all threads, of which the single ones are skipped. The numbers are of samples,
 * which jeprof scales as those of tcmalloc. What was allocated since the start is 0 unless
 * opt.prof_accum is set.
 */

static bool jemalloc_header(struct cursor line, struct legacy_heap *h)
{
	struct cursor rate;

	*h = (struct legacy_heap){ .sampled = true };
	return scan_take(&line, "heap_v2/") && scan_run(&line, is_digit, &rate) &&
	       !cursor_left(&line) && scan_int(rate, 10, &h->rate);
}

/* A line of numbers. False: it is one of a single thread. */
static bool is_total(struct cursor *line)
{
	scan_skip(line, is_blank);
	return scan_take(line, "t*:");
}

static int jemalloc_total(struct legacy *l, const struct legacy_heap *h, struct cursor line,
			  struct legacy_sample *s)
{
	struct legacy_heap_row row;

	if (!is_total(&line))
		return 0;
	if (!legacy_heap_take_row(&line, false, &row))
		return error_set(l->err, ERR_FORMAT, "is no 't*: OBJECTS: BYTES [OBJECTS: BYTES]'");
	s->has_block = true;
	return set_values(l, h, &row, s);
}

static int jemalloc_samples(struct legacy *l, const struct legacy_heap *h, struct lines *lines)
{
	struct legacy_sample *s = NULL;
	int rc = 0;

	do {
		struct cursor line = lines->line;

		if (maps_begin(&line))
			break;
		if (scan_take(&line, "@")) {
			rc = legacy_begin_sample(l, &s);
			rc = rc ? rc : legacy_add_stack(l, line);
		} else if (s) {
			rc = jemalloc_total(l, h, line, s);
		}
	} while (!rc && lines_next(lines));
	return lines_result(lines, rc, l->err);
}

/* Goes to the first sample. The totals before it tell whether there are four values. */
static void pass_totals(struct lines *lines, struct legacy_heap *h)
{
	struct legacy_heap_row row;

	while (lines_next(lines) && !scan_begins(&lines->line, "@") && !maps_begin(&lines->line)) {
		struct cursor line = lines->line;

		if (is_total(&line) && legacy_heap_take_row(&line, false, &row))
			h->has_alloc = has_alloc(&row);
	}
}

int legacy_jemalloc(struct legacy *l, const void *data, size_t len)
{
	struct lines lines;
	struct legacy_heap h;
	int rc;

	lines_init(&lines, data, len);
	if (!lines_next(&lines) || !jemalloc_header(lines.line, &h))
		return NOT_THIS;
	pass_totals(&lines, &h);
	rc = legacy_heap_set_types(l, &h);
	rc = rc ? rc : jemalloc_samples(l, &h, &lines);
	rc = rc ? rc : maps_find(l, &lines);
	return rc ? rc : legacy_finish(l);
}
