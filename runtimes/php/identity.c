/*
 * What proves that a function is the one that was at its address before.
 *
 * PHP frees functions all the time: at the end of a request, with closures, after an include. The
 * next function at the same address may have all pointers in common with it. So its names count by
 * their hashes, which PHP has computed for all but some file names, and lengths; besides these its
 * lines, its number of oplines and where they are.
 *
 * A program that includes a file again and again makes the same function at the same address, with
 * other things there in between. So a text that is shown is compared with the hash, too.
 */
#include <string.h>

#include "base/error.h"
#include "base/hashindex.h"
#include "base/process/memory.h"
#include "runtimes/php/runtime.h"

enum {
	BATCH = 64,
	TEXT_MAX = 64 << 10, /* bytes of a name */
	TEXT_BYTES = 128,    /* of the end of a name without a hash */
};

struct string {
	uint64_t addr;
	char head[STRING_BYTES];
	char text[TEXT_BYTES];
	bool there; /* the head could be read */
	uint64_t hash;
};

struct php_identity_function {
	bool is_c, there;
	char bytes[OP_ARRAY_BYTES];
	char scope[STRING_BYTES]; /* the head of its class */
	bool has_scope;
	struct string name, class, file;
};

struct php_identity_batch {
	const struct memory *memory;
	struct memory_piece pieces[3 * BATCH];
	bool *there[3 * BATCH];
	size_t count;
};

uint64_t php_code_hash(const struct php_layout *layout, const char *function)
{
	uint64_t word = memory_word(function, *function == TYPE_INTERNAL ? (size_t)FUNCTION_NAME :
									   layout->opcodes);

	return (word * 0x9e3779b97f4a7c15 >> CODE_HASH | 1) << CODE_HASH;
}

static void php_identity_want(struct php_identity_batch *b, uint64_t addr, void *to, size_t len,
			      bool *there)
{
	b->pieces[b->count] = (struct memory_piece){ addr, to, len };
	b->there[b->count++] = there;
}

static void php_identity_gather(struct php_identity_batch *b)
{
	if (b->count)
		memory_gather(b->memory, b->pieces, b->count);
	for (size_t i = 0; i < b->count; i++)
		*b->there[i] = b->pieces[i].len;
	b->count = 0;
}

static void php_identity_add_string(struct php_identity_batch *b, struct string *s, uint64_t addr)
{
	s->addr = addr;
	if (addr)
		php_identity_want(b, addr, s->head, STRING_BYTES, &s->there);
}

/* The end of a text tells more of a path than its beginning. */
static void php_identity_want_text(struct php_identity_batch *b, struct string *s)
{
	uint64_t len = s->there ? memory_word(s->head, STRING_LEN) : 0;
	uint64_t some = len < TEXT_BYTES ? len : TEXT_BYTES;

	s->hash = s->there ? memory_word(s->head, STRING_HASH) : 0;
	if (!s->there || s->hash || !len)
		return;
	s->there = false;
	if (len <= TEXT_MAX)
		php_identity_want(b, s->addr + STRING_BYTES + len - some, s->text, some, &s->there);
}

static void read_functions(struct php_identity_batch *b, const struct php_layout *layout,
			   const struct interp_identity *ids, struct php_identity_function *f,
			   size_t count)
{
	memset(f, 0, count * sizeof(*f));
	for (size_t i = 0; i < count; i++) {
		f[i].is_c = ids[i].code & CODE_C;
		php_identity_want(b, php_function(ids[i].code), f[i].bytes,
				  f[i].is_c ? FUNCTION_BYTES : layout->line_start + 8u,
				  &f[i].there);
	}
	php_identity_gather(b);
	for (size_t i = 0; i < count; i++) {
		uint64_t scope = memory_word(f[i].bytes, FUNCTION_SCOPE);

		php_identity_add_string(b, &f[i].name, memory_word(f[i].bytes, FUNCTION_NAME));
		if (scope)
			php_identity_want(b, scope, f[i].scope, STRING_BYTES, &f[i].has_scope);
		if (!f[i].is_c)
			php_identity_add_string(b, &f[i].file,
						memory_word(f[i].bytes, layout->filename));
	}
	php_identity_gather(b);
	for (size_t i = 0; i < count; i++)
		if (f[i].has_scope)
			php_identity_add_string(b, &f[i].class,
						memory_word(f[i].scope, CLASS_NAME));
	php_identity_gather(b);
	for (size_t i = 0; i < count; i++) {
		php_identity_want_text(b, &f[i].name);
		php_identity_want_text(b, &f[i].class);
		php_identity_want_text(b, &f[i].file);
	}
	php_identity_gather(b);
}

