/* A look: from the call to what it waits for. */
#include "sampler/awaited/awaited.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/amount.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/process/memory.h"
#include "base/process/process.h"
#include "base/room.h"
#include "base/smallfile.h"
#include "sampler/awaited/filelocks.h"
#include "sampler/awaited/lookat.h"
#include "sampler/thread/taskfiles.h"

enum {
	READ_AGAIN = 50,    /* times what the table of sockets has cost */
	LOCKS_ASKED = 4096, /* descriptors of one process */
};

int awaits_new(struct awaits **out, struct awaits_wish wish)
{
	struct awaits *a = calloc(1, sizeof(*a));
	struct stat st;

	if (!a)
		return ERR_NOMEM;
	a->peers = wish.peers;
	a->brief = wish.brief;
	a->netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	a->space = stat("/proc/self/ns/net", &st) ? 0 : st.st_ino;
	*out = a;
	return 0;
}

void awaits_free(struct awaits *a)
{
	if (!a)
		return;
	descriptor_close(&a->netlink);
	for (size_t i = 0; i < a->table_count; i++)
		sockets_release(&a->tables[i]);
	free(a->tables);
	ends_release(&a->ends);
	buffer_release(&a->text);
	free(a);
}

static struct socket_table *awaited_table(struct awaits *a, uint64_t space)
{
	for (size_t i = 0; i < a->table_count; i++)
		if (a->tables[i].space == space)
			return &a->tables[i];
	if (room_for((void **)&a->tables, &a->table_room, a->table_count + 1, sizeof(*a->tables)))
		return NULL;
	a->tables[a->table_count] = (struct socket_table){ .space = space };
	return &a->tables[a->table_count++];
}

const struct socket_table *look_sockets(struct awaits *a, const struct process *process,
					uint64_t inode, const struct socket **s)
{
	struct socket_table *t = awaited_table(a, sockets_space(process));
	uint64_t now = monotonic_ns();

	*s = t ? sockets_find(t, inode) : NULL;
	if (!t || *s || now < t->due_ns)
		return t;
	if (sockets_read(t, process))
		return NULL;
	t->due_ns = monotonic_ns() + NS_PER_S + READ_AGAIN * (monotonic_ns() - now);
	*s = sockets_find(t, inode);
	return t;
}

int look_netlink(const struct awaits *a, const struct process *process)
{
	return a->space && sockets_space(process) == a->space ? a->netlink : -1;
}

const char *look_text(struct look_at *l)
{
	struct buffer *text = &l->a->text;
	const char *copy = text->len ? arena_copy(l->arena, text->data, text->len) : NULL;

	text->len = 0;
	return copy;
}

/* Waits without a descriptor. */

/* The only child that the thread has made, as the process itself numbers it, too; 0: there are
 * several, or none. */
static pid_t awaited_only_child(struct look_at *l, const char *tid)
{
	char name[48], text[64], *end;
	pid_t child;

	snprintf(name, sizeof(name), "task/%.16s/children", tid);
	if (smallfile_read(l->process->proc_fd, name, text, sizeof(text)) <= 0)
		return 0;
	child = (pid_t)strtol(text, &end, 10);
	return strspn(end, " ") == strlen(end) ? child : 0;
}

/* Any child ends the wait, of whichever thread. Of several it is not known which one is meant. */
static bool awaited_child(struct look_at *l)
{
	char tid[16];
	pid_t child = (pid_t)l->call.id;

	l->w->kind = AWAITED_CHILD;
	if (!l->a->peers || l->a->brief || !process_shares_numbers(l->process))
		return true;
	snprintf(tid, sizeof(tid), "%d", l->tid);
	if (!child && look_is_single(l->process))
		child = awaited_only_child(l, tid);
	if (child > 0)
		look_at_peer(l, child);
	return true;
}

/* Does the process still have the lock of flock(2) that it has made? */
static bool awaited_has_lock(pid_t pid, uint64_t inode)
{
	char path[48], text[4096];
	struct dirent *entry;
	bool has = false;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", pid);
	folder = opendir(path);
	for (int i = 0; folder && !has && i < LOCKS_ASKED && (entry = readdir(folder)); i++)
		has = smallfile_read(dirfd(folder), entry->d_name, text, sizeof(text)) > 0 &&
		      filelocks_has(text, inode);
	if (folder)
		closedir(folder);
	return has;
}

