/*
 * Where the fields are that tell a function's names and positions: offsets in bytes from an
 * object's address, without the tag. Those that v8dbg_… constants give are taken from these, the
 * others from V8's sources of the releases that tables.h names.
 */
#ifndef RUNTIMES_V8_HEAP_LAYOUT_H
#define RUNTIMES_V8_HEAP_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtimes/v8/heap/positions.h"

struct v8_runtime;

struct v8_layout {
	/* Strings. */
	int32_t not_string; /* in an instance type: set if it is none */
	int32_t string_length, string_chars;
	int32_t cons_first, cons_second, sliced_parent, sliced_offset, thin_actual, external_data;

	/* Arrays of tagged words or of bytes: the length, a Smi, and what it has. */
	int32_t array_length, array_data;
	int32_t fixed_array_type, byte_array_type, trusted_bytes_type; /* the last: -1: none */

	/* SharedFunctionInfo. */
	int32_t shared_data; /* BytecodeArray, InterpreterData, or baseline Code */
	int32_t shared_name, shared_script, shared_flags, shared_literal, shared_bytes;
	int32_t debug_info_type, debug_info_script, debug_info_bytecode;
	int32_t interpreter_data_type, interpreter_data_bytecode;
	int32_t baseline_data_type, baseline_data_code, baseline_data_bytecode; /* Node 16 */
	int32_t wrapper_type, wrapper_shared; /* SharedFunctionInfoWrapper; type -1: none */

	/* ScopeInfo. */
	int32_t scope_type;
	int32_t scope_locals, scope_first; /* slots */
	bool scope_positions_first;	   /* they stand before scope_first */
	bool scope_names_hashed;	   /* long lists of names are a table elsewhere */
	int32_t scope_module;		   /* ScopeType of a module */
	bool scope_has_receiver;	   /* a slot tells where `this` is */

	/* Script. */
	int32_t script_type;
	int32_t script_source, script_name, script_line, script_column, script_ends, script_id;
	int32_t script_flags, script_url, script_bytes;

	/* BytecodeArray. */
	int32_t bytecode_length, bytecode_positions;

	/* Code: positions or, of baseline code, the bytecode offset table; deoptimization data or,
	 * of baseline code, the bytecode. */
	int32_t code_positions, code_deopt;

	/* Deoptimization data: indexes. */
	int32_t deopt_literals, deopt_id, deopt_shared, deopt_inlinings;

	bool positions_flagged; /* struct v8_positions */
	struct v8_bytecodes bytecodes;
	uint8_t jump_loop; /* the bytecode */
};

void v8_layout_fill(struct v8_layout *l, const struct v8_runtime *rt);

#endif
