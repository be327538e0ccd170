// links: runtimes/hotspot
/*
 * Any changes to a HotSpot that is made up: to its tables, its code heap, its blobs and their code, a
 * method, the stack. The bytes are registers and changes: three bytes of address, one of length, then
 * so many bytes. Then the VM is found, and the stack is walked.
 */
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "unwind/managed.h"
#include "tests/fuzz/must.h"
#include "tests/unit/runtimes/hotspot/made_up_vm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 8, STEPS = 64, RETURN = 0x20 };

static const char *const codelets[] = { "method entry point (kind = zerolocals)",
					"return entry points",
					"deoptimization entry points",
					"ireturn",
					"return_register_finalizer",
					NULL };

static const char *const blobs[] = { "I2C/C2I adapters",
				     "SafepointBlob",
				     "DeoptimizationBlob",
				     "native nmethod",
				     "handle_exception Runtime1 stub",
				     "vtable chunks" };

static uint64_t starts[12];
static unsigned start_count;

/* push rbp; sub rsp, 16; nop; add rsp, 16; pop rbp; ret */
static const char code[] = "\x55\x48\x83\xec\x10\x90\x48\x83\xc4\x10\x5d\xc3";

static void add(uint64_t blob)
{
	starts[start_count++] = vm_code_of(blob);
	vm_code(vm_code_of(blob), code, sizeof(code) - 1);
}

static void make_vm(void)
{
	static const int32_t pcs[] = { RETURN, 2 * RETURN };
	uint64_t stubs;

	start_count = 0;
	vm_make();
	vm_method();
	stubs = vm_blob("StubRoutines (1)", 0, 0x80);
	vm_variable("StubRoutines", "_call_stub_return_address", vm_code_of(stubs) + RETURN);
	add(stubs);
	starts[start_count++] = vm_code_of(vm_interpreter(codelets));
	for (unsigned i = 0; i < 3; i++) {
		uint64_t method = vm_nmethod((int)i, 4, 0x100, pcs, 2);

		vm_put(method + BLOB_COMPLETE, 5, 4);
		add(method);
	}
	for (size_t i = 0; i < sizeof(blobs) / sizeof(*blobs); i++)
		add(vm_blob(blobs[i], 8, 0x80));
	/* A stack of return addresses and saved rbp. */
	for (uint64_t at = VM_STACK; at < VM_STACK_END; at += 32) {
		vm_put(at + 24, starts[2 + at / 32 % 3] + RETURN, 8);
		vm_put(at + 16, at + 48, 8);
	}
}

static void change(const uint8_t *data, size_t size)
{
	while (size > 4) {
		uint64_t at = data[0] | data[1] << 8 | (data[2] & 3) << 16;
		size_t len = data[3];

		data += 4, size -= 4;
		len = len < size ? len : size;
		len = len < VM_BYTES - at ? len : VM_BYTES - at;
		memcpy(vm_memory + at, data, len);
		data += len, size -= len;
	}
}

static void walk_stack(struct hotspot *hs, const uint8_t *data)
{
	enum frame_kind kind = data[0] & 1 ? FRAME_RETURN : FRAME_PC;
	struct walk w = { .memory = &vm_bytes.memory, .valid = REGS_ALL };
	int end = STEP_ON;

	for (unsigned i = 0; i < REGS_COUNT; i++)
		w.regs.r[i] = VM_STACK + 8ul * data[i % HEAD];
	w.regs.r[DWARF_RSP] = VM_STACK + 8ul * data[1];
	w.regs.r[DWARF_RBP] = VM_STACK + 8ul * data[2];
	w.regs.r[DWARF_PC] = starts[data[3] % start_count] + data[4];
	for (unsigned i = 0; i < STEPS && end == STEP_ON; i++) {
		struct managed_frame frame = { 0 };

		w.source = FRAME_FROM_REGISTERS;
		end = hotspot_step(hs, &w, &kind, &frame);
		must(end == MANAGED_PASS || w.source == FRAME_BY_RUNTIME);
		must(end != STEP_ON || (frame.code && frame.kind && kind != FRAME_PC));
		must(end != STEP_ON || (w.valid >> DWARF_PC & w.valid >> DWARF_SP & 1));
		must(end >= 0 && end <= MANAGED_PASS);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error why = { 0 };
	struct hotspot hs;
	int rc;

	if (size < HEAD || size > 1 << 12)
		return 0;
	make_vm();
	change(data + HEAD, size - HEAD);
	rc = vm_start(&hs, &why);
	must(!rc || rc == ERR_BUSY || (rc == ERR_FORMAT && *why.text));
	if (!rc)
		walk_stack(&hs, data);
	vm_stop(&hs);
	return 0;
}
