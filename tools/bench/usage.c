/*
 * usage FILE COMMAND [ARG…]: runs the command and writes its CPU seconds, peak
 * resident set (bytes), the time of its end (seconds since 1970) and its exit
 * status to FILE.
 *
 * tools/bench/run cannot measure this itself: a child's peak begins with that of the process
 * it was forked from, and a Python process is larger than what is measured.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct timespec end;
	struct rusage ru;
	int status;
	pid_t pid;
	FILE *out;

	if (argc < 3)
		return 2;
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	signal(SIGINT, SIG_IGN);
	if (pid < 0 || wait4(pid, &status, 0, &ru) != pid)
		return 1;
	clock_gettime(CLOCK_REALTIME, &end);
	out = fopen(argv[1], "w");
	if (!out)
		return 1;
	fprintf(out, "%.6f %ld %.6f %d\n", seconds(ru.ru_utime) + seconds(ru.ru_stime),
		ru.ru_maxrss * 1024, (double)end.tv_sec + (double)end.tv_nsec / 1e9,
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return fclose(out) != 0;
}
