/* Where the fields of made-up methods are: nearly as in JDK 17. */
#ifndef TESTS_UNIT_RUNTIMES_HOTSPOT_MADE_UP_METHODS_H
#define TESTS_UNIT_RUNTIMES_HOTSPOT_MADE_UP_METHODS_H

#include "runtimes/hotspot/vm/methods.h"

static const struct hotspot_method_layout method_layout_17 = {
	.method_const = 8,
	.method_access = 40,
	.const_pool = 8,
	.const_size = 24,
	.const_flags = 28,
	.const_flags_word = -1,
	.const_code_size = 32,
	.const_name = 34,
	.const_signature = 36,
	.const_idnum = 38,
	.const_bytes = 48,
	.has_lines = 1,
	.has_lines_word = -1,
	.pool_cache = 16,
	.pool_holder = 24,
	.pool_tags = 8,
	.pool_length = 60,
	.pool_source = 54,
	.pool_bytes = 64,
	.klass_name = 24,
	.klass_source = -1,
	.klass_methods = 32,
	.klass_bytes = 64,
	.klass_loader = -1,
	.loader_anonymous = -1,
	.symbol_length = 4,
	.symbol_body = 6,
	.array_length = 0,
	.array_data = 8,
};

#endif
