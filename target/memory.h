/*
 * How anyone reads a target's memory.
 *
 * The unwinder and whatever else follows pointers in a foreign process sees
 * this one function and nothing else of that process: live memory, the copy of
 * a stack, or a buffer in a test look the same to it.
 */
#ifndef TARGET_MEMORY_H
#define TARGET_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

struct memory_piece {
	uint64_t addr;
	void *to;
	size_t len;
};

struct memory {
	/* Copies exactly `len` bytes at `addr` into `buf`. 0; ERR_IO when there
	 * is no such memory; ERR_SHORT when there is, but this view of it (the
	 * copy of a stack) does not reach that far. */
	int (*read)(const struct memory *m, uint64_t addr, void *buf, size_t len);

	/* Bytes at hand, which need no call: those at [start, start + len). What lies
	 * elsewhere is read()'s affair. */
	const uint8_t *bytes;
	uint64_t start;
	size_t len;

	/* As memory_gather; NULL: by read(). */
	size_t (*gather)(const struct memory *m, struct memory_piece *pieces, size_t count);
};

/* Copies many pieces, in order, each whole or not at all: those that could not be read have
 * length 0 afterwards. Of a process 1,024 in one system call; how many calls. */
size_t memory_gather(const struct memory *m, struct memory_piece *pieces, size_t count);

/* A running process, through process_vm_readv(2). Wants what ptrace wants. */
struct memory_live {
	struct memory memory;
	pid_t pid;
};

void memory_live_init(struct memory_live *m, pid_t pid);

enum { MEMORY_PIECES_MAX = 8 };

/* Several pieces of a process's or thread's memory in one system call: how many bytes
 * were copied. They are copied in order, and the first that is not there (any more) ends
 * it. */
size_t memory_live_gather(pid_t pid, const struct memory_piece *pieces, size_t count);

/* Bytes of our own, standing for the addresses from `start` on: all are at hand. */
struct memory_bytes {
	struct memory memory;
	uint64_t more; /* so many bytes follow in the target that were not copied */
};

void memory_bytes_init(struct memory_bytes *m, const void *data, uint64_t start, size_t len);

static inline int memory_read_u64(const struct memory *m, uint64_t addr, uint64_t *value)
{
	uint64_t at = addr - m->start;

	if (at >= m->len || m->len - at < sizeof(*value))
		return m->read(m, addr, value, sizeof(*value));
	memcpy(value, m->bytes + at, sizeof(*value));
	return 0;
}

/* Eight bytes of a copy, at an offset that is within it. */
static inline uint64_t memory_word(const void *copy, size_t at)
{
	uint64_t value;

	memcpy(&value, (const char *)copy + at, sizeof(value));
	return value;
}

#endif
