/* The constants are searched in .dynsym and read from the process. One that a release's row tells,
 * too, must be equal, else V8 is refused. */
#include "runtimes/v8/heap/tables.h"

#include <gelf.h>
#include <string.h>

#include "base/error.h"
#include "base/process/elfsymbol.h"
#include "base/process/image.h"
#include "base/process/memory.h"

enum { SYMBOLS_MAX = 10000000, CONSTRUCTORS = 16 };

/* Symbols of constants, all in .dynsym. */

struct tables_search {
	const struct v8_place *at;
	struct v8_constant *constants;
	size_t count;
};

static void tables_match(const struct tables_search *s, const char *name, uint64_t addr)
{
	for (size_t i = 0; i < s->count; i++) {
		struct v8_constant *c = &s->constants[i];

		if (!c->found && !strcmp(c->name, name))
			c->found = !s->at->memory->read(s->at->memory, addr + s->at->bias,
							&c->value, sizeof(c->value));
	}
}

static void search_section(const struct tables_search *s, Elf *elf, Elf_Scn *scn,
			   const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;

	for (int i = 0; data && i < SYMBOLS_MAX && gelf_getsym(data, i, &sym); i++) {
		const char *name = sym.st_size == sizeof(int32_t) && sym.st_shndx != SHN_UNDEF ?
					   elf_strptr(elf, shdr->sh_link, sym.st_name) :
					   NULL;

		if (name && !strncmp(name, "v8dbg_", 6))
			tables_match(s, name, sym.st_value);
	}
}

void v8_constants(const struct v8_place *at, struct v8_constant *constants, size_t count)
{
	struct tables_search s = { at, constants, count };
	Elf *elf = image_elf(at->image);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	for (size_t i = 0; i < count; i++)
		constants[i].found = false;
	while (elf && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_DYNSYM)
			search_section(&s, elf, scn, &shdr);
}

/* The version. */

static bool tables_read_version(const struct v8_place *at, int32_t version[4])
{
	struct elfsymbol symbols[] = {
		{ .name = "_ZN2v88internal7Version6major_E" },
		{ .name = "_ZN2v88internal7Version6minor_E" },
		{ .name = "_ZN2v88internal7Version6build_E" },
		{ .name = "_ZN2v88internal7Version6patch_E" },
	};

	if (elfsymbol_find(at->image, symbols, 4) < 4)
		return false;
	for (int i = 0; i < 4; i++)
		if (at->memory->read(at->memory, symbols[i].addr + at->bias, &version[i],
				     sizeof(*version)))
			return false;
	return true;
}

/*
 * What differs from release to release and has no constant in all of them, in V8's order of fields
 * (src/objects/code.h, js-function.tq, bytecode-array.tq), as found in running processes.
 *
 * Up to Node 18 the object with the instructions is a Code. From Node 20 on it is an
 * InstructionStream, and Code is another object, which does not move with it.
 */
static const struct v8_tables releases[] = {
	/* clang-format off */
	/*		 stream: code, instructions; code: stream start size flags bytes;
	 *		 bytecodes, shared; kinds: regexp, baseline */
	{ .release = V8_NODE_16, 0,  96,  0,  0, 40, 48, 56, 54, 24, 3, 11 },
	{ .release = V8_NODE_17, 0, 128,  0,  0, 40, 48, 56, 54, 24, 3, 11 },
	{ .release = V8_NODE_18, 0, 128,  0,  0, 40, 48, 56, 56, 24, 3, 11 },
	{ .release = V8_NODE_20, 8,  16, 32, 40, 56, 48, 64, 54, 24, 3, 11 },
	{ .release = V8_NODE_21, 8,  32, 24, 32, 44, 40, 64, 52, 32, 3, 11 },
	{ .release = V8_NODE_22, 8,  32, 32, 40, 52, 48, 64, 64, 32, 3, 10 },
	{ .release = V8_NODE_23, 8,  32, 32, 40, 52, 48, 64, 64, 32, 3, 10 },
	{ .release = V8_NODE_24, 8,  32, 32, 40, 56, 52, 64, 64, 32, 3, 10 },
	{ .release = V8_NODE_25, 8,  32, 32, 40, 56, 52, 64, 64, 32, 3, 10 },
	{ .release = V8_NODE_26, 8,  32, 32, 40, 56, 52, 64, 64, 32, 4, 11 },
	/* clang-format on */
};

static const struct v8_tables *tables_find_release(int number)
{
	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++)
		if (releases[i].release == number)
			return &releases[i];
	return NULL;
}

/* The constants. */

