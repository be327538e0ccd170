/*
 *   1: POSIX  ADVISORY  WRITE 1234 fd:01:5678 0 EOF
 *   1: -> POSIX  ADVISORY  WRITE 4321 fd:01:5678 0 EOF
 *
 * A waiting lock follows the one that blocks it, with its number (locks_show() in fs/locks.c).
 * Deeper ones have blanks before the arrow.
 */
#include "sampler/awaited/filelocks.h"

#include <stdbool.h>
#include <string.h>

#include "base/cursor.h"

struct filelocks_line {
	bool waits, posix;
	pid_t pid;
	uint64_t inode;
};

/* The next word; its length. */
static size_t filelocks_word(struct cursor *line)
{
	size_t len = 0;

	cursor_blanks(line);
	while (len < cursor_left(line) && line->pos[len] != ' ')
		len++;
	return len;
}

/* False: it has another form, or the process is none of ours. */
static bool filelocks_read(struct cursor *line, struct filelocks_line *l)
{
	cursor_number(line, 10);
	cursor_expect(line, ':');
	cursor_blanks(line);
	l->waits = cursor_left(line) > 2 && !memcmp(line->pos, "->", 2);
	cursor_bytes(line, l->waits ? 2 : 0);
	l->posix = filelocks_word(line) == 5 && !memcmp(line->pos, "POSIX", 5);
	for (int i = 0; i < 3; i++)
		cursor_bytes(line, filelocks_word(line));
	cursor_blanks(line);
	l->pid = (pid_t)cursor_number(line, 10);
	cursor_blanks(line);
	cursor_number(line, 16);
	cursor_expect(line, ':');
	cursor_number(line, 16);
	cursor_expect(line, ':');
	l->inode = cursor_number(line, 10);
	return !line->failed && l->pid > 0;
}

pid_t filelocks_holder(const void *text, size_t len, const struct filelocks_wait *wait)
{
	struct cursor all, line;
	pid_t holder = 0, found = 0;

	cursor_init(&all, text, len, "locks");
	while (cursor_line(&all, &line)) {
		struct filelocks_line l = { 0 };
		bool known = filelocks_read(&line, &l);

		if (!l.waits)
			holder = known ? l.pid : 0;
		else if (known && l.pid == wait->pid && l.posix == wait->posix &&
			 l.inode == wait->inode) {
			if (!holder || (found && found != holder))
				return 0;
			found = holder;
		}
	}
	return found;
}

bool filelocks_has(const char *info, uint64_t inode)
{
	const char *at = info;

	while ((at = strstr(at, "\nlock:"))) {
		struct filelocks_line l = { 0 };
		struct cursor line;

		at += strlen("\nlock:");
		cursor_init(&line, at, strcspn(at, "\n"), "lock");
		cursor_blanks(&line);
		if (filelocks_read(&line, &l) && !l.posix && l.inode == inode)
			return true;
	}
	return false;
}
