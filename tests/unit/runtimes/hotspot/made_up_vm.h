/*
 * A HotSpot VM that does not exist: the tables that it has of itself, one code heap, blobs, an
 * interpreter with few codelets, one method, a stack. The layout is nearly that of JDK 17.
 */
#ifndef TESTS_UNIT_RUNTIMES_HOTSPOT_MADE_UP_VM_H
#define TESTS_UNIT_RUNTIMES_HOTSPOT_MADE_UP_VM_H

#include <stdlib.h>
#include <string.h>

#include "base/process/memory.h"
#include "runtimes/hotspot/steps.h"
#include "runtimes/hotspot/vm/heaps.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/vmstructs.h"
#include "tests/unit/runtimes/hotspot/made_up_methods.h"

enum {
	VM = 0x10000000,
	VM_BYTES = 1 << 18,
	VM_SYMBOLS = VM, /* the exported variables */
	VM_STRUCTS = VM + 0x1000,
	VM_TYPES = VM + 0x6000,
	VM_INTS = VM + 0x7000,
	VM_LONGS = VM + 0x7800,
	VM_TEXTS = VM + 0x8000,
	VM_STATICS = VM + 0xc000,
	VM_SEGMAP = VM + 0x10000,
	VM_STACK = VM + 0x18000,
	VM_STACK_END = VM + 0x20000,
	VM_HEAP = VM + 0x20000,
	VM_HEAP_END = VM + VM_BYTES,
	VM_SHIFT = 7,

	/* Fields of a CodeBlob and an nmethod. */
	BLOB_SIZE = 12,
	BLOB_COMPLETE = 20,
	BLOB_DATA = 24,
	BLOB_FRAME = 28,
	BLOB_CODE = 32,
	BLOB_CODE_END = 40,
	BLOB_NAME = 96,
	BLOB_HEAD = 104,
	NM_METHOD = 112,
	NM_SCOPES = 120,
	NM_DEOPT = 128,
	NM_DEOPT_MH = 136,
	NM_BCI = 192,
	NM_OSR = 232,
	NM_METADATA = 260,
	NM_PCS = 268,
	NM_DEPENDENCIES = 272,
	NM_ORIG = 300,
	NM_ID = 304,
	NM_LEVEL = 308,
	NM_HEAD = 352,
};

static uint8_t vm_memory[VM_BYTES];
static struct memory_bytes vm_bytes;
static struct vmsymbols vm_symbols;
static uint64_t vm_text, vm_entry, vm_type, vm_static, vm_block;

static inline void vm_put(uint64_t addr, uint64_t value, size_t size)
{
	if (addr < VM || addr + size > VM + VM_BYTES)
		abort();
	memcpy(vm_memory + (addr - VM), &value, size);
}

static inline void vm_code(uint64_t addr, const void *code, size_t len)
{
	if (addr < VM || addr + len > VM + VM_BYTES)
		abort();
	memcpy(vm_memory + (addr - VM), code, len);
}

static inline uint64_t vm_string(const char *text)
{
	uint64_t at = vm_text;

	vm_code(at, text, strlen(text) + 1);
	vm_text += strlen(text) + 1;
	return at;
}

static inline void vm_field(const char *type, const char *name, const char *type_string,
			    uint64_t offset, bool is_static)
{
	vm_put(vm_entry, vm_string(type), 8);
	vm_put(vm_entry + 8, vm_string(name), 8);
	vm_put(vm_entry + 16, vm_string(type_string), 8);
	vm_put(vm_entry + 24, is_static, 4);
	vm_put(vm_entry + 32, is_static ? 0 : offset, 8);
	vm_put(vm_entry + 40, is_static ? offset : 0, 8);
	vm_entry += 48;
}

/* A static field of eight bytes. Returns its address. */
static inline uint64_t vm_variable(const char *type, const char *name, uint64_t value)
{
	uint64_t at = vm_static;

	vm_static += 8;
	vm_put(at, value, 8);
	vm_field(type, name, "", at, true);
	return at;
}

