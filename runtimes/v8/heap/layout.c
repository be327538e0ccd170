/* One table has for each field its v8dbg_ constant and its offset without one. Of several constants
 * for one field, under the names of several releases, the one that the build has counts. */
#include "runtimes/v8/heap/layout.h"

#include <stddef.h>

#include "base/process/elfsymbol.h"
#include "runtimes/v8/heap/runtime.h"

enum { BYTECODE_SCALES = 3 };

/* A field, the constant that gives it, and what it is without. */
struct heap_layout_place {
	size_t at;
	const char *name;
	int32_t otherwise;
};

#define AT(field) offsetof(struct v8_layout, field)

static const struct heap_layout_place places[] = {
	{ AT(not_string), "v8dbg_IsNotStringMask", -128 },
	{ AT(string_length), "v8dbg_class_String__length__int32_t", 12 },
	{ AT(string_chars), "v8dbg_class_SeqOneByteString__chars__char", 16 },
	{ AT(cons_first), "v8dbg_class_ConsString__first__String", 16 },
	{ AT(cons_second), "v8dbg_class_ConsString__second__String", 24 },
	{ AT(sliced_parent), "v8dbg_class_SlicedString__parent__String", 16 },
	{ AT(sliced_offset), "v8dbg_class_SlicedString__offset__SMI", 24 },
	{ AT(thin_actual), "v8dbg_class_ThinString__actual__String", 16 },
	{ AT(external_data), "v8dbg_class_ExternalString__resource__Object", 16 },
	{ AT(array_length), "v8dbg_class_FixedArrayBase__length__SMI", 8 },
	{ AT(array_data), "v8dbg_class_FixedArray__data__uintptr_t", 16 },
	{ AT(fixed_array_type), "v8dbg_type_FixedArray__FIXED_ARRAY_TYPE", -1 },
	{ AT(byte_array_type), "v8dbg_type_ByteArray__BYTE_ARRAY_TYPE", -1 },
	{ AT(trusted_bytes_type), "v8dbg_type_TrustedByteArray__TRUSTED_BYTE_ARRAY_TYPE", -1 },
	{ AT(shared_data), "v8dbg_class_SharedFunctionInfo__function_data__Object", 8 },
	{ AT(shared_name), "v8dbg_class_SharedFunctionInfo__name_or_scope_info__Object", 16 },
	{ AT(shared_name), "v8dbg_class_SharedFunctionInfo__name_or_scope_info__Tagged_Object_",
	  -1 },
	{ AT(shared_name),
	  "v8dbg_class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_", -1 },
	{ AT(shared_script), "v8dbg_class_SharedFunctionInfo__script_or_debug_info__HeapObject",
	  32 },
	{ AT(shared_script), "v8dbg_class_SharedFunctionInfo__raw_script__Tagged_Object_", -1 },
	{ AT(shared_flags), "v8dbg_class_SharedFunctionInfo__flags__int", 48 },
	{ AT(debug_info_type), "v8dbg_type_DebugInfo__DEBUG_INFO_TYPE", -1 },
	{ AT(interpreter_data_type), "v8dbg_type_InterpreterData__INTERPRETER_DATA_TYPE", -1 },
	{ AT(baseline_data_type), "v8dbg_type_BaselineData__BASELINE_DATA_TYPE", -1 },
	{ AT(wrapper_type),
	  "v8dbg_type_SharedFunctionInfoWrapper__SHARED_FUNCTION_INFO_WRAPPER_TYPE", -1 },
	{ AT(wrapper_shared),
	  "v8dbg_class_SharedFunctionInfoWrapper__shared_info__Tagged_SharedFunctionInfo_", 8 },
	{ AT(scope_type), "v8dbg_type_ScopeInfo__SCOPE_INFO_TYPE", -1 },
	{ AT(scope_locals), "v8dbg_scopeinfo_idx_ncontextlocals", 2 },
	{ AT(scope_first), "v8dbg_scopeinfo_idx_first_vars", 3 },
	{ AT(script_type), "v8dbg_type_Script__SCRIPT_TYPE", -1 },
	{ AT(script_source), "v8dbg_class_Script__source__Object", 8 },
	{ AT(script_name), "v8dbg_class_Script__name__Object", 16 },
	{ AT(script_ends), "v8dbg_class_Script__line_ends__Object", 56 },
	{ AT(script_flags), "v8dbg_class_Script__compiled_lazy_function_positions__Object", -1 },
	{ AT(script_flags), "v8dbg_class_Script__compiled_lazy_function_positions__Tagged_Object_",
	  -1 },
	{ AT(deopt_literals), "v8dbg_DeoptimizationDataLiteralArrayIndex", 2 },
	{ AT(deopt_id), "v8dbg_DeoptimizationDataOptimizationIdIndex", 5 },
	{ AT(deopt_shared), "v8dbg_DeoptimizationDataSharedFunctionInfoIndex", 6 },
	{ AT(deopt_shared), "v8dbg_DeoptimizationDataWrappedSharedFunctionInfoIndex", -1 },
	{ AT(deopt_inlinings), "v8dbg_DeoptimizationDataInliningPositionsIndex", 7 },
};

