/*
 * Finds the processes of a name that was given in place of a number.
 *
 * Rejected: sampling the process if there is one only. A name can mean another process than the
 * user's (a client of the same name, a copy in a container), and the number is one paste away.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/process.h"
#include "cli/common/cli.h"

enum { SHOWN = 8, COMM_LEN = 15 /* TASK_COMM_LEN - 1 */ };

/* By its comm, which the kernel cuts, or by its program's file. */
static bool pidname_has_name(struct process *p, const char *name)
{
	const char *file;

	if (!strncmp(p->comm, name, COMM_LEN) && strlen(p->comm) <= COMM_LEN)
		return strlen(name) >= strlen(p->comm);
	process_read_exe(p);
	file = strrchr(p->exe, '/');
	return file && !strcmp(file + 1, name);
}

static size_t pidname_find(const char *name, pid_t pids[SHOWN])
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t count = 0;

	while (proc && (entry = readdir(proc))) {
		pid_t pid = isdigit((unsigned char)*entry->d_name) ? atoi(entry->d_name) : 0;
		struct process p;

		if (!pid || pid == getpid() || process_open(&p, pid, NULL))
			continue;
		if (process_alive(&p) && pidname_has_name(&p, name) && count++ < SHOWN)
			pids[count - 1] = pid;
		process_close(&p);
	}
	if (proc)
		closedir(proc);
	return count;
}

static bool any_reachable(const pid_t *pids, size_t count)
{
	struct error why;

	for (size_t i = 0; i < count; i++)
		if (!process_may_trace(pids[i], &why))
			return true;
	return false;
}

bool pids_fewer(pid_t *pids, size_t *count)
{
	size_t before = *count, kept = 0;
	struct error why;

	if (before < 2 || !any_reachable(pids, before))
		return false;
	for (size_t i = 0; i < before; i++)
		if (!process_may_trace(pids[i], &why))
			pids[kept++] = pids[i];
		else
			cli_say("left out: %s", why.text);
	*count = kept;
	return kept && kept < before;
}

int pidname_explain(const char *name, struct error *err)
{
	pid_t pids[SHOWN];
	size_t count = pidname_find(name, pids);
	char list[SHOWN * 12] = "";

	for (size_t i = 0, at = 0; i < count && i < SHOWN; i++)
		at += (size_t)snprintf(list + at, sizeof(list) - at, i ? ",%d" : "%d", pids[i]);
	if (!count)
		return error_set(err, ERR_USAGE,
				 "'%s' is no process ID, and no process has that name; expected a "
				 "number from 1 to 4194304",
				 name);
	if (count == 1)
		return error_set(err, ERR_USAGE,
				 "'%s' is no process ID; did you mean -p %s, the process of that "
				 "name?",
				 name, list);
	return error_set(err, ERR_USAGE,
			 "'%s' is no process ID; %zu processes have that name%s: -p %s", name,
			 count, count > SHOWN ? ", the first" : "", list);
}
