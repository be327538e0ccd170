/*
 * The cost of a look decides how often we can look: schedstat takes 0.5 µs, stat 1.7 µs (both
 * through descriptors that are kept open). A thread that slept at the last look and has not been on
 * a CPU since (schedstat's third number counts how often it was put there) still sleeps, so an idle
 * thread costs one schedstat.
 *
 * The number of links of /proc/PID/task is the number of threads plus two (proc_task_getattr() in
 * fs/proc/base.c). As long as it does not change and no listed thread has ended, no thread has
 * started, and the folder need not be read. Where reading it is expensive (many threads, some of
 * which come and go), it takes at most a thirtieth of the time.
 */
#include "sampler/thread/threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "base/process/process.h"
#include "base/room.h"
#include "base/smallfile.h"
#include "sampler/thread/dispositions.h"
#include "sampler/thread/openfiles.h"

enum { SCAN_COST_FACTOR = 30, FILES_OF_A_THREAD = 7, TABLE_LEAST = 16384 };

struct threads {
	const struct process *process;
	struct thread *all;
	uint32_t count;
	size_t room, seen_room, due_room;
	size_t alive;
	struct hashindex index; /* tid -> the newest thread with that number */
	nlink_t links;
	bool first_scan, some_ended;
	size_t files, files_max;	   /* descriptors that are open; how many may be */
	uint64_t scan_ns, scan_cost_ns;	   /* when the folder was last read; its CPU time */
	uint64_t known_ns;		   /* when all threads were known last */
	uint32_t scan;			   /* number of the last reading */
	nlink_t listed;			   /* threads that it found alive */
	uint32_t *seen_in;		   /* by thread index: the last reading that found it */
	uint64_t *due;			   /* by thread index, see threads_due */
	uint32_t brief[THREADS_BRIEF + 1]; /* indices of threads_brief's entries */
	uint32_t brief_count;
};

/* Where threads share a table of descriptors, its growth waits for an RCU grace period
 * (expand_fdtable() in fs/file.c): in a tick, beside a thousand runnable threads, for up to 18 s.
 * So it grows before the sampling threads begin, to twice what is needed now. */
static void reserve_files(const struct threads *t)
{
	size_t wanted = 2 * FILES_OF_A_THREAD * (size_t)t->count + OPENFILES_OTHER;
	int fd;

	if (wanted < TABLE_LEAST)
		wanted = TABLE_LEAST;
	if (wanted > 2 * t->files_max + OPENFILES_OTHER)
		wanted = 2 * t->files_max + OPENFILES_OTHER;
	fd = fcntl(t->process->proc_fd, F_DUPFD_CLOEXEC, (int)wanted - 1);
	descriptor_close(&fd);
}

int threads_new(struct threads **out, const struct process *process, bool old, struct error *err)
{
	struct threads *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return error_nomem(err);
	t->files_max = openfiles_for_threads();
	t->process = process;
	t->known_ns = monotonic_ns();
	t->first_scan = old;
	rc = threads_refresh(t, 0, err);
	if (!rc && old)
		reserve_files(t);
	t->first_scan = false;
	if (rc && rc != ERR_GONE) {
		threads_free(t);
		return rc;
	}
	*out = t;
	return rc;
}

static void threads_close_files(struct threads *t, struct thread *thread)
{
	int *const fds[] = { &thread->schedstat_fd, &thread->stat_fd, &thread->syscall_fd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
		if (*fds[i] < 0)
			continue;
		close(*fds[i]);
		*fds[i] = -1;
		t->files--;
	}
}

void threads_free(struct threads *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->count; i++) {
		threads_close_files(t, &t->all[i]);
		interp_place_release(&t->all[i].runtimes.interp);
		stackplan_release(&t->all[i].copies.far);
	}
	free(t->all);
	free(t->seen_in);
	free(t->due);
	hashindex_release(&t->index);
	free(t);
}

static int open_task_file(const struct threads *t, pid_t tid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "task/%d/%s", tid, name);
	return process_openat(t->process, path, O_RDONLY);
}

