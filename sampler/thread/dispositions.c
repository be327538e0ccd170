/* Each question reads /proc/TID/stat or status anew. A thread that is gone counts as asleep and as
 * dying, so that nothing waits for it. */
#include "sampler/thread/dispositions.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/process/process.h"

enum {
	LOOKS_MIN = 20,
};

/* Reads a file of the thread as text, cut off where `room` ends. On failure the text is empty. */
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

/* Reads the thread's state (field 3 of proc_pid_stat(5)) and flags (9). False if it is gone. */
static bool dispositions_read_stat(pid_t tid, char *state, unsigned *flags)
{
	char text[128];
	const char *paren;

	read_thread_file(tid, "stat", text, sizeof(text));
	paren = strrchr(text, ')');
	return paren && sscanf(paren, ") %c %*d %*d %*d %*d %*d %u", state, flags) == 2;
}

static bool is_asleep(pid_t tid)
{
	unsigned flags;
	char state;

	return !dispositions_read_stat(tid, &state, &flags) || strchr("SD", state);
}

static bool has_signal(pid_t tid)
{
	char text[4096];

	read_thread_file(tid, "status", text, sizeof(text));
	return (process_field(text, "\nSigPnd:", 16) | process_field(text, "\nShdPnd:", 16)) &
	       ~process_field(text, "\nSigBlk:", 16);
}

bool thread_has_settled(pid_t tid, unsigned looks)
{
	return is_asleep(tid) || (looks >= LOOKS_MIN && !has_signal(tid));
}

bool thread_is_dying(pid_t tid)
{
	unsigned flags;
	char state;

	return !dispositions_read_stat(tid, &state, &flags) || flags & THREAD_DYING;
}

/* Whether the thread's process ignores the signal, and whether it has a handler for it. */
static void read_disposition(pid_t tid, int sig, bool *ignored, bool *caught)
{
	uint64_t bit = (uint64_t)1 << (sig - 1);
	char text[4096];

	read_thread_file(tid, "status", text, sizeof(text));
	*ignored = process_field(text, "\nSigIgn:", 16) & bit;
	*caught = process_field(text, "\nSigCgt:", 16) & bit;
}

bool thread_leaves_to_default(pid_t tid, int sig)
{
	bool ignored, caught;

	read_disposition(tid, sig, &ignored, &caught);
	return !ignored && !caught;
}

bool thread_ignores(pid_t tid, int sig)
{
	bool by_default = sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT;
	bool ignored, caught;

	read_disposition(tid, sig, &ignored, &caught);
	return ignored || (by_default && !caught);
}
