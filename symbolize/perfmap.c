/*
 * A JIT compiler appends to its map and may reuse an address: the last line
 * wins. So entries are sorted by start with the later line first, and a sweep
 * cuts what an entry of a later line covers.
 */
#include "symbolize/perfmap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "target/process.h"

enum { FILE_MAX = 256 << 20, NAME_LEN_MAX = 4096 };

void perfmap_init(struct perfmap *m)
{
	memset(m, 0, sizeof(*m));
}

void perfmap_release(struct perfmap *m)
{
	free(m->entries);
	arena_release(&m->names);
	perfmap_init(m);
}

static int add(struct perfmap *m, const struct perfmap_entry *e)
{
	if (m->count == m->room) {
		size_t room = m->room ? m->room * 2 : 256;
		struct perfmap_entry *entries = realloc(m->entries, room * sizeof(*entries));

		if (!entries)
			return ERR_NOMEM;
		m->entries = entries;
		m->room = room;
	}
	m->entries[m->count++] = *e;
	return 0;
}

/* A name comes from whoever can write the file and goes to terminals and pages:
 * no control characters. */
static const char *keep_name(struct perfmap *m, const uint8_t *text, size_t len)
{
	char *name = arena_copy(&m->names, text, len < NAME_LEN_MAX ? len : NAME_LEN_MAX);

	for (char *c = name; c && *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	return name;
}

static void skip_0x(struct cursor *c)
{
	if (cursor_left(c) > 2 && c->pos[0] == '0' && (c->pos[1] == 'x' || c->pos[1] == 'X'))
		cursor_bytes(c, 2);
}

/* 1 when the line holds an entry. */
static int parse_line(struct perfmap *m, struct cursor *c, struct perfmap_entry *e)
{
	uint64_t size;

	skip_0x(c);
	e->start = cursor_number(c, 16);
	cursor_expect(c, ' ');
	cursor_blanks(c);
	skip_0x(c);
	size = cursor_number(c, 16);
	cursor_expect(c, ' ');
	cursor_blanks(c);
	if (!cursor_left(c) || !size || __builtin_add_overflow(e->start, size, &e->end))
		return 0;
	e->name = keep_name(m, c->pos, cursor_left(c));
	return e->name ? 1 : ERR_NOMEM;
}

static int by_start(const void *a, const void *b)
{
	const struct perfmap_entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->line < y->line ? 1 : x->line > y->line ? -1 : 0;
}

/* Sorted entries in, disjoint entries out. Where a later line begins inside an
 * earlier one, the earlier is cut there; where an earlier begins inside a later
 * one, what sticks out behind is kept if it is the start that is covered. */
static void make_disjoint(struct perfmap *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++) {
		struct perfmap_entry e = m->entries[i];

		while (n && m->entries[n - 1].end > e.start && m->entries[n - 1].line < e.line) {
			m->entries[n - 1].end = e.start;
			if (m->entries[n - 1].end > m->entries[n - 1].start)
				break;
			n--;
		}
		if (n && m->entries[n - 1].end > e.start)
			e.start = m->entries[n - 1].end;
		if (e.start < e.end)
			m->entries[n++] = e;
	}
	m->count = n;
}

int perfmap_parse(struct perfmap *m, const void *data, size_t len)
{
	struct cursor text, line;
	size_t number = 0;

	cursor_init(&text, data, len, "perf map");
	while (cursor_line(&text, &line)) {
		struct perfmap_entry e = { .line = ++number };
		int rc = parse_line(m, &line, &e);

		if (rc < 0 || (rc && add(m, &e)))
			return ERR_NOMEM;
		m->bad_lines += !rc;
	}
	if (m->count)
		qsort(m->entries, m->count, sizeof(*m->entries), by_start);
	make_disjoint(m);
	return 0;
}

/* The process's number and user in its own PID namespace's eyes: the last
 * number of NSpid, and the effective user (proc_pid_status(5)). */
static int read_ids(const struct process *p, long *pid, long *uid)
{
	struct buffer text = { 0 };
	int rc = process_read(p, "status", &text, NULL);
	const char *line;

	*pid = p->pid;
	*uid = -1;
	if (!rc)
		rc = buffer_add(&text, "", 1);
	if (!rc && (line = strstr((char *)text.data, "\nUid:")))
		sscanf(line, "\nUid: %*d %ld", uid);
	if (!rc && (line = strstr((char *)text.data, "\nNSpid:"))) {
		const char *tab;

		for (line += 7; (tab = strchr(line, '\t')) && tab < strchrnul(line, '\n');)
			*pid = strtol(line = tab + 1, NULL, 10);
	}
	buffer_release(&text);
	return rc;
}

static int check_file(int fd, long uid, const char *path, size_t *size, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return error_errno(err, ERR_IO, "cannot look at '%s'", path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERR_PERM, "'%s' is not a regular file", path);
	if (st.st_uid != 0 && st.st_uid != (uid_t)uid)
		return error_set(err, ERR_PERM, "'%s' belongs to neither the process's user nor root",
				 path);
	if (st.st_size > FILE_MAX)
		return error_set(err, ERR_LIMIT, "'%s' is larger than 256 MiB", path);
	*size = (size_t)st.st_size;
	return 0;
}

static int read_all(int fd, size_t size, struct buffer *out, const char *path, struct error *err)
{
	ssize_t n;

	if (buffer_reserve(out, size + 1))
		return error_set(err, ERR_NOMEM, "out of memory");
	while (out->len < size && (n = read(fd, out->data + out->len, size - out->len)) != 0) {
		if (n < 0)
			return error_errno(err, ERR_IO, "cannot read '%s'", path);
		out->len += (size_t)n;
	}
	return 0;
}

int perfmap_load(struct perfmap *m, const struct process *p, struct error *err)
{
	struct buffer text = { 0 };
	long pid, uid;
	size_t size = 0;
	char path[64];
	int fd, rc;

	if (read_ids(p, &pid, &uid))
		return error_set(err, ERR_GONE, "process %d has ended", p->pid);
	snprintf(path, sizeof(path), "/tmp/perf-%ld.map", pid);
	fd = process_open_path(p, path);
	if (fd < 0)
		return error_set(err, ERR_NOTFOUND, "no '%s'", path);
	rc = check_file(fd, uid, path, &size, err);
	if (!rc)
		rc = read_all(fd, size, &text, path, err);
	if (!rc && (rc = perfmap_parse(m, text.data, text.len)))
		error_set(err, rc, "out of memory");
	buffer_release(&text);
	close(fd);
	return rc;
}

const struct perfmap_entry *perfmap_find(const struct perfmap *m, uint64_t addr)
{
	size_t lo = 0, hi = m->count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->entries[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->count && m->entries[lo].start <= addr ? &m->entries[lo] : NULL;
}
