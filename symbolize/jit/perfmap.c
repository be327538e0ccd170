/*
 * A JIT compiler appends to its map and may reuse an address: the last line wins, and an earlier
 * one keeps the part that later lines do not cover.
 */
#include "symbolize/jit/perfmap.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/process/process.h"
#include "base/room.h"
#include "symbolize/jit/jitfile.h"

enum { NAME_LEN_MAX = 4096, ENTRIES_MAX = 1 << 24 };

void perfmap_release(struct perfmap *m)
{
	free(m->all);
	ranges_release(&m->code);
	arena_release(&m->names);
	*m = (struct perfmap){ 0 };
}

static void skip_0x(struct cursor *c)
{
	if (cursor_left(c) > 2 && c->pos[0] == '0' && (c->pos[1] == 'x' || c->pos[1] == 'X'))
		cursor_bytes(c, 2);
}

/* 1: the line holds an entry; 0: it does not; ERR_NOMEM. */
static int perfmap_parse_line(struct perfmap *m, struct cursor *c)
{
	uint64_t start, size, end;
	const char *name;
	size_t len;

	skip_0x(c);
	start = cursor_number(c, 16);
	cursor_expect(c, ' ');
	cursor_blanks(c);
	skip_0x(c);
	size = cursor_number(c, 16);
	cursor_expect(c, ' ');
	cursor_blanks(c);
	len = cursor_left(c);
	if (!len || !*c->pos || !size || __builtin_add_overflow(start, size, &end) ||
	    m->count >= ENTRIES_MAX)
		return 0;
	name = arena_copy(&m->names, c->pos, len < NAME_LEN_MAX ? len : NAME_LEN_MAX);
	if (!name || room_for((void **)&m->all, &m->room, m->count + 1, sizeof(*m->all)) ||
	    ranges_add(&m->code, start, end, (uint32_t)m->count))
		return ERR_NOMEM;
	m->all[m->count++] = name;
	return 1;
}

int perfmap_parse(struct perfmap *m, const void *data, size_t len)
{
	struct cursor text, line;

	cursor_init(&text, data, len, "perf map");
	while (cursor_line(&text, &line)) {
		int rc = perfmap_parse_line(m, &line);

		if (rc < 0)
			return ERR_NOMEM;
		m->bad_lines += !rc;
	}
	return ranges_settle(&m->code);
}

int perfmap_load(struct perfmap *m, const struct process *p, struct error *err)
{
	struct buffer text = { 0 };
	char path[64];
	int rc;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", p->own_pid);
	rc = jitfile_read(p, path, &text, err);
	if (!rc && (rc = perfmap_parse(m, text.data, text.len)))
		error_nomem(err);
	buffer_release(&text);
	return rc;
}

const char *perfmap_find(const struct perfmap *m, uint64_t addr)
{
	const struct range *r = ranges_find(&m->code, addr);

	return r ? m->all[r->of] : NULL;
}
