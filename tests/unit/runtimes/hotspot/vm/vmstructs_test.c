/* The tables that a VM has of itself: whole, not ready, and hostile. */
#include <criterion/criterion.h>

#include "base/error.h"
#include "tests/unit/runtimes/hotspot/made_up_vm.h"

static struct vmstructs *tables;
static struct error why;

static void release(void)
{
	vmstructs_free(tables);
	tables = NULL;
}

TestSuite(vmstructs, .init = vm_make, .fini = release);

static int read_tables(void)
{
	return vmstructs_read(&vm_symbols, &vm_bytes.memory, &tables, &why);
}

Test(vmstructs, fields_sizes_and_constants)
{
	struct numbers {
		int32_t size, native, of_long, missing;
	} n;
	const struct vmplace wanted[] = {
		{ VMPLACE_SIZE, "nmethod", NULL, offsetof(struct numbers, size), true },
		{ VMPLACE_CONSTANT, NULL, "JVM_ACC_NATIVE", offsetof(struct numbers, native),
		  true },
		{ VMPLACE_CONSTANT, NULL, "long", offsetof(struct numbers, of_long), true },
		{ VMPLACE_CONSTANT, NULL, "short", offsetof(struct numbers, missing), false },
	};
	struct vmfield f;

	vm_put(VM_INTS, vm_string("JVM_ACC_NATIVE"), 8);
	vm_put(VM_INTS + 8, (uint32_t)-3, 4);
	vm_put(VM_LONGS, vm_string("long"), 8);
	vm_put(VM_LONGS + 8, 1 << 20, 8);
	cr_assert_eq(read_tables(), 0);
	cr_assert(vmstructs_field(tables, "CodeBlob", "_name", &f));
	cr_expect(!f.is_static && f.offset == BLOB_NAME);
	cr_expect_str_eq(f.type_string, "int");
	cr_assert(vmstructs_field(tables, "CodeCache", "_heaps", &f));
	cr_expect(f.is_static && f.offset == VM_STATICS);
	cr_expect(!vmstructs_field(tables, "CodeBlob", "_nam", &f));
	cr_assert_eq(vmstructs_resolve(tables, wanted, 4, &n, &why), 0);
	cr_expect_eq(n.size, NM_HEAD);
	cr_expect_eq(n.native, -3);
	cr_expect_eq(n.of_long, 1 << 20);
	cr_expect_eq(n.missing, -1);
}

Test(vmstructs, not_ready)
{
	vm_put(vm_symbols.addr[VMS_STRUCT_STRIDE], 0, 8);
	cr_assert_eq(read_tables(), ERR_BUSY);
	vm_make();
	vm_put(vm_symbols.addr[VMS_LONGS], 0, 8);
	cr_assert_eq(read_tables(), ERR_BUSY);
}

static void expect_refused(enum vmsymbol symbol, uint64_t value)
{
	vm_make();
	vm_put(vm_symbols.addr[symbol], value, 8);
	cr_assert_eq(read_tables(), ERR_FORMAT, "symbol %d", symbol);
	cr_expect(*why.text);
}

Test(vmstructs, hostile)
{
	expect_refused(VMS_STRUCT_STRIDE, 1ul << 40);
	expect_refused(VMS_STRUCT_TYPE_NAME, 1ul << 40);
	expect_refused(VMS_TYPE_SIZE, 16);
	expect_refused(VMS_STRUCTS, 8);
	expect_refused(VMS_TYPES, VM + VM_BYTES - 8);
	vm_make();
	vm_put(VM_STRUCTS + 8, 8, 8); /* a name that cannot be read */
	cr_assert_eq(read_tables(), ERR_FORMAT);
	vm_make();
	memset(vm_memory + (VM_TEXTS - VM), 'x', VM_STATICS - VM_TEXTS); /* and that has no end */
	cr_assert_eq(read_tables(), ERR_FORMAT);
}

struct layout {
	int32_t name, none, size;
	uint64_t heaps, nothing;
};

Test(vmstructs, a_layout)
{
	static const struct vmplace places[] = {
		{ VMPLACE_OFFSET, "CodeBlob", "_name", offsetof(struct layout, name), true },
		{ VMPLACE_OFFSET, "CodeBlob", "_none", offsetof(struct layout, none), false },
		{ VMPLACE_SIZE, "nmethod", NULL, offsetof(struct layout, size), true },
		{ VMPLACE_ADDRESS, "CodeCache", "_heaps", offsetof(struct layout, heaps), true },
		{ VMPLACE_ADDRESS, "CodeCache", "_heap", offsetof(struct layout, nothing), false },
	};
	static const struct vmplace missing[] = {
		{ VMPLACE_OFFSET, "CodeBlob", "_none", offsetof(struct layout, none), true },
	};
	/* A static field has no offset. */
	static const struct vmplace wrong[] = {
		{ VMPLACE_OFFSET, "CodeCache", "_heaps", offsetof(struct layout, none), true },
	};
	struct layout l;

	cr_assert_eq(read_tables(), 0);
	cr_assert_eq(vmstructs_resolve(tables, places, 5, &l, &why), 0);
	cr_expect(l.name == BLOB_NAME && l.none == -1 && l.size == NM_HEAD);
	cr_expect(l.heaps == VM_STATICS && l.nothing == 0);
	cr_assert_eq(vmstructs_resolve(tables, missing, 1, &l, &why), ERR_FORMAT);
	cr_expect_str_eq(why.text, "HotSpot's tables do not have CodeBlob::_none");
	cr_assert_eq(vmstructs_resolve(tables, wrong, 1, &l, &why), ERR_FORMAT);
}
