/*
 * A process, held so that its number cannot come to mean another one.
 *
 * /proc/PID is opened once; what is read later is read through that descriptor
 * and fails with ESRCH when the process is gone, whoever has its PID by then.
 */
#ifndef TARGET_PROCESS_H
#define TARGET_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct buffer;
struct error;

struct process {
	pid_t pid;
	int proc_fd; /* /proc/PID */
	int pid_fd;  /* pidfd_open(2): readable when the process has ended */
	int root_fd; /* the target's root directory, -1 when not permitted */
	char comm[64]; /* its name when it was opened, or when it was read again */
	pid_t own_pid; /* its number in its own PID namespace, when it was opened */
	int64_t uid;   /* its effective user then; -1 when not known */
	char exe[4096]; /* its program, process_read_exe; "" when not known */
};

/* Holds the process (Linux 5.6 or newer). ERR_GONE when there is none, or when
 * the number is a thread's; ERR_PERM when /proc refuses.
 * It says nothing yet about whether ptrace will be allowed. */
int process_open(struct process *p, pid_t pid, struct error *err);
void process_close(struct process *p);

/* openat(2) below /proc/PID, close-on-exec; -1 and errno. */
int process_openat(const struct process *p, const char *name, int flags);

/* Reads a whole file below /proc/PID (they have no size). 0, or ERR_GONE,
 * ERR_PERM, ERR_IO, ERR_NOMEM; `out` is emptied first. */
int process_read(const struct process *p, const char *name, struct buffer *out, struct error *err);

/* Reads its name again, as after an exec. */
void process_read_comm(struct process *p);

/* Reads own_pid and uid again. ERR_GONE, ERR_PERM, ERR_IO, ERR_NOMEM: they stay. */
int process_read_ids(struct process *p);

/* Fills p->exe with what /proc/PID/exe says now; asks for the permission to trace. */
void process_read_exe(struct process *p);

/* Do its threads have the same numbers in its PID namespace as in ours, since that is one? */
bool process_shares_numbers(const struct process *p);

/* The number that one of its threads has in its own PID namespace; `tid` if that is not known. */
pid_t process_own_tid(const struct process *p, pid_t tid);

/* True while the process exists and is no zombie. */
bool process_alive(const struct process *p);

/* CPU time of all its threads, ended ones too, in ns since it began, as the
 * scheduler accounts it (clock_getcpuclockid(3)). ERR_GONE. */
int process_cpu_ns(const struct process *p, uint64_t *ns);

/* Opens a path as the target sees it: below its root, absolute symlinks kept
 * inside. Read-only, and without waiting for whoever is at the other end of a FIFO;
 * -1 and errno. Plain openat(2), so that it works where openat2(2) is forbidden. */
int process_open_path(const struct process *p, const char *path);

/* The same, but where the path ends with a link: ELOOP. */
int process_open_no_link(const struct process *p, const char *path);

/* May this process be traced? 0, or as process_diagnose says. It asks without disturbing
 * anybody: process_vm_readv(2) wants the same permission as ptrace(2), Yama included. A tracer
 * that goes within 0.1 s is no obstacle: several samplers may look at one process. */
int process_may_trace(pid_t pid, struct error *err);

/* Why may this thread not be traced? Finds the cause of an EPERM or EACCES of
 * ptrace(2) and puts it, with its remedy, into err; returns ERR_PERM, or
 * ERR_GONE for a zombie. Rules: ptrace(2) "Ptrace access mode checking". */
int process_diagnose(pid_t tid, struct error *err);

#endif
