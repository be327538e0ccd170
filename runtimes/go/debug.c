/* The environment is asked first, then the default that the linker has recorded in the program. Of
 * several settings of a name the last valid one counts. */
#include "runtimes/go/debug.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/process/process.h"
#include "runtimes/go/find/buildinfo.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"

enum { SETTINGS_ROOM = 16 << 10, DEPTH_OLD = 32, DEPTH = 128, DEPTH_MAX = 1024 };

/* runtime1.go, parsegodebug, atoi32. */
static long setting(const char *godebug, const char *name)
{
	long value = -1;

	for (const char *s = godebug; *s; s += strcspn(s, ","), s += *s == ',') {
		size_t len = strlen(name);
		char *end;
		long v;

		if (strncmp(s, name, len) || s[len] != '=')
			continue;
		v = strtol(s + len + 1, &end, 10);
		if (end != s + len + 1 && (!*end || *end == ',') && v >= 0 && v <= INT32_MAX)
			value = v;
	}
	return value;
}

static long in_environment(const struct process *process, const char *name)
{
	struct buffer env = { 0 };
	const char *godebug = NULL;
	long value = -1;
	size_t len;

	/* Of several variables the first counts for Go, too (runtime/env_posix.go, gogetenv). */
	if (!process_read_environ(process, &env, NULL) && !buffer_add(&env, "", 1))
		godebug = process_variable(env.data, env.len, "GODEBUG", &len);
	if (godebug)
		value = setting(godebug, name);
	buffer_release(&env);
	return value;
}

long godebug_setting(const struct golive *live, const char *name)
{
	char built[SETTINGS_ROOM];
	long value = live->process ? in_environment(live->process, name) : -1;

	if (value < 0 && live->rt.image &&
	    gobuildinfo_godebug(live->rt.image, built, sizeof(built)))
		value = setting(built, name);
	return value;
}

size_t godebug_stack_depth(const struct golive *live)
{
	long depth;

	if (live->vars.layout->minor < 23)
		return DEPTH_OLD;
	depth = godebug_setting(live, "profstackdepth");
	return depth < 0 ? DEPTH : depth > DEPTH_MAX ? DEPTH_MAX : (size_t)depth;
}
