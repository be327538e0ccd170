/*
 * Identifies code objects, which are iseqs (with the method entry of their frame) and the method
 * entries of C functions: is the same one still at this address?
 *
 * The garbage collector reuses an iseq's address as soon as the iseq is freed, and malloc(3) may
 * put the next one's tables where the freed ones were. So an identity is made of what is shown:
 * label, path, and the first bytes of the table of lines. A method definition has a serial number
 * of its own, but all classes that share an iseq share that number. So the class, and the fields
 * from which its path is read, are in the identity, too.
 *
 * The reading goes in rounds. Each reads what the pointers of the round before lead to, for all
 * code objects in one system call. While a thread is held, the same rounds copy these bytes.
 */
#include <string.h>

#include "base/hashindex.h"
#include "base/process/memory.h"
#include "runtimes/common/copy.h"
#include "runtimes/ruby/object.h"

enum {
	BATCH = 32,
	TEXT_BYTES = 96, /* the end of a text: evaluated code differs there */
	TABLE_BYTES = 192,
	PER_ROUND = 4, /* pieces of one code object that a round reads, at most */
};

struct ruby_identity_text {
	struct ruby_text at;
	char bytes[TEXT_BYTES];
};

struct probe {
	struct interp_identity *id;
	bool is_iseq;
	char object[OBJECT_BYTES], body[BODY_BYTES];
	char label_object[OBJECT_BYTES], path_object[OBJECT_BYTES], file_object[OBJECT_BYTES];
	struct ruby_identity_text label, path;
	uint64_t file; /* address of the path's string, if the path object is a pair; else 0 */
	char table[TABLE_BYTES];
	uint32_t table_bytes;
	char method[OBJECT_BYTES], definition[DEFINITION_BYTES], class[CLASS_BYTES];
};

struct ruby_identity_round {
	const struct memory *memory;
	struct memory_piece pieces[BATCH * PER_ROUND];
	bool *valid[BATCH * PER_ROUND]; /* each piece's code object: interp_identity.valid */
	size_t lens[BATCH * PER_ROUND]; /* of the pieces, if they can be read whole */
	size_t count;
};

/* Adds a piece to the round. If it cannot be read whole, p->id->valid becomes false. */
static void ruby_identity_add(struct ruby_identity_round *r, struct probe *p, uint64_t addr,
			      void *to, size_t len)
{
	if (!len || !p->id->valid)
		return;
	p->id->valid = addr >= 4096;
	r->lens[r->count] = len;
	r->valid[r->count] = &p->id->valid;
	r->pieces[r->count++] = (struct memory_piece){ addr, to, len };
}

static void read_round(struct ruby_identity_round *r)
{
	memory_gather(r->memory, r->pieces, r->count);
	for (size_t i = 0; i < r->count; i++)
		*r->valid[i] &= r->pieces[i].len == r->lens[i];
	r->count = 0;
}

static void ruby_identity_add_text(struct ruby_identity_round *r, struct probe *p,
				   struct ruby_identity_text *t)
{
	uint64_t len = t->at.len < TEXT_BYTES ? t->at.len : TEXT_BYTES;

	memset(t->bytes, 0, sizeof(t->bytes));
	ruby_identity_add(r, p, t->at.at + t->at.len - len, t->bytes, len);
}

/* The method entry of an iseq's frame. */
static void identity_add_definition(struct ruby_identity_round *r, struct probe *p)
{
	if (!p->id->method)
		return;
	p->id->valid &= p->is_iseq && ruby_is_imemo(memory_word(p->method, 0), IMEMO_METHOD);
	ruby_identity_add(r, p, memory_word(p->method, METHOD_DEFINITION), p->definition,
			  DEFINITION_BYTES);
}

static void identity_add_body(struct ruby_identity_round *r, struct probe *p)
{
	uint64_t flags = memory_word(p->object, 0);

	p->is_iseq = ruby_is_imemo(flags, IMEMO_ISEQ);
	p->id->valid &= p->is_iseq || ruby_is_imemo(flags, IMEMO_METHOD);
	if (p->is_iseq)
		ruby_identity_add(r, p, memory_word(p->object, ISEQ_BODY), p->body, BODY_BYTES);
	else
		ruby_identity_add(r, p, memory_word(p->object, METHOD_DEFINITION), p->body,
				  DEFINITION_BYTES);
	identity_add_definition(r, p);
}