enum { PLACES = sizeof(places) / sizeof(*places) };

static void fill_constants(struct v8_layout *l, const struct v8_place *at)
{
	struct v8_constant constants[PLACES];

	for (size_t i = 0; i < PLACES; i++)
		constants[i] = (struct v8_constant){ .name = places[i].name };
	if (at->image)
		v8_constants(at, constants, PLACES);
	for (size_t i = 0; i < PLACES; i++) {
		int32_t *field = (int32_t *)((char *)l + places[i].at);

		if (constants[i].found)
			*field = constants[i].value;
		else if (i == 0 || places[i].at != places[i - 1].at)
			*field = places[i].otherwise;
	}
}

/* What has no constant. */
static void fill_known(struct v8_layout *l, int release)
{
	bool trusted = release >= V8_NODE_22;

	l->external_data += 8; /* behind `resource` */
	if (trusted)
		l->shared_data = 8; /* the trusted one of two */
	l->shared_literal = l->shared_flags + 4;
	l->shared_bytes = l->shared_flags + 8;
	l->debug_info_script = 24;
	l->debug_info_bytecode = 40;
	l->interpreter_data_bytecode = 8;
	l->baseline_data_code = 8;
	l->baseline_data_bytecode = 16;
	l->script_line = 24;
	l->script_column = 32;
	l->script_id = 64;
	l->script_flags = l->script_flags < 0 ? 96 : l->script_flags + 8;
	l->script_url = l->script_flags + 8;
	l->script_bytes = l->script_url + 8;
	l->scope_positions_first = l->scope_first >= 5;
	l->scope_names_hashed = release >= V8_NODE_18;
	l->scope_has_receiver = release < V8_NODE_18;
	l->scope_module = release >= V8_NODE_24 ? 5 : 3;
	l->bytecode_length = 8;
	l->bytecode_positions = trusted ? 24 : 32;
	l->positions_flagged = release >= V8_NODE_25;
	l->code_deopt = release >= V8_NODE_21 ? 8 : 16;
	l->code_positions = l->code_deopt + 8;
}

/* JumpLoop in V8's src/interpreter/bytecodes.h. */
static uint8_t jump_loop_of(int release)
{
	switch (release) {
	case V8_NODE_16:
	case V8_NODE_17:
		return 0x88;
	case V8_NODE_18:
	case V8_NODE_20:
		return 0x89;
	case V8_NODE_21:
		return 0x8a;
	case V8_NODE_22:
	case V8_NODE_23:
		return 0x8e;
	case V8_NODE_24:
		return 0x92;
	default:
		return 0x95;
	}
}

/* kBytecodeSizes[3][number of bytecodes]. */
static void fill_bytecodes(struct v8_bytecodes *b, const struct v8_place *at)
{
	struct elfsymbol s = { .name = "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE" };
	uint8_t sizes[sizeof(b->sizes)];

	b->count = 0;
	if (!at->image || !elfsymbol_find(at->image, &s, 1) || !s.size ||
	    s.size % BYTECODE_SCALES || s.size > sizeof(sizes) ||
	    !elfsymbol_bytes(at->image, s.addr, sizes, s.size))
		return;
	b->count = (unsigned)(s.size / BYTECODE_SCALES);
	for (unsigned scale = 0; scale < BYTECODE_SCALES; scale++)
		memcpy(b->sizes[scale], sizes + scale * b->count, b->count);
}

void v8_layout_fill(struct v8_layout *l, const struct v8_runtime *rt)
{
	*l = (struct v8_layout){ 0 };
	fill_constants(l, &rt->place);
	fill_known(l, rt->t.release);
	fill_bytecodes(&l->bytecodes, &rt->place);
	l->jump_loop = jump_loop_of(rt->t.release);
}
