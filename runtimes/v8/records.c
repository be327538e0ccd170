/* A proof is a list of words of the objects that make up a function; two proofs that are equal are
 * of one function. The tables are copied when a name is first needed. */
#include "runtimes/v8/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
	TABLE_MAX = 16 << 20, /* bytes */
	INLININGS_MAX = 4096,
	EXITS_MAX = 1 << 18, /* words of a DeoptimizationData */
	SAFEPOINTS_HEAD = 12,
	DEOPT_HEAD = 16 + 8 * 9, /* up to the inlined calls, at most */
	PROOF_SHARED = 0,
	PROOF_BYTECODE = 3,
	BYTECODE_WORDS = 8,
	PROOF_CODE = 11,
	CODE_KIND = 5,
	CODE_WORDS = 8, /* and the number of an optimization: V8 counts them */
};

/* Proofs. */

static bool prove_shared(struct v8_look *look, const struct v8_record *r, uint64_t *proof,
			 uint64_t *data, uint64_t *script)
{
	const struct v8_layout *l = look->layout;
	uint8_t head[V8_HEAD_MAX];
	uint32_t literal;
	int type;

	if (v8_look_head(look, r->shared, head, (size_t)l->shared_bytes, &type) ||
	    type != look->rt->t.shared_type)
		return false;
	memcpy(&literal, head + l->shared_literal, sizeof(literal));
	proof[0] = memory_word(head, (size_t)l->shared_name);
	proof[1] = *script = memory_word(head, (size_t)l->shared_script);
	proof[2] = literal | (uint64_t)v8_script_number(look, *script) << 32;
	*data = memory_word(head, (size_t)l->shared_data);
	return true;
}

/* The bytecode that a function has, which may be behind its baseline code, and then behind what a
 * function with an interpreter entry of its own has. 0: none. */
static uint64_t bytecode_behind(struct v8_look *look, uint64_t data)
{
	const struct v8_layout *l = look->layout;

	for (unsigned i = 0; i < 3; i++) {
		int32_t at = 0;
		int type;

		data = v8_moved(look->rt, data);
		type = v8_type(look->rt, data);

		if (type == look->rt->t.code_type)
			at = l->code_deopt;
		else if (type == l->interpreter_data_type)
			at = l->interpreter_data_bytecode;
		else if (type == l->baseline_data_type)
			at = l->baseline_data_bytecode;
		if (type < 0 || type == look->rt->t.bytecode_type)
			return type < 0 ? 0 : data;
		if (!at || !v8_load(look->rt, data, at, &data))
			return 0;
	}
	return 0;
}

/* Is it the bytecode that a debugger has put in its place? */
static bool is_debugged(struct v8_look *look, uint64_t info, uint64_t bytecode)
{
	const struct v8_layout *l = look->layout;

	info = v8_moved(look->rt, info);
	return v8_type(look->rt, info) == l->debug_info_type &&
	       (v8_load_moved(look->rt, info, l->debug_info_bytecode - 8) == bytecode ||
		v8_load_moved(look->rt, info, l->debug_info_bytecode) == bytecode);
}

static bool prove_bytecode(struct v8_look *look, const struct v8_record *r, uint64_t *proof,
			   uint64_t data, uint64_t script)
{
	size_t len = (size_t)look->rt->t.bytecodes;
	int type;

	memset(proof, 0, BYTECODE_WORDS * sizeof(*proof));
	/* The last bytes count the collector's cycles. */
	len = len < BYTECODE_WORDS * sizeof(*proof) ? len / 8 * 8 : BYTECODE_WORDS * sizeof(*proof);
	if (v8_look_head(look, r->bytecode, proof, len - 8, &type) ||
	    type != look->rt->t.bytecode_type)
		return false;
	return bytecode_behind(look, data) == r->bytecode || is_debugged(look, script, r->bytecode);
}

/* The function that optimized code with this deoptimization data was compiled for, and the
 * compilation's number. */
