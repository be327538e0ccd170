/* Each question reads /proc/TID/stat or status anew. A thread that is gone counts as asleep and as
 * dying, so that nothing waits for it. */
#include "sampler/thread/dispositions.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/process/process.h"
#include "base/smallfile.h"
#include "sampler/thread/taskfiles.h"

enum {
	LOOKS_MIN = 20,
};

/* Reads a file of the thread as text, cut off where `room` ends. On failure the text is empty. */
static void read_thread_file(pid_t tid, const char *name, char *text, size_t room)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	smallfile_read(AT_FDCWD, path, text, room);
}

/* False if it is gone. */
static bool dispositions_read_stat(pid_t tid, struct thread_stat *s)
{
	char text[512];

	read_thread_file(tid, "stat", text, sizeof(text));
	return thread_stat_parse(text, s);
}

static bool is_asleep(pid_t tid)
{
	struct thread_stat s;

	return !dispositions_read_stat(tid, &s) || strchr("SD", s.state);
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
	struct thread_stat s;

	return !dispositions_read_stat(tid, &s) || s.flags & THREAD_DYING;
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
