/* One read of /proc/PID/stat rules most processes out. Only then the link to the program is read,
 * and last the arguments. */
#include "base/process/named.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/process/arguments.h"
#include "base/process/process.h"
#include "base/process/script.h"

enum {
	COMM_KEPT = 15,		      /* TASK_COMM_LEN - 1 */
	PF_KTHREAD_FLAG = 0x00200000, /* PF_KTHREAD in the kernel's include/linux/sched.h */
	FIELD_PARENT = 4,
	FIELD_SESSION = 6,
	ARGUMENTS_ROOM = 8192,
	ANCESTORS_MAX = 256, /* numbers may be used again while parents are followed */
};

static size_t named_read_text(int dir, const char *name, char *text, size_t room)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? 0 : read(fd, text, room - 1);

	descriptor_close(&fd);
	text[len > 0 ? len : 0] = '\0';
	return len > 0 ? (size_t)len : 0;
}

/* "PID (comm) S …": the name may hold anything, so the last ')' ends it. Returns the state. */
static char named_take_comm(struct named *n, const char *text)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');

	if (!open || !close || close < open || close[1] != ' ')
		return 'X';
	snprintf(n->comm, sizeof(n->comm), "%.*s", (int)(close - open - 1), open + 1);
	return close[2];
}

bool named_read(struct named *n, int dir, pid_t pid)
{
	uint64_t fields[STAT_FIELDS];
	char text[1024], state;
	size_t len = named_read_text(dir, "stat", text, sizeof(text));

	*n = (struct named){ .pid = pid, .master = pid };
	if (!process_stat_parse(text, len, STAT_ARG_END, fields))
		return false;
	state = named_take_comm(n, text);
	n->parent = (pid_t)fields[FIELD_PARENT];
	n->session = (pid_t)fields[FIELD_SESSION];
	n->start_ticks = fields[STAT_STARTTIME];
	n->cpu_ticks = fields[STAT_UTIME] + fields[STAT_STIME];
	n->args_start = fields[STAT_ARG_START];
	n->args_end = fields[STAT_ARG_END];
	return state != 'Z' && state != 'X' && !(fields[STAT_FLAGS] & PF_KTHREAD_FLAG);
}

/* Does the comm fit that the kernel has cut? */
static bool comm_begins(const char *comm, const char *name)
{
	return strlen(comm) == COMM_KEPT && !strncmp(comm, name, COMM_KEPT);
}

static const char *named_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Reads the program's file name; "" if it is not known. */
static void named_read_program(int dir, char program[NAME_MAX + 1])
{
	char exe[PATH_MAX];
	ssize_t len = readlinkat(dir, "exe", exe, sizeof(exe) - 1);
	char *gone;

	exe[len > 0 ? len : 0] = '\0';
	gone = strstr(named_base(exe), " (deleted)");
	if (gone && !gone[strlen(" (deleted)")])
		*gone = '\0';
	snprintf(program, NAME_MAX + 1, "%.255s", named_base(exe));
}

/* The first word of argv[0], without folders and the ':' that ends the name in a title. */
static void named_first_word(const char *arguments, char word[NAME_MAX + 1])
{
	char first[PATH_MAX];
	size_t len = strcspn(arguments, " ");

	snprintf(first, sizeof(first), "%.*s", (int)len, arguments);
	snprintf(word, NAME_MAX + 1, "%.255s", named_base(first));
	len = strlen(word);
	if (len && word[len - 1] == ':')
		word[len - 1] = '\0';
}

/* Is the name in the arguments? `program` is the interpreter's name, if it is one. */
static bool arguments_name(const struct named *n, const char *program, const char *name)
{
	char text[ARGUMENTS_ROOM], word[NAME_MAX + 1];
	size_t len = arguments_read(n->pid, n->args_start, n->args_end, text, sizeof(text));
	const char *script;

	if (!len)
		return false;
	named_first_word(text, word);
	if (!strcmp(word, name))
		return true;
	script = script_find(*program ? program : word, text, len);
	return script && !strcmp(named_base(script), name);
}

bool named_has(const struct named *n, int dir, const char *name)
{
	char program[NAME_MAX + 1];

	if (!*name)
		return false;
	if (!strcmp(n->comm, name))
		return true;
	named_read_program(dir, program);
	if (!strcmp(program, name))
		return true;
	/* Where the program's name was cut, the whole of it has decided. */
	if (comm_begins(n->comm, name) && strncmp(program, n->comm, COMM_KEPT) != 0)
		return true;
	return arguments_name(n, program, name);
}

int named_each(named_visit *visit, void *ctx, struct error *err)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	struct named n;

	if (!proc)
		return error_errno(err, ERR_IO, "cannot open '/proc'");
	while ((entry = readdir(proc))) {
		pid_t pid = isdigit((unsigned char)*entry->d_name) ? atoi(entry->d_name) : 0;
		int dir = pid && pid != getpid() ? openat(dirfd(proc), entry->d_name,
							  O_PATH | O_DIRECTORY | O_CLOEXEC) :
						   -1;

		if (dir >= 0 && named_read(&n, dir, pid))
			visit(ctx, &n, dir);
		descriptor_close(&dir);
	}
	closedir(proc);
	return 0;
}

/* The search. */

struct named_search {
	struct named_list *list;
	const char *name;
	int rc;
};

static int named_add(struct named_list *l, const struct named *n)
{
	size_t room = l->room ? 2 * l->room : 16;
	struct named *more;

	if (l->count == l->room) {
		more = realloc(l->of, room * sizeof(*more));
		if (!more)
			return ERR_NOMEM;
		l->of = more;
		l->room = room;
	}
	l->of[l->count++] = *n;
	return 0;
}

static void take_if_named(void *ctx, const struct named *n, int dir)
{
	struct named_search *s = ctx;

	if (!s->rc && named_has(n, dir, s->name))
		s->rc = named_add(s->list, n);
}

static const struct named *named_in(const struct named_list *l, pid_t pid)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->of[i].pid == pid)
			return &l->of[i];
	return NULL;
}

static pid_t parent_of(pid_t pid)
{
	char path[32];
	struct named n;
	int dir;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || !named_read(&n, dir, pid))
		n.parent = 0;
	descriptor_close(&dir);
	return n.parent;
}

/* The ancestors between the two may have other names, as a shell or a supervisor has. */
static void find_master(const struct named_list *l, struct named *n)
{
	pid_t pid = n->parent;

	for (int left = ANCESTORS_MAX; left && pid > 0; left--) {
		const struct named *known = named_in(l, pid);

		if (known)
			n->master = pid;
		pid = known ? known->parent : parent_of(pid);
	}
}

int named_find(struct named_list *l, const char *name, struct error *err)
{
	struct named_search s = { .list = l, .name = name };
	int rc;

	*l = (struct named_list){ 0 };
	rc = named_each(take_if_named, &s, err);
	if (!rc && s.rc)
		rc = error_nomem(err);
	for (size_t i = 0; !rc && i < l->count; i++) {
		find_master(l, &l->of[i]);
		l->masters += l->of[i].master == l->of[i].pid;
	}
	return rc;
}

void named_release(struct named_list *l)
{
	free(l->of);
	*l = (struct named_list){ 0 };
}