static pid_t awaited_holder(struct look_at *l)
{
	struct filelocks_wait wait = { .pid = l->process->pid, .posix = l->call.posix };
	struct buffer *text = &l->a->text;
	int fd = open("/proc/locks", O_RDONLY | O_CLOEXEC);
	pid_t holder = 0;

	text->len = 0;
	wait.inode = process_field(look_descriptor_info(l, l->call.fd), "\nino:", 10);
	text->len = 0;
	if (fd >= 0 && wait.inode && !l->call.ofd && !buffer_read(text, fd, 16 << 20))
		holder = filelocks_holder(text->data, text->len, &wait);
	descriptor_close(&fd);
	text->len = 0;
	return wait.posix || !holder || awaited_has_lock(holder, wait.inode) ? holder : 0;
}

static bool awaited_file_lock(struct look_at *l)
{
	char link[LINK_ROOM];
	pid_t holder;

	l->w->kind = AWAITED_FILE_LOCK;
	l->w->fd = l->call.fd;
	if (!l->a->peers || !look_read_link(l->process, l->call.fd, link))
		return true;
	l->w->object = arena_copy(l->arena, link, strlen(link));
	if (l->a->brief)
		return true;
	holder = awaited_holder(l);
	if (holder && holder != l->process->pid)
		look_at_peer(l, holder);
	return true;
}

