/*
 * The arguments of a process, as execve(2) put them into its memory and as it has changed them
 * since. ps(1) shows the same bytes (proc_pid_cmdline(5)). They may hold secrets.
 */
#ifndef BASE_PROCESS_ARGUMENTS_H
#define BASE_PROCESS_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process;

/* Copies the first room - 1 bytes at most from between `start` and `end`, the addresses arg_start
 * and arg_end in proc_pid_stat(5), and ends them with a NUL. Returns how many; 0: there are none,
 * or they cannot be read, which takes the permission to trace. */
size_t arguments_read(pid_t pid, uint64_t start, uint64_t end, char *text, size_t room);

/* The same of a process whose stat has not been read. */
size_t process_arguments(const struct process *p, char *text, size_t room);

#endif