static inline void vm_size(const char *type, uint64_t size)
{
	vm_put(vm_type, vm_string(type), 8);
	vm_put(vm_type + 8, size, 8);
	vm_type += 16;
}

static inline void vm_tables(void)
{
	static const uint64_t values[VMS_SYMBOLS] = {
		[VMS_STRUCTS] = VM_STRUCTS,  [VMS_STRUCT_TYPE_NAME] = 0,
		[VMS_STRUCT_FIELD_NAME] = 8, [VMS_STRUCT_TYPE_STRING] = 16,
		[VMS_STRUCT_IS_STATIC] = 24, [VMS_STRUCT_OFFSET] = 32,
		[VMS_STRUCT_ADDRESS] = 40,   [VMS_STRUCT_STRIDE] = 48,
		[VMS_TYPES] = VM_TYPES,	     [VMS_TYPE_NAME] = 0,
		[VMS_TYPE_SIZE] = 8,	     [VMS_TYPE_STRIDE] = 16,
		[VMS_INTS] = VM_INTS,	     [VMS_INT_NAME] = 0,
		[VMS_INT_VALUE] = 8,	     [VMS_INT_STRIDE] = 16,
		[VMS_LONGS] = VM_LONGS,	     [VMS_LONG_NAME] = 0,
		[VMS_LONG_VALUE] = 8,	     [VMS_LONG_STRIDE] = 16,
	};

	for (unsigned i = 0; i < VMS_SYMBOLS; i++) {
		vm_symbols.addr[i] = VM_SYMBOLS + 8 * i;
		vm_put(vm_symbols.addr[i], values[i], 8);
	}
}

static inline void vm_fields(void)
{
	static const struct {
		const char *type, *name;
		uint32_t offset;
	} f[] = {
		{ "GrowableArray<int>", "_data", 8 },
		{ "GrowableArrayBase", "_len", 0 },
		{ "CodeHeap", "_memory", 8 },
		{ "CodeHeap", "_segmap", 120 },
		{ "CodeHeap", "_log2_segment_size", 256 },
		{ "VirtualSpace", "_low_boundary", 0 },
		{ "VirtualSpace", "_high_boundary", 8 },
		{ "HeapBlock::Header", "_length", 0 },
		{ "HeapBlock::Header", "_used", 8 },
		{ "CodeBlob", "_name", BLOB_NAME },
		{ "CodeBlob", "_size", BLOB_SIZE },
		{ "CodeBlob", "_frame_size", BLOB_FRAME },
		{ "CodeBlob", "_frame_complete_offset", BLOB_COMPLETE },
		{ "CodeBlob", "_code_begin", BLOB_CODE },
		{ "CodeBlob", "_code_end", BLOB_CODE_END },
		{ "CodeBlob", "_data_offset", BLOB_DATA },
		{ "nmethod", "_compile_id", NM_ID },
		{ "nmethod", "_entry_bci", NM_BCI },
		{ "nmethod", "_comp_level", NM_LEVEL },
		{ "nmethod", "_orig_pc_offset", NM_ORIG },
		{ "CompiledMethod", "_method", NM_METHOD },
		{ "nmethod", "_osr_entry_point", NM_OSR },
		{ "CompiledMethod", "_deopt_handler_begin", NM_DEOPT },
		{ "CompiledMethod", "_deopt_mh_handler_begin", NM_DEOPT_MH },
		{ "CompiledMethod", "_scopes_data_begin", NM_SCOPES },
		{ "nmethod", "_scopes_pcs_offset", NM_PCS },
		{ "nmethod", "_dependencies_offset", NM_DEPENDENCIES },
		{ "nmethod", "_metadata_offset", NM_METADATA },
		{ "StubQueue", "_stub_buffer", 8 },
		{ "StubQueue", "_buffer_limit", 20 },
		{ "InterpreterCodelet", "_description", 0 },
		{ "InterpreterCodelet", "_size", 8 },
	};

	for (size_t i = 0; i < sizeof(f) / sizeof(*f); i++)
		vm_field(f[i].type, f[i].name, "int", f[i].offset, false);
	vm_size("HeapBlock", 16);
	vm_size("CodeBlob", BLOB_HEAD);
	vm_size("nmethod", NM_HEAD);
	vm_size("InterpreterCodelet", 16);
}

