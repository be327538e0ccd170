/* Which names a process has. Processes started here have our number in their names: this suite may
 * run twice at the same time, plain and sanitized. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/arguments.h"
#include "base/process/named.h"
#include "base/process/process.h"

/* Waits until a process that executes a program has its arguments: the kernel closes descriptors
 * before it says where they are (load_elf_binary() in fs/binfmt_elf.c). */
static void await_arguments(pid_t pid)
{
	struct process p;
	char text[8];

	cr_assert(process_open(&p, pid, NULL) == 0);
	for (int left = 5000; left && !process_arguments(&p, text, sizeof(text)); left--)
		usleep(1000);
	process_close(&p);
}

/* A child of that comm, which waits, or executes `argv` first. */
static pid_t begun(const char *comm, const char **argv)
{
	int fds[2];
	pid_t pid;
	char end;

	cr_assert(pipe2(fds, O_CLOEXEC) == 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (comm)
			prctl(PR_SET_NAME, comm);
		if (argv)
			execv("/bin/sh", (char **)argv);
		close(fds[1]);
		pause();
		_exit(1);
	}
	close(fds[1]);
	cr_assert(read(fds[0], &end, 1) == 0);
	close(fds[0]);
	if (argv)
		await_arguments(pid);
	return pid;
}

static void killed(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool has(pid_t pid, const char *name)
{
	struct process p;
	struct named n;
	bool yes;

	cr_assert(process_open(&p, pid, NULL) == 0);
	yes = named_read(&n, p.proc_fd, pid) && named_has(&n, p.proc_fd, name);
	process_close(&p);
	return yes;
}

Test(named, by_comm_whole)
{
	pid_t pid = begun("a) S (b", NULL);

	cr_expect(has(pid, "a) S (b"));
	cr_expect_not(has(pid, "a) S (B"));
	cr_expect_not(has(pid, "a) S ("));
	cr_expect_not(has(pid, "a) S (b "));
	cr_expect_not(has(pid, ""));
	killed(pid);
}

Test(named, a_longer_name_fits_the_comm_that_was_cut)
{
	pid_t pid = begun("fifteen-letters", NULL), shorter = begun("fourteen-lette", NULL);

	cr_expect(has(pid, "fifteen-letters-and-more"));
	cr_expect_not(has(pid, "fifteen-letter"));
	cr_expect_not(has(shorter, "fourteen-letters"));
	killed(pid);
	killed(shorter);
}

Test(named, by_the_first_word_of_its_title)
{
	const char *title[] = { "shop-fpm: pool www /x/other", "-c", "kill -STOP $$", NULL };
	const char *path[] = { "/opt/shop/shop-server *:6379", "-c", "kill -STOP $$", NULL };
	pid_t pool = begun(NULL, title), server = begun(NULL, path);

	cr_expect(has(pool, "shop-fpm"));
	cr_expect_not(has(pool, "shop-fpm:"));
	cr_expect_not(has(pool, "other"));
	cr_expect_not(has(pool, "www"));
	cr_expect(has(server, "shop-server"));
	cr_expect_not(has(server, "shop"));
	killed(pool);
	killed(server);
}

Test(named, by_the_script_of_an_interpreter)
{
	char name[60];
	const char *argv[] = { "sh", "-e", name, "argument", NULL };
	FILE *f;
	pid_t pid;

	snprintf(name, sizeof(name), "/tmp/named-%d.sh", getpid());
	f = fopen(name, "w");
	cr_assert(f && fputs("while :; do read x </dev/zero; done\n", f) > 0 && fclose(f) == 0);
	pid = begun(NULL, argv);
	cr_expect(has(pid, strrchr(name, '/') + 1));
	cr_expect_not(has(pid, "argument"));
	killed(pid);
	unlink(name);
}

Test(named, the_ended_and_the_kernel_s_threads_have_none)
{
	pid_t pid = begun("soon-a-zombie", NULL);
	struct process p;
	struct named n;

	cr_assert(process_open(&p, pid, NULL) == 0);
	cr_expect(named_read(&n, p.proc_fd, pid));
	cr_expect_str_eq(n.comm, "soon-a-zombie");
	cr_expect(n.parent == getpid() && n.session == getsid(0) && n.start_ticks);
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	cr_expect_not(named_read(&n, p.proc_fd, pid));
	waitpid(pid, NULL, 0);
	cr_expect_not(named_read(&n, p.proc_fd, pid));
	process_close(&p);
	if (process_open(&p, 2, NULL))
		return; /* kthreadd; not in a PID namespace of its own */
	if (!strcmp(p.comm, "kthreadd"))
		cr_expect_not(named_read(&n, p.proc_fd, 2));
	process_close(&p);
}

/* A process of that comm, which makes another one of the name `comm_below`, which makes one of
 * `comm`: a worker of a master, with a stranger between them. */
static pid_t family(const char *comm, const char *comm_below)
{
	int fds[2];
	pid_t pid;
	char end;

	cr_assert(pipe2(fds, O_CLOEXEC) == 0);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		prctl(PR_SET_NAME, comm);
		if (fork() == 0) {
			prctl(PR_SET_NAME, comm_below);
			if (fork() == 0) {
				prctl(PR_SET_NAME, comm);
				close(fds[1]);
				pause();
			}
			close(fds[1]);
			pause();
		}
		close(fds[1]);
		pause();
	}
	close(fds[1]);
	cr_assert(read(fds[0], &end, 1) == 0);
	close(fds[0]);
	return pid;
}

Test(named, a_master_is_the_outermost_ancestor)
{
	char name[16];
	struct named_list l;
	pid_t first, second;

	snprintf(name, sizeof(name), "fam-%d", getpid());
	first = family(name, "between");
	cr_assert(named_find(&l, name, NULL) == 0);
	cr_expect(l.count == 2 && l.masters == 1, "%zu, %zu", l.count, l.masters);
	cr_expect(l.count == 2 && l.of[0].master == first && l.of[1].master == first);
	named_release(&l);
	second = family(name, "between");
	cr_assert(named_find(&l, name, NULL) == 0);
	cr_expect(l.count == 4 && l.masters == 2);
	named_release(&l);
	kill(-first, SIGKILL);
	kill(-second, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

Test(named, none_of_our_own)
{
	struct named_list l;
	char name[16];

	snprintf(name, sizeof(name), "self-%d", getpid());
	prctl(PR_SET_NAME, name);
	cr_assert(named_find(&l, name, NULL) == 0);
	cr_expect(l.count == 0 && l.masters == 0);
	named_release(&l);
}

Test(arguments, are_cut_to_the_room)
{
	const char *argv[] = { "first", "-c", "kill -STOP $$", NULL };
	char text[32];
	pid_t pid = begun(NULL, argv);
	struct process p;

	cr_assert(process_open(&p, pid, NULL) == 0);
	cr_expect(process_arguments(&p, text, sizeof(text)) == 23 && !strcmp(text, "first") &&
		  !memcmp(text + 6, "-c\0kill -STOP $$", 17));
	cr_expect(process_arguments(&p, text, 4) == 3 && !strcmp(text, "fir"));
	killed(pid);
	cr_expect(process_arguments(&p, text, sizeof(text)) == 0 && !*text);
	process_close(&p);
}
