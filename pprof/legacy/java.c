/*
 * Reads the profiles of gperftools' Java agent: heap and contention are text, CPU has the
 * binary form (cpu.c). The names of addresses follow the samples.
 *
 *   --- heapz 1 ---
 *   format = java
 *   resolution = bytes
 *   BYTES OBJECTS @ 0xADDRESS...
 *
 *   0xADDRESS com.example.A.b (A.java:12)
 *   0xADDRESS GC
 *
 * An address is only a key to a name here, so the profile has no addresses. In a heap profile
 * the two values are in the reverse order of the C++ format.
 */

#include "base/error.h"
#include "base/room.h"
#include "pprof/gotext/heapscale.h"
#include "pprof/legacy/build.h"
#include "pprof/legacy/formats.h"
#include "pprof/legacy/text.h"

enum { HEAP_RATE = 512 << 10 }; /* bytes between two samples, fixed in the agent */

struct java {
	struct cursor rest;
	size_t line; /* number of the last line taken */
	bool heap;   /* else contention */
};

/* The next line that ends in a newline, trimmed. */
static bool next_line(struct java *j, struct cursor *line)
{
	if (text_find(&j->rest, "\n") < 0 || !cursor_line(&j->rest, line))
		return false;
	j->line++;
	text_trim(line);
	return true;
}

static int java_fail(struct legacy *l, const struct java *j, const char *why)
{
	return error_set(l->err, ERR_FORMAT, "line %zu: %s", j->line, why);
}

/* Header */

static bool java_is_word(uint8_t ch)
{
	return ch == '_' || ch == ' ' || is_digit(ch) || ((ch | 0x20) >= 'a' && (ch | 0x20) <= 'z');
}

/* ([\w ]+)=([\w ]+)  anywhere in the line */
static bool java_parse_attribute(struct cursor line, struct cursor *key, struct cursor *value)
{
	while (cursor_left(&line)) {
		if (text_run(&line, java_is_word, key) && text_take(&line, "=") &&
		    text_run(&line, java_is_word, value))
			return true;
		if (cursor_left(&line) && !java_is_word(*line.pos))
			cursor_byte(&line);
	}
	return false;
}

static int set_resolution(struct legacy *l, const struct java *j, struct cursor unit)
{
	struct profile_type second;

	l->p->type_count = 0; /* the last resolution counts */
	if (legacy_type(l, j->heap ? "inuse_objects" : "contentions", "count") ||
	    legacy_string(l, unit, &second.unit) ||
	    profile_string(l->p, j->heap ? "inuse_space" : "delay", &second.type) ||
	    profile_add_type_ids(l->p, second))
		return error_nomem(l->err);
	return 0;
}

static int set_attribute(struct legacy *l, const struct java *j, struct cursor key,
			 struct cursor value)
{
	int64_t number;

	if (text_equals(&key, "format") && text_equals(&value, "java"))
		return 0;
	if (text_equals(&key, "resolution"))
		return set_resolution(l, j, value);
	if (!j->heap && text_equals(&key, "sampling period"))
		return text_int(value, 0, &number) ?
			       legacy_period(l, "contentions", "count", number) :
			       java_fail(l, j, "the sampling period is no number");
	if (!j->heap && text_equals(&key, "ms since reset")) {
		if (!text_int(value, 0, &number))
			return java_fail(l, j, "the time since reset is no number");
		l->p->duration_nanos = (int64_t)((uint64_t)number * 1000000);
		return 0;
	}
	java_fail(l, j, "an attribute that Java profiles do not have");
	return NOT_THIS;
}

static int java_parse_attributes(struct legacy *l, struct java *j)
{
	int rc = 0;

	while (!rc) {
		struct java before = *j;
		struct cursor line, key, value;

		if (!next_line(j, &line))
			return 0;
		if (!cursor_left(&line))
			continue;
		if (!java_parse_attribute(line, &key, &value)) {
			*j = before;
			return 0;
		}
		text_trim(&key);
		text_trim(&value);
		rc = set_attribute(l, j, key, value);
	}
	return rc;
}

