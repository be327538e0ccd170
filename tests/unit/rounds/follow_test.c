/* Processes started here are found by name and by cgroup. All names have our number: this suite may
 * run twice at the same time, plain and sanitized. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "rounds/follow.h"

/* Starts a process of that name and waits until it runs. It is a grandchild, because our children
 * are not followed. */
static pid_t started(const char *name, const char *cgroup)
{
	int fds[2];
	pid_t child, pid = 0;

	cr_assert(pipe(fds) == 0);
	child = fork();
	if (child == 0) {
		pid = fork();
		if (pid == 0) {
			setsid();
			prctl(PR_SET_NAME, name);
			if (cgroup) {
				int fd = open(cgroup, O_WRONLY);

				if (fd < 0 || write(fd, "0", 1) != 1)
					_exit(1);
			}
			pid = getpid();
			if (write(fds[1], &pid, sizeof(pid)) == sizeof(pid))
				pause();
		}
		_exit(0);
	}
	close(fds[1]);
	cr_assert(read(fds[0], &pid, sizeof(pid)) == sizeof(pid));
	close(fds[0]);
	waitpid(child, NULL, 0);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	while (kill(pid, 0) == 0)
		usleep(1000);
}

Test(follow, by_name)
{
	char name[16], text[40];
	struct follow *f;
	pid_t first, second;

	snprintf(name, sizeof(name), "f) S 1 %d", getpid());
	snprintf(text, sizeof(text), "the next '%s'", name);
	cr_assert(follow_name(&f, name, NULL) == 0);
	cr_expect_str_eq(follow_text(f), text);
	cr_expect(follow_look(f) == 0);
	first = started(name, NULL);
	usleep(20000); /* start times are in ticks of 10 ms */
	second = started(name, NULL);
	cr_expect(follow_look(f) == first, "the older one");
	end(first);
	cr_expect(follow_look(f) == second);
	end(second);
	cr_expect(follow_look(f) == 0);
	follow_free(f);
}

Test(follow, names_are_compared_whole)
{
	static const struct {
		const char *end;
		bool found;
	} cases[] = {
		{ "a-name-that-is-long", true },
		{ "a-name-t", true },
		{ "a-name-", false },
		{ "a-name-x", false },
	};
	char name[40];
	struct follow *f;
	pid_t pid;

	snprintf(name, sizeof(name), "%07da-name-th", getpid());
	pid = started(name, NULL); /* the kernel keeps 15 of 16 characters */
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(name, sizeof(name), "%07d%s", getpid(), cases[i].end);
		cr_assert(follow_name(&f, name, NULL) == 0);
		cr_expect((follow_look(f) == pid) == cases[i].found, "%s", name);
		follow_free(f);
	}
	cr_assert(follow_name(&f, "", NULL) == 0);
	cr_expect(follow_look(f) != pid);
	follow_free(f);
	end(pid);
}

Test(follow, by_the_program_s_file_name)
{
	char exe[4096] = "";
	struct follow *f;
	pid_t pid = started("another", NULL);

	cr_assert(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	cr_assert(follow_name(&f, strrchr(exe, '/') + 1, NULL) == 0);
	cr_expect(follow_look(f) > 0);
	end(pid);
	follow_free(f);
}

Test(follow, none_of_ours)
{
	struct follow *f;
	char name[16]; /* differs from that of another run of this suite */
	pid_t child;

	snprintf(name, sizeof(name), "ours-%d", getpid());
	child = fork();
	if (child == 0) {
		prctl(PR_SET_NAME, name);
		pause();
		_exit(0);
	}
	usleep(50000);
	cr_assert(follow_name(&f, name, NULL) == 0);
	cr_expect(follow_look(f) == 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	follow_free(f);
}

Test(follow, zombies_are_none)
{
	int fds[2];
	struct follow *f;
	char name[16];
	pid_t child;

	snprintf(name, sizeof(name), "zombie-%d", getpid());
	cr_assert(pipe(fds) == 0);
	child = fork();
	if (child == 0) {
		if (fork() == 0) {
			prctl(PR_SET_NAME, name);
			_exit(0);
		}
		cr_assert(waitid(P_ALL, 0, NULL, WEXITED | WNOWAIT) == 0);
		cr_assert(write(fds[1], "x", 1) == 1);
		pause();
		_exit(0);
	}
	cr_assert(read(fds[0], &(char){ 0 }, 1) == 1);
	cr_assert(follow_name(&f, name, NULL) == 0);
	cr_expect(follow_look(f) == 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	follow_free(f);
}

static char folder[64];

static bool make_cgroup(char *procs, size_t room)
{
	snprintf(folder, sizeof(folder), "/sys/fs/cgroup/sampler-follow-%d", getpid());
	snprintf(procs, room, "%s/cgroup.procs", folder);
	return (mkdir(folder, 0755) == 0 || access(folder, F_OK) == 0) && access(procs, W_OK) == 0;
}

Test(follow, by_cgroup)
{
	char procs[200], text[100];
	struct follow *f;
	struct error err;
	pid_t first, second;

	if (!make_cgroup(procs, sizeof(procs)))
		cr_skip_test("no cgroup2 to write to");
	first = started("before", procs);
	cr_assert(follow_cgroup(&f, first, &err) == 0, "%s", err.text);
	snprintf(text, sizeof(text), "the next process of sampler-follow-%d", getpid());
	cr_expect_str_eq(follow_text(f), text);
	end(first);
	cr_expect(follow_look(f) == 0);
	second = started("after", procs);
	cr_expect(follow_look(f) == second);
	end(second);
	follow_free(f);
	rmdir(folder);
}

Test(follow, nothing_to_follow)
{
	struct follow *f = NULL;
	struct error err;

	cr_expect(follow_cgroup(&f, 4194303, &err) == ERR_GONE && !f);
}
