/* The table leads to the files that do the work. Threads are found without reading: NTS has one
 * state, ZTS finds a thread's own at capture. */
#include "runtimes/php/php.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "runtimes/php/runtime.h"

static const char *php_version(const void *rt)
{
	return ((const struct php_runtime *)rt)->version;
}

/* NTS: executor_globals is the process's, and its main thread executes. (An embedding program may
 * run PHP on another thread. Nothing in the process tells, so its stacks stay native.) ZTS: a
 * thread's globals are found from its thread pointer, so any thread may have them. */
static int php_threads(const void *data, const struct memory *memory, struct buffer *states)
{
	const struct php_runtime *rt = data;
	struct interp_state state = { .at = rt->zts ? rt->loop[0].start : rt->eg,
				      .main = !rt->zts,
				      .any = rt->zts };

	(void)memory;
	return buffer_add(states, &state, sizeof(state));
}

const struct interp_ops php_ops = {
	.mapping = "[php]",
	.find = php_find,
	.free = free,
	.version = php_version,
	.threads = php_threads,
	.capture = php_capture,
	.identify = php_identify,
	.resolve = php_resolve,
	.line = php_line,
	.anchor = php_anchor,
};