/* As open_task_file, for a descriptor that is kept open; -1 when too many are. */
static int keep_task_file(struct threads *t, pid_t tid, const char *name)
{
	int fd = t->files < t->files_max ? open_task_file(t, tid, name) : -1;

	t->files += fd >= 0;
	return fd;
}

/* Reads a small file of the thread; returns its length, or -1. If `fd` is -1, because descriptors
 * are limited, the file is opened for this one time. */
static ssize_t read_task_file(const struct threads *t, const struct thread *thread, int fd,
			      const char *name, char *text, size_t room)
{
	int own = fd < 0 ? open_task_file(t, thread->tid, name) : -1;
	ssize_t len = smallfile_text(fd < 0 ? own : fd, text, room);

	descriptor_close(&own);
	return len > 0 ? len : -1;
}

bool thread_counters(const struct threads *t, const struct thread *thread, struct schedstat *s)
{
	char text[96];
	ssize_t len = read_task_file(t, thread, thread->schedstat_fd, "schedstat", text,
				     sizeof(text));

	return len > 0 && schedstat_parse(text, (size_t)len, s);
}

/* Returns the state. */
static char threads_read_state(const struct threads *t, struct thread *thread)
{
	struct thread_stat now;
	char text[512];

	if (read_task_file(t, thread, thread->stat_fd, "stat", text, sizeof(text)) < 0 ||
	    !thread_stat_parse(text, &now))
		return 'X';
	memcpy(thread->name, now.name, sizeof(thread->name));
	thread->flags = now.flags;
	thread->ticks = (struct thread_ticks){ now.user, now.system };
	thread->cpu = now.cpu;
	thread->realtime = now.realtime;
	return now.state;
}

static void set_ended(struct threads *t, struct thread *thread)
{
	if (thread->ended)
		return;
	thread->ended = true;
	t->due[thread->index] = THREAD_NEVER;
	thread->ended_ns = monotonic_ns();
	thread->alive_ns += (thread->ended_ns - thread->alive_ns) / 2;
	t->alive--;
	t->some_ended = true;
	threads_close_files(t, thread);
}

static bool has_tid(const void *owner, uint32_t id, const void *key)
{
	const struct thread *thread = &((const struct threads *)owner)->all[id];

	return thread->tid == *(const pid_t *)key && !thread->ended;
}

static int threads_make_room(struct threads *t)
{
	size_t need = t->count + 1ul;

	if (room_for((void **)&t->all, &t->room, need, sizeof(*t->all)) ||
	    room_for((void **)&t->seen_in, &t->seen_room, need, sizeof(*t->seen_in)) ||
	    room_for((void **)&t->due, &t->due_room, need, sizeof(*t->due)))
		return ERR_NOMEM;
	return 0;
}

static int threads_add(struct threads *t, pid_t tid)
{
	struct thread thread = { .tid = tid,
				 .index = t->count,
				 .stat_fd = -1,
				 .syscall_fd = -1,
				 .newest = { .stack = NO_STACK } };
	struct schedstat now;

	if (threads_make_room(t))
		return ERR_NOMEM;
	thread.schedstat_fd = keep_task_file(t, tid, "schedstat");
	if (!thread_counters(t, &thread, &now) ||
	    (thread.state = threads_read_state(t, &thread)) == 'X') {
		threads_close_files(t, &thread);
		return 0;
	}
	thread.cpu_ns = now.cpu_ns;
	thread.wait_ns = thread.wall.wait_from = now.wait_ns;
	thread.wait_first = t->first_scan ? now.wait_ns : 0;
	if (t->first_scan) {
		thread.cpu_first = thread.cpu_ns;
		thread.ticks_first = thread.ticks;
	}
	thread.slices = now.slices;
	/* It began between the last time at which all threads were known and now. */
	thread.alive_ns = monotonic_ns();
	thread.seen_ns = t->known_ns + (thread.alive_ns - t->known_ns) / 2;
	thread.wall.from = thread.seen_ns;
	if (hashindex_add(&t->index, hash_bytes(&tid, sizeof(tid)), t->count)) {
		threads_close_files(t, &thread);
		return ERR_NOMEM;
	}
	t->seen_in[t->count] = t->scan;
	t->due[t->count] = 0;
	t->all[t->count++] = thread;
	t->alive++;
	t->listed++;
	return 0;
}

