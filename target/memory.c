#include "target/memory.h"

#include <string.h>
#include <sys/uio.h>

#include "base/error.h"

static int read_live(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	const struct memory_live *live = (const struct memory_live *)m;
	struct iovec local = { buf, len };
	struct iovec remote = { (void *)(uintptr_t)addr, len };

	return process_vm_readv(live->pid, &local, 1, &remote, 1, 0) == (ssize_t)len ? 0 : ERR_IO;
}

void memory_live_init(struct memory_live *m, pid_t pid)
{
	m->memory = (struct memory){ .read = read_live };
	m->pid = pid;
}

static int read_bytes(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	uint64_t at = addr - m->start;

	if (at <= m->len && len <= m->len - at) {
		memcpy(buf, m->bytes + at, len);
		return 0;
	}
	/* One that begins below the start wraps to a huge `at` and is no match. */
	return at < m->len + ((const struct memory_bytes *)m)->more ? ERR_SHORT : ERR_IO;
}

void memory_bytes_init(struct memory_bytes *m, const void *data, uint64_t start, size_t len)
{
	m->memory = (struct memory){ read_bytes, data, start, len };
	m->more = 0;
}