/* Samples */

/* *([0-9]+) +([0-9]+) +@ +  anywhere in the line; *c is then behind it */
static bool find_sample(struct cursor *c, struct cursor *first, struct cursor *second)
{
	while (cursor_left(c)) {
		struct cursor ahead;

		if (!text_run(c, is_digit, first)) {
			cursor_byte(c);
			continue;
		}
		ahead = *c;
		if (text_skip(&ahead, is_blank) && text_run(&ahead, is_digit, second) &&
		    text_skip(&ahead, is_blank) && text_take(&ahead, "@") &&
		    text_skip(&ahead, is_blank)) {
			*c = ahead;
			return true;
		}
	}
	return false;
}

static int java_scale(struct legacy *l, const struct java *j, struct legacy_sample *s)
{
	uint64_t period = (uint64_t)l->p->period;

	if (j->heap && !s->values[0])
		return java_fail(l, j, "a sample of no objects");
	if (j->heap) {
		s->has_block = true;
		s->block = s->values[1] / s->values[0];
		heapscale(&s->values[0], &s->values[1], HEAP_RATE);
	} else if (period) {
		s->values[0] = (int64_t)((uint64_t)s->values[0] * period);
		s->values[1] = (int64_t)((uint64_t)s->values[1] * period);
	}
	return 0;
}

static int java_parse_sample(struct legacy *l, const struct java *j, struct cursor first,
			     struct cursor second, struct cursor stack)
{
	struct legacy_sample *s;
	int rc = legacy_begin_sample(l, &s);

	if (rc)
		return rc;
	if (!text_int(second, 0, &s->values[0]) || !text_int(first, 0, &s->values[1]))
		return java_fail(l, j, "a number that is none, or has more than 64 bits");
	rc = java_scale(l, j, s);
	if (!rc)
		rc = legacy_add_stack(l, stack, 0);
	return rc;
}

static int java_parse_samples(struct legacy *l, struct java *j)
{
	int rc = 0;

	while (!rc) {
		struct java before = *j;
		struct cursor line, first, second;

		if (!next_line(j, &line))
			return 0;
		if (!cursor_left(&line))
			continue;
		if (!find_sample(&line, &first, &second)) {
			*j = before;
			return 0;
		}
		rc = java_parse_sample(l, j, first, second, line);
	}
	return rc;
}

int legacy_java(struct legacy *l, const void *data, size_t len)
{
	struct java j = { 0 };
	struct cursor line;
	int rc;

	cursor_init(&j.rest, data, len, "Java profile");
	if (!next_line(&j, &line))
		return NOT_THIS;
	j.heap = text_equals(&line, "--- heapz 1 ---");
	if (!j.heap && !text_equals(&line, "--- contentionz 1 ---"))
		return NOT_THIS;
	l->drops_addresses = true;
	rc = java_parse_attributes(l, &j);
	if (!rc)
		rc = java_parse_samples(l, &j);
	return rc ? rc : legacy_java_names(l, j.rest);
}

/* Names */

struct java_name {
	struct cursor function, file;
	int64_t line;
};

/* For \s+\(FILE\)$: finds the last bracket with white space before it and at least `least`
 * bytes between it and the offset `end`. *bracket is its offset. */
static bool find_bracket(const struct cursor *c, size_t end, size_t least, size_t *bracket)
{
	for (size_t i = end; i-- > 1;)
		if (c->pos[i] == '(' && is_space(c->pos[i - 1]) && end - i > least) {
			*bracket = i;
			return true;
		}
	return false;
}

/* ^(.*)\s+\((.+):(-?[0-9]+)\)$ */
static bool parse_file_line(const struct cursor *c, struct java_name *n)
{
	size_t end = cursor_left(c), digits = end - 1, colon, bracket;
	struct cursor number;

	while (digits && is_digit(c->pos[digits - 1]))
		digits--;
	if (!digits || digits == end - 1)
		return false;
	digits -= c->pos[digits - 1] == '-';
	if (!digits || c->pos[digits - 1] != ':')
		return false;
	colon = digits - 1;
	if (!find_bracket(c, colon, 1, &bracket))
		return false;
	n->function = text_piece(c, 0, bracket - 1);
	n->file = text_piece(c, bracket + 1, colon);
	number = text_piece(c, digits, end - 1);
	if (!text_int(number, 10, &n->line) || n->line < 0)
		n->line = 0;
	return true;
}

