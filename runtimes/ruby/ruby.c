/* The table leads to the files that do the work: find.c, threads.c, capture.c, identity.c, names.c,
 * lines.c, anchor.c. */
#include "runtimes/ruby/ruby.h"

#include "runtimes/ruby/runtime.h"

static const char *ruby_version_of(const void *rt)
{
	return ((const struct ruby_runtime *)rt)->version;
}

const struct interp_ops ruby_ops = { .mapping = "[ruby]",
				     .find = ruby_find,
				     .free = ruby_free,
				     .version = ruby_version_of,
				     .threads = ruby_threads,
				     .capture = ruby_capture,
				     .identify = ruby_identify,
				     .resolve = ruby_resolve,
				     .line = ruby_line,
				     .anchor = ruby_anchor };
