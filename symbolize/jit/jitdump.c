/*
 * Lines come before the code that they belong to, and refer to it by its address. V8 makes the
 * addresses of lines 64 bytes too high, because perf once required that (perf-jit.cc,
 * LogWriteDebugInfo). The file does not say so. The shift is detected by two facts: a line would
 * lie beyond its code, and no line lies in the first 64 bytes of any code.
 */
#include "symbolize/jit/jitdump.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "base/process/machine.h"
#include "base/process/process.h"
#include "base/room.h"
#include "symbolize/jit/jitfile.h"

enum jitdump_record { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO };

enum {
	MAGIC = 0x4a695444, /* "JiTD" */
	HEADER = 40,
	RECORD_HEADER = 16,
	PADDING_MAX = 8, /* records may be padded to a multiple of it */
	NAME_LEN_MAX = 4096,
	FUNCTIONS_MAX = 1 << 24,
	LINES_MAX = 1 << 26,
	V8_SHIFT = 0x40,
};

struct parser {
	struct jitdump *d;
	uint64_t lines_of; /* address of the code that the newest lines belong to */
	size_t first_line;
	bool low, beyond; /* a line lies in the first bytes of its code; behind the end of it */
	struct hashindex by_index; /* loaded functions by their `index` */
};

void jitdump_release(struct jitdump *d)
{
	free(d->functions);
	free(d->lines);
	ranges_release(&d->code);
	arena_release(&d->text);
	memset(d, 0, sizeof(*d));
}

bool jitdump_is_name(const char *name)
{
	size_t digits;

	if (strncmp(name, "jit-", 4))
		return false;
	digits = strspn(name + 4, "0123456789");
	return digits && !strcmp(name + 4 + digits, ".dump");
}

/* Text with its NUL, which must be within the record. NULL: broken. */
static const char *jitdump_read_text(struct cursor *c)
{
	const uint8_t *end = cursor_left(c) ? memchr(c->pos, '\0', cursor_left(c)) : NULL;

	if (!end || (size_t)(end - c->pos) > NAME_LEN_MAX) {
		cursor_fail(c, "text without an end");
		return NULL;
	}
	return (const char *)cursor_bytes(c, (size_t)(end - c->pos) + 1);
}

static int jitdump_add_function(struct parser *p, const struct jitdump_function *f)
{
	struct jitdump *d = p->d;

	if (room_for((void **)&d->functions, &d->room, d->count + 1, sizeof(*d->functions)) ||
	    ranges_add(&d->code, f->start, f->start + f->size, (uint32_t)d->count))
		return ERR_NOMEM;
	d->functions[d->count++] = *f;
	return 0;
}

static uint32_t find_index(const struct parser *p, uint64_t index)
{
	return HASHINDEX_NUMBER(&p->by_index, p->d->functions, index, index);
}

/* 1: read; 0: broken; ERR_NOMEM. The functions below for records and lines return the same. */
static int read_load(struct parser *p, struct cursor *c)
{
	struct jitdump *d = p->d;
	struct jitdump_function f = { .name = NULL };
	const char *name;
	uint64_t end;

	cursor_bytes(c, 8); /* pid and tid */
	f.start = cursor_uint(c, 8);
	cursor_bytes(c, 8); /* the code's address, by default the same */
	f.size = cursor_uint(c, 8);
	f.index = cursor_uint(c, 8);
	name = jitdump_read_text(c);
	if (!name || !*name || !f.size || __builtin_add_overflow(f.start, f.size, &end) ||
	    d->count >= FUNCTIONS_MAX)
		return 0;
	f.name = arena_copy(&d->text, name, strlen(name));
	if (!f.name)
		return ERR_NOMEM;
	if (p->lines_of == f.start) {
		f.first_line = p->first_line;
		f.line_count = d->line_count - p->first_line;
	}
	p->lines_of = 0;
	for (size_t i = 0; i < f.line_count; i++) {
		uint64_t offset = d->lines[f.first_line + i].offset;

		p->low |= offset < V8_SHIFT;
		p->beyond |= offset >= f.size;
	}
	if (find_index(p, f.index) == HASHINDEX_NONE &&
	    hashindex_add_number(&p->by_index, f.index, (uint32_t)d->count))
		return ERR_NOMEM;
	return jitdump_add_function(p, &f) ? ERR_NOMEM : 1;
}

static int read_move(struct parser *p, struct cursor *c)
{
	struct jitdump *d = p->d;
	struct jitdump_function f;
	uint64_t start, end;
	uint32_t id;

	cursor_bytes(c, 8);
	start = cursor_uint(c, 8);
	cursor_bytes(c, 24); /* old and new address of the code, its size, which stays */
	id = find_index(p, cursor_uint(c, 8));
	if (c->failed || id == HASHINDEX_NONE || d->count >= FUNCTIONS_MAX)
		return 0;
	f = d->functions[id];
	f.start = start;
	if (__builtin_add_overflow(start, f.size, &end))
		return 0;
	return jitdump_add_function(p, &f) ? ERR_NOMEM : 1;
}

/* V8 has been seen to write the memory of a name after freeing it. */
static bool is_file_name(const char *name)
{
	const char *c = name;

	while ((unsigned char)*c >= ' ' && *c != 0x7f)
		c++;
	return c > name && !*c;
}