/* The types of frames, from FRAMES on, are in the order of enum v8_frame_type. */
#define EACH_CONSTANT(F) \
	F(CODE_TYPE, "v8dbg_type_Code__CODE_TYPE") \
	F(STREAM_TYPE, "v8dbg_type_InstructionStream__INSTRUCTION_STREAM_TYPE") \
	F(SHARED_TYPE, "v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE") \
	F(BYTECODE_TYPE, "v8dbg_type_BytecodeArray__BYTECODE_ARRAY_TYPE") \
	F(FUNCTION_TYPE, "v8dbg_type_JSFunction__JS_FUNCTION_TYPE") \
	F(FIRST_FUNCTION_TYPE, "v8dbg_FirstJSFunctionType") \
	F(LAST_FUNCTION_TYPE, "v8dbg_LastJSFunctionType") \
	F(INSTANCE_TYPE, "v8dbg_class_Map__instance_type__uint16_t") \
	F(SHARED, "v8dbg_class_JSFunction__shared__SharedFunctionInfo") \
	F(FP_MARKER, "v8dbg_off_fp_context_or_frame_type") \
	F(FP_FUNCTION, "v8dbg_off_fp_function") \
	F(FP_BYTECODE, "v8dbg_off_fp_bytecode_array") \
	F(FP_OFFSET, "v8dbg_off_fp_bytecode_offset") \
	F(FRAMES, "v8dbg_frametype_EntryFrame") \
	F(CONSTRUCT_ENTRY_FRAME, "v8dbg_frametype_ConstructEntryFrame") \
	F(WASM_FRAME, "v8dbg_frametype_WasmFrame") \
	F(WASM_LAST_FRAME, "v8dbg_frametype_WasmExitFrame") \
	F(STUB_FRAME, "v8dbg_frametype_StubFrame") \
	F(INTERNAL_FRAME, "v8dbg_frametype_InternalFrame") \
	F(CONSTRUCT_FRAME, "v8dbg_frametype_ConstructFrame") \
	F(NATIVE_FRAME, "v8dbg_frametype_NativeFrame") \
	F(REGEXP_FRAME, "v8dbg_frametype_IrregexpFrame") \
	F(SIZE, "v8dbg_class_Code__instruction_size__int") \
	F(START, "v8dbg_class_Code__instruction_start__uintptr_t") \
	F(FLAGS, "v8dbg_class_Code__flags__uint32_t") \
	F(SMI_SHIFT, "v8dbg_SmiShiftSize") \
	F(TAGGED_SIZE, "v8dbg_TaggedSize")

#define NUMBER(number, name) number,
#define NAME(number, name) name,

enum { EACH_CONSTANT(NUMBER) CONSTANTS };

static const char *const names[CONSTANTS] = { EACH_CONSTANT(NAME) };

_Static_assert(REGEXP_FRAME == FRAMES + V8_REGEXP_FRAME, "the frames are in order");

static int32_t value_or(const struct v8_constant *c, int32_t otherwise)
{
	return c->found ? c->value : otherwise;
}

/* Where a release's table and a constant tell the same, they have to agree. */
static bool tables_agrees(const struct v8_constant *c, int32_t value)
{
	return !c->found || c->value == value;
}

static bool all_agree(const struct v8_tables *t, const struct v8_constant *c)
{
	bool separate = t->code_stream;

	return c[CODE_TYPE].found && c[SHARED_TYPE].found && c[BYTECODE_TYPE].found &&
	       c[FUNCTION_TYPE].found && separate == c[STREAM_TYPE].found &&
	       tables_agrees(&c[SHARED], t->shared) && tables_agrees(&c[SIZE], t->code_size) &&
	       tables_agrees(&c[FLAGS], t->code_flags) &&
	       (separate || tables_agrees(&c[START], t->instructions)) &&
	       tables_agrees(&c[SMI_SHIFT], 31) && tables_agrees(&c[TAGGED_SIZE], 8);
}

static void take_constants(struct v8_tables *t, const struct v8_constant *c)
{
	t->code_type = c[CODE_TYPE].value;
	t->stream_type = value_or(&c[STREAM_TYPE], t->code_type);
	t->shared_type = c[SHARED_TYPE].value;
	t->bytecode_type = c[BYTECODE_TYPE].value;
	/* Up to Node 20 nothing tells the last one: constructors have types of their own. */
	t->first_function_type = value_or(&c[FIRST_FUNCTION_TYPE], c[FUNCTION_TYPE].value);
	t->last_function_type = value_or(&c[LAST_FUNCTION_TYPE],
					 t->first_function_type + CONSTRUCTORS);
	t->instance_type = value_or(&c[INSTANCE_TYPE], 12);
	t->fp_marker = value_or(&c[FP_MARKER], -8);
	t->fp_function = value_or(&c[FP_FUNCTION], -16);
	t->fp_bytecode = value_or(&c[FP_BYTECODE], -32);
	t->fp_offset = value_or(&c[FP_OFFSET], -40);
	for (int i = 0; i < V8_FRAME_TYPES; i++)
		t->frames[i] = value_or(&c[FRAMES + i], -1);
}

/* V8 maps its text a second time, where none of its variables are. */
static bool has_constants(const struct image *image)
{
	struct elfsymbol symbol = { .name = names[CODE_TYPE] };

	return elfsymbol_find(image, &symbol, 1);
}

int v8_tables_read(struct v8_tables *t, const struct v8_place *at, struct error *why)
{
	struct v8_constant c[CONSTANTS];
	const struct v8_tables *known;
	int32_t version[4];

	for (int i = 0; i < CONSTANTS; i++)
		c[i] = (struct v8_constant){ .name = names[i] };
	v8_constants(at, c, CONSTANTS);
	if (!c[CODE_TYPE].found || !tables_read_version(at, version))
		return has_constants(at->image) ? ERR_BUSY : ERR_NOTFOUND;
	known = tables_find_release(version[0] * 100 + version[1]);
	if (!known)
		return error_set(why, ERR_FORMAT,
				 "V8 %d.%d is not one of the releases that are known", version[0],
				 version[1]);
	*t = *known;
	memcpy(t->version, version, sizeof(version));
	if (!all_agree(t, c))
		return error_set(why, ERR_FORMAT,
				 "V8 %d.%d.%d.%d: its constants are not those of its release",
				 version[0], version[1], version[2], version[3]);
	take_constants(t, c);
	return 0;
}
