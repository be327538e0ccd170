/* System calls by name. */
#ifndef SAMPLER_THREAD_SYSCALLS_H
#define SAMPLER_THREAD_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

enum { SYSCALL_NAME_ROOM = 48 };

/* Writes "epoll_wait", or the number where libseccomp has no name for it; returns `text`. */
const char *syscall_name(int64_t number, char text[SYSCALL_NAME_ROOM]);

/* The number of the call named by `len` bytes; -1 where libseccomp has none for it, or where this
 * architecture has no such call. Allocates nothing. */
int syscall_number(const char *name, size_t len);

#endif
