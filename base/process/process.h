/*
 * A process, referred to by descriptors, so that its PID cannot come to mean another one.
 *
 * /proc/PID is opened once. All later reads use that descriptor and fail with ESRCH when the
 * process is gone, even if another process has its PID by then.
 */
#ifndef BASE_PROCESS_PROCESS_H
#define BASE_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct buffer;
struct error;

struct process {
	pid_t pid;
	int proc_fd;	/* /proc/PID */
	int pid_fd;	/* pidfd_open(2): readable when the process has ended */
	int root_fd;	/* the target's root directory, -1 when not permitted */
	char comm[64];	/* its name when it was opened or process_read_comm was last called */
	pid_t own_pid;	/* its number in its own PID namespace, as process_read_ids last found it */
	int64_t uid;	/* its effective user, read with own_pid; -1: not known */
	char exe[4096]; /* its program, set by process_read_exe; "": not known */
};

/* Opens the process (Linux 5.6 or newer). Success does not mean that ptrace will be allowed.
 * ERR_GONE: there is none, or the number is a thread's; ERR_PERM: /proc/PID cannot be opened;
 * ERR_IO. */
int process_open(struct process *p, pid_t pid, struct error *err);
void process_close(struct process *p);

/* openat(2) below /proc/PID, close-on-exec; -1 and errno. */
int process_openat(const struct process *p, const char *name, int flags);

/* Reads a whole file below /proc/PID (these files have no size) into `out`, which is emptied first.
 * 0, or ERR_GONE, ERR_PERM, ERR_IO, ERR_NOMEM. */
int process_read(const struct process *p, const char *name, struct buffer *out, struct error *err);

/* The number that follows `name` in such a text; 0: it is not there. `name` has what stands around
 * it, too: "rchar: ", "\nSigIgn:\t". */
uint64_t process_field(const char *text, const char *name, int base);

/* Numbers of /proc/PID/stat (proc_pid_stat(5)). */
enum process_stat {
	STAT_FLAGS = 9,
	STAT_MINFLT = 10,
	STAT_MAJFLT = 12,
	STAT_UTIME = 14,
	STAT_STIME = 15,
	STAT_CUTIME = 16,
	STAT_CSTIME = 17,
	STAT_THREADS = 20,
	STAT_STARTTIME = 22,
	STAT_STARTSTACK = 28,
	STAT_ARG_START = 48,
	STAT_ARG_END = 49,
	STAT_FIELDS,
};

/* Reads the fields 4 to `last` of its text into fields[4] to fields[last]; a negative one without
 * its sign. The name before them may hold anything. False: it has another form. */
bool process_stat_parse(const void *text, size_t len, enum process_stat last,
			uint64_t fields[STAT_FIELDS]);

/* The same for "environ": the variables as they were when the program began, and what the process
 * has written over them since. Of more than 6 MiB, which execve(2) does not allow, the first are
 * read: a process may move the bounds (prctl(2), PR_SET_MM_MAP). */
int process_read_environ(const struct process *p, struct buffer *out, struct error *err);

/* The value of a variable in the `size` bytes of an environment, and its length. Of variables with
 * the same name the first counts, as for getenv(3). NULL: it is not set. */
const char *process_variable(const void *environment, size_t size, const char *name, size_t *len);

/* Reads its name again, as after an exec; it stays if the process has ended. */
void process_read_comm(struct process *p);

/* Reads own_pid and uid again; they stay on error. ERR_GONE, ERR_PERM, ERR_IO, ERR_NOMEM. */
int process_read_ids(struct process *p);

/* Says why nothing of process `pid` could be opened in /proc, by errno: ERR_GONE, there is none;
 * ERR_PERM, hidepid hides it (proc(5)); ERR_IO, no /proc is mounted, or too few descriptors. */
int process_absent(pid_t pid, struct error *err);

/* Sets p->exe to the present path of /proc/PID/exe, which requires the permission to trace; of a
 * file that is gone without the " (deleted)" of proc_pid_exe(5). */
void process_read_exe(struct process *p);

/* Is its PID namespace ours, so that its threads have the same numbers in both? */
bool process_shares_numbers(const struct process *p);

/* The number that its thread `tid` has in its own PID namespace; `tid` if that is not known. */
pid_t process_own_tid(const struct process *p, pid_t tid);

/* True while the process exists and is no zombie. */
bool process_alive(const struct process *p);

/* CPU time of all its threads, including ended ones, in ns since it began, as the scheduler
 * accounts it (clock_getcpuclockid(3)). ERR_GONE. */
int process_cpu_ns(const struct process *p, uint64_t *ns);

/* The length of a path without " (deleted)", which the kernel adds to the name of a file that is
 * gone (d_path in fs/d_path.c): kept if the file `inode` really has that name. */
size_t process_path_len(const struct process *p, const char *path, size_t len, uint64_t inode);

/* Opens a path as the target sees it: below its root; absolute symlinks do not lead out of it.
 * Read-only, and without waiting for the other end of a FIFO; -1 and errno. Uses plain openat(2),
 * so that it works where openat2(2) is forbidden. */
int process_open_path(const struct process *p, const char *path);

/* The same, but fails with ELOOP if the path ends with a link. */
int process_open_no_link(const struct process *p, const char *path);

/* Is the program of a process one of 32 bits (i386, x32, 32-bit ARM)? 32 or 64, or 0: not known, as
 * while it executes a program. The kernel keeps the auxiliary vector in words of the program's size
 * (proc_pid_auxv(5); create_elf_tables() in fs/binfmt_elf.c, which fs/compat_binfmt_elf.c compiles
 * for 32 bits), and the size of a page in each. Nothing is stopped for that. Rejected: the class in
 * the header of /proc/PID/exe. To open a file may wait for a daemon (FUSE), which may be the
 * process itself. */
unsigned process_width(const struct process *p);
unsigned width_of_auxv(const void *auxv, size_t len);

/* ERR_FORMAT for a program of 32 bits: its system calls have other numbers and its stacks another
 * form. Without the permission to trace, or while that is not known, 0. */
int process_check_width(const struct process *p, struct error *err);

/* May this process be traced? 0, or as process_diagnose, or as process_check_width. The test does
 * not disturb the process: process_vm_readv(2) requires the same permission as ptrace(2), Yama
 * included. Another tracer is no obstacle if it is gone within 1 s: several samplers may look at
 * one process. */
int process_may_trace(pid_t pid, struct error *err);

/* One such test: 0, or an errno. EPERM: it may not be traced; ESRCH: the process has no memory, or
 * has released it. */
int process_try_read(pid_t pid);

/* The thread or process that traces this thread, by its number, and its name; 0: none, or a thread
 * of ours. */
enum { TRACER_NAME = 64 };
pid_t process_tracer(pid_t tid, char name[TRACER_NAME]);

/* Why may this thread not be traced? Finds the cause of an EPERM or EACCES of ptrace(2) and puts
 * it, with its remedy, into err. Returns ERR_PERM, or ERR_GONE for a thread that has ended or is
 * ending. Rules: ptrace(2) "Ptrace access mode checking". */
int process_diagnose(pid_t tid, struct error *err);

#endif
