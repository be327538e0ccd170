/* Keys may come in any order, and those that are not needed are skipped. Texts are cut where they
 * are longer than any that `dump` writes of a sane program. */
#include "cli/dump/merge/dumpread.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/jsonread.h"
#include "cli/dump/merge/merged.h"

enum {
	KEY_ROOM = 24,
	WORD_ROOM = 64,	  /* states, system calls, times, names of threads */
	NAME_ROOM = 1024, /* functions */
	PATH_ROOM = 4097,
	FRAMES_MAX = 1 << 16, /* of a thread */
	NUMBER_MAX = 1 << 30  /* of processes and threads; Linux's own are below 2^22 */
};

static pid_t dumpread_number(struct cursor *c)
{
	uint64_t number = jsonread_uint(c);

	if (number > NUMBER_MAX)
		cursor_fail(c, "no number of a process");
	return (pid_t)number;
}

/* True, if the frame is an inlined call. */
static bool dumpread_frame_members(struct cursor *c, struct merged_frame *f, char *function,
				   char *file, char *module)
{
	char key[KEY_ROOM];
	bool inlined = false;

	for (bool first = jsonread_open(c, '{'); jsonread_more(c, &first, '}');) {
		jsonread_key(c, key, sizeof(key));
		if (!strcmp(key, "function"))
			jsonread_text(c, function, NAME_ROOM);
		else if (!strcmp(key, "file"))
			jsonread_text(c, file, PATH_ROOM);
		else if (!strcmp(key, "module"))
			jsonread_text(c, module, PATH_ROOM);
		else if (!strcmp(key, "line"))
			f->line = jsonread_null(c) ? 0 : jsonread_uint(c);
		else if (!strcmp(key, "inlined"))
			inlined = jsonread_bool(c);
		else if (!strcmp(key, "pc") && jsonread_null(c))
			f->interpreted = true;
		else
			jsonread_skip(c);
	}
	return inlined;
}

static void dumpread_frame(struct cursor *c, struct merged *m)
{
	char function[NAME_ROOM] = "", file[PATH_ROOM] = "", module[PATH_ROOM] = "";
	struct merged_frame f = { function, file, module, 0, false };
	bool inlined = dumpread_frame_members(c, &f, function, file, module);

	if (!c->failed && !(inlined && m->no_inline))
		merged_add_frame(m, &f);
}

static void dumpread_frames(struct cursor *c, struct merged *m)
{
	size_t count = 0;

	for (bool first = jsonread_open(c, '['); jsonread_more(c, &first, ']');) {
		if (count++ == FRAMES_MAX)
			cursor_fail(c, "a stack of too many frames");
		dumpread_frame(c, m);
	}
}

/* The `kind` of an object, or "" of null. */
static void dumpread_kind(struct cursor *c, char kind[WORD_ROOM])
{
	char key[KEY_ROOM];

	if (jsonread_null(c))
		return;
	for (bool first = jsonread_open(c, '{'); jsonread_more(c, &first, '}');) {
		jsonread_key(c, key, sizeof(key));
		if (!strcmp(key, "kind"))
			jsonread_text(c, kind, WORD_ROOM);
		else
			jsonread_skip(c);
	}
}

static void dumpread_thread(struct cursor *c, struct merged *m)
{
	char key[KEY_ROOM], name[WORD_ROOM] = "", state[WORD_ROOM] = "", call[WORD_ROOM] = "";
	char kind[WORD_ROOM] = "";
	struct merged_doing doing = { 0, name, state, call, kind };
	bool has_frames = false;

	merged_begin_thread(m);
	for (bool first = jsonread_open(c, '{'); jsonread_more(c, &first, '}');) {
		jsonread_key(c, key, sizeof(key));
		if (!strcmp(key, "tid"))
			doing.tid = dumpread_number(c);
		else if (!strcmp(key, "name"))
			jsonread_text(c, name, sizeof(name));
		else if (!strcmp(key, "state"))
			jsonread_text(c, state, sizeof(state));
		else if (!strcmp(key, "syscall"))
			jsonread_text(c, call, sizeof(call));
		else if (!strcmp(key, "awaits") || !strcmp(key, "waits_for"))
			dumpread_kind(c, kind);
		else if (!strcmp(key, "frames") && !has_frames && (has_frames = true))
			dumpread_frames(c, m);
		else
			jsonread_skip(c);
	}
	if (!has_frames || !doing.tid)
		cursor_fail(c, "a thread without its number or its frames");
	if (!strcmp(kind, "sleep")) /* its call says as much */
		*kind = '\0';
	merged_end_thread(m, &doing);
}

static void dumpread_threads(struct cursor *c, struct merged *m)
{
	for (bool first = jsonread_open(c, '['); jsonread_more(c, &first, ']');)
		dumpread_thread(c, m);
}

static void dumpread_process(struct cursor *c, struct merged *m, const char *host)
{
	char key[KEY_ROOM], command[WORD_ROOM] = "", time[WORD_ROOM] = "";
	bool has_threads = false;
	pid_t pid = 0;

	merged_begin_process(m, host);
	for (bool first = jsonread_open(c, '{'); jsonread_more(c, &first, '}');) {
		jsonread_key(c, key, sizeof(key));
		if (!strcmp(key, "pid"))
			pid = dumpread_number(c);
		else if (!strcmp(key, "command"))
			jsonread_text(c, command, sizeof(command));
		else if (!strcmp(key, "time"))
			jsonread_text(c, time, sizeof(time));
		else if (!strcmp(key, "threads") && !has_threads && (has_threads = true))
			dumpread_threads(c, m);
		else
			jsonread_skip(c);
	}
	if (!has_threads || !pid)
		cursor_fail(c, "an object without a process's number or its threads");
	merged_end_process(m, pid, command, time);
}

int dumpread(struct merged *m, const char *host, const void *data, size_t len, struct error *err)
{
	struct cursor c;

	cursor_init(&c, data, len, "dump --json");
	if (!jsonread_left(&c))
		cursor_fail(&c, "no process");
	while (!m->rc && jsonread_left(&c))
		dumpread_process(&c, m, host);
	return m->rc ? error_nomem(err) : cursor_error(&c, err);
}
