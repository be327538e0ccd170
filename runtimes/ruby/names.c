/*
 * The names of Ruby's functions: those of the release's own backtraces (vm_backtrace.c), with the
 * class as backtraces have it from 3.4 on.
 *
 * From 3.4 on the name is made from the iseqs around it and from the class of the method: "block in
 * Shop#total" (Feature #19117). Up to 3.3 an iseq has a label: "block in total"; the class is put
 * in front of the method. An iseq does not lead to its method, and several may have it: the method
 * entry is that of the frame (methods.c), and its definition must be the iseq. As in 3.4, a block
 * that is a method has the class in which it is one: "block in Sub#make". Without a method entry,
 * or if the class has no permanent name, the name is without the class.
 *
 * Functions written in C have the name of their method, with the class if it is known.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/ruby/object.h"

enum {
	AROUND_MAX = 64, /* iseqs around a block */
};

struct naming {
	const struct ruby_runtime *rt;
	const struct memory *memory;
	uint64_t method; /* the method entry of the frames; 0: none */
	struct arena *arena;
	bool nomem;
};

static const char *ruby_names_text(struct naming *n, uint64_t addr)
{
	return ruby_read_string(n->rt, n->memory, addr, n->arena, &n->nomem);
}

static const char *ruby_names_copy(struct naming *n, const char *bytes)
{
	const char *kept = arena_copy(n->arena, bytes, strlen(bytes));

	n->nomem |= !kept;
	return kept;
}

static const char *qualified(struct naming *n, uint64_t owner, const char *name)
{
	return name ? ruby_qualify(n->rt, n->memory, owner, name, n->arena, &n->nomem) : NULL;
}

/* The class of the method entry, which is of the method whose iseq is `method_iseq`, or of a block
 * that is a method itself; 0: not known. */
static uint64_t ruby_names_owner_of(const struct naming *n, uint64_t method_iseq)
{
	char object[OBJECT_BYTES], definition[DEFINITION_BYTES];
	unsigned type;

	if (!ruby_read_object(n->memory, n->method, object) ||
	    !ruby_is_imemo(memory_word(object, 0), IMEMO_METHOD) ||
	    n->memory->read(n->memory, memory_word(object, METHOD_DEFINITION), definition,
			    sizeof(definition)))
		return 0;
	type = definition[DEFINITION_TYPE] & 15;
	if (type != METHOD_IS_BLOCK &&
	    (type != METHOD_IS_ISEQ || memory_word(definition, DEFINITION_BODY) != method_iseq))
		return 0;
	return memory_word(object, METHOD_OWNER);
}

struct ruby_names_around {
	uint64_t iseq, parent, local;
	uint32_t type;
	uint64_t label;
};

static bool read_around(const struct naming *n, uint64_t iseq, struct ruby_names_around *a)
{
	char body[BODY_BYTES];
	uint64_t at;

	if (!ruby_is_object(iseq) || memory_read_u64(n->memory, iseq + ISEQ_BODY, &at) ||
	    n->memory->read(n->memory, at, body, sizeof(body)))
		return false;
	*a = (struct ruby_names_around){ .iseq = iseq,
					 .parent = memory_word(body, n->rt->layout->parent),
					 .local = memory_word(body, n->rt->layout->parent + 8u),
					 .type = memory_u32(body, BODY_TYPE),
					 .label = memory_word(body, BODY_LABEL) };
	return true;
}

/* Goes outward to the iseq that the label of the one at `iseq` is about; *levels: of blocks. */
static bool find_labelled(const struct naming *n, uint64_t iseq, struct ruby_names_around *a,
			  unsigned *levels)
{
	*levels = 0;
	for (unsigned i = 0; i < AROUND_MAX; i++, iseq = a->parent) {
		if (!read_around(n, iseq, a))
			return false;
		if (a->type == ISEQ_BLOCK)
			++*levels;
		else if (a->type != ISEQ_RESCUE && a->type != ISEQ_ENSURE && a->type != ISEQ_EVAL &&
			 a->type != ISEQ_PLAIN)
			return true;
		if (!a->parent)
			return true;
	}
	return false;
}

