/* Two indices: of entries, by what they say; of what was asked, by process, call and link. */
#include "sampler/awaited/waitset.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/process.h"
#include "base/room.h"
#include "sampler/awaited/eventset.h"
#include "sampler/awaited/lookat.h"
#include "sampler/thread/taskfiles.h"

enum {
	SEEN_MOST = 1 << 16,
	ASK_AGAIN = 50, /* times what it has cost */
	LINKS_MOST = 8, /* of an array are read */
};

int waitset_init(struct waitset *s, bool peers)
{
	*s = (struct waitset){ 0 };
	return awaits_new(&s->awaits, (struct awaits_wish){ .peers = peers, .brief = true });
}

void waitset_release(struct waitset *s)
{
	awaits_free(s->awaits);
	hashindex_release(&s->index);
	hashindex_release(&s->seen_index);
	arena_release(&s->arena);
	free(s->entries);
	free(s->seen);
	*s = (struct waitset){ 0 };
}

static const char *waitset_object(const struct waitset_entry *e)
{
	return e->object ? e->object : "";
}

static bool waitset_same(const void *owner, uint32_t id, const void *key)
{
	const struct waitset_entry *a = &((const struct waitset *)owner)->entries[id], *b = key;

	return a->kind == b->kind && a->idle == b->idle &&
	       !strcmp(waitset_object(a), waitset_object(b));
}

static int waitset_add(struct waitset *s, struct waitset_entry e, uint32_t *number)
{
	const char *object = waitset_object(&e);
	uint64_t hash = hash_bytes(object, strlen(object)) ^ (uint64_t)e.kind << 8 ^ e.idle;
	uint32_t id = hashindex_find(&s->index, hash, waitset_same, s, &e);

	*number = id + 1;
	if (id != HASHINDEX_NONE)
		return 0;
	if (s->count >= WAITSET_MOST && e.object)
		return waitset_add(s, (struct waitset_entry){ e.kind, e.idle, NULL }, number);
	if (e.object)
		e.object = arena_copy(&s->arena, object, strlen(object));
	if (room_for((void **)&s->entries, &s->room, s->count + 1ul, sizeof(e)) ||
	    hashindex_add(&s->index, hash, s->count))
		return ERR_NOMEM;
	s->entries[s->count++] = e;
	*number = s->count;
	return 0;
}

/* Asks, and keeps what was found. */
static int waitset_ask(struct waitset *s, const struct process *process, pid_t tid, char state,
		       const struct call *call, uint32_t *number)
{
	struct arena arena = { 0 };
	struct awaited w;
	int rc = 0;

	*number = 0;
	if (awaited_look(s->awaits, process, tid, state, call, &arena, &w))
		rc = waitset_add(s, (struct waitset_entry){ w.kind, w.idle, w.object }, number);
	arena_release(&arena);
	return rc;
}

static uint64_t waitset_link(const struct process *process, int fd)
{
	char link[LINK_ROOM] = "";

	if (fd >= 0)
		look_read_link(process, fd, link);
	return hash_bytes(link, strlen(link));
}

/* poll(2) and select(2): the same place of the stack has another array in the next call. */
static uint64_t waitset_array(const struct process *process, pid_t tid, const struct waitcall *w)
{
	struct eventset e = { 0 };
	uint64_t hash = 0;

	eventset_read(&e, process, tid, w);
	for (size_t i = 0; i < e.count; i++) {
		uint64_t words[4] = { hash, (uint64_t)e.events[i].fd, e.events[i].reads,
				      i < LINKS_MOST ? waitset_link(process, e.events[i].fd) : 0 };

		hash = hash_bytes(words, sizeof(words));
	}
	eventset_release(&e);
	return hash;
}

/* The descriptor as its link names it; of a set of them, as its call does. */
static uint64_t waitset_key(const struct process *process, pid_t tid, const struct waitcall *w)
{
	bool array = w->on == WAIT_ON_POLL || w->on == WAIT_ON_SELECT;
	uint64_t words[6] = { (uint64_t)process->pid,
			      w->on,
			      (uint64_t)w->fd,
			      w->memory,
			      w->count,
			      array ? waitset_array(process, tid, w) :
				      waitset_link(process, w->fd) };

	return hash_bytes(words, sizeof(words));
}

static bool waitset_is_of_a_set(const struct waitcall *w)
{
	return w->on == WAIT_ON_EPOLL || w->on == WAIT_ON_POLL || w->on == WAIT_ON_SELECT;
}

static void waitset_forget(struct waitset *s)
{
	s->seen_count = 0;
	hashindex_clear(&s->seen_index);
}

int waitset_look(struct waitset *s, const struct process *process, pid_t tid, char state,
		 const struct call *call, uint32_t *number)
{
	struct waitcall w = waitcall_of(call);
	uint64_t key, now = monotonic_ns();
	struct waitset_seen seen = { .until_ns = UINT64_MAX };
	uint32_t id;
	int rc;

	*number = 0;
	if (!s->awaits || w.on == WAIT_ON_NOTHING)
		return 0;
	key = waitset_key(process, tid, &w);
	id = HASHINDEX_NUMBER(&s->seen_index, s->seen, key, key);
	if (id != HASHINDEX_NONE && s->seen[id].until_ns > now) {
		*number = s->seen[id].number;
		return 0;
	}
	rc = waitset_ask(s, process, tid, state, call, number);
	if (rc)
		return rc;
	/* A socket that is younger than the table of them has no address yet. A set of ten thousand
	 * takes 30 ms. */
	if (waitset_is_of_a_set(&w) || !*number || !waitset_get(s, *number)->object)
		seen.until_ns = now + NS_PER_S + ASK_AGAIN * (monotonic_ns() - now);
	seen.key = key;
	seen.number = *number;
	if (id != HASHINDEX_NONE) {
		s->seen[id] = seen;
		return 0;
	}
	if (s->seen_count >= SEEN_MOST)
		waitset_forget(s);
	if (room_for((void **)&s->seen, &s->seen_room, s->seen_count + 1ul, sizeof(seen)) ||
	    hashindex_add_number(&s->seen_index, key, s->seen_count))
		return ERR_NOMEM;
	s->seen[s->seen_count++] = seen;
	return 0;
}

const struct waitset_entry *waitset_get(const struct waitset *s, uint32_t number)
{
	return &s->entries[number - 1];
}