/* As Go's filepath.Base. */
static struct cursor last_of_path(struct cursor path)
{
	size_t end = cursor_left(&path), start;

	if (!end)
		cursor_init(&path, ".", 1, path.what);
	while (end > 1 && path.pos[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path.pos[start - 1] != '/'; start--)
		;
	return end ? text_piece(&path, start == end ? 0 : start, end) : path;
}

static struct java_name java_parse_name(const struct cursor *c)
{
	struct java_name n = { .function = *c };
	size_t end = cursor_left(c), bracket;

	cursor_init(&n.file, NULL, 0, c->what);
	if (end && c->pos[end - 1] == ')') {
		if (parse_file_line(c, &n))
			return n;
		if (find_bracket(c, end - 1, 0, &bracket)) {
			n.function = text_piece(c, 0, bracket - 1);
			n.file = last_of_path(text_piece(c, bracket + 1, end - 1));
			return n;
		}
	}
	if (text_find(c, "generated stub/JIT") >= 0)
		cursor_init(&n.function, "STUB", 4, c->what);
	return n;
}

static bool java_has_address(const void *owner, uint32_t i, const void *key)
{
	return ((const struct legacy *)owner)->places[i].address == *(const uint64_t *)key;
}

static bool java_has_name(const void *owner, uint32_t i, const void *key)
{
	return ((const struct legacy *)owner)->lines[i].name == *(const uint32_t *)key;
}

/* Adds the line of a place. A function has the file name that its first place has. */
static int name_place(struct legacy *l, struct hashindex *by_name, const struct java_name *n,
		      struct legacy_place *place)
{
	struct legacy_line line = { .line = n->line };
	uint64_t hash;
	uint32_t known;

	if (legacy_string(l, n->function, &line.name))
		return ERR_NOMEM;
	hash = hash_bytes(&line.name, sizeof(line.name));
	known = hashindex_find(by_name, hash, java_has_name, l, &line.name);
	if (known != HASHINDEX_NONE)
		line.file = l->lines[known].file;
	else if (legacy_string(l, n->file, &line.file))
		return ERR_NOMEM;
	if (room_for((void **)&l->lines, &l->line_room, l->line_count + 1, sizeof(line)) ||
	    (known == HASHINDEX_NONE && hashindex_add(by_name, hash, (uint32_t)l->line_count)))
		return error_nomem(l->err);
	place->first_line = l->line_count;
	place->lines = 1;
	l->lines[l->line_count++] = line;
	return 0;
}

/* ^\s*0x(X+)\s+(.*)\s*$ */
static int java_parse_line(struct legacy *l, struct hashindex *by_name, struct cursor line)
{
	struct cursor digits;
	struct java_name name;
	uint64_t address;
	uint32_t place;

	text_trim(&line);
	if (!text_take(&line, "0x") || !text_run(&line, is_xdigit, &digits) ||
	    !text_skip(&line, is_space))
		return 0;
	if (!text_uint(digits, 16, &address))
		return error_set(l->err, ERR_FORMAT, "a name's address has more than 64 bits");
	place = hashindex_find(&l->by_address, hash_bytes(&address, sizeof(address)),
			       java_has_address, l, &address);
	if (place == HASHINDEX_NONE)
		return 0;
	name = java_parse_name(&line);
	return name_place(l, by_name, &name, &l->places[place]);
}

int legacy_java_names(struct legacy *l, struct cursor text)
{
	struct hashindex by_name = { 0 };
	struct cursor line;
	int rc = 0;

	while (!rc && cursor_line(&text, &line))
		rc = java_parse_line(l, &by_name, line);
	hashindex_release(&by_name);
	return rc ? rc : legacy_finish(l);
}
