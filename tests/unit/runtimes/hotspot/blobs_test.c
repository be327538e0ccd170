/* Code heaps and the heads of code blobs: the layouts of 8, 17 and 25, large blobs, PcDescs, and what is
 * no blob. */
#include <criterion/criterion.h>

#include "base/error.h"
#include "runtimes/hotspot/vm/blobs.h"
#include "tests/unit/runtimes/hotspot/made_up_vm.h"

#ifdef __x86_64__

static struct hotspot vm;
static struct error why;
static const int32_t pcs[] = { 0x10, 0x20, 0x30 };
static const char *const codelets[] = { "deoptimization entry points", "return_register_finalizer",
					NULL };

static void setup(void)
{
	vm_make();
	vm_variable("StubRoutines", "_call_stub_return_address", 0x1234);
	vm_interpreter(codelets);
}

static void stop(void)
{
	vm_stop(&vm);
}

TestSuite(blobs, .init = setup, .fini = stop);

/* Takes a field out of the VM's tables. */
static void drop(const char *type, const char *name)
{
	for (uint64_t at = VM_STRUCTS; at < vm_entry; at += 48) {
		const char *t = (char *)vm_memory + memory_word(vm_memory, at - VM) - VM;
		const char *n = (char *)vm_memory + memory_word(vm_memory, at + 8 - VM) - VM;

		if (!strcmp(t, type) && !strcmp(n, name))
			vm_put(at + 8, vm_string("-"), 8);
	}
}

static void drop_all(const char *const (*fields)[2])
{
	for (; *fields[0][0]; fields++)
		drop(fields[0][0], fields[0][1]);
}

static struct hotspot_blob find(uint64_t pc)
{
	const struct hotspot_blob *b = NULL;

	cr_assert_eq(hotspot_blob_find(&vm, pc, &b), 0);
	return *b;
}

static void start(void)
{
	cr_assert_eq(vm_start(&vm, &why), 0, "%s", why.text);
}

static void expect_descs(const struct hotspot_blob *b)
{
	const struct pcdesc *descs;
	size_t count;

	cr_assert_eq(hotspot_blob_pcdescs(&vm, b, &descs, &count), 0);
	cr_assert_eq(count, 5);
	cr_expect_eq(pcdesc_find(descs, count, 0x20, false)->pc, 0x20);
	cr_expect_null(pcdesc_find(descs, count, 0x21, false));
	cr_expect_eq(pcdesc_find(descs, count, 0x21, true)->pc, 0x30);
	cr_expect_eq(pcdesc_find(descs, count, 0, true)->pc, 0x10);
	cr_expect_null(pcdesc_find(descs, count, 0x31, true));
}

Test(blobs, the_layout_of_17)
{
	uint64_t blob = vm_nmethod(7, 4, 0x100, pcs, 3), code = vm_code_of(blob);
	struct hotspot_blob b;

	vm_put(blob + NM_DEOPT, code + 0xf0, 8);
	vm_put(blob + NM_METHOD, VM_METHOD, 8);
	start();
	b = find(code + 5);
	cr_expect(b.kind == BLOB_NMETHOD && b.start == blob && b.code == code);
	cr_expect(b.frame_size == 32 && b.frame_complete == -1 && b.method == VM_METHOD);
	cr_expect(b.deopt == code + 0xf0 && !b.deopt_mh && b.compile_id == 7);
	expect_descs(&b);
}

Test(blobs, the_layout_of_8)
{
	static const char *const gone[][2] = {
		{ "CodeBlob", "_code_begin" },
		{ "CodeBlob", "_code_end" },
		{ "CompiledMethod", "_method" },
		{ "CompiledMethod", "_deopt_handler_begin" },
		{ "CompiledMethod", "_deopt_mh_handler_begin" },
		{ "CompiledMethod", "_scopes_data_begin" },
		{ "", "" },
	};
	uint64_t blob = vm_nmethod(7, 4, 0x100, pcs, 3), code = vm_code_of(blob);
	struct hotspot_blob b;

	drop_all(gone);
	vm_field("CodeBlob", "_code_offset", "int", 48, false);
	vm_field("nmethod", "_method", "Method*", NM_METHOD, false);
	vm_field("nmethod", "_deoptimize_offset", "int", 312, false);
	vm_field("nmethod", "_deoptimize_mh_offset", "int", 316, false);
	vm_field("nmethod", "_scopes_data_offset", "int", 320, false);
	/* All blobs: the interpreter's, too. */
	for (uint64_t at = VM_HEAP; at < vm_block;
	     at += memory_word(vm_memory, at - VM) << VM_SHIFT) {
		uint64_t start = at + 16;

		vm_put(start + 48, vm_code_of(start) - start, 4);
		vm_put(start + BLOB_DATA,
		       memory_word(vm_memory, start + BLOB_CODE_END - VM) - start, 4);
	}
	vm_put(blob + 312, code + 0xf0 - blob, 4);
	vm_put(blob + 316, (uint32_t)-1, 4);
	vm_put(blob + 320, NM_HEAD + 0x100, 4);
	start();
	b = find(code + 5);
	cr_expect(b.kind == BLOB_NMETHOD && b.code == code && b.code_end == code + 0x100);
	cr_expect(b.deopt == code + 0xf0 && !b.deopt_mh);
	cr_expect_eq(b.scopes_data, code + 0x100);
	expect_descs(&b);
}