/* A VM without any blob. */
static inline void vm_make(void)
{
	uint64_t heap = VM_STATICS + 0x800, array = VM_STATICS + 0xc00;

	memset(vm_memory, 0, sizeof(vm_memory));
	memset(vm_memory + (VM_SEGMAP - VM), 0xff, (VM_HEAP_END - VM_HEAP) >> VM_SHIFT);
	memory_bytes_init(&vm_bytes, vm_memory, VM, sizeof(vm_memory));
	vm_text = VM_TEXTS;
	vm_entry = VM_STRUCTS;
	vm_type = VM_TYPES;
	vm_static = VM_STATICS;
	vm_block = VM_HEAP;
	vm_tables();
	vm_fields();
	vm_variable("CodeCache", "_heaps", array);
	vm_put(array, 1, 4);
	vm_put(array + 8, array + 16, 8);
	vm_put(array + 16, heap, 8);
	vm_put(heap + 8, VM_HEAP, 8);
	vm_put(heap + 16, VM_HEAP_END, 8);
	vm_put(heap + 120, VM_SEGMAP, 8);
	vm_put(heap + 128, VM_SEGMAP + 0x800, 8);
	vm_put(heap + 256, VM_SHIFT, 4);
}

/* A blob with `bytes` of code, which begins BLOB_HEAD or NM_HEAD behind it. Returns its address. */
static inline uint64_t vm_blob(const char *name, int frame_words, size_t bytes)
{
	bool nmethod = strstr(name, "nmethod");
	uint64_t head = nmethod ? NM_HEAD : BLOB_HEAD, blob = vm_block + 16;
	size_t size = head + bytes + (nmethod ? 512 : 0);
	size_t segments = (16 + size + (1 << VM_SHIFT) - 1) >> VM_SHIFT;

	for (size_t i = 0; i < segments; i++)
		vm_put(VM_SEGMAP + ((vm_block - VM_HEAP) >> VM_SHIFT) + i, i < 0xfe ? i : 0xfe, 1);
	vm_put(vm_block, segments, 8);
	vm_put(vm_block + 8, 1, 1);
	vm_put(blob + BLOB_NAME, vm_string(name), 8);
	vm_put(blob + BLOB_SIZE, size, 4);
	vm_put(blob + BLOB_FRAME, (uint32_t)frame_words, 4);
	vm_put(blob + BLOB_COMPLETE, (uint32_t)-1, 4);
	vm_put(blob + BLOB_CODE, blob + head, 8);
	vm_put(blob + BLOB_CODE_END, blob + head + bytes, 8);
	vm_block += segments << VM_SHIFT;
	return blob;
}

/* A compiled method. Its PcDescs, up to 16, are behind its code. */
static inline uint64_t vm_nmethod(int id, int frame_words, size_t bytes, const int32_t *pcs,
				  size_t count)
{
	uint64_t blob = vm_blob("nmethod", frame_words, bytes), at = blob + NM_HEAD + bytes;

	vm_put(blob + NM_ID, (uint32_t)id, 4);
	vm_put(blob + NM_BCI, (uint32_t)-1, 4);
	vm_put(blob + NM_SCOPES, at, 8);
	vm_put(blob + NM_METADATA, NM_HEAD + bytes, 4);
	vm_put(blob + NM_PCS, NM_HEAD + bytes, 4);
	vm_put(blob + NM_DEPENDENCIES, NM_HEAD + bytes + 16 * (count + 2), 4);
	vm_put(at, (uint32_t)-1, 4);
	for (size_t i = 0; i < count; i++)
		vm_put(at + 16 * (i + 1), (uint32_t)pcs[i], 4);
	vm_put(at + 16 * (count + 1), INT32_MAX, 4);
	return blob;
}

