#include "sampler/snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "base/error.h"

/* Below sp a leaf function may keep data without moving sp (System V ABI,
 * AMD64 supplement, 3.2.2: the red zone). */
enum { RED_ZONE = 128 };

int snapshot_init(struct snapshot *s, size_t room)
{
	memset(s, 0, sizeof(*s));
	return snapshot_reserve(s, room);
}

void snapshot_release(struct snapshot *s)
{
	free(s->bytes);
	memset(s, 0, sizeof(*s));
}

int snapshot_reserve(struct snapshot *s, size_t room)
{
	void *bytes;

	if (room <= s->room)
		return 0;
	bytes = malloc(room);
	if (!bytes)
		return ERR_NOMEM;
	memset(bytes, 1, room);
	free(s->bytes);
	s->bytes = bytes;
	s->room = room;
	memory_bytes_init(&s->stack, bytes, 0, 0);
	return 0;
}

static void copy_regs(struct regs *to, const struct user_regs_struct *from)
{
	to->r[DWARF_RAX] = from->rax;
	to->r[DWARF_RDX] = from->rdx;
	to->r[DWARF_RCX] = from->rcx;
	to->r[DWARF_RBX] = from->rbx;
	to->r[DWARF_RSI] = from->rsi;
	to->r[DWARF_RDI] = from->rdi;
	to->r[DWARF_RBP] = from->rbp;
	to->r[DWARF_RSP] = from->rsp;
	to->r[DWARF_R8] = from->r8;
	to->r[DWARF_R9] = from->r9;
	to->r[DWARF_R10] = from->r10;
	to->r[DWARF_R11] = from->r11;
	to->r[DWARF_R12] = from->r12;
	to->r[DWARF_R13] = from->r13;
	to->r[DWARF_R14] = from->r14;
	to->r[DWARF_R15] = from->r15;
	to->r[DWARF_RIP] = from->rip;
}

void snapshot_take(struct snapshot *s, pid_t tid, const struct user_regs_struct *user, size_t want)
{
	size_t len = want + RED_ZONE < s->room ? want + RED_ZONE : s->room;
	uint64_t start = user->rsp - RED_ZONE;
	struct iovec local = { s->bytes, len };
	struct iovec remote = { (void *)(uintptr_t)start, len };
	ssize_t got = process_vm_readv(tid, &local, 1, &remote, 1, 0);

	copy_regs(&s->regs, user);
	memory_bytes_init(&s->stack, s->bytes, start, got > 0 ? (size_t)got : 0);
	/* A full copy may have more behind it; a short one ended where the
	 * mapping ends. */
	s->stack.more = got == (ssize_t)len ? UINT32_MAX : 0;
}