static bool read_deopt(struct v8_look *look, uint64_t data, uint64_t *shared, uint64_t *number)
{
	const struct v8_layout *l = look->layout;
	uint8_t head[DEOPT_HEAD];
	int type;

	if (v8_look_head(look, v8_moved(look->rt, data), head, sizeof(head), &type))
		return false;
	*shared = v8_moved(look->rt,
			   memory_word(head, (size_t)(l->array_data + 8 * l->deopt_shared)));
	*number = memory_word(head, (size_t)(l->array_data + 8 * l->deopt_id));
	if (v8_type(look->rt, *shared) == l->wrapper_type)
		*shared = v8_load_moved(look->rt, *shared, l->wrapper_shared);
	return *shared;
}

/* Is it the baseline code of this bytecode? In Node 16 only the function that has both, by `data`,
 * tells. */
static bool is_baseline(struct v8_look *look, const struct v8_record *r, uint64_t deopt,
			uint64_t data)
{
	const struct v8_layout *l = look->layout;

	if (l->baseline_data_type < 0)
		return bytecode_behind(look, deopt) == r->bytecode;
	data = v8_moved(look->rt, data);
	return v8_type(look->rt, data) == l->baseline_data_type &&
	       v8_load_moved(look->rt, data, l->baseline_data_code) == r->addr;
}

static bool prove_code(struct v8_look *look, const struct v8_record *r, uint64_t *proof,
		       uint64_t data)
{
	const struct v8_tables *t = &look->rt->t;
	const struct v8_layout *l = look->layout;
	uint8_t head[V8_HEAD_MAX];
	uint32_t size, flags;
	uint64_t shared;
	int type;

	if (v8_look_head(look, r->addr, head, (size_t)t->code_bytes, &type) || type != t->code_type)
		return false;
	memcpy(&size, head + t->code_size, sizeof(size));
	memcpy(&flags, head + t->code_flags, sizeof(flags));
	proof[0] = memory_word(head, 0);
	proof[1] = memory_word(head, (size_t)l->code_deopt);
	proof[2] = memory_word(head, (size_t)l->code_positions);
	proof[3] = t->code_start ? memory_word(head, (size_t)t->code_start) : 0;
	proof[4] = size;
	proof[CODE_KIND] = flags & V8_KIND_MASK;
	if (r->kind == V8_OPTIMIZED)
		return read_deopt(look, proof[1], &shared, &proof[CODE_WORDS]) &&
		       shared == r->shared;
	return is_baseline(look, r, proof[1], data);
}

bool v8_record_prove(struct v8_look *look, const struct v8_record *r,
		     uint64_t proof[V8_PROOF_WORDS])
{
	uint64_t data, script;

	memset(proof, 0, V8_PROOF_WORDS * sizeof(*proof));
	return prove_shared(look, r, proof + PROOF_SHARED, &data, &script) &&
	       (r->kind == V8_OPTIMIZED ||
		prove_bytecode(look, r, proof + PROOF_BYTECODE, data, script)) &&
	       (r->kind == V8_INTERPRETED || prove_code(look, r, proof + PROOF_CODE, data));
}

uint64_t v8_record_bytecode(struct v8_look *look, enum v8_frame_kind kind, uint64_t object)
{
	uint64_t data;
	int32_t at = kind == V8_INTERPRETED ? look->layout->shared_data : look->layout->code_deopt;

	return v8_load(look->rt, object, at, &data) ? bytecode_behind(look, data) : 0;
}

uint64_t v8_record_shared(struct v8_look *look, uint64_t code)
{
	uint64_t data, shared, number;

	return v8_load(look->rt, code, look->layout->code_deopt, &data) &&
			       read_deopt(look, data, &shared, &number) ?
		       shared :
		       0;
}

/* Tables. */

static int v8_records_copy(struct v8_look *look, uint64_t addr, int32_t len, struct v8_bytes *to)
{
	if (len < 0 || len > TABLE_MAX)
		return ERR_FORMAT;
	to->bytes = malloc((size_t)len + 1);
	if (!to->bytes)
		return ERR_NOMEM;
	to->len = (size_t)len;
	look->kept += to->len;
	return v8_bytes(look->rt, addr, to->bytes, to->len) ? 0 : ERR_FORMAT;
}

