#include "cli/defaultname.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "target/process.h"

void default_name(const struct process *p, const char *ending, char *name, size_t room)
{
	char when[32], comm[sizeof(p->comm)];
	time_t now = time(NULL);
	struct tm tm;

	snprintf(comm, sizeof(comm), "%s", p->comm);
	for (char *c = comm; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+",
			    *c))
			*c = '_';
	gmtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &tm);
	snprintf(name, room, "sampler.%s.%d.%s%s", comm, p->pid, when, ending);
}
