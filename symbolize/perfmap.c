/*
 * A JIT compiler appends to its map and may reuse an address: the last line
 * wins, and of an earlier one there remains what the later does not cover.
 */
#include "symbolize/perfmap.h"

#include <errno.h>
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

enum { FILE_MAX = 256 << 20, NAME_LEN_MAX = 4096, ENTRIES_MAX = 1 << 24 };

void perfmap_init(struct perfmap *m)
{
	memset(m, 0, sizeof(*m));
}

void perfmap_release(struct perfmap *m)
{
	free(m->all);
	ranges_release(&m->code);
	arena_release(&m->names);
	perfmap_init(m);
}

static int add(struct perfmap *m, uint64_t start, uint64_t end, const char *name)
{
	if (m->count == m->room) {
		size_t room = m->room ? m->room * 2 : 256;
		const char **all = realloc(m->all, room * sizeof(*all));

		if (!all)
			return ERR_NOMEM;
		m->all = all;
		m->room = room;
	}
	if (ranges_add(&m->code, start, end, (uint32_t)m->count))
		return ERR_NOMEM;
	m->all[m->count++] = name;
	return 0;
}

static void skip_0x(struct cursor *c)
{
	if (cursor_left(c) > 2 && c->pos[0] == '0' && (c->pos[1] == 'x' || c->pos[1] == 'X'))
		cursor_bytes(c, 2);
}

/* 1 when the line held an entry. */
static int parse_line(struct perfmap *m, struct cursor *c)
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
	if (!len || !*c->pos || !size || __builtin_add_overflow(start, size, &end) || m->count >= ENTRIES_MAX)
		return 0;
	name = arena_copy(&m->names, c->pos, len < NAME_LEN_MAX ? len : NAME_LEN_MAX);
	return name && !add(m, start, end, name) ? 1 : ERR_NOMEM;
}

int perfmap_parse(struct perfmap *m, const void *data, size_t len)
{
	struct cursor text, line;

	cursor_init(&text, data, len, "perf map");
	while (cursor_line(&text, &line)) {
		int rc = parse_line(m, &line);

		if (rc < 0)
			return ERR_NOMEM;
		m->bad_lines += !rc;
	}
	return ranges_settle(&m->code);
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
	fd = process_open_no_link(p, path);
	if (fd < 0 && errno == ELOOP)
		return error_set(err, ERR_PERM, "'%s' is a link", path);
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

const char *perfmap_find(const struct perfmap *m, uint64_t addr)
{
	const struct range *r = ranges_find(&m->code, addr);

	return r ? m->all[r->of] : NULL;
}
