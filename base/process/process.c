/* All files of /proc/PID are opened with openat(2) below its descriptor; what is known of a
 * process (name, user, number in its own PID namespace, program, width of a word) is read from
 * them here. */
#include "base/process/process.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/file/pathwalk.h"
#include "base/process/machine.h"

static const char DELETED[] = " (deleted)";

enum { DELETED_LEN = sizeof(DELETED) - 1 };

enum { ENVIRON_BYTES = 6 << 20 };

/* What errno means when it came from a file below /proc/PID. */
static int code_of_errno(void)
{
	if (errno == ENOENT || errno == ESRCH)
		return ERR_GONE;
	return errno == EACCES || errno == EPERM ? ERR_PERM : ERR_IO;
}

void process_read_comm(struct process *p)
{
	int fd = process_openat(p, "comm", O_RDONLY);
	ssize_t len = fd < 0 ? 0 : read(fd, p->comm, sizeof(p->comm) - 1);

	if (len > 0)
		p->comm[len - (p->comm[len - 1] == '\n')] = '\0';
	descriptor_close(&fd);
}

bool process_shares_numbers(const struct process *p)
{
	struct stat theirs, ours;

	return !fstatat(p->proc_fd, "ns/pid", &theirs, 0) && !stat("/proc/self/ns/pid", &ours) &&
	       theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev;
}

/* Takes the last number of NSpid (proc_pid_status(5)), if there is one. */
static void take_own_number(const struct buffer *status, pid_t *number)
{
	const char *line = strstr((const char *)status->data, "\nNSpid:"), *tab;

	for (line = line ? line + 7 : NULL;
	     line && (tab = strchr(line, '\t')) && tab < strchrnul(line, '\n');)
		*number = (pid_t)strtol(line = tab + 1, NULL, 10);
}

pid_t process_own_tid(const struct process *p, pid_t tid)
{
	struct buffer text = { 0 };
	char name[40];
	pid_t own = tid;

	snprintf(name, sizeof(name), "task/%d/status", tid);
	if (!process_read(p, name, &text, NULL) && !buffer_add(&text, "", 1))
		take_own_number(&text, &own);
	buffer_release(&text);
	return own;
}

int process_read_ids(struct process *p)
{
	struct buffer text = { 0 };
	int rc = process_read(p, "status", &text, NULL);
	const char *line;

	if (!rc)
		rc = buffer_add(&text, "", 1);
	if (!rc && (line = strstr((char *)text.data, "\nUid:")))
		sscanf(line, "\nUid: %*d %ld", &p->uid);
	if (!rc)
		take_own_number(&text, &p->own_pid);
	buffer_release(&text);
	return rc;
}

int process_absent(pid_t pid, struct error *err)
{
	int code = code_of_errno();

	if (code == ERR_IO)
		return error_errno(err, code, "cannot look at process %d%s", pid,
				   errno == EMFILE ? " (ulimit -n)" : "");
	if (access("/proc/self/stat", F_OK))
		return error_set(err, ERR_IO,
				 "no /proc is mounted here: without it no process can be seen");
	if (kill(pid, 0) && errno == ESRCH)
		return error_set(err, ERR_GONE, "no process %d", pid);
	return error_set(err, ERR_PERM,
			 "process %d is hidden from this user: /proc is mounted with hidepid "
			 "(proc(5)); root sees it, and so does the group of the mount's gid=",
			 pid);
}

/* pidfd_open(2) takes leaders only. For another thread of a process it fails with EINVAL, or since
 * Linux 6.9 with ENOENT. */
static int no_pidfd(const struct process *p, struct error *err)
{
	if (errno == EINVAL || errno == ENOENT)
		return error_set(err, ERR_GONE,
				 "%d is a thread, not a process; its process is "
				 "the Tgid in '/proc/%d/status'",
				 p->pid, p->pid);
	if (errno == ESRCH)
		return error_set(err, ERR_GONE, "no process %d", p->pid);
	return error_errno(err, ERR_IO, "cannot hold process %d", p->pid);
}

int process_open(struct process *p, pid_t pid, struct error *err)
{
	char path[32];
	int rc;

	memset(p, 0, sizeof(*p));
	p->pid = p->own_pid = pid;
	p->uid = -1;
	p->pid_fd = p->root_fd = -1;
	snprintf(path, sizeof(path), "/proc/%d", pid);
	p->proc_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (p->proc_fd < 0)
		return process_absent(pid, err);
	p->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (p->pid_fd < 0) {
		rc = no_pidfd(p, err);
		process_close(p);
		return rc;
	}
	p->root_fd = process_openat(p, "root", O_PATH | O_DIRECTORY);
	process_read_comm(p);
	process_read_ids(p);
	return 0;
}

void process_close(struct process *p)
{
	descriptor_close(&p->proc_fd);
	descriptor_close(&p->pid_fd);
	descriptor_close(&p->root_fd);
}

int process_openat(const struct process *p, const char *name, int flags)
{
	return openat(p->proc_fd, name, flags | O_CLOEXEC);
}

/* Reads at most `most` bytes. */
static int read_most(const struct process *p, const char *name, size_t most, struct buffer *out,
		     struct error *err)
{
	int fd = process_openat(p, name, O_RDONLY);
	int rc = fd < 0 ? ERR_IO : 0;

