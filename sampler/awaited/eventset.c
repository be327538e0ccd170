/* `tfd:        5 events:       19 data:                5  pos:0 ino:1b sdev:9` (ep_show_fdinfo() in
 * fs/eventpoll.c) is a line for each descriptor of an epoll. The number is that of the moment when
 * it was added, and may be another file's now. */
#include "sampler/awaited/eventset.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "base/process/process.h"
#include "base/room.h"
#include "sampler/awaited/waitcall.h"

enum { SETS_MOST = 1024 / 8 }; /* bytes of a set of select(2): FD_SETSIZE */

static int eventset_add(struct eventset *e, struct event event)
{
	e->cut |= e->count >= EVENTSET_MOST;
	if (e->cut || event.fd < 0)
		return 0;
	if (room_for((void **)&e->events, &e->room, e->count + 1, sizeof(event)))
		return ERR_NOMEM;
	e->events[e->count++] = event;
	return 0;
}

/* The number behind `name`, in base 16; 0: it is not there. */
static uint64_t eventset_field(struct cursor *line, const char *name)
{
	size_t len = strlen(name);
	const uint8_t *at = memmem(line->pos, cursor_left(line), name, len);

	if (!at)
		return 0;
	cursor_bytes(line, (uint64_t)(at - line->pos) + len);
	cursor_blanks(line);
	return cursor_number(line, 16);
}

/* One that has no events wanted, as after EPOLLONESHOT, is not waited for. */
static int eventset_line(struct eventset *e, struct cursor *line)
{
	struct event event = { .fd = -1 };
	uint64_t fd, wanted;

	cursor_blanks(line);
	fd = cursor_number(line, 10);
	wanted = eventset_field(line, "events:");
	event.writes = wanted & EPOLLOUT;
	event.reads = wanted & (EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLRDNORM | EPOLLRDBAND);
	event.inode = eventset_field(line, " ino:");
	if (line->failed || fd > INT32_MAX || !(event.reads || event.writes))
		return 0;
	event.fd = (int)fd;
	return eventset_add(e, event);
}

int eventset_parse(struct eventset *e, const void *text, size_t len)
{
	struct cursor all, line;
	int rc = 0;

	cursor_init(&all, text, len, "epoll");
	while (!rc && cursor_line(&all, &line)) {
		const uint8_t *key = cursor_bytes(&line, 4);

		if (key && !memcmp(key, "tfd:", 4))
			rc = eventset_line(e, &line);
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
	e->cut = rc;
	if (!rc)
		rc = eventset_parse(e, text.data, text.len);
	buffer_release(&text);
	return rc == ERR_NOMEM ? rc : 0;
}

static int eventset_of_poll(struct eventset *e, const struct memory *m, const struct waitcall *call)
{
	int rc = 0;

	for (uint64_t i = 0; !rc && i < call->count && !e->cut; i++) {
		struct pollfd one;

		e->cut = i >= EVENTSET_MOST ||
			 m->read(m, call->memory + i * sizeof(one), &one, sizeof(one));
		if (!e->cut)
			rc = eventset_add(e, (struct event){ .fd = one.fd,
							     .reads = one.events != POLLOUT,
							     .writes = one.events & POLLOUT });
	}
	return rc;
}

static bool eventset_bit(const uint8_t *set, uint64_t i)
{
	return set[i / 8] & 1u << i % 8;
}

/* Three sets: to read, to write, and what is exceptional, which is input, too. */
static int eventset_of_select(struct eventset *e, const struct memory *m,
			      const struct waitcall *call)
{
	uint8_t sets[3][SETS_MOST] = { { 0 } };
	int rc = 0;

	e->cut = call->count > 8ul * SETS_MOST;
	for (int k = 0; k < 3 && !e->cut; k++)
		e->cut = call->sets[k] &&
			 m->read(m, call->sets[k], sets[k], (call->count + 63) / 64 * 8);
	for (uint64_t i = 0; !rc && i < call->count && !e->cut; i++) {
		bool writes = eventset_bit(sets[1], i),
		     reads = eventset_bit(sets[0], i) || eventset_bit(sets[2], i);

		if (reads || writes)
			rc = eventset_add(e, (struct event){ (int)i, 0, reads, writes });
	}
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
	return eventset_of_select(e, &live.memory, call);
}

void eventset_release(struct eventset *e)
{
	free(e->events);
	*e = (struct eventset){ 0 };
}