static inline uint64_t vm_code_of(uint64_t blob)
{
	return memory_word(vm_memory, blob + BLOB_CODE - VM);
}

enum { VM_CODELET = 256 };

/* The interpreter: codelets of VM_CODELET bytes with these names, NULL at the end. */
static inline uint64_t vm_interpreter(const char *const *names)
{
	uint64_t queue = VM_STATICS + 0x1000, blob, at;
	unsigned count = 0;

	while (names[count])
		count++;
	blob = vm_blob("Interpreter", 0, count * VM_CODELET);
	at = vm_code_of(blob);
	vm_variable("AbstractInterpreter", "_code", queue);
	vm_put(queue + 8, at, 8);
	vm_put(queue + 20, count * VM_CODELET, 4);
	for (unsigned i = 0; i < count; i++, at += VM_CODELET) {
		vm_put(at, vm_string(names[i]), 8);
		vm_put(at + 8, VM_CODELET, 4);
	}
	return blob;
}

enum {
	VM_METHOD = VM_STATICS + 0x2000,
	VM_CONST = VM_METHOD + 0x100, /* ConstMethod; its bytecodes are behind it */
	VM_BYTECODES = VM_CONST + 48,
	VM_BYTECODES_SIZE = 16,
	VM_POOL = VM_METHOD + 0x200,
	VM_KLASS = VM_METHOD + 0x300,
	VM_SYMBOL = VM_METHOD + 0x400,
	VM_CACHE = 0xcace00,
};

/* The one method, VM_METHOD. */
static inline void vm_method(void)
{
	vm_put(VM_METHOD + 8, VM_CONST, 8);
	vm_put(VM_CONST + 8, VM_POOL, 8);
	vm_put(VM_CONST + 24, 8, 4);
	vm_put(VM_CONST + 32, VM_BYTECODES_SIZE, 2);
	vm_put(VM_CONST + 34, 1, 2);
	vm_put(VM_CONST + 36, 2, 2);
	vm_put(VM_POOL + 16, VM_CACHE, 8);
	vm_put(VM_POOL + 24, VM_KLASS, 8);
	vm_put(VM_POOL + 60, 10, 4);
	vm_put(VM_POOL + 64 + 8, VM_SYMBOL, 8);
	vm_put(VM_POOL + 64 + 16, VM_SYMBOL, 8);
	vm_put(VM_KLASS + 24, VM_SYMBOL, 8);
	vm_put(VM_SYMBOL + 4, 4, 2);
	vm_code(VM_SYMBOL + 6, "name", 4);
}

static struct hotspot_heaps vm_heaps;
static struct hotspot_blobs vm_blobs;
static struct hotspot_methods vm_methods;

/* Resolves it all, as find does. */
static inline int vm_start(struct hotspot *hs, struct error *why)
{
	struct vmstructs *tables;
	int rc = vmstructs_read(&vm_symbols, &vm_bytes.memory, &tables, why);

	vm_methods = (struct hotspot_methods){ .l = method_layout_17 };
	*hs = (struct hotspot){ .memory = &vm_bytes.memory,
				.seen = &vm_bytes.memory,
				.release = 17,
				.heaps = &vm_heaps,
				.blobs = &vm_blobs,
				.methods = &vm_methods };
	if (rc)
		return rc;
	hs->tables = tables;
	rc = hotspot_heaps_init(hs->heaps, tables, hs->memory, why);
	if (!rc)
		rc = hotspot_blobs_init(hs->blobs, tables, why);
	if (!rc)
		rc = hotspot_steps_init(hs, why);
	vmstructs_free(tables);
	hs->tables = NULL;
	return rc;
}

static inline void vm_stop(struct hotspot *hs)
{
	hotspot_steps_free(hs);
	hotspot_blobs_release(hs->blobs);
	hotspot_methods_release(&vm_methods);
}

#endif