/* A ByteArray, if it is one: what was not computed is undefined, or a Smi. */
static int copy_array(struct v8_look *look, uint64_t array, struct v8_bytes *to)
{
	const struct v8_layout *l = look->layout;
	uint8_t head[16];
	int type;

	array = v8_moved(look->rt, array);
	if (!v8_is_object(array))
		return 0;
	if (v8_look_head(look, array, head, sizeof(head), &type))
		return ERR_FORMAT;
	if (type != l->byte_array_type && type != l->trusted_bytes_type)
		return 0;
	return v8_records_copy(look, v8_field(array, l->array_data),
			       v8_smi(memory_word(head, (size_t)l->array_length)), to);
}

static int read_bytecode(struct v8_look *look, uint64_t bytecode, struct v8_bytes *positions,
			 struct v8_bytes *bytecodes)
{
	const struct v8_layout *l = look->layout;
	uint8_t head[48];
	int type, rc;

	if (v8_look_head(look, bytecode, head, sizeof(head), &type) ||
	    type != look->rt->t.bytecode_type)
		return ERR_FORMAT;
	rc = copy_array(look, memory_word(head, (size_t)l->bytecode_positions), positions);
	if (rc || !bytecodes)
		return rc;
	return v8_records_copy(look, v8_field(bytecode, look->rt->t.bytecodes),
			       v8_smi(memory_word(head, (size_t)l->bytecode_length)), bytecodes);
}

/* The bytecode of a function whose code is Maglev's, if it has any still. */
static int read_loops(struct v8_look *look, uint64_t shared, struct v8_loops *loops)
{
	uint64_t bytecode = v8_record_bytecode(look, V8_INTERPRETED, shared);

	return bytecode ? read_bytecode(look, bytecode, &loops->positions, &loops->bytecodes) : 0;
}

/* CodeKind has Maglev's behind that of baseline code. */
static bool is_maglev(const struct v8_runtime *rt, const struct v8_record *r)
{
	return r->kind == V8_OPTIMIZED && rt->t.release >= V8_NODE_20 &&
	       r->proof[PROOF_CODE + CODE_KIND] == rt->t.kind_baseline + 1u;
}

/* The function of an inlined call. What was freed is not known. */
static int v8_records_read_inlined(struct v8_names_state *n, const struct v8_record *r,
				   uint64_t literals, int32_t i, struct v8_inlined *inlined)
{
	const struct v8_layout *l = &n->layout;
	struct v8_look *look = &n->look;
	uint64_t object, length;
	int rc;

	literals = v8_moved(look->rt, literals);

	if (i < 0) {
		inlined->function = r->function;
		return 0;
	}
	if (!v8_load(look->rt, literals, l->array_length, &length) || i >= v8_smi(length) ||
	    !v8_load(look->rt, literals, l->array_data + 8 * i, &object))
		return 0;
	object = v8_moved(look->rt, object & ~2ull); /* it may be a weak one */
	if (l->wrapper_type >= 0 && v8_type(look->rt, object) == l->wrapper_type)
		object = v8_load_moved(look->rt, object, l->wrapper_shared);
	if (v8_type(look->rt, object) != look->rt->t.shared_type)
		return 0;
	rc = v8_shared_get(&n->scripts, look, object, &inlined->function);
	if (!rc && is_maglev(look->rt, r))
		rc = read_loops(look, object, &inlined->loops);
	return rc == ERR_NOMEM ? rc : 0;
}

/* The DeoptimizationData from behind the inlined calls on. */
static int read_exits(struct v8_look *look, uint64_t deopt, struct v8_bytes *to)
{
	const struct v8_layout *l = look->layout;
	int32_t first = l->deopt_inlinings + 1;
	uint64_t length;

	if (!v8_load(look->rt, deopt, l->array_length, &length) || v8_smi(length) < first ||
	    v8_smi(length) > EXITS_MAX)
		return ERR_FORMAT;
	return v8_records_copy(look, v8_field(deopt, l->array_data + 8 * first),
			       8 * (v8_smi(length) - first), to);
}

/* Maglev's safepoint table, behind the code. In Node 24 the size of the frame stands in front. */
static int read_safepoints(struct v8_look *look, const struct v8_record *r, struct v8_bytes *to)
{
	uint64_t at = r->proof[PROOF_CODE + 3] + r->proof[PROOF_CODE + 4];
	uint32_t head[2];
	uint64_t sizes, len;

	at += look->rt->t.release >= V8_NODE_24 ? 4 : 0;
	if (!v8_bytes(look->rt, at, head, sizeof(head)))
		return ERR_FORMAT;
	sizes = head[1];
	len = 2 * (sizes >> 4 & 7) + (sizes >> 7 & 7) + 1 + (sizes >> 1 & 7);
	len = SAFEPOINTS_HEAD + len * head[0];
	return len > TABLE_MAX ? ERR_FORMAT : v8_records_copy(look, at, (int32_t)len, to);
}

