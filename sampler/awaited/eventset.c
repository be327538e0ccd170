/* `tfd:        5 events:       19 data:                5  pos:0 ino:1b sdev:9` (ep_show_fdinfo() in
 * fs/eventpoll.c) is a line for each descriptor of an epoll. */
#include "sampler/awaited/eventset.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "base/process/process.h"
#include "base/room.h"
#include "sampler/awaited/waitcall.h"

enum { SETS_MOST = 1024 / 8 }; /* bytes of a set of select(2): FD_SETSIZE */

static int eventset_add(struct eventset *e, int fd)
{
	if (e->count >= EVENTSET_MOST || fd < 0)
		return 0;
	if (room_for((void **)&e->fds, &e->room, e->count + 1, sizeof(fd)))
		return ERR_NOMEM;
	e->fds[e->count++] = fd;
	return 0;
}

int eventset_parse(struct eventset *e, const void *text, size_t len)
{
	struct cursor all, line;
	int rc = 0;

	cursor_init(&all, text, len, "epoll");
	while (!rc && cursor_line(&all, &line)) {
		const uint8_t *key = cursor_bytes(&line, 4);
		uint64_t fd;

		if (!key || memcmp(key, "tfd:", 4))
			continue;
		cursor_blanks(&line);
		fd = cursor_number(&line, 10);
		if (!line.failed && fd <= INT32_MAX)
			rc = eventset_add(e, (int)fd);
	}
	return rc;
}

static int eventset_of_epoll(struct eventset *e, const struct process *process, int fd)
{
	struct buffer text = { 0 };
	struct error why;
	char name[32];
	int rc;

	snprintf(name, sizeof(name), "fdinfo/%d", fd);
	rc = process_read(process, name, &text, &why);
	if (!rc)
		rc = eventset_parse(e, text.data, text.len);
	buffer_release(&text);
	return rc == ERR_NOMEM ? rc : 0;
}

static int eventset_of_poll(struct eventset *e, const struct memory *m, const struct waitcall *call)
{
	int rc = 0;

	for (uint64_t i = 0; !rc && i < call->count && i < EVENTSET_MOST; i++) {
		struct pollfd one;

		if (m->read(m, call->memory + i * sizeof(one), &one, sizeof(one)))
			break;
		rc = eventset_add(e, one.fd);
	}
	return rc;
}

/* The three sets follow each other in the arguments, not in memory: that to read is the first. */
static int eventset_of_select(struct eventset *e, const struct memory *m,
			      const struct waitcall *call)
{
	uint64_t bits = call->count < 8 * SETS_MOST ? call->count : 8 * SETS_MOST;
	uint8_t set[SETS_MOST] = { 0 };
	int rc = 0;

	if (m->read(m, call->memory, set, (bits + 63) / 64 * 8))
		return 0;
	for (uint64_t i = 0; !rc && i < bits; i++)
		if (set[i / 8] & 1u << i % 8)
			rc = eventset_add(e, (int)i);
	return rc;
}

int eventset_read(struct eventset *e, const struct process *process, pid_t tid,
		  const struct waitcall *call)
{
	struct memory_live live;

	memory_live_init(&live, tid);
	if (call->on == WAIT_ON_EPOLL)
		return eventset_of_epoll(e, process, call->fd);
	if (call->on == WAIT_ON_POLL)
		return eventset_of_poll(e, &live.memory, call);
	return call->memory ? eventset_of_select(e, &live.memory, call) : 0;
}

void eventset_release(struct eventset *e)
{
	free(e->fds);
	*e = (struct eventset){ 0 };
}
