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

enum { WORDS = 3 }; /* between the arrow and the process */

/* A word of the line; its length. */
static size_t filelocks_word(struct cursor *line)
{
	size_t len = 0;

	cursor_blanks(line);
	while (len < cursor_left(line) && line->pos[len] != ' ')
		len++;
	cursor_bytes(line, len);
	return len;
}

/* False: it has another form, or the process is none of ours. */
static bool filelocks_line(struct cursor *line, bool *waits, pid_t *pid)
{
	cursor_number(line, 10);
	cursor_expect(line, ':');
	cursor_blanks(line);
	*waits = cursor_left(line) > 2 && !memcmp(line->pos, "->", 2);
	if (*waits)
		cursor_bytes(line, 2);
	for (int i = 0; i < WORDS; i++)
		if (!filelocks_word(line))
			return false;
	cursor_blanks(line);
	*pid = (pid_t)cursor_number(line, 10);
	return !line->failed && *pid > 0;
}

pid_t filelocks_holder(const void *text, size_t len, pid_t waiter)
{
	struct cursor all, line;
	pid_t holder = 0;

	cursor_init(&all, text, len, "locks");
	while (cursor_line(&all, &line)) {
		bool waits = false;
		pid_t pid = 0;
		bool known = filelocks_line(&line, &waits, &pid);

		if (!waits)
			holder = known ? pid : 0;
		else if (known && pid == waiter)
			return holder;
	}
	return 0;
}
