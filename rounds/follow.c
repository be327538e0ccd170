/*
 * Each look reads all of /proc, two to four times a second and only while there is no target.
 * Rejected: the kernel's process events (netlink) and cgroup.procs with inotify. They require
 * privileges or a mounted hierarchy, and do not report the processes that exist already.
 *
 * In a cgroup a process of the same program as before is taken at once. Another program may be a
 * unit's preparation or a shell about to exec, so it is taken only when it has lived for
 * SETTLED_NS, is not below another process of the cgroup, and is not of our session (a shell that
 * starts us in a container is in the target's cgroup, too).
 */
#include "rounds/follow.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/named.h"

static const uint64_t SETTLED_NS = 2 * NS_PER_S;

struct follow {
	char *name;	    /* by name; NULL: by cgroup */
	char *cgroup;	    /* "/system.slice/redis.service" */
	char exe[PATH_MAX]; /* program of the previous process, "" when unknown */
	char text[300];
	int proc_fd;
};

void follow_free(struct follow *f)
{
	if (!f)
		return;
	if (f->proc_fd >= 0)
		close(f->proc_fd);
	free(f->name);
	free(f->cgroup);
	free(f);
}

const char *follow_text(const struct follow *f)
{
	return f->text;
}

static int follow_make(struct follow **out, struct error *err)
{
	struct follow *f = calloc(1, sizeof(*f));

	if (!f)
		return error_nomem(err);
	f->proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->proc_fd < 0) {
		free(f);
		return error_errno(err, ERR_IO, "cannot open '/proc'");
	}
	*out = f;
	return 0;
}

/* Reads a file below /proc/PID as a string. Its length, 0 when it cannot be read. */
static size_t follow_read_text(const struct follow *f, pid_t pid, const char *name, char *out,
			       size_t room)
{
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%d/%s", pid, name);
	fd = openat(f->proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read(fd, out, room - 1);
	close(fd);
	out[len > 0 ? len : 0] = '\0';
	return len > 0 ? (size_t)len : 0;
}

/* Reads the program's path, without the suffix that the kernel adds when the file is gone. */
static bool read_exe(const struct follow *f, pid_t pid, char exe[PATH_MAX])
{
	static const char gone[] = " (deleted)";
	char path[64];
	ssize_t len;

	snprintf(path, sizeof(path), "%d/exe", pid);
	len = readlinkat(f->proc_fd, path, exe, PATH_MAX - 1);
	exe[len > 0 ? len : 0] = '\0';
	if (len > (ssize_t)sizeof(gone) && !strcmp(exe + len - (sizeof(gone) - 1), gone))
		exe[len - (ssize_t)(sizeof(gone) - 1)] = '\0';
	return len > 0;
}

/* The unified hierarchy's line "0::PATH", or systemd's own in cgroup v1 (cgroups(7)). */
static bool find_cgroup(char *text, const char **path)
{
	const char *named = NULL;

	*path = NULL;
	for (char *line; (line = strsep(&text, "\n"));) {
		char *systemd = strstr(line, ":name=systemd:");

		if (!strncmp(line, "0::", 3))
			*path = line + 3;
		else if (systemd)
			named = systemd + strlen(":name=systemd:");
	}
	if (named && (!*path || !strcmp(*path, "/")))
		*path = named;
	return *path && **path;
}

static bool in_cgroup(const struct follow *f, pid_t pid)
{
	char text[8192];
	const char *path;

	return follow_read_text(f, pid, "cgroup", text, sizeof(text)) && find_cgroup(text, &path) &&
	       !strcmp(path, f->cgroup);
}

int follow_name(struct follow **f, const char *name, struct error *err)
{
	int rc = follow_make(f, err);

	if (rc)
		return rc;
	(*f)->name = strdup(name);
	snprintf((*f)->text, sizeof((*f)->text), "the next '%s'", name);
	if ((*f)->name)
		return 0;
	follow_free(*f);
	*f = NULL;
	return error_nomem(err);
}

static int take_cgroup(struct follow *f, pid_t pid, struct error *err)
{
	char text[8192];
	const char *path, *unit;

	if (!follow_read_text(f, pid, "cgroup", text, sizeof(text)))
		return error_set(err, ERR_GONE, "no process %d", pid);
	if (!find_cgroup(text, &path) || !strcmp(path, "/"))
		return error_set(err, ERR_NOTFOUND,
				 "process %d is in no unit or cgroup of its own: "
				 "there is nothing to follow (--wait-for follows a name)",
				 pid);
	f->cgroup = strdup(path);
	if (!f->cgroup)
		return error_nomem(err);
	unit = strrchr(path, '/');
	snprintf(f->text, sizeof(f->text), "the next process of %s",
		 unit && unit[1] ? unit + 1 : path);
	read_exe(f, pid, f->exe);
	return 0;
}

int follow_cgroup(struct follow **f, pid_t pid, struct error *err)
{
	int rc = follow_make(f, err);

	if (!rc)
		rc = take_cgroup(*f, pid, err);
	if (rc && *f) {
		follow_free(*f);
		*f = NULL;
	}
	return rc;
}

/* The choice. */

static bool has_settled(const struct named *c)
{
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t since = c->start_ticks / hz * NS_PER_S + c->start_ticks % hz * NS_PER_S / hz;

	return clock_ns(CLOCK_BOOTTIME) >= since + SETTLED_NS;
}

/* How well a process fits: 2: take it at once; 1: if no other fits better; 0: not at all. */
static int follow_fits(const struct follow *f, const struct named *c, int dir)
{
	char exe[PATH_MAX];

	if (f->name)
		return named_has(c, dir, f->name) ? 2 : 0;
	if (!in_cgroup(f, c->pid))
		return 0;
	if (*f->exe && read_exe(f, c->pid, exe) && !strcmp(exe, f->exe))
		return in_cgroup(f, c->parent) && c->parent != getppid() ? 1 : 2;
	return has_settled(c) && c->session != getsid(0) && !in_cgroup(f, c->parent);
}

struct follow_search {
	const struct follow *f;
	struct named best;
	int best_fit;
};

static void follow_take(void *ctx, const struct named *n, int dir)
{
	struct follow_search *s = ctx;
	int fit = n->parent == getpid() ? 0 : follow_fits(s->f, n, dir);

	if (fit > s->best_fit ||
	    (fit && fit == s->best_fit && n->start_ticks < s->best.start_ticks)) {
		s->best = *n;
		s->best_fit = fit;
	}
}

pid_t follow_look(struct follow *f)
{
	struct follow_search s = { .f = f };

	named_each(follow_take, &s, NULL);
	return s.best_fit ? s.best.pid : 0;
}
