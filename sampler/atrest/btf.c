/* The types are gone through once, in their order, and each is compared with what is wanted;
 * nothing is kept of the others. */
#include "sampler/atrest/btf.h"

#include <linux/btf.h>
#include <stdbool.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"

enum { MAGIC = 0xeb9f, WORD = 4 };

struct btf {
	struct cursor types;
	const char *strings; /* the last byte is 0 */
	size_t strings_len;
	struct btf_wanted *wanted;
	size_t count;
	uint32_t type; /* number of the one that is read */
};

/* How many bytes follow a type's head, by its kind and number of members. */
static size_t tail_of(unsigned kind, size_t members)
{
	switch (kind) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return WORD;
	case BTF_KIND_ARRAY:
		return 3 * WORD;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case BTF_KIND_ENUM64:
		return members * 3 * WORD;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return members * 2 * WORD;
	default:
		return 0;
	}
}

static bool btf_is_named(const struct btf *b, uint32_t at, const char *name)
{
	return name && at < b->strings_len && !strcmp(b->strings + at, name);
}

/* A bit field's size is in the upper byte of its offset, in bits. */
static void take_members(struct btf *b, size_t count, struct btf_wanted *w)
{
	struct cursor c = b->types;

	for (size_t i = 0; i < count && !w->found; i++) {
		uint32_t name = (uint32_t)cursor_uint(&c, WORD), bits;

		cursor_uint(&c, WORD); /* its type */
		bits = (uint32_t)cursor_uint(&c, WORD);
		if (!c.failed && btf_is_named(b, name, w->member)) {
			w->value = (bits & 0xffffff) / 8;
			w->found = true;
		}
	}
}

static void btf_compare(struct btf *b, uint32_t name, unsigned kind, size_t members)
{
	for (size_t i = 0; i < b->count; i++) {
		struct btf_wanted *w = &b->wanted[i];

		if (w->found)
			continue;
		if (kind == BTF_KIND_FUNC && btf_is_named(b, name, w->function)) {
			w->value = b->type;
			w->found = true;
		}
		if (kind == BTF_KIND_STRUCT && btf_is_named(b, name, w->structure))
			take_members(b, members, w);
	}
}

static void btf_read_types(struct btf *b)
{
	struct cursor *c = &b->types;

	for (b->type = 1; cursor_left(c); b->type++) {
		const uint8_t *head = cursor_bytes(c, sizeof(struct btf_type));
		struct btf_type type;
		unsigned kind;

		if (!head)
			return;
		memcpy(&type, head, sizeof(type));
		kind = BTF_INFO_KIND(type.info);
		if (kind == BTF_KIND_FUNC || kind == BTF_KIND_STRUCT)
			btf_compare(b, type.name_off, kind, BTF_INFO_VLEN(type.info));
		cursor_bytes(c, tail_of(kind, BTF_INFO_VLEN(type.info)));
	}
}

/* Both sections follow the header, at offsets from its end. */
static int open_sections(struct btf *b, const uint8_t *bytes, size_t len, struct error *err)
{
	struct btf_header h;

	if (len < sizeof(h))
		return error_set(err, ERR_FORMAT, "the kernel's BTF is cut short");
	memcpy(&h, bytes, sizeof(h));
	if (h.magic != MAGIC || h.hdr_len > len || h.type_off > len - h.hdr_len ||
	    h.type_len > len - h.hdr_len - h.type_off || h.str_off > len - h.hdr_len ||
	    h.str_len > len - h.hdr_len - h.str_off || !h.str_len ||
	    bytes[h.hdr_len + h.str_off + h.str_len - 1])
		return error_set(err, ERR_FORMAT, "the kernel's BTF has a broken header");
	cursor_init(&b->types, bytes + h.hdr_len + h.type_off, h.type_len, "the kernel's BTF");
	b->strings = (const char *)bytes + h.hdr_len + h.str_off;
	b->strings_len = h.str_len;
	return 0;
}

int btf_find(const void *bytes, size_t len, struct btf_wanted *wanted, size_t count,
	     struct error *err)
{
	struct btf b = { .wanted = wanted, .count = count };
	int rc = open_sections(&b, bytes, len, err);

	if (rc)
		return rc;
	btf_read_types(&b);
	if (b.types.failed)
		return cursor_error(&b.types, err);
	for (size_t i = 0; i < count; i++)
		if (!wanted[i].found && !wanted[i].optional)
			return error_set(err, ERR_FORMAT, "the kernel's BTF has no %s",
					 wanted[i].function ? wanted[i].function :
							      wanted[i].member);
	return 0;
}
