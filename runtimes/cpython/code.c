/*
 * What is shown of a code object decides what proves it the same: its names, its first line and its
 * line table, by where they are and by what they are. Pointers alone do not, because a program that
 * compiles in a loop gets the same addresses again and again, also for the new names.
 *
 * Rejected:
 * - co_version alone (3.12 and later). A code object that was freed keeps it, while its strings are
 *   others already. And each interpreter counts for itself: interpreters that come and go and run
 *   the same sort of script get the same addresses and the same numbers.
 * - The hashes of the strings instead of their text. Up to 3.12 a file name has none, and may get
 *   one at any time.
 * - The whole of long names and tables. Of what lies behind PART_BYTES, the hash that CPython keeps
 *   of it is compared, if there is one, which is so for the tables of compiled code from 3.10 on.
 */
#include "runtimes/cpython/code.h"

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/common/copy.h"
#include "runtimes/cpython/layout.h"
#include "runtimes/cpython/linetable.h"
#include "runtimes/cpython/unicode.h"

enum {
	HEAD_MAX = 256,	  /* bytes of a code object, up to its byte code */
	PART_BYTES = 192, /* what is compared of a string or a table, with its head */
	PARTS = 3,	  /* name, file, line table */
	BATCH = 64,	  /* code objects that are read together */
	PAGE = 4096,
	TABLE_MAX = 1 << 20, /* bytes; a longer table is not read, and there are no lines */
	CODE_UNIT = 2,	     /* sizeof(_Py_CODEUNIT) */
};

/* Between the first line and the pointer to the line table nothing ever changes; what is counted,
 * cached and specialised lies outside (Include/cpython/code.h). */
static size_t constant_end(const struct cpython *python)
{
	return python->layout.code.lines + 8ul;
}

/* What is read of a code object. */
static size_t head_size(const struct cpython *python)
{
	size_t end = constant_end(python), begin_end = python->layout.code.firsttraceable + 4ul;

	return python->version >= CPYTHON_3_11 && begin_end > end ? begin_end : end;
}

static bool is_readable(const struct cpython *python)
{
	const struct cpython_code_layout *c = &python->layout.code;
	const struct cpython_object_layout *o = &python->layout.object;

	return head_size(python) <= HEAD_MAX && c->firstlineno < c->lines && c->name < c->lines &&
	       c->filename < c->lines && (c->qualname == CPYTHON_NONE || c->qualname < c->lines) &&
	       o->type < c->lines && o->var_size < c->lines && o->bytes_data < PART_BYTES &&
	       o->bytes_hash + 8ul <= o->bytes_data && o->var_size + 8ul <= o->bytes_data &&
	       o->type + 8ul <= o->bytes_data && o->type + 8ul <= o->text_ascii;
}

/* The objects whose content is compared. */
static void parts_of(const struct cpython *python, const uint8_t *head, uint64_t parts[PARTS])
{
	const struct cpython_code_layout *c = &python->layout.code;

	parts[0] = memory_word(head, c->qualname == CPYTHON_NONE ? c->name : c->qualname);
	parts[1] = memory_word(head, c->filename);
	parts[2] = memory_word(head, c->lines);
}

/* Up to the end of the page: the next one may be missing. */
static size_t bytes_before_page(uint64_t addr)
{
	size_t left = PAGE - (addr & (PAGE - 1));

	return left < PART_BYTES ? left : PART_BYTES;
}

/* While the thread is held. */

static bool is_copied(struct interp_copy *copy, uint64_t addr, uint8_t *bytes, size_t len)
{
	return !copy->memory.read(&copy->memory, addr, bytes, len);
}

static void copy_parts(struct interp_copy *copy, const uint64_t *parts, size_t count)
{
	uint8_t bytes[PART_BYTES];

	interp_copy_need_all(copy, parts, count, PART_BYTES);
	for (size_t i = 0; i < count; i++)
		if (bytes_before_page(parts[i]) < PART_BYTES &&
		    !is_copied(copy, parts[i], bytes, PART_BYTES))
			interp_copy_need(copy, parts[i], bytes_before_page(parts[i]));
}

