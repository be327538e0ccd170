/* Live memory is read by process_vm_readv(2), many pieces in a call. A thread can have its calls
 * made by a reader of its own (memory_live_reads_by), which may give up one that does not come
 * back. */
#include "base/process/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "base/error.h"

static _Thread_local struct memory_reader *own_reader;

void memory_live_reads_by(struct memory_reader *reader)
{
	own_reader = reader;
}

ssize_t memory_live_call(pid_t pid, const struct iovec *local, size_t locals,
			 const struct iovec *remote, size_t remotes)
{
	if (own_reader)
		return own_reader->read(own_reader, pid, local, locals, remote, remotes);
	return process_vm_readv(pid, local, locals, remote, remotes, 0);
}

static int process_memory_read_live(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	const struct memory_live *live = (const struct memory_live *)m;
	struct iovec local = { buf, len };
	struct iovec remote = { (void *)(uintptr_t)addr, len };

	return memory_live_call(live->pid, &local, 1, &remote, 1) == (ssize_t)len ? 0 : ERR_IO;
}

/* How many pieces are done after `got` bytes were read. The first piece that is not whole counts as
 * done and is marked as missing. */
static size_t done_with(struct memory_piece *pieces, size_t count, size_t got)
{
	size_t i = 0;

	while (i < count && got >= pieces[i].len)
		got -= pieces[i++].len;
	if (i < count)
		pieces[i++].len = 0;
	return i;
}

static size_t gather_live(const struct memory *m, struct memory_piece *pieces, size_t count)
{
	const struct memory_live *live = (const struct memory_live *)m;
	struct iovec local[MEMORY_PIECES_MAX], remote[MEMORY_PIECES_MAX];
	size_t calls = 0;

	for (size_t done = 0; done < count; calls++) {
		size_t n = count - done < MEMORY_PIECES_MAX ? count - done : MEMORY_PIECES_MAX;
		ssize_t got;

		for (size_t i = 0; i < n; i++) {
			struct memory_piece *p = &pieces[done + i];

			local[i] = (struct iovec){ p->to, p->len };
			remote[i] = (struct iovec){ (void *)(uintptr_t)p->addr, p->len };
		}
		got = memory_live_call(live->pid, local, n, remote, n);
		if (got < 0 && errno != EFAULT) { /* the process ended or is unreadable now */
			for (; done < count; done++)
				pieces[done].len = 0;
			return calls + 1;
		}
		done += done_with(pieces + done, n, got < 0 ? 0 : (size_t)got);
	}
	return calls;
}

size_t memory_gather(const struct memory *m, struct memory_piece *pieces, size_t count)
{
	if (m->gather)
		return m->gather(m, pieces, count);
	for (size_t i = 0; i < count; i++)
		if (pieces[i].len && m->read(m, pieces[i].addr, pieces[i].to, pieces[i].len))
			pieces[i].len = 0;
	return count;
}

void memory_live_init(struct memory_live *m, pid_t pid)
{
	m->memory = (struct memory){ .read = process_memory_read_live, .gather = gather_live };
	m->pid = pid;
}

size_t memory_live_gather(pid_t pid, const struct memory_piece *pieces, size_t count)
{
	struct iovec local[MEMORY_PIECES_MAX], remote[MEMORY_PIECES_MAX];
	ssize_t got;

	for (size_t i = 0; i < count; i++) {
		local[i] = (struct iovec){ pieces[i].to, pieces[i].len };
		remote[i] = (struct iovec){ (void *)(uintptr_t)pieces[i].addr, pieces[i].len };
	}
	got = memory_live_call(pid, local, count, remote, count);
	return got < 0 ? 0 : (size_t)got;
}

static int process_memory_read_bytes(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	uint64_t at = addr - m->start;

	if (at <= m->len && len <= m->len - at) {
		memcpy(buf, m->bytes + at, len);
		return 0;
	}
	/* An address below the start wraps to a huge `at` and does not match. */
	return at < m->len + ((const struct memory_bytes *)m)->more ? ERR_SHORT : ERR_IO;
}

void memory_bytes_init(struct memory_bytes *m, const void *data, uint64_t start, size_t len)
{
	m->memory = (struct memory){
		.read = process_memory_read_bytes, .bytes = data, .start = start, .len = len
	};
	m->more = 0;
}
