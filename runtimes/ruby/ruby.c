#include "runtimes/ruby/ruby.h"

#include "runtimes/ruby/runtime.h"

static const char *version(const void *rt)
{
	return ((const struct ruby_runtime *)rt)->version;
}

const struct interp_ops ruby_ops = { .mapping = "[ruby]",
				     .find = ruby_find,
				     .free = ruby_free,
				     .version = version,
				     .threads = ruby_threads,
				     .capture = ruby_capture,
				     .identify = ruby_identify,
				     .resolve = ruby_resolve,
				     .line = ruby_line,
				     .anchor = ruby_anchor };