static bool php_identity_is_there(const struct string *s)
{
	return !s->addr || s->there;
}

/* Tells a string's place and content. */
static uint64_t php_identity_mark(const struct string *s)
{
	uint64_t words[3] = { s->addr, s->hash, memory_word(s->head, STRING_LEN) };

	if (!s->addr)
		return 0;
	if (!s->hash)
		words[1] = hash_bytes(s->text, sizeof(s->text));
	return hash_bytes(words, sizeof(words));
}

static bool php_identity_is_function(const struct php_identity_function *f, uint64_t code)
{
	uint8_t type = (uint8_t)f->bytes[0];
	uint64_t scope = memory_word(f->bytes, FUNCTION_SCOPE);

	if (!f->there || f->is_c != (type == TYPE_INTERNAL) || !php_identity_is_there(&f->name) ||
	    (scope && (!f->has_scope || !f->class.addr || !f->class.there)))
		return false;
	return f->is_c || ((type == TYPE_USER || type == TYPE_EVAL) && f->file.addr &&
			   f->file.there && !(code & CODE_MAIN && f->name.addr));
}

static void php_identity_fill(const struct php_layout *layout,
			      const struct php_identity_function *f, struct interp_identity *id)
{
	uint64_t *w = id->words;

	memset(w, 0, sizeof(id->words));
	id->valid = php_identity_is_function(f, id->code) &&
		    (!(id->code >> CODE_HASH) ||
		     (php_code_hash(layout, f->bytes) ^ id->code) >> CODE_HASH == 0);
	if (!id->valid)
		return;
	w[0] = (uint8_t)f->bytes[0];
	w[1] = php_identity_mark(&f->name);
	w[2] = memory_word(f->bytes, FUNCTION_SCOPE);
	w[3] = php_identity_mark(&f->class);
	if (f->is_c)
		return;
	w[4] = php_identity_mark(&f->file);
	w[5] = memory_word(f->bytes, layout->opcodes);
	w[6] = memory_word(f->bytes, layout->line_start);
	memcpy(&w[7], f->bytes + layout->last, sizeof(uint32_t));
}

/* zend_inline_hash_func() of Zend/zend_string.h. */
static uint64_t php_identity_hash_of(const char *text, size_t len)
{
	uint64_t hash = 5381;

	for (size_t i = 0; i < len; i++)
		hash = hash * 33 + (uint8_t)text[i];
	return hash | 1ull << 63;
}

static bool php_identity_read_text(const struct memory *memory, const struct string *s,
				   struct php_text *text)
{
	uint64_t len = s->addr ? memory_word(s->head, STRING_LEN) : 0;
	size_t some = len < TEXT_BYTES ? len : TEXT_BYTES;

	text->there = s->addr;
	text->len = len;
	if (len > sizeof(text->bytes) ||
	    (len && memory->read(memory, s->addr + STRING_BYTES, text->bytes, len)))
		return false;
	return s->hash ? php_identity_hash_of(text->bytes, len) == s->hash :
			 !memcmp(text->bytes + len - some, s->text, some);
}

int php_read_function(const struct php_layout *layout, const struct memory *memory, uint64_t code,
		      struct php_texts *texts, struct interp_identity *id)
{
	struct php_identity_batch b = { .memory = memory };
	struct php_identity_function f;

	*id = (struct interp_identity){ .code = code };
	read_functions(&b, layout, id, &f, 1);
	php_identity_fill(layout, &f, id);
	memcpy(texts->function, f.bytes, sizeof(texts->function));
	id->valid = id->valid && php_identity_read_text(memory, &f.name, &texts->name) &&
		    php_identity_read_text(memory, &f.class, &texts->class) &&
		    php_identity_read_text(memory, &f.file, &texts->file);
	return id->valid ? 0 : ERR_FORMAT;
}

void php_identify(const void *data, const struct memory *memory, struct interp_identity *ids,
		  size_t count)
{
	const struct php_layout *layout = ((const struct php_runtime *)data)->layout;
	struct php_identity_batch b = { .memory = memory };
	struct php_identity_function functions[BATCH];

	for (size_t first = 0; first < count; first += BATCH) {
		size_t some = count - first < BATCH ? count - first : BATCH;

		read_functions(&b, layout, ids + first, functions, some);
		for (size_t i = 0; i < some; i++)
			php_identity_fill(layout, &functions[i], &ids[first + i]);
	}
}