void threads_close(struct threads *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		threads_close_files(t, &t->all[i]);
}

void threads_count_from(struct threads *t, uint64_t now_ns)
{
	struct schedstat now;

	for (uint32_t i = 0; i < t->count; i++) {
		struct thread *thread = &t->all[i];

		thread->seen_ns = thread->wall.from = now_ns;
		if (!thread_counters(t, thread, &now))
			continue;
		thread->cpu_first = thread->cpu_ns = now.cpu_ns;
		threads_read_state(t, thread);
		thread->ticks_first = thread->ticks;
		thread->wall.wait_from = thread->wait_first = thread->wait_ns = now.wait_ns;
	}
}

static int threads_scan(struct threads *t, DIR *dir)
{
	struct dirent *e;

	while ((e = readdir(dir))) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
		uint32_t at;

		if (tid <= 0)
			continue;
		at = hashindex_find(&t->index, hash_bytes(&tid, sizeof(tid)), has_tid, t, &tid);
		if (at != HASHINDEX_NONE) {
			t->seen_in[at] = t->scan;
			t->listed++;
		} else if (threads_add(t, tid)) {
			return ERR_NOMEM;
		}
	}
	return 0;
}

/* Marks threads that the folder does not list any more as ended. (A folder that changes while it is
 * read may hide a living thread, so each thread's own file is tried.) */
static void threads_sweep(struct threads *t)
{
	struct schedstat now;

	for (uint32_t i = 0; i < t->count; i++)
		if (!t->all[i].ended && t->seen_in[i] != t->scan &&
		    !thread_counters(t, &t->all[i], &now))
			set_ended(t, &t->all[i]);
}

/* Without a descriptor for the folder, the list stays as it was. */
static int refuse_folder(const struct threads *t, struct error *err)
{
	if (errno != EMFILE && errno != ENFILE)
		return error_set(err, ERR_GONE, "process %d has ended", t->process->pid);
	return t->scan ? 0 :
			 error_errno(err, ERR_IO, "cannot list the threads of process %d",
				     t->process->pid);
}

static int threads_read_folder(struct threads *t, struct error *err)
{
	int fd = process_openat(t->process, "task", O_RDONLY | O_DIRECTORY), rc;
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (!dir) {
		rc = refuse_folder(t, err);
		descriptor_close(&fd);
		return rc;
	}
	t->scan++;
	t->listed = 0;
	rc = threads_scan(t, dir);
	closedir(dir);
	threads_sweep(t);
	return rc ? error_nomem(err) : 0;
}

int threads_list(struct threads *t, struct error *err)
{
	uint64_t now = monotonic_ns(), cpu = thread_cpu_ns();
	int rc = threads_read_folder(t, err);

	t->known_ns = now;
	t->scan_ns = monotonic_ns();
	t->scan_cost_ns = thread_cpu_ns() - cpu;
	return rc;
}

bool threads_all_listed(const struct threads *t)
{
	struct stat st;

	return fstatat(t->process->proc_fd, "task", &st, 0) || st.st_nlink <= 2 ||
	       st.st_nlink - 2 == t->listed;
}

uint64_t threads_known_ns(const struct threads *t)
{
	return t->known_ns;
}

int threads_are_listed(struct threads *t, uint64_t begun_ns, struct error *err)
{
	uint64_t now = monotonic_ns();
	struct stat st;

	if (fstatat(t->process->proc_fd, "task", &st, 0))
		return error_set(err, ERR_GONE, "process %d has ended", t->process->pid);
	if (st.st_nlink == t->links && !t->some_ended && begun_ns <= t->known_ns) {
		t->known_ns = now;
		return 0;
	}
	if (now - t->scan_ns < SCAN_COST_FACTOR * t->scan_cost_ns)
		return 0;
	t->links = st.st_nlink;
	t->some_ended = false;
	return ERR_BUSY;
}

int threads_refresh(struct threads *t, uint64_t begun_ns, struct error *err)
{
	int rc = threads_are_listed(t, begun_ns, err);

	return rc == ERR_BUSY ? threads_list(t, err) : rc;
}

