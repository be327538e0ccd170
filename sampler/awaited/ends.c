/* The permissions of a link in /proc/PID/fd are how the descriptor is open (tid_fd_update_inode()
 * in fs/proc/fd.c). */
#include "sampler/awaited/ends.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/room.h"
#include "base/sorted.h"

enum {
	ENDS_MOST = 1 << 18,
	ENDS_NS = 500000000, /* a host of ten thousand processes takes a second */
	LINK_ROOM = 64,
};

uint64_t ends_inode(const char *link, const char *kind)
{
	size_t len = strlen(kind);

	return begins_with(link, kind) && begins_with(link + len, ":[") ?
		       strtoull(link + len + 2, NULL, 10) :
		       0;
}

uint64_t ends_fifo(int folder, const char *link)
{
	int flags = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT;
	struct statx st;

	if (statx(folder, link, flags, STATX_TYPE | STATX_INO, &st) || !S_ISFIFO(st.stx_mode))
		return 0;
	return st.stx_ino ^ (uint64_t)st.stx_dev_major << 52 ^ (uint64_t)st.stx_dev_minor << 32;
}

static int ends_add(struct ends *e, pid_t pid, int folder, const char *fd)
{
	char link[LINK_ROOM] = "";
	struct end end = { .pid = pid };
	struct stat st = { 0 };

	if (readlinkat(folder, fd, link, sizeof(link) - 1) < 0)
		return 0;
	end.inode = ends_inode(link, "socket");
	end.socket = end.inode;
	if (!end.inode)
		end.inode = ends_inode(link, "pipe");
	if (!end.inode && *link == '/' && !begins_with(link, "/dev/"))
		end.inode = ends_fifo(folder, fd);
	if (!end.inode)
		return 0;
	if (!end.socket && fstatat(folder, fd, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	end.reads = st.st_mode & S_IRUSR;
	end.writes = st.st_mode & S_IWUSR;
	if (e->count >= ENDS_MOST) {
		e->cut = true;
		return 0;
	}
	if (room_for((void **)&e->ends, &e->room, e->count + 1, sizeof(end)))
		return ERR_NOMEM;
	e->ends[e->count++] = end;
	return 0;
}

static int ends_list_process(struct ends *e, int proc, const char *name)
{
	char path[32];
	struct dirent *entry;
	DIR *folder;
	int fd, rc = 0;

	snprintf(path, sizeof(path), "%.16s/fd", name);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	e->cut |= fd < 0 && errno != ENOENT; /* one that we may not read; others have ended */
	folder = fd < 0 ? NULL : fdopendir(fd);
	if (!folder) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (!rc && (entry = readdir(folder)))
		if (*entry->d_name != '.')
			rc = ends_add(e, (pid_t)strtol(name, NULL, 10), fd, entry->d_name);
	closedir(folder);
	return rc;
}

/* Those of a process together. */
static int ends_order(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	return x->inode == y->inode ? x->pid - y->pid : sorted_order(a, b);
}

/* hidepid hides others without a word, even the first process. */
static bool ends_are_hidden(void)
{
	struct stat st;

	return stat("/proc/1", &st);
}

int ends_list(struct ends *e)
{
	uint64_t until = monotonic_ns() + ENDS_NS;
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int rc = 0;

	*e = (struct ends){ .cut = !proc || ends_are_hidden() };
	while (proc && !rc && (entry = readdir(proc))) {
		if (*entry->d_name < '0' || *entry->d_name > '9')
			continue;
		if (monotonic_ns() > until) {
			e->cut = true;
			break;
		}
		rc = ends_list_process(e, dirfd(proc), entry->d_name);
	}
	if (proc)
		closedir(proc);
	if (e->count)
		qsort(e->ends, e->count, sizeof(*e->ends), ends_order);
	return rc;
}

void ends_release(struct ends *e)
{
	free(e->ends);
	*e = (struct ends){ 0 };
}

pid_t ends_of(const struct ends *e, uint64_t inode, bool socket, bool writes, pid_t but,
	      unsigned *others, bool *has)
{
	size_t i = SORTED_UPTO(e->ends, e->count, inode, inode);
	pid_t found = 0, last = 0;

	*others = 0;
	*has = false;
	while (i-- && e->ends[i].inode == inode) {
		const struct end *end = &e->ends[i];

		if (end->socket != socket || end->pid == last ||
		    (!socket && !(writes ? end->writes : end->reads)))
			continue;
		*has |= end->pid == but;
		if (end->pid == but)
			continue;
		last = end->pid;
		if (found)
			++*others;
		else
			found = end->pid;
	}
	return found;
}
