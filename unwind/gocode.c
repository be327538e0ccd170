/*
 * Special functions are recognized by name: their numbers in the runtime (funcID) were changed in
 * 1.22 and 1.25, and 1.16 has no flags.
 */
#include "unwind/gocode.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/gomodule.h"
#include "base/process/gopclntab.h"

enum {
	NAME_ROOM = 48, /* longer than the name of any special function */
	CODE_MAX = 256, /* bytes of a function in which stores of registers are looked for */
	PUSH_RBP = 0x55,
	STORE_BYTES = 9, /* bytes of the longest of these stores */
};

int go_image_open(const struct image *image, struct go_image **out)
{
	struct go_image *go = calloc(1, sizeof(*go));
	int rc = go ? gopclntab_open(image, &go->table) : ERR_NOMEM;

	if (rc)
		free(go);
	else
		*out = go;
	return rc;
}

void go_image_close(struct go_image *go)
{
	if (!go)
		return;
	gopclntab_close(go->table);
	free(go);
}

static const struct gocode_special {
	const char *name;
	enum go_kind kind;
} specials[] = {
	{ "runtime.goexit", GO_OUTERMOST },
	{ "runtime.mstart", GO_OUTERMOST },
	{ "runtime.rt0_go", GO_OUTERMOST },
	{ "_rt0_amd64", GO_OUTERMOST },
	{ "_rt0_amd64_linux", GO_OUTERMOST },
	{ "runtime.sigpanic", GO_INJECTED },
	{ "runtime.asyncPreempt", GO_INJECTED },
	{ "runtime.debugCallV1", GO_INJECTED },
	{ "runtime.debugCallV2", GO_INJECTED },
	{ "runtime.sigreturn", GO_SIGNAL_RETURN },
	{ "runtime.sigreturn__sigaction", GO_SIGNAL_RETURN },
	{ "runtime.sigtramp", GO_ORDINARY }, /* the kernel is its caller */
	{ "runtime.cgoSigtramp", GO_ORDINARY },
	{ "runtime.sigprofNonGoWrapper", GO_ORDINARY },
	{ "runtime.systemstack", GO_SYSTEMSTACK },
	{ "runtime.systemstack_switch", GO_ORDINARY },
	{ "runtime.mcall", GO_MCALL },
	{ "runtime.morestack", GO_MORESTACK },
	{ "runtime.asmcgocall", GO_ASMCGOCALL },
	{ "runtime.cgocallback", GO_CGOCALLBACK },
	{ "runtime.gogo", GO_GOGO },
	{ "gogo", GO_GOGO },
	{ "runtime.nanotime1", GO_SP_IN_R12 },
	{ "runtime.walltime", GO_SP_IN_R12 },
	{ "runtime.walltime1", GO_SP_IN_R12 },
	{ "time.now", GO_SP_IN_R12 },
	{ "runtime.vgetrandom1", GO_SP_IN_R12 },
	{ "racecall", GO_SP_IN_R12 },
	{ "runtime.sigfwd", GO_SP_IN_RBX },
	{ "runtime.callCgoMmap", GO_SP_IN_RBX },
	{ "runtime.callCgoMunmap", GO_SP_IN_RBX },
	{ "runtime.callCgoSigaction", GO_SP_IN_RBX },
	{ "crosscall2", GO_CROSSCALL },
	{ "runtime.schedule", GO_SCHEDULE },
	{ "runtime.recovery", GO_RECOVERY },
};

/* True for the name itself and for that of an assembly function, which may end in ".abi0" or
 * "<>". */
static bool gocode_is_named(const char *name, const char *special)
{
	size_t len = strlen(special);

	return !strncmp(name, special, len) &&
	       (!name[len] || !strcmp(name + len, ".abi0") || !strcmp(name + len, "<>"));
}

static enum go_kind gocode_kind_of(struct gopclntab *t, const struct go_function *f)
{
	char name[NAME_ROOM];

	if (gopclntab_name(t, f->name, name, sizeof(name)))
		for (size_t i = 0; i < sizeof(specials) / sizeof(*specials); i++)
			if (gocode_is_named(name, specials[i].name))
				return specials[i].kind;
	if (f->flags & GO_TOP_FRAME)
		return GO_OUTERMOST;
	return f->flags & GO_SP_WRITE ? GO_UNSAFE : GO_ORDINARY;
}

/* Recognizes the store on the stack of a register that C preserves: mov %reg,disp(%rsp). Returns
 * the register's number (GO_SAVED_…), -1 for none; *at is the displacement. */
static int gocode_is_store(const uint8_t *code, int32_t *at)
{
	static const uint8_t first[6][2] = { { 0x48, 0x5c }, { 0x48, 0x6c }, { 0x4c, 0x64 },
					     { 0x4c, 0x6c }, { 0x4c, 0x74 }, { 0x4c, 0x7c } };

	for (int i = 0; i < 6; i++) {
		if (code[0] != first[i][0] || code[1] != 0x89 || code[3] != 0x24)
			continue;
		if (code[2] == first[i][1]) {
			*at = (int8_t)code[4];
			return i;
		}
		if (code[2] == first[i][1] + 0x40) { /* with a displacement of four bytes */
			memcpy(at, code + 4, sizeof(*at));
			return i;
		}
	}
	return -1;
}

