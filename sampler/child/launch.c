/*
 * The child waits for a byte on a pipe, so that we are its tracer before it
 * executes the command; PTRACE_O_TRACEEXEC then stops it at the moment when the
 * new program is in place. A second pipe, closed by a successful exec, brings
 * back the errno of one that failed.
 */
#include "sampler/child/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/error.h"
#include "sampler/child/priority.h"

static void launch_run_child(char *const *command, int go, int report)
{
	char byte;

	calm(0); /* the command gets the user's priority, not ours */
	if (read(go, &byte, 1) != 1)
		_exit(127);
	execvp(command[0], command);
	if (write(report, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

/* Signals that come before the exec are handed on. True at the exec; false if the child ended. */
static bool reach_exec(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
			return true;
		ptrace(PTRACE_CONT, pid, 0, status >> 16 ? 0 : WSTOPSIG(status));
	}
	return false;
}

static int launch_start(char *const *command, pid_t pid, int go, int report, struct error *err)
{
	int child_errno = 0;

	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEEXEC)) {
		launch_kill(pid);
		return error_errno(err, ERR_PERM, "cannot trace our own child");
	}
	if (write(go, "", 1) != 1) {
		launch_kill(pid);
		return error_errno(err, ERR_IO, "cannot start '%s'", command[0]);
	}
	if (reach_exec(pid))
		return 0;
	if (read(report, &child_errno, sizeof(child_errno)) != sizeof(child_errno))
		child_errno = ECHILD;
	errno = child_errno;
	return error_errno(err, child_errno == ENOENT ? ERR_NOTFOUND : ERR_FORMAT,
			   "cannot run '%s'", command[0]);
}

int launch_command(char *const *command, pid_t *pid, struct error *err)
{
	int go[2] = { -1, -1 }, report[2] = { -1, -1 }, rc;

	if (pipe2(go, O_CLOEXEC) || pipe2(report, O_CLOEXEC)) {
		rc = error_errno(err, ERR_IO, "cannot make a pipe");
		goto out;
	}
	*pid = fork();
	if (*pid == 0)
		launch_run_child(command, go[0], report[1]);
	if (*pid < 0) {
		rc = error_errno(err, ERR_IO, "cannot make a process");
		goto out;
	}
	close(report[1]);
	report[1] = -1;
	rc = launch_start(command, *pid, go[1], report[0], err);
out:
	for (int i = 0; i < 2; i++) {
		descriptor_close(&go[i]);
		descriptor_close(&report[i]);
	}
	return rc;
}

void launch_release(pid_t pid)
{
	ptrace(PTRACE_DETACH, pid, 0, 0);
}

void launch_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
}
