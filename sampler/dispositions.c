#include "sampler/dispositions.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The text of a file of the thread, cut off where the room ends. */
static void read_thread_file(pid_t tid, const char *name, char *text, size_t room)
{
	char path[32];
	ssize_t len = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, text, room - 1);
		close(fd);
	}
	text[len > 0 ? len : 0] = '\0';
}

bool thread_is_asleep(pid_t tid)
{
	char text[128];
	const char *paren;

	read_thread_file(tid, "stat", text, sizeof(text));
	paren = strrchr(text, ')');
	return !paren || strchr("SD", paren[2]);
}

static uint64_t signal_set(const char *text, const char *field)
{
	const char *at = strstr(text, field);

	return at ? strtoull(at + strlen(field), NULL, 16) : 0;
}

bool thread_ignores(pid_t tid, int sig)
{
	bool by_default = sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT;
	uint64_t bit = (uint64_t)1 << (sig - 1);
	char text[4096];

	read_thread_file(tid, "status", text, sizeof(text));
	return signal_set(text, "\nSigIgn:") & bit ||
	       (by_default && !(signal_set(text, "\nSigCgt:") & bit));
}
