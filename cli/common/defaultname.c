/* The name has comm, with '_' for what a shell or a file system may take amiss, the PID, and the
 * time in UTC, by which names sort. */
#include "cli/common/defaultname.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/process/process.h"

void default_folder_name(const struct process *p, char *name, size_t room)
{
	char comm[sizeof(p->comm)];

	snprintf(comm, sizeof(comm), "%s", p->comm);
	for (char *c = comm; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+",
			    *c))
			*c = '_';
	snprintf(name, room, "sampler.%s.%d", comm, p->pid);
}

void default_name(const struct process *p, const char *ending, char *name, size_t room)
{
	char when[32], folder[sizeof("sampler..-2147483648") + sizeof(p->comm)];
	time_t now = time(NULL);
	struct tm tm;

	default_folder_name(p, folder, sizeof(folder));
	gmtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &tm);
	snprintf(name, room, "%s.%s%s", folder, when, ending);
}