struct thread *threads_get(struct threads *t, size_t *count)
{
	*count = t->count;
	return t->all;
}

struct thread *threads_find(const struct threads *t, pid_t tid)
{
	uint32_t at = hashindex_find(&t->index, hash_bytes(&tid, sizeof(tid)), has_tid, t, &tid);

	return at == HASHINDEX_NONE ? NULL : &t->all[at];
}

struct moment_of_thread {
	pid_t tid;
	uint64_t ns;
};

static bool had_tid(const void *owner, uint32_t id, const void *key)
{
	const struct thread *thread = &((const struct threads *)owner)->all[id];
	const struct moment_of_thread *moment = key;

	return thread->tid == moment->tid && (!thread->ended || moment->ns <= thread->ended_ns);
}

struct thread *threads_find_at(const struct threads *t, pid_t tid, uint64_t ns)
{
	const struct moment_of_thread moment = { tid, ns };
	uint32_t at = hashindex_find(&t->index, hash_bytes(&tid, sizeof(tid)), had_tid, t, &moment);

	return at == HASHINDEX_NONE ? NULL : &t->all[at];
}

static struct thread *add_brief(struct threads *t, const char *name)
{
	struct thread *thread;

	if (threads_make_room(t))
		return NULL;
	thread = &t->all[t->count];
	*thread = (struct thread){ .index = t->count,
				   .ended = true,
				   .state = 'X',
				   .schedstat_fd = -1,
				   .stat_fd = -1,
				   .syscall_fd = -1,
				   .newest = { .stack = NO_STACK } };
	strncat(thread->name, name, sizeof(thread->name) - 1);
	t->seen_in[t->count] = 0;
	t->due[t->count] = THREAD_NEVER;
	t->brief[t->brief_count++] = t->count++;
	return thread;
}

struct thread *threads_brief(struct threads *t, const char *name)
{
	for (uint32_t i = 0; i < t->brief_count; i++)
		if (i == THREADS_BRIEF || !strcmp(t->all[t->brief[i]].name, name))
			return &t->all[t->brief[i]];
	return add_brief(t, t->brief_count < THREADS_BRIEF ? name : "");
}

uint64_t *threads_due(struct threads *t)
{
	return t->due;
}

size_t threads_alive(const struct threads *t)
{
	return t->alive;
}

enum look thread_look(struct threads *t, struct thread *thread)
{
	uint64_t last_look = thread->slices == UINT64_MAX ? 0 : thread->alive_ns;
	struct schedstat now;

	if (thread->ended)
		return LOOK_ENDED;
	if (!thread_counters(t, thread, &now)) {
		set_ended(t, thread);
		return LOOK_ENDED;
	}
	thread->alive_ns = monotonic_ns();
	/* A thread's state changes only if it runs, or is woken and runs. */
	if (now.cpu_ns == thread->cpu_ns && now.slices == thread->slices)
		return thread->flags & THREAD_DYING ? LOOK_DYING :
		       thread->state == 'R'	    ? LOOK_RUNNABLE :
						      LOOK_UNMOVED;
	thread->wall.waits_from = last_look;
	thread->cpu_ns = now.cpu_ns;
	thread->wait_ns = now.wait_ns;
	thread->slices = now.slices;
	if (thread->stat_fd < 0)
		thread->stat_fd = keep_task_file(t, thread->tid, "stat");
	thread->state = threads_read_state(t, thread);
	if (thread->state == 'X') {
		set_ended(t, thread);
		return LOOK_ENDED;
	}
	if (thread->flags & THREAD_DYING)
		return LOOK_DYING;
	return thread->state == 'R' ? LOOK_RUNNABLE : LOOK_OFF_CPU;
}

bool thread_read_call(struct threads *t, struct thread *thread, struct call *call)
{
	char text[256];
	ssize_t len;

	if (thread->syscall_fd < 0)
		thread->syscall_fd = keep_task_file(t, thread->tid, "syscall");
	len = read_task_file(t, thread, thread->syscall_fd, "syscall", text, sizeof(text));
	return len > 0 && call_parse(text, (size_t)len, call);
}