void cpython_copy_codes(const struct cpython *python, struct interp_copy *copy,
			const uint64_t *codes, size_t count)
{
	bool cut = copy->walk.cut;

	for (size_t first = 0; is_readable(python) && first < count; first += BATCH) {
		size_t batch = count - first < BATCH ? count - first : BATCH, n = 0;
		uint64_t parts[BATCH * PARTS];
		uint8_t head[HEAD_MAX];

		interp_copy_need_all(copy, codes + first, batch, head_size(python));
		for (size_t i = 0; i < batch; i++)
			if (is_copied(copy, codes[first + i], head, head_size(python)))
				parts_of(python, head, &parts[PARTS * n++]);
		copy_parts(copy, parts, PARTS * n);
	}
	copy->walk.cut = cut; /* that tells of the frames, which are all there */
}

/* What proves a code object the same. */

struct code_part {
	uint64_t addr;
	size_t len; /* 0: it could not be read */
	uint8_t bytes[PART_BYTES];
};

struct code_batch {
	const struct cpython *python;
	const struct memory *memory;
	size_t count;
	bool is_there[BATCH];
	uint8_t heads[BATCH][HEAD_MAX];
	struct code_part parts[BATCH][PARTS];
	struct code_part *files[BATCH]; /* where the file's name is; many have the same */
};

static void read_heads(struct code_batch *b, const struct interp_identity *ids)
{
	struct memory_piece pieces[BATCH];

	for (size_t i = 0; i < b->count; i++)
		pieces[i] = (struct memory_piece){ ids[i].code, b->heads[i], head_size(b->python) };
	memory_gather(b->memory, pieces, b->count);
	for (size_t i = 0; i < b->count; i++)
		b->is_there[i] = pieces[i].len;
}

static struct code_part *file_part(struct code_batch *b, size_t i)
{
	for (size_t before = 0; before < i; before++)
		if (b->is_there[before] && b->parts[before][1].addr == b->parts[i][1].addr)
			return b->files[before];
	return &b->parts[i][1];
}

static void read_parts(struct code_batch *b)
{
	struct memory_piece pieces[BATCH * PARTS];
	struct code_part *parts[BATCH * PARTS];
	size_t n = 0;

	for (size_t i = 0; i < b->count; i++) {
		uint64_t addrs[PARTS];

		if (!b->is_there[i])
			continue;
		parts_of(b->python, b->heads[i], addrs);
		for (unsigned k = 0; k < PARTS; k++)
			b->parts[i][k].addr = addrs[k];
		b->files[i] = file_part(b, i);
		for (unsigned k = 0; k < PARTS; k++)
			if (k != 1 || b->files[i] == &b->parts[i][k])
				parts[n++] = &b->parts[i][k];
	}
	for (size_t i = 0; i < n; i++)
		pieces[i] = (struct memory_piece){ parts[i]->addr, parts[i]->bytes, PART_BYTES };
	memory_gather(b->memory, pieces, n);
	for (size_t i = 0; i < n; i++) {
		struct code_part *p = parts[i];

		p->len = pieces[i].len;
		if (!p->len &&
		    !b->memory->read(b->memory, p->addr, p->bytes, bytes_before_page(p->addr)))
			p->len = bytes_before_page(p->addr);
	}
}

/* What is compared of an object of `size` bytes of content that begin at `from`. `hash`: what
 * CPython keeps, or -1. The type, too, because that is what free(3) overwrites first: of a long
 * table that was freed, all that is compared could be there still, and the rest be another's. */
static uint64_t code_digest(const struct cpython *python, const struct code_part *p, uint64_t from,
			    uint64_t size, uint64_t length, uint64_t hash)
{
	size_t here = from < p->len ? p->len - from : 0;
	struct {
		uint64_t type, length, hash;
		uint8_t content[PART_BYTES];
	} compared = { memory_word(p->bytes, python->layout.object.type), length, 0, { 0 } };

	if (size > here)
		compared.hash = hash;
	here = size < here ? size : here;
	memcpy(compared.content, p->bytes + (here ? from : 0), here);
	return XXH3_64bits(&compared, sizeof(compared) - PART_BYTES + here);
}

