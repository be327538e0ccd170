#include "sampler/snapshot.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "base/error.h"

/* Below sp a leaf function may keep data without moving sp (System V ABI,
 * AMD64 supplement, 3.2.2: the red zone). */
enum { RED_ZONE = 128 };

/* What glibc's and musl's clone execute before the new thread goes its own way. */
enum { NEWBORN_BYTES = 8 };

/* No ordinary stack is larger; sp further than this below the top is elsewhere. */
static const uint64_t STACK_SPAN = 1ull << 30;

static int read_pieces(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	const struct snapshot *s = (const struct snapshot *)m;
	int rc = s->stack.memory.read(&s->stack.memory, addr, buf, len), other;

	if (!rc || !s->other.len)
		return rc;
	other = s->other.memory.read(&s->other.memory, addr, buf, len);
	return other == ERR_IO ? rc : other;
}

int snapshot_init(struct snapshot *s, size_t room)
{
	memset(s, 0, sizeof(*s));
	s->memory.read = read_pieces;
	return snapshot_reserve(s, room);
}

void snapshot_release(struct snapshot *s)
{
	free(s->bytes);
	memset(s, 0, sizeof(*s));
}

int snapshot_reserve(struct snapshot *s, size_t room)
{
	char *bytes;

	if (room <= s->room)
		return 0;
	bytes = malloc(2 * room);
	if (!bytes)
		return ERR_NOMEM;
	memset(bytes, 1, 2 * room);
	free(s->bytes);
	s->bytes = bytes;
	s->room = room;
	memory_bytes_init(&s->stack, bytes, 0, 0);
	memory_bytes_init(&s->other, bytes + room, 0, 0);
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
	to->unknown = 0;
}

/* A new thread comes to life behind its maker's system call, with the result 0; rcx
 * is where that call returned to (the `syscall` instruction puts it there). An
 * interrupt may have come before the first instructions, which only test rax. */
static bool looks_newborn(const struct user_regs_struct *user)
{
	bool from_call = user->orig_rax == SYS_clone || user->orig_rax == SYS_clone3;

	return !user->rax && (from_call || user->rip - user->rcx <= NEWBORN_BYTES);
}

/* From a little below sp upward and, when sp is elsewhere, what lies below `top`. */
static void copy_stack(struct snapshot *s, pid_t tid, uint64_t sp, size_t want, uint64_t top)
{
	size_t len = want + RED_ZONE < s->room ? want + RED_ZONE : s->room;
	uint64_t start = sp - RED_ZONE;
	bool elsewhere = top && top - sp > STACK_SPAN;
	struct iovec local[2] = { { s->bytes, len }, { s->bytes + s->room, len } };
	struct iovec remote[2] = { { (void *)(uintptr_t)start, len },
				   { (void *)(uintptr_t)(top - len), len } };
	ssize_t got = process_vm_readv(tid, local, elsewhere ? 2 : 1, remote, elsewhere ? 2 : 1, 0);
	size_t first = got < 0 ? 0 : (size_t)got < len ? (size_t)got : len;

	/* A stack that ends early stops the copy before the second piece. */
	if (elsewhere && first < len) {
		got = process_vm_readv(tid, &local[1], 1, &remote[1], 1, 0);
		got = got < 0 ? 0 : (ssize_t)first + got;
	}
	memory_bytes_init(&s->stack, s->bytes, start, first);
	memory_bytes_init(&s->other, s->bytes + s->room, top - len,
			  elsewhere && got > 0 ? (size_t)got - first : 0);
	/* A full copy may have more behind it; a short one ended where the
	 * mapping ends. */
	s->stack.more = first == len ? UINT32_MAX : 0;
}

void snapshot_take(struct snapshot *s, pid_t tid, const struct user_regs_struct *user, size_t want,
		   uint64_t top)
{
	copy_stack(s, tid, user->rsp, want, top);
	copy_regs(&s->regs, user);
	s->newborn = looks_newborn(user);
}

void snapshot_glance(struct snapshot *s, pid_t tid, uint64_t pc, uint64_t sp, size_t want,
		     uint64_t top)
{
	copy_stack(s, tid, sp, want, top);
	s->regs.r[DWARF_RIP] = pc;
	s->regs.r[DWARF_RSP] = sp;
	s->regs.unknown = ~(1u << DWARF_RIP | 1u << DWARF_RSP);
	s->newborn = false;
}

/* Like snapshot_reserve, but what has been copied stays. */
static int make_room(struct snapshot *s, size_t room)
{
	char *bytes;

	if (room <= s->room)
		return 0;
	bytes = malloc(2 * room);
	if (!bytes)
		return ERR_NOMEM;
	memcpy(bytes, s->bytes, s->stack.len);
	memcpy(bytes + room, s->bytes + s->room, s->other.len);
	free(s->bytes);
	s->bytes = bytes;
	s->room = room;
	s->stack.data = bytes;
	s->other.data = bytes + room;
	return 0;
}

/* A read across the end of the mapping gives what lies before it, in whole pages. */
int snapshot_extend(struct snapshot *s, pid_t tid, size_t len)
{
	size_t had = s->stack.len;
	struct iovec local, remote;
	ssize_t got;

	if (!s->stack.more || len <= had)
		return ERR_SHORT;
	if (make_room(s, len))
		return ERR_NOMEM;
	local = (struct iovec){ s->bytes + had, len - had };
	remote = (struct iovec){ (void *)(uintptr_t)(s->stack.start + had), len - had };
	got = process_vm_readv(tid, &local, 1, &remote, 1, 0);
	if (got <= 0)
		return ERR_SHORT;
	s->stack.len = had + (size_t)got;
	s->stack.more = (size_t)got == len - had ? UINT32_MAX : 0;
	return 0;
}