Test(blobs, the_layout_of_25)
{
	static const char *const gone[][2] = {
		{ "CodeBlob", "_code_begin" },
		{ "CodeBlob", "_code_end" },
		{ "CodeBlob", "_frame_complete_offset" },
		{ "CompiledMethod", "_method" },
		{ "CompiledMethod", "_deopt_handler_begin" },
		{ "CompiledMethod", "_deopt_mh_handler_begin" },
		{ "CompiledMethod", "_scopes_data_begin" },
		{ "nmethod", "_dependencies_offset" },
		{ "nmethod", "_metadata_offset" },
		{ "", "" },
	};
	uint64_t blob = vm_nmethod(7, 4, 0x100, pcs, 3), code = vm_code_of(blob);
	struct hotspot_blob b;

	drop_all(gone);
	vm_field("CodeBlob", "_code_offset", "int", 48, false);
	vm_field("CodeBlob", "_frame_complete_offset", "int16_t", 52, false);
	vm_field("CodeBlob", "_mutable_data", "address", 56, false);
	vm_field("CodeBlob", "_mutable_data_size", "int", 64, false);
	vm_field("CodeBlob", "_relocation_size", "int", 68, false);
	vm_field("nmethod", "_method", "Method*", NM_METHOD, false);
	vm_field("nmethod", "_deopt_handler_offset", "int", 316, false);
	vm_field("nmethod", "_deopt_mh_handler_offset", "int", 320, false);
	vm_field("nmethod", "_scopes_data_offset", "int", 324, false);
	vm_field("nmethod", "_immutable_data", "address", 328, false);
	for (uint64_t at = VM_HEAP; at < vm_block;
	     at += memory_word(vm_memory, at - VM) << VM_SHIFT) {
		uint64_t start = at + 16;

		vm_put(start + 48, vm_code_of(start) - start, 4);
		vm_put(start + BLOB_DATA,
		       memory_word(vm_memory, start + BLOB_CODE_END - VM) - start, 4);
	}
	vm_put(blob + 52, (uint16_t)-1, 2);
	vm_put(blob + 56, 0x5000, 8);
	vm_put(blob + 64, 0x80, 4);
	vm_put(blob + 68, 0x20, 4);
	vm_put(blob + 316, code + 0xf0 - blob, 4);
	vm_put(blob + 320, (uint32_t)-1, 4);
	vm_put(blob + 324, 5 * 16, 4);
	vm_put(blob + 328, code + 0x100, 8);
	vm_put(blob + NM_PCS, 0, 4);
	start();
	b = find(code + 5);
	cr_expect(b.kind == BLOB_NMETHOD && b.code == code && b.frame_complete == -1);
	cr_expect(b.deopt == code + 0xf0 && !b.deopt_mh);
	cr_expect(b.metadata == 0x5020 && b.metadata_end == 0x5080);
	expect_descs(&b);
}

Test(blobs, an_unknown_layout_is_refused)
{
	drop("CodeBlob", "_code_end");
	cr_assert_eq(vm_start(&vm, &why), ERR_FORMAT);
	cr_expect_str_eq(why.text, "HotSpot's code blobs have an unknown layout");
}

Test(blobs, a_large_one_is_found_from_its_end)
{
	uint64_t blob = vm_blob("StubRoutines (1)", 0, 600 << VM_SHIFT);
	struct hotspot_blob b;

	start();
	b = find(vm_code_of(blob) + (599 << VM_SHIFT));
	cr_expect(b.start == blob && b.kind == BLOB_STUBS);
}

Test(blobs, what_is_none)
{
	uint64_t blob = vm_nmethod(7, 4, 0x100, pcs, 3), code = vm_code_of(blob);
	const struct hotspot_blob *b;
	const struct pcdesc *descs;
	size_t count;

	start();
	cr_expect_eq(hotspot_blob_find(&vm, VM_HEAP_END - 1, &b), ERR_NOTFOUND); /* free */
	cr_expect_eq(hotspot_blob_find(&vm, VM_HEAP_END, &b), ERR_NOTFOUND);
	cr_expect_eq(hotspot_blob_find(&vm, blob + 8, &b), ERR_NOTFOUND); /* its head */
	cr_assert_eq(hotspot_blob_find(&vm, code, &b), 0);
	cr_expect_eq(hotspot_blob_of(&vm, blob, b->id, &b), 0);
	cr_expect_eq(hotspot_blob_of(&vm, blob, b->id + 1, &b), ERR_NOTFOUND);
	vm_put(code + 0x100 + 16, 0x7000, 4); /* PcDescs that are not sorted */
	cr_assert_eq(hotspot_blob_find(&vm, code, &b), 0);
	cr_expect_eq(hotspot_blob_pcdescs(&vm, b, &descs, &count), ERR_NOTFOUND);
	vm_put(blob + BLOB_SIZE, (uint32_t)-5, 4);
	cr_expect_eq(hotspot_blob_find(&vm, code, &b), ERR_NOTFOUND);
}

Test(blobs, a_heap_that_lies)
{
	uint64_t blob = vm_blob("StubRoutines (1)", 0, 0x100);
	const struct hotspot_blob *b;

	start();
	vm_put(VM_SEGMAP + ((blob - VM_HEAP) >> VM_SHIFT) + 1, 0xfe, 1); /* before the heap */
	cr_expect_eq(hotspot_blob_find(&vm, blob + 0x80, &b), ERR_NOTFOUND);
}

#endif
