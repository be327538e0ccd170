/*
 * The processes of a name: what -p NAME, `sampler NAME` and --wait-for NAME mean by it.
 *
 * A process has the name if that is
 *   its comm, as `ps -o comm` shows it (of a longer name the kernel keeps the first 15 bytes);
 *   the file name of its program (/proc/PID/exe);
 *   the first word of its argv[0] without folders and a ':' at the end, as in a title such as
 *   "php-fpm: pool www";
 *   or, of an interpreter, the file name of its script, as "gunicorn" or "app.py" (script.h).
 * All are compared whole, and case counts. Program and arguments can be seen only of processes that
 * we may trace. Kernel threads, zombies and our own process have no name here.
 */
#ifndef BASE_PROCESS_NAMED_H
#define BASE_PROCESS_NAMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

/* What one read of /proc/PID/stat tells of a process (proc_pid_stat(5)). */
struct named {
	pid_t pid, parent, session;
	pid_t master; /* of a list: its outermost ancestor in the list, or itself */
	char comm[64];
	uint64_t start_ticks, cpu_ticks; /* since boot; used by all its threads; in clock ticks */
	uint64_t args_start, args_end;	 /* addresses; 0: not known */
};

/* Reads it below `dir`, a descriptor of /proc/PID. False: it is gone, a zombie or a kernel
 * thread. */
bool named_read(struct named *n, int dir, pid_t pid);

/* Has it the name? */
bool named_has(const struct named *n, int dir, const char *name);

/* Calls `visit` with each process of the machine but ourselves; `dir`, its /proc/PID, is closed
 * afterwards. ERR_IO: no /proc. */
typedef void named_visit(void *ctx, const struct named *n, int dir);
int named_each(named_visit *visit, void *ctx, struct error *err);

struct named_list {
	struct named *of;
	size_t count, room;
	size_t masters; /* those that are their own `master` */
};

/* Finds all processes of the name, in the order of their numbers, with their masters. The caller
 * releases the list, also after an error. ERR_IO, ERR_NOMEM. */
int named_find(struct named_list *l, const char *name, struct error *err);
void named_release(struct named_list *l);

#endif