/* How long it was to be. Of a sleep until a time nothing is told. */
static bool awaited_time(struct look_at *l)
{
	struct memory_live live;
	struct timespec ts;

	memory_live_init(&live, l->tid);
	l->w->kind = AWAITED_SLEEP;
	if (l->a->brief || !l->call.memory ||
	    live.memory.read(&live.memory, l->call.memory, &ts, sizeof(ts)) || ts.tv_sec < 0 ||
	    ts.tv_sec >= INT32_MAX || ts.tv_nsec < 0 || ts.tv_nsec >= (long)NS_PER_S)
		return true;
	buffer_addf(&l->a->text, "for %s",
		    shown_duration((uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec));
	l->w->object = look_text(l);
	return true;
}

static bool awaited_by_number(struct look_at *l, enum awaited_kind kind)
{
	l->w->kind = kind;
	if (kind != AWAITED_SIGNAL && !l->a->brief) {
		buffer_addf(&l->a->text, "%lu", l->call.id);
		l->w->object = look_text(l);
	}
	return true;
}

/* The cgroup of version 2: `0::/system.slice/x.service`. */
static void awaited_cgroup(struct look_at *l)
{
	char text[4096], *at;

	if (smallfile_read(l->process->proc_fd, "cgroup", text, sizeof(text)) <= 0)
		return;
	at = strstr(text, "0::/");
	if (at && l->a->peers)
		l->w->object = arena_copy(l->arena, at + 3, strcspn(at + 3, "\n"));
}

/* Waits that come amid any call or none, by the kernel's function: for a page that a program
 * brings, and for the end of a freeze. */
static bool awaited_anywhere(struct look_at *l)
{
	char name[48], text[64];

	snprintf(name, sizeof(name), "task/%d/wchan", l->tid);
	if (smallfile_read(l->process->proc_fd, name, text, sizeof(text)) <= 0)
		return false;
	if (!strcmp(text, "handle_userfault"))
		l->w->kind = AWAITED_FAULT;
	if (!strcmp(text, "do_freezer_trap"))
		l->w->kind = AWAITED_FREEZER;
	if (l->w->kind == AWAITED_FREEZER)
		awaited_cgroup(l);
	return l->w->kind != AWAITED_NONE;
}

/* Who has stopped it. */
static bool awaited_tracer(struct look_at *l)
{
	char name[TRACER_NAME] = "";

	l->w->peer = process_tracer(l->tid, name);
	l->w->kind = l->w->peer ? AWAITED_TRACER : AWAITED_NONE;
	snprintf(l->w->command, sizeof(l->w->command), "%s", name);
	return l->w->peer;
}

/* In no call, but asleep: it has touched a page that is not there. */
static bool awaited_page(struct look_at *l, const struct call *call)
{
	if (call->number >= 0 || l->state != 'D')
		return false;
	l->w->kind = AWAITED_PAGE;
	return true;
}

static bool awaited_by_call(struct look_at *l)
{
	switch (l->call.on) {
	case WAIT_ON_NOTHING:
		return false;
	case WAIT_ON_QUEUE:
	case WAIT_ON_DESCRIPTOR:
	case WAIT_ON_ROOM:
	case WAIT_ON_RING:
		l->w->fd = l->call.fd;
		l->for_room = l->call.on == WAIT_ON_ROOM;
		if (!look_at_descriptor(l, l->call.fd))
			return false;
		if (l->call.on == WAIT_ON_QUEUE)
			l->w->kind = AWAITED_QUEUE; /* of POSIX: its link is that of a file */
		return true;
	case WAIT_ON_POLL:
	case WAIT_ON_EPOLL:
	case WAIT_ON_SELECT:
		l->w->fd = l->call.fd;
		return look_at_events(l);
	case WAIT_ON_CHILD:
		return awaited_child(l);
	case WAIT_ON_FILE_LOCK:
		return awaited_file_lock(l);
	case WAIT_ON_SIGNAL:
		return awaited_by_number(l, AWAITED_SIGNAL);
	case WAIT_ON_MESSAGE:
		return awaited_by_number(l, AWAITED_QUEUE);
	case WAIT_ON_SEMAPHORE:
		return awaited_by_number(l, AWAITED_SEMAPHORE);
	case WAIT_ON_TIME:
		return awaited_time(l);
	}
	return false;
}

bool awaited_look(struct awaits *a, const struct process *process, pid_t tid, char state,
		  const struct call *call, struct arena *arena, struct awaited *w)
{
	struct look_at l = { a, process, tid, state, waitcall_of(call), false, arena, w };
	bool known;

	*w = (struct awaited){ .fd = -1, .peer_call = -1 };
	a->text.len = 0;
	if (strchr("Tt", state))
		known = a->peers && !a->brief && awaited_tracer(&l);
	else
		known = ((!a->brief || call->number < 0) && awaited_anywhere(&l)) ||
			awaited_page(&l, call) || awaited_by_call(&l);
	if (!known || w->kind == AWAITED_NONE) {
		*w = (struct awaited){ .fd = -1, .peer_call = -1 };
		return false;
	}
	return true;
}

const char *awaited_kind_name(enum awaited_kind kind)
{
	static const char *const names[AWAITED_KINDS] = {
		[AWAITED_TCP] = "tcp",
		[AWAITED_UDP] = "udp",
		[AWAITED_UNIX] = "unix socket",
		[AWAITED_SOCKET] = "socket",
		[AWAITED_PIPE] = "pipe",
		[AWAITED_FIFO] = "FIFO",
		[AWAITED_TERMINAL] = "terminal",
		[AWAITED_FILE] = "file",
		[AWAITED_DEVICE] = "device",
		[AWAITED_EVENTS] = "event loop",
		[AWAITED_EVENTFD] = "eventfd",
		[AWAITED_TIMER] = "timer",
		[AWAITED_SIGNAL] = "signal",
		[AWAITED_NOTICES] = "inotify",
		[AWAITED_CHILD] = "child",
		[AWAITED_FILE_LOCK] = "file lock",
		[AWAITED_QUEUE] = "message queue",
		[AWAITED_SEMAPHORE] = "semaphores",
		[AWAITED_RING] = "io_uring",
		[AWAITED_SLEEP] = "sleep",
		[AWAITED_FAULT] = "userfaultfd",
		[AWAITED_PAGE] = "page",
		[AWAITED_FREEZER] = "cgroup freezer",
		[AWAITED_TRACER] = "tracer",
	};

	return kind < AWAITED_KINDS ? names[kind] : NULL;
}