static void identity_add_class(const struct ruby_runtime *rt, struct ruby_identity_round *r,
			       struct probe *p)
{
	if (p->id->method)
		ruby_identity_add(r, p, memory_word(p->method, METHOD_OWNER), p->class,
				  rt->layout->classpath ? CLASS_BYTES : OBJECT_BYTES);
}

static void identity_add_objects(const struct ruby_runtime *rt, struct ruby_identity_round *r,
				 struct probe *p)
{
	const char *insns = p->body + rt->layout->insns;
	uint64_t bytes = (uint64_t)memory_u32(insns, INSNS_COUNT) * rt->layout->insn_entry;

	if (!p->is_iseq)
		return;
	p->table_bytes = bytes < TABLE_BYTES ? (uint32_t)bytes : TABLE_BYTES;
	ruby_identity_add(r, p, memory_word(p->body, BODY_LABEL), p->label_object, OBJECT_BYTES);
	ruby_identity_add(r, p, memory_word(p->body, BODY_PATH), p->path_object, OBJECT_BYTES);
	ruby_identity_add(r, p, memory_word(insns, INSNS_TABLE), p->table, p->table_bytes);
	identity_add_class(rt, r, p);
}

/* The path object is the path, or a pair of it and the real path, in place. */
static void identity_add_texts(const struct ruby_runtime *rt, struct ruby_identity_round *r,
			       struct probe *p)
{
	uint64_t path = memory_word(p->body, BODY_PATH), first;

	if (!p->is_iseq || !p->id->valid)
		return;
	p->id->valid = ruby_string_text(rt, memory_word(p->body, BODY_LABEL), p->label_object,
					&p->label.at);
	ruby_identity_add_text(r, p, &p->label);
	p->file = 0;
	if (ruby_string_text(rt, path, p->path_object, &p->path.at)) {
		ruby_identity_add_text(r, p, &p->path);
		return;
	}
	first = ruby_array_element(path, p->path_object, 0);
	if (first - path > OBJECT_BYTES - 8) {
		p->id->valid = false;
		return;
	}
	p->file = memory_word(p->path_object, first - path);
	ruby_identity_add(r, p, p->file, p->file_object, OBJECT_BYTES);
}

static void identity_add_path(const struct ruby_runtime *rt, struct ruby_identity_round *r,
			      struct probe *p)
{
	if (!p->is_iseq || !p->id->valid || !p->file)
		return;
	p->id->valid = ruby_string_text(rt, p->file, p->file_object, &p->path.at);
	ruby_identity_add_text(r, p, &p->path);
}

static uint64_t sum_of_class(const struct ruby_layout *l, const char *class)
{
	uint64_t words[] = { memory_word(class, CLASS_EXT), 0, 0 };

	if (l->classpath) {
		words[0] = memory_word(class, l->classpath);
		words[1] = memory_word(class, l->attached);
		words[2] = class[l->class_flags] & 1;
	}
	return hash_bytes(words, sizeof(words));
}

static uint64_t sum_of_method(const struct ruby_layout *l, const struct probe *p)
{
	uint64_t words[] = { memory_word(p->method, METHOD_DEFINITION),
			     memory_word(p->method, METHOD_OWNER),
			     memory_word(p->definition, DEFINITION_BODY),
			     memory_word(p->definition, DEFINITION_SERIAL),
			     sum_of_class(l, p->class) };

	return hash_bytes(words, sizeof(words));
}

/* Is the iseq the definition's own, or that of a block directly in it? These live as long as the
 * definition, whose serial number is never given again. (An iseq that is evaluated in the method
 * may be freed before.) So no other code object has these words, with one exception: a copy of a
 * class at the address of an earlier copy of the same class, with its path at the same address. */