	out->len = 0;
	rc = rc ? rc : buffer_read(out, fd, most);
	if (rc == ERR_NOMEM) {
		error_nomem(err);
	} else if (rc) {
		rc = code_of_errno();
		error_errno(err, rc, "cannot read '/proc/%d/%s'", p->pid, name);
	}
	descriptor_close(&fd);
	return rc;
}

int process_read(const struct process *p, const char *name, struct buffer *out, struct error *err)
{
	return read_most(p, name, SIZE_MAX, out, err);
}

uint64_t process_field(const char *text, const char *name, int base)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, base) : 0;
}

int process_read_environ(const struct process *p, struct buffer *out, struct error *err)
{
	return read_most(p, "environ", ENVIRON_BYTES, out, err);
}

const char *process_variable(const void *environment, size_t size, const char *name, size_t *len)
{
	const char *at = environment;
	size_t head = strlen(name);

	for (size_t text; size; at += text, size -= text) {
		text = strnlen(at, size);
		if (text > head && !memcmp(at, name, head) && at[head] == '=') {
			*len = text - head - 1;
			return at + head + 1;
		}
		text += text < size; /* its NUL */
	}
	return NULL;
}

bool process_alive(const struct process *p)
{
	struct pollfd pf = { .fd = p->pid_fd, .events = POLLIN };

	return poll(&pf, 1, 0) <= 0; /* a signal to us ends even this poll with EINTR */
}

int process_cpu_ns(const struct process *p, uint64_t *ns)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(p->pid, &clock) || clock_gettime(clock, &ts))
		return ERR_GONE;
	*ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	return 0;
}

static int process_open_links(const struct process *p, const char *path, unsigned links)
{
	struct pathwalk w;
	int fd;

	if (p->root_fd < 0) {
		errno = ENOENT;
		return -1;
	}
	if (path_walk(&w, p->root_fd, path, WALK_IN_ROOT | links))
		return -1;
	fd = openat(w.dir_fd, w.name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	walk_release(&w);
	return fd;
}

int process_open_path(const struct process *p, const char *path)
{
	return process_open_links(p, path, 0);
}

int process_open_no_link(const struct process *p, const char *path)
{
	return process_open_links(p, path, WALK_LINK_STAYS);
}

static bool is_deleted(const char *path, size_t len)
{
	return len > DELETED_LEN && !memcmp(path + len - DELETED_LEN, DELETED, DELETED_LEN);
}

static bool process_is_named(const struct process *p, const char *path, size_t len, uint64_t inode)
{
	char *name = strndup(path, len);
	int fd = name ? process_open_path(p, name) : -1;
	struct stat st;
	bool same = fd >= 0 && !fstat(fd, &st) && st.st_ino == inode;

	descriptor_close(&fd);
	free(name);
	return same;
}

size_t process_path_len(const struct process *p, const char *path, size_t len, uint64_t inode)
{
	return is_deleted(path, len) && !process_is_named(p, path, len, inode) ? len - DELETED_LEN :
										 len;
}

void process_read_exe(struct process *p)
{
	ssize_t len = readlinkat(p->proc_fd, "exe", p->exe, sizeof(p->exe) - 1);
	struct stat st = { 0 };

	p->exe[len > 0 ? len : 0] = '\0';
	if (len > 0 && is_deleted(p->exe, (size_t)len) && !fstatat(p->proc_fd, "exe", &st, 0))
		p->exe[process_path_len(p, p->exe, (size_t)len, st.st_ino)] = '\0';
}

bool process_stat_parse(const void *text, size_t len, enum process_stat last,
			uint64_t fields[STAT_FIELDS])
{
	const char *name_end = len ? memrchr(text, ')', len) : NULL;
	struct cursor c;

	if (!name_end)
		return false;
	cursor_init(&c, name_end, len - (size_t)(name_end - (const char *)text), "stat");
	cursor_bytes(&c, 3); /* ") S" */
	for (int i = 4; i <= (int)last; i++) {
		cursor_expect(&c, ' ');
		if (cursor_left(&c) && *c.pos == '-')
			cursor_byte(&c);
		fields[i] = cursor_number(&c, 10);
	}
	return !c.failed;
}

static bool has_page_size(const void *auxv, size_t len, size_t word)
{
	struct cursor c;

	cursor_init(&c, auxv, len, "auxiliary vector");
	while (cursor_left(&c) && !c.failed) {
		uint64_t type = cursor_uint(&c, word), value = cursor_uint(&c, word);

		if (!c.failed && type == AT_PAGESZ)
			return value == (uint64_t)sysconf(_SC_PAGESIZE);
	}
	return false;
}

unsigned width_of_auxv(const void *auxv, size_t len)
{
	if (has_page_size(auxv, len, 8))
		return 64;
	return has_page_size(auxv, len, 4) ? 32 : 0;
}

unsigned process_width(const struct process *p)
{
	struct buffer text = { 0 };
	unsigned width = 0;

	if (!process_read(p, "auxv", &text, NULL))
		width = width_of_auxv(text.data, text.len);
	buffer_release(&text);
	return width;
}

int process_check_width(const struct process *p, struct error *err)
{
	if (process_width(p) != 32)
		return 0;
	return error_set(err, ERR_FORMAT,
			 "process %d ('%s') executes 32-bit code: sampler is for " MACHINE_NAME
			 " programs of 64 bits",
			 p->pid, p->comm);
}
