/*
 * The builtins of a V8 without .symtab, as in Debian's libnode.
 *
 * Functions that V8 exports return where its tables are. They are one or two instructions, which
 * name a variable: Isolate::CurrentEmbeddedBlobCode and …Data, Builtins::name. The blob's data
 * begins with three hashes and a description of each builtin, by its number: offset in the code,
 * length (src/snapshot/embedded/embedded-data.h). Its name is in another table by number, 24 bytes
 * each.
 */
#include <string.h>

#include "base/error.h"
#include "base/process/elfsymbol.h"
#include "base/process/memory.h"
#include "runtimes/v8/heap/builtins.h"
#include "runtimes/v8/heap/tables.h"
#include "unwind/code/insn_x86_64.h"

enum {
	ACCESSOR_BYTES = 24,
	HASHES = 24, /* bytes */
	NAME_STRIDE = 24,
	NAME_MAX = 128,
	BUILTINS_MAX = 1 << 14,
};

/* The variable that an exported function's first instructions name, as an address in the
 * process. */
static bool blob_find_variable(const struct v8_place *at, const char *function, uint64_t *addr)
{
	struct elfsymbol symbol = { .name = function };
	uint8_t code[ACCESSOR_BYTES];
	struct insn insn;

	if (!elfsymbol_find(at->image, &symbol, 1) ||
	    !elfsymbol_bytes(at->image, symbol.addr, code, sizeof(code)))
		return false;
	for (size_t i = 0; i < sizeof(code) && !insn_decode(code + i, sizeof(code) - i, &insn);) {
		i += insn.len;
		if (insn.rip && insn.map == MAP_ONE &&
		    (insn.opcode == 0x8b || insn.opcode == 0x8d)) {
			*addr = symbol.addr + i + (uint64_t)(int64_t)insn.disp + at->bias;
			return true;
		}
	}
	return false;
}

struct blob {
	const struct v8_place *at;
	uint64_t code, data, names; /* addresses in the process */
	uint32_t code_size;
	uint32_t stride; /* of a description */
};

static bool blob_read_bytes(const struct blob *b, uint64_t addr, void *buf, size_t len)
{
	return !b->at->memory->read(b->at->memory, addr, buf, len);
}

/* sizeof(EmbeddedData::LayoutDescription). */
static uint32_t blob_stride_of(int release)
{
	switch (release) {
	case V8_NODE_16:
		return 16;
	case V8_NODE_18:
		return 28;
	case V8_NODE_20:
		return 32;
	}
	return 12;
}

/* ERR_NOTFOUND: this V8 does not tell; ERR_BUSY: it has not set itself up yet. */
static int find_blob(struct blob *b)
{
	uint64_t code, data, size;

	if (!blob_find_variable(b->at, "_ZN2v88internal7Isolate23CurrentEmbeddedBlobCodeEv",
				&code) ||
	    !blob_find_variable(b->at, "_ZN2v88internal7Isolate27CurrentEmbeddedBlobCodeSizeEv",
				&size) ||
	    !blob_find_variable(b->at, "_ZN2v88internal7Isolate23CurrentEmbeddedBlobDataEv",
				&data) ||
	    !blob_find_variable(b->at, "_ZN2v88internal8Builtins4nameENS0_7BuiltinE", &b->names) ||
	    !blob_read_bytes(b, code, &b->code, sizeof(b->code)) ||
	    !blob_read_bytes(b, data, &b->data, sizeof(b->data)) ||
	    !blob_read_bytes(b, size, &b->code_size, sizeof(b->code_size)))
		return ERR_NOTFOUND;
	return b->code && b->data ? 0 : ERR_BUSY;
}

static bool blob_is_name(const char *text)
{
	size_t len = strnlen(text, NAME_MAX);

	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return len && len < NAME_MAX;
}

/* The name of a builtin, byte by byte at the end of a mapping. */
static bool blob_read_name(const struct blob *b, unsigned number, char name[NAME_MAX])
{
	uint64_t addr;

	memset(name, 0, NAME_MAX);
	if (!blob_read_bytes(b, b->names + (uint64_t)number * NAME_STRIDE, &addr, sizeof(addr)))
		return false;
	if (!blob_read_bytes(b, addr, name, NAME_MAX - 1))
		for (size_t i = 0; i < NAME_MAX - 1; i++)
			if (!blob_read_bytes(b, addr + i, name + i, 1) || !name[i])
				break;
	name[strnlen(name, NAME_MAX - 1)] = 0;
	return blob_is_name(name);
}

/* The table has no count: it ends with the first entry that is no builtin. */
static bool read_layout(const struct blob *b, unsigned number, uint32_t layout[2])
{
	return blob_read_bytes(b, b->data + HASHES + (uint64_t)number * b->stride, layout,
			       2 * sizeof(*layout)) &&
	       layout[0] % 32 == 0 && layout[1] && layout[0] < b->code_size &&
	       layout[1] <= b->code_size - layout[0];
}

int v8_builtins_read_tables(struct v8_builtins *builtins, const struct v8_place *at, int release)
{
	struct blob b = { .at = at, .stride = blob_stride_of(release) };
	char name[NAME_MAX];
	uint32_t layout[2];
	int rc = find_blob(&b);

	if (rc)
		return rc;
	for (unsigned i = 0;
	     !rc && i < BUILTINS_MAX && read_layout(&b, i, layout) && blob_read_name(&b, i, name);
	     i++)
		rc = v8_builtins_add(builtins, b.code + layout[0] - at->bias, layout[1], name,
				     true);
	return !rc && !builtins->count ? ERR_NOTFOUND : rc;
}