static bool code_digest_text(const struct cpython *python, const struct code_part *p,
			     uint64_t *word)
{
	const struct cpython_object_layout *o = &python->layout.object;
	struct pyunicode_place place;

	if (p->len < o->text_hash + 8 || pyunicode_find(python, p->addr, p->bytes, p->len, &place))
		return false;
	*word = code_digest(python, p, place.addr - p->addr, place.count * place.width, place.count,
			    memory_word(p->bytes, o->text_hash));
	return true;
}

static bool digest_table(const struct cpython *python, const struct code_part *p, uint64_t *word)
{
	const struct cpython_object_layout *o = &python->layout.object;
	uint64_t size;

	if (p->len < o->bytes_data)
		return false;
	size = memory_word(p->bytes, o->var_size);
	*word = code_digest(python, p, o->bytes_data, size, size,
			    memory_word(p->bytes, o->bytes_hash));
	return true;
}

static bool code_is_code(const struct cpython *python, const uint8_t *head)
{
	uint64_t type = memory_word(head, python->layout.object.type);

	return type && (!python->code_type || type == python->code_type);
}

static void code_identify(const struct code_batch *b, size_t i, struct interp_identity *id)
{
	const struct cpython *python = b->python;
	const struct cpython_object_layout *o = &python->layout.object;
	const uint8_t *head = b->heads[i];
	uint32_t first = python->layout.code.firstlineno;

	memset(id->words, 0, sizeof(id->words));
	id->unique = false;
	id->valid = b->is_there[i] && code_is_code(python, head) &&
		    code_digest_text(python, &b->parts[i][0], &id->words[0]) &&
		    code_digest_text(python, b->files[i], &id->words[1]) &&
		    digest_table(python, &b->parts[i][2], &id->words[2]);
	if (!id->valid)
		return;
	id->words[3] = XXH3_64bits(head + first, constant_end(python) - first);
	id->words[4] = memory_word(head, o->type);
	if (python->version < CPYTHON_3_11)
		return;
	id->words[5] = memory_word(head, o->var_size);
	id->words[6] = memory_u32(head, python->layout.code.firsttraceable);
	/* co_version is 0 when all numbers are used up. */
	id->unique = python->version >= CPYTHON_3_12 && python->layout.code.version < first + 64 &&
		     memory_u32(head, python->layout.code.version);
}

static void identify_batch(struct code_batch *b, const struct cpython *python,
			   const struct memory *memory, struct interp_identity *ids, size_t count)
{
	b->python = python;
	b->memory = memory;
	b->count = count;
	read_heads(b, ids);
	read_parts(b);
	for (size_t i = 0; i < count; i++)
		code_identify(b, i, &ids[i]);
}

void cpython_identify(const void *rt, const struct memory *memory, struct interp_identity *ids,
		      size_t count)
{
	struct code_batch b;

	for (size_t i = 0; i < count; i++)
		ids[i].valid = false;
	for (size_t first = 0; is_readable(rt) && first < count; first += BATCH)
		identify_batch(&b, rt, memory, ids + first,
			       count - first < BATCH ? count - first : BATCH);
}

/* Names and lines. They are made of the bytes that the identity is made of, and of those behind
 * them in the same strings and tables. */

struct code_reading {
	struct memory memory; /* the parts, else `live` */
	const struct memory *live;
	struct code_batch batch; /* of one code object */
};

static int read_whole(const struct code_reading *r, const struct code_part *p, uint64_t addr,
		      void *buf, size_t len)
{
	size_t at = addr - p->addr, here = p->len - at;

	if (len > here && r->live->read(r->live, addr, buf, len))
		return ERR_IO;
	if (len > here && memcmp(buf, p->bytes + at, here) != 0)
		return ERR_IO; /* it is another's by now */
	if (len <= here)
		memcpy(buf, p->bytes + at, len);
	return 0;
}

static int code_read_seen(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	const struct code_reading *r = (const struct code_reading *)m;

	for (unsigned i = 0; i < PARTS; i++) {
		const struct code_part *p = &r->batch.parts[0][i];

		if (addr - p->addr < p->len)
			return read_whole(r, p, addr, buf, len);
	}
	return r->live->read(r->live, addr, buf, len);
}