/* Reads a function's code up to `end`, at most CODE_MAX bytes. Returns how many; 0: none. */
static size_t gocode_read(struct gopclntab *t, const struct go_function *f, uint64_t end,
			  uint8_t *bytes)
{
	size_t len = end - f->entry < CODE_MAX ? (size_t)(end - f->entry) : CODE_MAX;

	return gopclntab_code(t, f->entry, bytes, len) ? len : 0;
}

/* Only crosscall2's code shows where it saves C's registers; the place was changed in 1.17 and
 * 1.18. The displacement of each store counts from the stack pointer at the store. */
static void gocode_find_saved(struct go_image *image, const struct go_function *f)
{
	struct gopclntab *t = image->table;
	uint8_t bytes[CODE_MAX + STORE_BYTES] = { 0 };
	size_t len = gocode_read(t, f, f->end, bytes);
	int32_t at, depth;

	if (bytes[0] == PUSH_RBP) /* a later store of rbp saves crosscall2's own value */
		image->saved[GO_SAVED_RBP] = -16;
	for (size_t i = 0; i < len; i++) {
		int reg = gocode_is_store(bytes + i, &at);

		if (reg < 0 || image->saved[reg] || at < 0 || at > 4096 ||
		    !gopclntab_stack(t, f, f->entry + i, &depth) || depth > 4096)
			continue;
		image->saved[reg] = (int16_t)(at - depth - 8);
	}
}

/* asmcgocall stores g on g0's stack, and eight bytes below it the depth of g's stack; the place was
 * changed in 1.22. The first store of %rdi, mov %rdi,disp(%rsp), is that of g. */
static void find_left(struct go_image *image, const struct go_function *f)
{
	static const uint8_t store[4] = { 0x48, 0x89, 0x7c, 0x24 };
	uint8_t bytes[CODE_MAX];
	size_t len = gocode_read(image->table, f, f->end, bytes);

	for (size_t i = 0; i + sizeof(store) < len; i++)
		if (!memcmp(bytes + i, store, sizeof(store)) && bytes[i + sizeof(store)] >= 8) {
			image->left_g = bytes[i + sizeof(store)];
			return;
		}
}

/* Until these functions save the stack pointer in a register that C preserves (mov %rsp,%r12 or
 * %rbx), they are like others, and the register holds any value. True when `addr` is behind that
 * instruction. */
static bool has_saved_sp(struct gopclntab *t, const struct go_function *f, uint64_t addr)
{
	static const uint8_t r12[3] = { 0x49, 0x89, 0xe4 }, rbx[3] = { 0x48, 0x89, 0xe3 };
	uint8_t bytes[CODE_MAX];
	size_t len = gocode_read(t, f, addr, bytes);

	for (size_t i = 0; i + 3 <= len; i++)
		if (!memcmp(bytes + i, r12, 3) || !memcmp(bytes + i, rbx, 3))
			return true;
	return len == CODE_MAX;
}

static void learn_function(struct go_image *image, const struct go_function *f, uint64_t addr,
			   struct go_code *code)
{
	struct gopclntab *t = image->table;
	enum go_kind kind = gocode_kind_of(t, f);

	code->assembly = f->flags & GO_ASSEMBLY;
	/* Code of other compilers between Go's has no pcsp table. */
	if (kind == GO_SIGNAL_RETURN || kind == GO_OUTERMOST ||
	    (f->pcsp && gopclntab_stack(t, f, addr, &code->depth)))
		code->kind = (uint8_t)kind;
	if ((kind == GO_SP_IN_R12 || kind == GO_SP_IN_RBX) && code->kind == kind &&
	    !has_saved_sp(t, f, addr))
		code->kind = GO_ORDINARY;
	if (code->kind == GO_CROSSCALL)
		gocode_find_saved(image, f);
	else if (code->kind == GO_ASMCGOCALL)
		find_left(image, f);
}

static bool is_never_called(struct gopclntab *t, const struct go_function *f)
{
	char name[NAME_ROOM];

	return gocode_kind_of(t, f) == GO_SIGNAL_RETURN ||
	       (gopclntab_name(t, f->name, name, sizeof(name)) &&
		gocode_is_named(name, "runtime.systemstack_switch"));
}

bool gocode_learn(struct go_image *image, uint64_t addr, struct go_code *code)
{
	struct gopclntab *t = image->table;
	struct go_function f, next;

	memset(code, 0, sizeof(*code));
	if (!gopclntab_find(t, addr, &f))
		return false;
	code->begins = addr + 1 == f.end && gopclntab_find(t, f.end, &next) &&
		       is_never_called(t, &next);
	if (code->begins)
		learn_function(image, &next, f.end, code);
	else
		learn_function(image, &f, addr, code);
	return code->kind != GO_NONE;
}
