/* The compiler's description is a string of bytes: offset and size for a value, five special bytes
 * for brackets and omissions. It is copied per place and printed for each stack. */
#include "runtimes/go/stacks/args.h"

#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"
#include "runtimes/go/stacks/sites.h"

/* internal/abi/symtab.go. */
enum {
	TABLE_LIVE = 3, /* PCDATA_ArgLiveIndex */
	DATA_ARGS = 5,	/* FUNCDATA_ArgInfo */
	DATA_LIVE = 6,	/* FUNCDATA_ArgLiveInfo */
};

/* TraceArgs…; any other byte is the offset of a value, and its size follows. */
enum op {
	OP_TOO_FAR = 0xfb,
	OP_MORE = 0xfc,
	OP_END_AGGREGATE = 0xfd,
	OP_BEGIN_AGGREGATE = 0xfe,
	OP_END = 0xff,
};

/* Reads as many of the `len` bytes as exist: the data may be shorter and end the section. */
static void read_some(struct gopclntab *table, uint64_t at, uint8_t *bytes, size_t len)
{
	if (gopclntab_code(table, at, bytes, len))
		return;
	for (size_t i = 0; i < len && gopclntab_code(table, at + i, bytes + i, 1); i++)
		;
}

static void load_live(const struct gosites_function *f, uint64_t at, struct goargs *args)
{
	uint64_t info = gopclntab_data(f->table, &f->function, DATA_LIVE);
	int32_t index;

	if (!info || !gopclntab_value(f->table, &f->function, TABLE_LIVE, at, &index) ||
	    index <= 0 || !gopclntab_code(f->table, info, &args->known_from, 1))
		return;
	memset(args->live, 0, sizeof(args->live));
	read_some(f->table, info + (uint64_t)index, args->live, sizeof(args->live));
}

void goargs_load(struct gosites *s, uint64_t pc, struct goargs *args)
{
	struct gosites_function f;
	uint64_t info;

	memset(args->ops, OP_END, sizeof(args->ops));
	args->known_from = UINT8_MAX;
	if (!gosites_function(s, pc - 1, &f))
		return;
	info = gopclntab_data(f.table, &f.function, DATA_ARGS);
	if (!info)
		return;
	read_some(f.table, info, args->ops, sizeof(args->ops));
	load_live(&f, pc - 1 - f.bias, args);
}

static int print_value(const struct goargs *args, uint8_t offset, uint8_t size, unsigned slot,
		       const uint8_t *bytes, size_t len, struct buffer *out)
{
	bool live = offset < args->known_from || args->live[slot / 8] >> slot % 8 & 1;
	uint64_t value = 0;

	if (size > sizeof(value) || offset > len || len - offset < size)
		return buffer_add(out, "_", 1);
	memcpy(&value, bytes + offset, size); /* little-endian, like x86-64 and arm64 */
	return buffer_add_hex(out, value) || (!live && buffer_add(out, "?", 1)) ? ERR_NOMEM : 0;
}

/* The text of an op that is not a value; NULL for a value. */
static const char *const op_texts[UINT8_MAX + 1] = {
	[OP_BEGIN_AGGREGATE] = "{",
	[OP_END_AGGREGATE] = "}",
	[OP_MORE] = "...",
	[OP_TOO_FAR] = "_",
};

int goargs_print(const struct goargs *args, const uint8_t *bytes, size_t len, struct buffer *out)
{
	bool start = true;
	unsigned slot = 0; /* number of the argument among those in registers */
	int rc = 0;

	for (size_t i = 0; !rc && i < GOARGS_OPS && args->ops[i] != OP_END; i++) {
		uint8_t op = args->ops[i];
		const char *text = op_texts[op];

		if (!text && i + 1 == GOARGS_OPS)
			break; /* a value without a size */
		if (!start && op != OP_END_AGGREGATE)
			rc = buffer_add(out, ", ", 2);
		start = op == OP_BEGIN_AGGREGATE;
		if (!rc && text) {
			rc = buffer_add(out, text, strlen(text));
		} else if (!rc) {
			rc = print_value(args, op, args->ops[++i], slot, bytes, len, out);
			slot += op >= args->known_from;
		}
	}
	return rc;
}