/* "rescue in total" as "rescue in Shop#total". */
static const char *label_with_class(struct naming *n, uint64_t addr, const char *label)
{
	const char *name, *full;
	char whole[NAME_BYTES];
	size_t len, of_name;
	unsigned levels;
	struct ruby_names_around a;

	if (!label || !find_labelled(n, addr, &a, &levels) || a.type != ISEQ_METHOD)
		return label;
	name = ruby_names_text(n, a.label);
	full = qualified(n, ruby_names_owner_of(n, a.iseq), name);
	len = strlen(label);
	of_name = name ? strlen(name) : 0;
	if (!full || full == name || of_name > len || strcmp(label + len - of_name, name) != 0)
		return label;
	snprintf(whole, sizeof(whole), "%.*s%s", (int)(len - of_name), label, full);
	return ruby_names_copy(n, whole);
}

/* calculate_iseq_label() of 3.4. */
static const char *made_label(struct naming *n, uint64_t iseq)
{
	const char *name;
	char full[NAME_BYTES];
	unsigned levels;
	struct ruby_names_around a;

	if (!find_labelled(n, iseq, &a, &levels))
		return NULL;
	name = ruby_names_text(n, a.label);
	if (name && a.type == ISEQ_METHOD)
		name = qualified(n, ruby_names_owner_of(n, a.iseq), name);
	if (!name || !levels || a.type == ISEQ_BLOCK)
		return name;
	if (levels == 1)
		snprintf(full, sizeof(full), "block in %s", name);
	else
		snprintf(full, sizeof(full), "block (%u levels) in %s", levels, name);
	return ruby_names_copy(n, full);
}

static uint64_t ruby_names_path_of(const struct naming *n, const char *body)
{
	uint64_t path = memory_word(body, BODY_PATH), element;
	char object[OBJECT_BYTES];

	if (!ruby_read_object(n->memory, path, object) ||
	    ruby_type(memory_word(object, 0)) != T_ARRAY)
		return path;
	element = ruby_array_element(path, object, 0);
	return element && !memory_read_u64(n->memory, element, &path) ? path : 0;
}

static int resolve_iseq(struct naming *n, uint64_t addr, uint64_t body_at, struct interp_code *code)
{
	struct ruby_lines *lines;
	char body[BODY_BYTES];
	int rc;

	if (n->memory->read(n->memory, body_at, body, sizeof(body)) ||
	    memory_u32(body, BODY_TYPE) >= ISEQ_TYPES)
		return ERR_FORMAT;
	rc = ruby_read_lines(n->rt, n->memory, body, n->arena, &lines);
	if (rc)
		return rc;
	code->lines = lines;
	code->name = n->rt->layout->qualified ? made_label(n, addr) : NULL;
	if (!code->name)
		code->name = label_with_class(n, addr,
					      ruby_names_text(n, memory_word(body, BODY_LABEL)));
	code->file = ruby_names_text(n, ruby_names_path_of(n, body));
	code->first_line = memory_u32(body, BODY_LINE) >> n->rt->layout->line_shift;
	return code->name && code->file ? 0 : ERR_FORMAT;
}

static int resolve_method(struct naming *n, const char *object, struct interp_code *code)
{
	char definition[DEFINITION_BYTES];

	if (n->memory->read(n->memory, memory_word(object, METHOD_DEFINITION), definition,
			    sizeof(definition)))
		return ERR_FORMAT;
	code->name = ruby_read_id(n->rt, n->memory, memory_word(definition, DEFINITION_NAME),
				  n->arena, &n->nomem);
	code->name = qualified(n, memory_word(object, METHOD_OWNER), code->name);
	code->file = "";
	return code->name ? 0 : ERR_FORMAT;
}

int ruby_resolve(const void *rt, const struct memory *memory, const struct interp_identity *id,
		 struct arena *arena, struct interp_code *code)
{
	struct naming n = { .rt = rt, .memory = memory, .method = id->method, .arena = arena };
	char object[OBJECT_BYTES];
	int rc = ERR_FORMAT;

	if (!ruby_read_object(n.memory, id->code, object))
		return ERR_FORMAT;
	if (ruby_is_imemo(memory_word(object, 0), IMEMO_ISEQ))
		rc = resolve_iseq(&n, id->code, memory_word(object, ISEQ_BODY), code);
	else if (ruby_is_imemo(memory_word(object, 0), IMEMO_METHOD))
		rc = resolve_method(&n, object, code);
	return n.nomem ? ERR_NOMEM : rc;
}
