#include "sampler/snapshot.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/error.h"
#include "sampler/registers.h"
#include "sampler/threads.h"

/* No ordinary stack is larger; sp further than this below the top is elsewhere. */
static const uint64_t STACK_SPAN = 1ull << 30;

static int read_pieces(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	const struct snapshot *s = (const struct snapshot *)m;
	int rc = s->stack.memory.read(&s->stack.memory, addr, buf, len), other;

	if (!rc || !s->other.memory.len)
		return rc;
	other = s->other.memory.read(&s->other.memory, addr, buf, len);
	return other == ERR_IO ? rc : other;
}

/* The first piece is at hand for who reads; the other is looked for in read_pieces. */
static void set_pieces(struct snapshot *s, uint64_t start, size_t len, uint64_t other_start,
		       size_t other_len)
{
	memory_bytes_init(&s->stack, s->bytes, start, len);
	memory_bytes_init(&s->other, s->bytes + s->room, other_start, other_len);
	s->memory = s->stack.memory;
	s->memory.read = read_pieces;
}

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
	set_pieces(s, 0, 0, 0, 0);
	return 0;
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
	set_pieces(s, start, first, top - len, elsewhere && got > 0 ? (size_t)got - first : 0);
	/* A full copy may have more behind it; a short one ended where the
	 * mapping ends. */
	s->stack.more = first == len ? UINT32_MAX : 0;
}

void snapshot_take(struct snapshot *s, pid_t tid, const struct registers *registers,
		   size_t want, uint64_t top)
{
	copy_stack(s, tid, registers_sp(registers), want, top);
	registers_for_walk(registers, &s->regs);
	s->newborn = registers_newborn(registers);
}

void snapshot_glance(struct snapshot *s, pid_t tid, uint64_t pc, uint64_t sp, size_t want,
		     uint64_t top)
{
	copy_stack(s, tid, sp, want, top);
	registers_of_waiting(&(struct call){ .number = -1, .sp = sp, .pc = pc }, &s->regs);
	s->newborn = false;
}

/* Like snapshot_reserve, but what has been copied stays. */
static int make_room(struct snapshot *s, size_t room)
{
	const struct memory *stack = &s->stack.memory, *other = &s->other.memory;
	uint64_t more = s->stack.more;
	char *bytes, *old = s->bytes;

	if (room <= s->room)
		return 0;
	bytes = malloc(2 * room);
	if (!bytes)
		return ERR_NOMEM;
	memcpy(bytes, old, stack->len);
	memcpy(bytes + room, old + s->room, other->len);
	s->bytes = bytes;
	s->room = room;
	set_pieces(s, stack->start, stack->len, other->start, other->len);
	s->stack.more = more;
	free(old);
	return 0;
}

/* A read across the end of the mapping gives what lies before it, in whole pages. */
int snapshot_extend(struct snapshot *s, pid_t tid, size_t len)
{
	size_t had = s->stack.memory.len;
	struct iovec local, remote;
	ssize_t got;

	if (!s->stack.more || len <= had)
		return ERR_SHORT;
	if (make_room(s, len))
		return ERR_NOMEM;
	local = (struct iovec){ s->bytes + had, len - had };
	remote = (struct iovec){ (void *)(uintptr_t)(s->stack.memory.start + had), len - had };
	got = process_vm_readv(tid, &local, 1, &remote, 1, 0);
	if (got <= 0)
		return ERR_SHORT;
	set_pieces(s, s->stack.memory.start, had + (size_t)got, s->other.memory.start,
		   s->other.memory.len);
	s->stack.more = (size_t)got == len - had ? UINT32_MAX : 0;
	return 0;
}