static int jitdump_read_line(struct parser *p, struct cursor *c, const char **last)
{
	struct jitdump_line line = { .offset = cursor_uint(c, 8) - p->lines_of };
	struct jitdump *d = p->d;
	const char *name;

	line.line = (uint32_t)cursor_uint(c, 4);
	line.column = (uint32_t)cursor_uint(c, 4);
	name = jitdump_read_text(c);
	if (!name || !is_file_name(name) || line.offset > UINT32_MAX)
		return 0;
	/* Most lines have the same file as the line before; "\xff" says so explicitly. */
	if (!*last || (strcmp(name, "\xff") && strcmp(name, *last)))
		*last = arena_copy(&d->text, name, strlen(name));
	line.file = *last;
	if (!*last ||
	    room_for((void **)&d->lines, &d->line_room, d->line_count + 1, sizeof(*d->lines)))
		return ERR_NOMEM;
	d->lines[d->line_count++] = line;
	return 1;
}

/* Takes all lines of a record or none: in a broken one the damage may begin anywhere. */
static int jitdump_read_lines(struct parser *p, struct cursor *c)
{
	struct jitdump *d = p->d;
	const char *last = NULL;
	uint64_t count;
	int read = 1;

	p->lines_of = cursor_uint(c, 8);
	p->first_line = d->line_count;
	count = cursor_uint(c, 8);
	for (uint64_t i = 0; read > 0 && i < count; i++)
		read = d->line_count < LINES_MAX ? jitdump_read_line(p, c, &last) : 0;
	if (read > 0 && cursor_left(c) >= PADDING_MAX)
		read = 0;
	if (read <= 0)
		d->line_count = p->first_line;
	return read;
}

static int jitdump_read_record(struct parser *p, enum jitdump_record kind, struct cursor *c)
{
	switch (kind) {
	case CODE_LOAD:
		return read_load(p, c);
	case CODE_MOVE:
		return read_move(p, c);
	case CODE_DEBUG_INFO:
		return jitdump_read_lines(p, c);
	}
	return 1; /* other records are not needed */
}

static int jitdump_read_header(struct cursor *c, struct error *err)
{
	uint64_t magic = cursor_uint(c, 4), size, machine;

	cursor_bytes(c, 4); /* the version: 1; version 2 differs only in what is skipped */
	size = cursor_uint(c, 4);
	machine = cursor_uint(c, 4);
	cursor_bytes(c, 24);
	if (c->failed || magic != MAGIC || size < HEADER)
		return error_set(err, ERR_FORMAT, "no jitdump file of this byte order");
	if (machine != MACHINE_ELF)
		return error_set(err, ERR_FORMAT, "a jitdump file of another machine");
	cursor_bytes(c, size - HEADER);
	return 0;
}

int jitdump_parse(struct jitdump *d, const void *data, size_t len, struct error *err)
{
	struct parser p = { .d = d };
	struct cursor all, record;
	int read = 0;

	cursor_init(&all, data, len, "jitdump file");
	if (jitdump_read_header(&all, err))
		return ERR_FORMAT;
	while (read >= 0 && cursor_left(&all) >= RECORD_HEADER) {
		enum jitdump_record kind = (enum jitdump_record)cursor_uint(&all, 4);
		uint64_t size = cursor_uint(&all, 4);
		const uint8_t *bytes;

		cursor_bytes(&all, 8); /* timestamp */
		bytes = size < RECORD_HEADER ? NULL : cursor_bytes(&all, size - RECORD_HEADER);
		if (!bytes) /* cut off: the file is being written */
			break;
		cursor_init(&record, bytes, size - RECORD_HEADER, "jitdump record");
		read = jitdump_read_record(&p, kind, &record);
		d->bad_records += !read;
	}
	hashindex_release(&p.by_index);
	d->line_shift = p.beyond && !p.low ? V8_SHIFT : 0;
	if (read < 0 || ranges_settle(&d->code))
		return error_nomem(err);
	return 0;
}

int jitdump_load(struct jitdump *d, const struct process *p, const char *path, struct error *err)
{
	struct buffer bytes = { 0 };
	int rc = jitfile_read(p, path, &bytes, err);

	if (!rc)
		rc = jitdump_parse(d, bytes.data, bytes.len, err);
	buffer_release(&bytes);
	return rc;
}

/* A line covers the code from its address to the next line's. */
static const struct jitdump_line *jitdump_find_line(const struct jitdump *d,
						    const struct jitdump_function *f,
						    uint64_t offset)
{
	const struct jitdump_line *best = NULL;

	for (size_t i = 0; i < f->line_count; i++) {
		const struct jitdump_line *l = &d->lines[f->first_line + i];

		if (l->offset - d->line_shift <= offset && (!best || l->offset >= best->offset))
			best = l;
	}
	return best;
}

const struct jitdump_function *jitdump_find(const struct jitdump *d, uint64_t addr,
					    const struct jitdump_line **line)
{
	const struct range *r = ranges_find(&d->code, addr);
	const struct jitdump_function *f = r ? &d->functions[r->of] : NULL;

	*line = f ? jitdump_find_line(d, f, addr - f->start) : NULL;
	return f;
}