static bool ruby_identity_is_kept(const struct ruby_layout *l, const struct probe *p)
{
	uint32_t type = memory_u32(p->body, BODY_TYPE);
	uint64_t iseq = memory_word(p->definition, DEFINITION_BODY);

	if ((p->definition[DEFINITION_TYPE] & 15) != METHOD_IS_ISEQ)
		return false;
	return iseq == p->id->code ||
	       (iseq == memory_word(p->body, l->parent) &&
		(type == ISEQ_BLOCK || type == ISEQ_RESCUE || type == ISEQ_ENSURE));
}

static void ruby_identity_sum_up(const struct ruby_runtime *rt, const struct probe *p)
{
	uint64_t *w = p->id->words;

	w[0] = p->is_iseq;
	if (!p->is_iseq) {
		w[1] = memory_word(p->object, METHOD_DEFINITION);
		w[2] = memory_word(p->object, METHOD_OWNER);
		w[3] = memory_word(p->body, DEFINITION_BODY);
		w[4] = memory_word(p->body, DEFINITION_NAME);
		w[5] = memory_word(p->body, DEFINITION_SERIAL);
		return;
	}
	p->id->unique = p->id->method && ruby_identity_is_kept(rt->layout, p);
	if (p->id->method)
		w[0] += sum_of_method(rt->layout, p);
	w[1] = memory_word(p->object, ISEQ_BODY);
	w[2] = memory_word(p->body, BODY_TYPE); /* and the size */
	w[3] = memory_word(p->body, BODY_CODE);
	w[4] = memory_word(p->body + rt->layout->insns, INSNS_TABLE);
	w[5] = hash_bytes(p->label.bytes, TEXT_BYTES) + p->label.at.len;
	w[6] = hash_bytes(p->path.bytes, TEXT_BYTES) + p->path.at.len;
	w[7] = hash_bytes(p->table, p->table_bytes) + memory_u32(p->body, BODY_LINE) +
	       ((uint64_t)memory_u32(p->body + rt->layout->insns, INSNS_COUNT) << 32);
}

static void ruby_identity_identify(const struct ruby_runtime *rt, const struct memory *memory,
				   struct interp_identity *ids, size_t count)
{
	struct ruby_identity_round r = { .memory = memory };
	struct probe probes[BATCH];

	for (size_t i = 0; i < count; i++) {
		probes[i].id = &ids[i];
		memset(ids[i].words, 0, sizeof(ids[i].words));
		ids[i].valid = ruby_is_object(ids[i].code);
		ruby_identity_add(&r, &probes[i], ids[i].code, probes[i].object, OBJECT_BYTES);
		if (ids[i].method)
			ruby_identity_add(&r, &probes[i], ids[i].method, probes[i].method,
					  OBJECT_BYTES);
	}
	read_round(&r);
	for (size_t i = 0; i < count; i++)
		if (ids[i].valid)
			identity_add_body(&r, &probes[i]);
	read_round(&r);
	for (size_t i = 0; i < count; i++)
		if (ids[i].valid)
			identity_add_objects(rt, &r, &probes[i]);
	read_round(&r);
	for (size_t i = 0; i < count; i++)
		if (ids[i].valid)
			identity_add_texts(rt, &r, &probes[i]);
	read_round(&r);
	for (size_t i = 0; i < count; i++)
		if (ids[i].valid)
			identity_add_path(rt, &r, &probes[i]);
	read_round(&r);
	for (size_t i = 0; i < count; i++)
		if (ids[i].valid)
			ruby_identity_sum_up(rt, &probes[i]);
}

void ruby_identify(const void *rt, const struct memory *memory, struct interp_identity *ids,
		   size_t count)
{
	for (size_t i = 0; i < count; i += BATCH)
		ruby_identity_identify(rt, memory, ids + i, count - i < BATCH ? count - i : BATCH);
}

void ruby_copy_identity(const struct ruby_runtime *rt, struct interp_copy *copy,
			struct interp_identity *ids, size_t count)
{
	struct interp_needing needing = interp_copy_needing(copy);

	ruby_identify(rt, &needing.memory, ids, count);
}
