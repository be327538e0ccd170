/*
 * The title that a program has given its process, as "postgres: alice shop UPDATE waiting": by it
 * the processes of a server are told apart.
 *
 * A program writes it over its arguments, and ps(1) shows it (proc_pid_cmdline(5)). A command line
 * is none, and is not read further than to see that: it may hold secrets. A title begins with a
 * name and ": ", as setproctitle(3bsd), nginx, PostgreSQL, sshd, PHP-FPM, gunicorn and puma make
 * it; no path of a program does.
 */
#ifndef SAMPLER_MEMBER_TITLE_H
#define SAMPLER_MEMBER_TITLE_H

#include <stdbool.h>
#include <stddef.h>

struct process;

enum { TITLE_ROOM = 128 };

/* Is it a title? */
bool title_is_one(const char *text);

/* Reads the title, cut where it is too long; "": it has none, or it could not be read. */
void title_read(const struct process *p, char title[TITLE_ROOM]);

#endif
