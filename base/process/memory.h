/*
 * The interface for reading a target's memory.
 *
 * The unwinder and all other code that follows pointers in a foreign process use this interface and
 * nothing else of that process: live memory, the copy of a stack and a buffer in a test look the
 * same.
 */
#ifndef BASE_PROCESS_MEMORY_H
#define BASE_PROCESS_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

struct iovec;

struct memory_piece {
	uint64_t addr;
	void *to;
	size_t len;
};

struct memory {
	/* Copies exactly `len` bytes at `addr` into `buf`. 0; ERR_IO: there is no such memory;
	 * ERR_SHORT: it exists, but beyond the end of this view (the copy of a stack). */
	int (*read)(const struct memory *m, uint64_t addr, void *buf, size_t len);

	/* Bytes at hand, which need no call: [start, start + len). All others need read(). */
	const uint8_t *bytes;
	uint64_t start;
	size_t len;

	/* As memory_gather; NULL: it uses read(). */
	size_t (*gather)(const struct memory *m, struct memory_piece *pieces, size_t count);
};

/* Copies many pieces in order, each whole or not at all; a piece that could not be read has length
 * 0 afterwards. One system call copies up to 1,024 pieces of a process. Returns the number of
 * calls. */
size_t memory_gather(const struct memory *m, struct memory_piece *pieces, size_t count);

/* A running process, by process_vm_readv(2). Needs the same permission as ptrace(2). */
struct memory_live {
	struct memory memory;
	pid_t pid;
};

void memory_live_init(struct memory_live *m, pid_t pid);

enum { MEMORY_PIECES_MAX = 1024 }; /* IOV_MAX, the limit of process_vm_readv(2) */

/* Copies at most MEMORY_PIECES_MAX pieces of a process's or thread's memory by one system call, in
 * order. Stops at the first piece that does not exist (any more). Returns how many bytes were
 * copied. */
size_t memory_live_gather(pid_t pid, const struct memory_piece *pieces, size_t count);

/* How a thread of ours reads live processes, where not by the system call alone. `read` has the
 * arguments and the result of process_vm_readv(2), errno included. */
struct memory_reader {
	ssize_t (*read)(struct memory_reader *reader, pid_t pid, const struct iovec *local,
			size_t locals, const struct iovec *remote, size_t remotes);
};

/* All reads of live processes by the calling thread go through `reader` from now on, which is
 * borrowed; NULL: by the system call. */
void memory_live_reads_by(struct memory_reader *reader);

/* process_vm_readv(2), by the calling thread's reader if it has one. */
ssize_t memory_live_call(pid_t pid, const struct iovec *local, size_t locals,
			 const struct iovec *remote, size_t remotes);

/* Our own bytes, borrowed, which stand for the addresses from `start` on. All are at hand. */
struct memory_bytes {
	struct memory memory;
	uint64_t more; /* number of bytes that follow in the target and were not copied */
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

/* Eight bytes of a copy, at an offset that lies within it. */
static inline uint64_t memory_word(const void *copy, size_t at)
{
	uint64_t value;

	memcpy(&value, (const char *)copy + at, sizeof(value));
	return value;
}

/* The same of four bytes, */
static inline uint32_t memory_u32(const void *copy, size_t at)
{
	uint32_t value;

	memcpy(&value, (const char *)copy + at, sizeof(value));
	return value;
}

/* and of two. */
static inline uint16_t memory_u16(const void *copy, size_t at)
{
	uint16_t value;

	memcpy(&value, (const char *)copy + at, sizeof(value));
	return value;
}

#endif