static enum pylinetable_form form_of(const struct cpython *python)
{
	return python->version < CPYTHON_3_10 ? PYLINETABLE_LNOTAB :
	       python->version < CPYTHON_3_11 ? PYLINETABLE_PAIRS :
						PYLINETABLE_LOCATIONS;
}

/* Up to 3.10 the size stands elsewhere. There, the frame's place is within the code. */
static uint64_t code_size(const struct cpython *python, const uint8_t *head)
{
	return python->version < CPYTHON_3_11 ?
		       INT64_MAX :
		       memory_word(head, python->layout.object.var_size) * CODE_UNIT;
}

/* Without a table `code->lines` stays NULL. */
static int code_read_lines(const struct code_reading *r, struct arena *arena,
			   struct interp_code *code)
{
	const struct cpython *python = r->batch.python;
	const struct code_part *part = &r->batch.parts[0][2];
	uint64_t len = memory_word(part->bytes, python->layout.object.var_size);
	struct pylinetable *t;
	uint8_t *bytes;

	if (len > TABLE_MAX)
		return 0;
	t = arena_alloc(arena, sizeof(*t));
	bytes = arena_alloc(arena, len + 1);
	if (!t || !bytes)
		return ERR_NOMEM;
	if (len &&
	    r->memory.read(&r->memory, part->addr + python->layout.object.bytes_data, bytes, len))
		return ERR_FORMAT;
	code->lines = t;
	return pylinetable_init(t, form_of(python), bytes, len,
				code_size(python, r->batch.heads[0]), code->first_line, arena);
}

/* Where the frames of a code object begin to be complete (_PyFrame_IsIncomplete): until RESUME, it
 * makes cells or a generator. CPython takes a generator's own frame for complete at all times; here
 * it has none for the one instruction before RESUME, when it is resumed for the first time. */
static void find_begin(const struct code_reading *r, struct interp_code *code)
{
	const struct cpython *python = r->batch.python;
	uint32_t units;

	code->begin =
		INT64_MIN; /* up to 3.10 a frame that has executed nothing yet is shown, too */
	if (python->version < CPYTHON_3_11)
		return;
	units = memory_u32(r->batch.heads[0], python->layout.code.firsttraceable);
	code->begin = (int64_t)units * CODE_UNIT;
	code->hidden = units >= memory_word(r->batch.heads[0], python->layout.object.var_size);
}

static int code_read_text(const struct code_reading *r, uint64_t addr, struct arena *arena,
			  const char **out)
{
	char text[PYUNICODE_MAX + 1];

	if (pyunicode_read(r->batch.python, &r->memory, addr, text, sizeof(text)))
		return ERR_FORMAT;
	*out = arena_copy(arena, text, strlen(text));
	return *out ? 0 : ERR_NOMEM;
}

int cpython_resolve(const void *rt, const struct memory *memory, const struct interp_identity *id,
		    struct arena *arena, struct interp_code *code)
{
	const struct cpython *python = rt;
	struct code_reading r;
	int rc;

	*code = (struct interp_code){ .identity.code = id->code };
	if (!is_readable(python))
		return ERR_FORMAT;
	r.memory = (struct memory){ .read = code_read_seen };
	r.live = memory;
	identify_batch(&r.batch, python, memory, &code->identity, 1);
	if (!code->identity.valid)
		return ERR_FORMAT;
	code->first_line = memory_u32(r.batch.heads[0], python->layout.code.firstlineno);
	if (code->first_line > INT32_MAX)
		code->first_line = 0;
	find_begin(&r, code);
	rc = code_read_text(&r, r.batch.parts[0][0].addr, arena, &code->name);
	if (!rc && !*code->name) /* no function is called so: its name is being freed */
		rc = ERR_FORMAT;
	if (!rc)
		rc = code_read_text(&r, r.batch.parts[0][1].addr, arena, &code->file);
	if (!rc)
		rc = code_read_lines(&r, arena, code);
	return rc;
}

void cpython_line(const void *rt, const struct interp_code *code, uint64_t at, uint32_t *line,
		  uint32_t *column)
{
	const struct pylinetable *table = code->lines;

	(void)rt;
	*line = *column = 0;
	if (table)
		pylinetable_find(table, (int64_t)at, line, column);
}
