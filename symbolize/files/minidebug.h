/* MiniDebugInfo: the symbols that a stripped file carries in .gnu_debugdata. */
#ifndef SYMBOLIZE_FILES_MINIDEBUG_H
#define SYMBOLIZE_FILES_MINIDEBUG_H

#include <libelf.h>
#include <stddef.h>

struct minidebug {
	Elf *elf; /* NULL when there is none */
	void *bytes;
};

/* Uncompresses .gnu_debugdata. Without that section, m->elf and *why are NULL. If it cannot be
 * read, m->elf is NULL and *why is the reason, a static string. ERR_NOMEM. */
int minidebug_open(struct minidebug *m, Elf *elf, const char **why);

/* Harmless on {0}. */
void minidebug_close(struct minidebug *m);

#endif