struct v8_deopt v8_record_deopt(const struct v8_runtime *rt, const struct v8_record *r)
{
	return (struct v8_deopt){ .words = (const uint64_t *)(const void *)r->deopt.bytes,
				  .count = r->deopt.len / 8,
				  .exit_bytes = rt->t.release < V8_NODE_18 ? 7 : 4,
				  .safepoints = r->safepoints.bytes,
				  .safepoints_len = r->safepoints.len };
}

static int v8_records_read_code(struct v8_names_state *n, struct v8_record *r)
{
	const struct v8_layout *l = &n->layout;
	uint64_t deopt = v8_moved(n->look.rt, r->proof[PROOF_CODE + 1]), literals, inlinings;
	size_t count;
	int rc = copy_array(&n->look, r->proof[PROOF_CODE + 2], &r->positions);

	if (!rc && is_maglev(n->look.rt, r))
		rc = read_loops(&n->look, r->shared, &r->loops);
	if (!rc && is_maglev(n->look.rt, r))
		rc = read_safepoints(&n->look, r, &r->safepoints);
	rc = rc ? rc : read_exits(&n->look, deopt, &r->deopt);
	if (rc)
		return rc;
	if (!v8_load(n->look.rt, deopt, l->array_data + 8 * l->deopt_literals, &literals) ||
	    !v8_load(n->look.rt, deopt, l->array_data + 8 * l->deopt_inlinings, &inlinings))
		return ERR_FORMAT;
	rc = copy_array(&n->look, inlinings, &r->inlinings);
	count = r->inlinings.len / V8_INLINING_BYTES;
	if (rc || count > INLININGS_MAX)
		return rc ? rc : ERR_FORMAT;
	r->inlined = calloc(count + 1, sizeof(*r->inlined));
	if (!r->inlined)
		return ERR_NOMEM;
	for (size_t i = 0; i < count && !rc; i++) {
		const uint8_t *bytes = r->inlinings.bytes + i * V8_INLINING_BYTES;

		rc = v8_records_read_inlined(n, r, literals, v8_inlining_decode(bytes).function,
					     &r->inlined[i]);
	}
	return rc;
}

int v8_record_read(struct v8_names_state *n, const struct v8_runtime *rt, struct v8_record *r)
{
	uint64_t proof[V8_PROOF_WORDS];
	int rc;

	v8_look_begin(&n->look, rt, &n->layout);
	if (!v8_record_prove(&n->look, r, proof) || memcmp(proof, r->proof, sizeof(proof)) != 0)
		return ERR_FORMAT;
	rc = v8_shared_get(&n->scripts, &n->look, r->shared, &r->function);
	if (!rc && r->kind == V8_OPTIMIZED)
		rc = v8_records_read_code(n, r);
	else if (!rc)
		rc = read_bytecode(&n->look, r->bytecode, &r->positions,
				   r->kind == V8_BASELINE ? &r->bytecodes : NULL);
	if (!rc && r->kind == V8_BASELINE)
		rc = copy_array(&n->look, r->proof[PROOF_CODE + 2], &r->offsets);
	return rc || v8_look_holds(&n->look) ? rc : ERR_FORMAT;
}

static void free_loops(struct v8_loops *l)
{
	free(l->positions.bytes);
	free(l->bytecodes.bytes);
}

void v8_record_free(struct v8_record *r)
{
	for (size_t i = 0; r->inlined && i < r->inlinings.len / V8_INLINING_BYTES; i++)
		free_loops(&r->inlined[i].loops);
	free_loops(&r->loops);
	free(r->deopt.bytes);
	free(r->safepoints.bytes);
	free(r->positions.bytes);
	free(r->offsets.bytes);
	free(r->bytecodes.bytes);
	free(r->inlinings.bytes);
	free(r->inlined);
	free(r);
}
