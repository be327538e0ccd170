/* All descriptors are copied at once. A struct is found by the text of its name, which leads to the
 * descriptor that refers to that text. */
#include "runtimes/go/find/types.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/gomodule.h"
#include "base/process/memory.h"

enum {
	BYTES_MAX = 128 << 20, /* the largest programs of Kubernetes have 20 MB */
	FIELDS_MAX = 512,
	NAME_MAX_LEN = 64,
	KIND_STRUCT = 25,
	KIND_MASK = 31,
	EXTRA_STAR = 2, /* bit of tflag: the name that str leads to is preceded by a "*" */
	/* Offsets in the descriptor of a struct type. */
	AT_TFLAG = 20,
	AT_KIND = 23,
	AT_STR = 40,
	AT_FIELDS = 56,
	STRUCT_BYTES = 80,
	FIELD_BYTES = 24, /* name, type, offset */
	OFFSET_MAX = 1 << 20,
};

int gotypes_load(struct gotypes *t, const struct gomodule *m, uint64_t bias,
		 const struct memory *memory)
{
	memset(t, 0, sizeof(*t));
	if (!m->types || m->etypes <= m->types)
		return ERR_NOTFOUND;
	if (m->etypes - m->types > BYTES_MAX)
		return ERR_LIMIT;
	t->memory = memory;
	t->start = m->types + bias;
	t->len = (size_t)(m->etypes - m->types);
	t->bytes = malloc(t->len);
	if (!t->bytes)
		return ERR_NOMEM;
	if (memory->read(memory, t->start, t->bytes, t->len)) {
		gotypes_release(t);
		return ERR_IO;
	}
	return 0;
}

void gotypes_release(struct gotypes *t)
{
	free(t->bytes);
	memset(t, 0, sizeof(*t));
}

/* The struct type with its name at offset `name` of the descriptors. */
static uint64_t struct_named_at(const struct gotypes *t, size_t name)
{
	for (size_t at = 0; at + STRUCT_BYTES <= t->len; at += 8)
		if ((uint32_t)memory_word(t->bytes, at + AT_STR) == name &&
		    (t->bytes[at + AT_KIND] & KIND_MASK) == KIND_STRUCT &&
		    t->bytes[at + AT_TFLAG] & EXTRA_STAR)
			return t->start + at;
	return 0;
}

/* Types are named by way of their pointer type: a pointer to the struct is always used in the
 * runtime, so the struct shares the pointer's name "*T". The bytes before a name are flags and its
 * length: one byte, or in 1.16 two, the high one first. */
uint64_t gotypes_struct(struct gotypes *t, const char *name)
{
	char starred[NAME_MAX_LEN];
	size_t len = strlen(name) + 1;
	const uint8_t *at = t->bytes;
	uint64_t found = 0;

	if (len >= sizeof(starred))
		return 0;
	starred[0] = '*';
	memcpy(starred + 1, name, len);
	while (!found && (at = memmem(at, t->len - (size_t)(at - t->bytes), starred, len))) {
		size_t before = (size_t)(at - t->bytes);

		if (before >= 3 && at[-1] == len) {
			found = struct_named_at(t, before - 2);
			if (!found && !at[-2] && (found = struct_named_at(t, before - 3)))
				t->old_names = true;
		}
		at++;
	}
	return found;
}

/* Copies from the descriptors, where most of what they point to is, or from the process. */
static bool find_types_get(const struct gotypes *t, uint64_t address, void *to, size_t len)
{
	uint64_t at = address - t->start;

	if (at >= t->len || t->len - at < len)
		return !t->memory->read(t->memory, address, to, len);
	memcpy(to, t->bytes + at, len);
	return true;
}

static bool find_types_has_name(const struct gotypes *t, uint64_t address, const char *wanted)
{
	size_t len = strlen(wanted), skip = t->old_names ? 3 : 2;
	uint8_t name[NAME_MAX_LEN];

	if (len + skip > sizeof(name) || !find_types_get(t, address, name, len + skip))
		return false;
	return name[skip - 1] == len && (skip == 2 || !name[1]) &&
	       !memcmp(name + skip, wanted, len);
}

bool gotypes_field(const struct gotypes *t, uint64_t address, const char *field, uint32_t *offset,
		   uint64_t *type)
{
	uint64_t at = address - t->start, first, count;

	if (at >= t->len || t->len - at < STRUCT_BYTES)
		return false;
	first = memory_word(t->bytes, at + AT_FIELDS);
	count = memory_word(t->bytes, at + AT_FIELDS + 8);
	for (uint64_t i = 0; i < count && i < FIELDS_MAX; i++) {
		uint64_t words[3];

		if (!find_types_get(t, first + i * FIELD_BYTES, words, sizeof(words)))
			return false;
		if (!find_types_has_name(t, words[0], field))
			continue;
		if (type)
			*type = words[1];
		*offset = (uint32_t)(words[2] >> t->shift);
		return words[2] >> t->shift < OFFSET_MAX;
	}
	return false;
}

static bool find_want(const struct gotypes *t, uint64_t address, const struct gotypes_want *w,
		      uint32_t *offset)
{
	uint64_t inner;
	uint32_t at;

	if (!gotypes_field(t, address, w->name, offset, &inner))
		return false;
	if (!w->within)
		return true;
	at = *offset;
	if (!gotypes_field(t, inner, w->within, offset, NULL))
		return false;
	*offset += at;
	return true;
}

const char *gotypes_fields(const struct gotypes *t, uint64_t address,
			   const struct gotypes_want *wants, size_t count, void *into)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t *offset = (uint32_t *)(void *)((char *)into + wants[i].to);

		if (find_want(t, address, &wants[i], offset))
			continue;
		if (!wants[i].optional)
			return wants[i].name;
		*offset = GO_NO_FIELD;
	}
	return NULL;
}

/* In every release g begins with stack, two words, and stackguard0. */
bool gotypes_learn_shift(struct gotypes *t, uint64_t g)
{
	uint32_t guard;

	t->shift = 0;
	if (!gotypes_field(t, g, "stackguard0", &guard, NULL) || (guard != 16 && guard != 32))
		return false;
	t->shift = guard == 32;
	return true;
}

uint32_t gotypes_size(const struct gotypes *t, uint64_t address)
{
	uint64_t at = address - t->start, size;

	if (at >= t->len || t->len - at < STRUCT_BYTES)
		return 0;
	size = memory_word(t->bytes, at);
	return size < OFFSET_MAX ? (uint32_t)size : 0;
}
