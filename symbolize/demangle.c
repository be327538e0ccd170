/*
 * By libiberty, whose demangler binutils, gdb and perf use.
 *
 * Parameters are left out, template arguments stay: a profile is read by
 * function, pprof's own symbolizer does the same, and the whole signature is
 * still in system_name. Rust's hash goes too.
 *
 * A mangled name can ask for much more text than it has itself (substitutions
 * that double), so a long one is not tried and a long result not kept.
 */
#include "symbolize/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { NAME_MAX_IN = 8 << 10, NAME_MAX_OUT = 64 << 10 };

static char *by_libiberty(const char *name)
{
	char *text = NULL;

	if (strncmp(name, "_R", 2) && strncmp(name, "_Z", 2))
		return NULL;
	if (strlen(name) > NAME_MAX_IN)
		return NULL;
	text = rust_demangle(name, DMGL_ANSI);
	return text || name[1] == 'R' ? text : cplus_demangle_v3(name, DMGL_ANSI);
}

const char *demangle(struct arena *arena, const char *name)
{
	char *text = by_libiberty(name);
	const char *result = text && *text && strlen(text) <= NAME_MAX_OUT ? text : name;

	result = arena_copy(arena, result, strlen(result));
	free(text);
	return result;
}
